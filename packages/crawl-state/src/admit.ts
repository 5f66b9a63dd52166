/** Lets links into a run: a whole page's in one round trip. */
import type { RunId, UrlKey } from '@trawl/contracts';
import { packRequestUrl } from '@trawl/url';
import { type Owed, owedOf } from './owed.ts';
import { call, type StateContext, script } from './script.ts';

const lua = script('admit');

/** A checked link, as the URL rules give it. */
export interface Link {
  readonly key: UrlKey;
  /** As it was first found: what is requested. */
  readonly url: string;
  readonly template: string;
  readonly boosted: boolean;
}

/** `[key, packed request URL, template, boosted]`: what `admission.lua` reads. */
export type PackedLink = readonly [string, string, string, '0' | '1'];

export const packLink = (link: Link): PackedLink => [
  link.key,
  packRequestUrl(link.key, link.url),
  link.template,
  link.boosted ? '1' : '0',
];

/** Lua's stack bounds how much one call may carry. */
export const MAX_LINKS_PER_CALL = 2000;

export type AdmitResult = { kind: 'admitted'; owed: Owed } | { kind: 'over' };

/** `parent`: the page the links are on; without one they are start pages. At most `MAX_LINKS_PER_CALL` links. */
export async function admit(
  context: StateContext,
  runId: RunId,
  links: readonly Link[],
  parent?: { key: UrlKey; url: string },
): Promise<AdmitResult> {
  const reply = await call(context, lua, runId, { links: links.map(packLink), parent });
  return 'over' in reply ? { kind: 'over' } : { kind: 'admitted', owed: owedOf(reply) };
}
