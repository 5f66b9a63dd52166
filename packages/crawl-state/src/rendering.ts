/**
 * What a run has learned of rendering, by path template: so that a site is not probed page by page. Counts are kept by the scripts; what
 * they mean is decided here, once for fetch, render and process workers.
 */
import { list } from './owed.ts';

/** `gain`: a browser made more of it; `idle`: it did not; `static`: taken for one to render, and none. */
export type RenderOutcome = 'gain' | 'idle' | 'static';

interface Counts {
  readonly shells: number;
  readonly gains: number;
  readonly idles: number;
  readonly statics: number;
}

/** So many renders that brought nothing, and none that did, are enough. */
const IDLE_ENOUGH = 3;

export type Rendering = ReadonlyMap<string, Counts>;

/** From what a script returned, `[template, counts, …]`. */
export function renderingOf(reply: Record<string, unknown>): Rendering {
  const flat = list<string>(reply.rendering);
  const known = new Map<string, Counts>();
  for (let i = 0; i + 1 < flat.length; i += 2) {
    const [shells = 0, gains = 0, idles = 0, statics = 0] = (flat[i + 1] ?? '').split(' ').map(Number);
    known.set(flat[i] ?? '', { shells, gains, idles, statics });
  }
  return known;
}

/** Are pages of this template fetched by a browser's worker at once, rather than after one look without? */
export function isKnownToRender(rendering: Rendering, template: string): boolean {
  const counts = rendering.get(template);
  if (counts === undefined || isBarren(rendering, template)) return false;
  return counts.shells + counts.gains + counts.idles > counts.statics;
}

/** Does a browser make nothing more of pages of this template, though they look as if? */
export function isBarren(rendering: Rendering, template: string): boolean {
  const counts = rendering.get(template);
  return counts !== undefined && counts.gains === 0 && counts.idles >= IDLE_ENOUGH;
}
