/**
 * What a page asks of robots, in its markup or its headers: not to be kept, its links not to be taken. Does not decide whether
 * anybody obeys (the run's options do).
 */
export interface RobotsDirectives {
  readonly noindex: boolean;
  readonly nofollow: boolean;
}

/** Directives that have a value after a colon, which is therefore not the name of a robot. */
const WITH_VALUE = /^(unavailable_after|max-snippet|max-image-preview|max-video-preview)$/;

/** The content of a robots meta tag: words between commas or spaces, whatever their case. */
export function readDirectives(...contents: readonly string[]): RobotsDirectives {
  const words = new Set(contents.flatMap((content) => content.toLowerCase().split(/[\s,]+/)));
  const none = words.has('none');
  return { noindex: none || words.has('noindex'), nofollow: none || words.has('nofollow') };
}

/** X-Robots-Tag headers: for everybody, or after a robot's name for that one only (`otherbot: noindex, nofollow`). */
export function readRobotsTags(values: readonly string[], productToken: string): RobotsDirectives {
  const mine = values.flatMap((value) => {
    let isMine = true;
    return value.split(',').filter((part) => {
      const name = /^\s*([\w-]+)\s*:/.exec(part)?.[1]?.toLowerCase();
      if (name !== undefined && !WITH_VALUE.test(name)) isMine = name === productToken.toLowerCase();
      return isMine;
    });
  });
  return readDirectives(...mine.map((part) => part.replace(/^\s*[\w-]+\s*:/, ' ')));
}
