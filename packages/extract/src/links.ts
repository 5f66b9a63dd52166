/** Links as values: resolved, each URL once, in document order. Which of them belong to a run is not known here. */

export interface PageLink {
  /** Absolute, the page's `<base>` applied, without fragment. */
  readonly url: string;
  readonly text: string;
  /** Lower case; `frame` for what a page shows rather than leads to. */
  readonly rel: string;
}

/** A reference that resolves by joining strings: plain segments, none of them starting with a dot, plain query. */
const PLAIN = /^\/?[\w~-][\w~.-]*(?:\/[\w~-][\w~.-]*)*\/?(?:\?[\w~./=&+-]*)?$/;
const PLAIN_FRAGMENT = /^[\w~.:/?()-]*$/;

/** An absolute http(s) URL and its fragment (with `#`, or empty). */
export interface Resolved {
  readonly url: string;
  readonly fragment: string;
}

/**
 * Resolves references against one base. Most references of real pages are a plain path, for which joining strings is
 * exactly what the URL parser does, at a fraction of its cost; the test compares the two.
 */
export function createResolver(base: string): (href: string) => Resolved | null {
  const parsed = URL.parse(base);
  if (!parsed || !isHttp(parsed)) return (href) => resolveSlowly(href, undefined);
  const { origin } = parsed;
  const page = `${origin}${parsed.pathname}${parsed.search}`;
  const folders = parsed.pathname.split('/').slice(1, -1);
  // A user name in the base would have to be carried along, and an escape in its path may be a dot.
  const isSimple = parsed.username === '' && parsed.password === '' && !parsed.pathname.includes('%');

  const join = (path: string): string | null => {
    if (path.startsWith('/')) return PLAIN.test(path) ? origin + path : null;
    let rest = path;
    let depth = folders.length;
    while (rest.startsWith('../')) {
      rest = rest.slice(3);
      if (depth > 0) depth--;
    }
    if (!PLAIN.test(rest) || rest.startsWith('/')) return null;
    const folder = depth === 0 ? '/' : `/${folders.slice(0, depth).join('/')}/`;
    return origin + folder + rest;
  };
  const joinAbsolute = (path: string): string | null =>
    path.startsWith(origin) && path.charCodeAt(origin.length) === 47 && PLAIN.test(path.slice(origin.length))
      ? path
      : null;

  return (href) => {
    const hash = href.indexOf('#');
    const path = hash < 0 ? href : href.slice(0, hash);
    const fragment = hash < 0 ? '' : href.slice(hash);
    if (isSimple && PLAIN_FRAGMENT.test(fragment.slice(1))) {
      const url = path === '' && hash === 0 ? page : (join(path) ?? joinAbsolute(path));
      if (url !== null) return { url, fragment };
    }
    return resolveSlowly(href, parsed);
  };
}

function resolveSlowly(href: string, base: URL | undefined): Resolved | null {
  const url = URL.parse(href, base?.href);
  if (!url || !isHttp(url)) return null;
  const hash = url.href.indexOf('#');
  return hash < 0 ? { url: url.href, fragment: '' } : { url: url.href.slice(0, hash), fragment: url.href.slice(hash) };
}

const isHttp = (url: URL): boolean => url.protocol === 'https:' || url.protocol === 'http:';

/** Collects links as they are met. */
export class LinkList {
  readonly #links = new Map<string, { url: string; text: string; rel: string }>();

  /** A later occurrence adds what the first lacked: a text, or the permission to follow. */
  add(url: string, text: string, rel: string): void {
    const known = this.#links.get(url);
    if (!known) {
      this.#links.set(url, { url, text, rel });
      return;
    }
    if (known.text === '') known.text = text;
    if (known.rel.includes('nofollow') && !rel.includes('nofollow')) known.rel = rel;
  }

  toArray(): PageLink[] {
    return [...this.#links.values()];
  }
}
