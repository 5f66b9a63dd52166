/** Lets links into a run: a whole page's in one round trip. */
import type { RunId, UrlKey } from '@trawl/contracts';
import { type LinkRank, packRequestUrl } from '@trawl/url';
import { type Owed, owedOf } from './owed.ts';
import { call, type StateContext, script } from './script.ts';

const lua = script('admit');

/** The template of what a site itself lists: it counts for no quota. */
export const LISTED = '-';

/** A checked link, as the URL rules give it. */
export interface Link {
  readonly key: UrlKey;
  /** As it was first found: what is requested. */
  readonly url: string;
  readonly template: string;
  readonly boosted: boolean;
  readonly rank: LinkRank;
  /** Of a kind that sites make without end. */
  readonly endless: boolean;
}

/** `[key, packed request URL, template, rank, endless]`: what `admission.lua` reads. */
export type PackedLink = readonly [string, string, string, string, '0' | '1'];

/** As `task.lua` counts them. */
const RANKS: Readonly<Record<LinkRank, string>> = { ordinary: '0', documentation: '2', listing: '3' };
const BOOSTED = '1';

export const packLink = (link: Link): PackedLink => [
  link.key,
  packRequestUrl(link.key, link.url),
  link.template,
  link.boosted ? BOOSTED : RANKS[link.rank],
  link.endless ? '1' : '0',
];

/** Lua's stack bounds how much one call may carry. */
export const MAX_LINKS_PER_CALL = 2000;

/** `isFull`: the run takes no further URL; what comes is counted as beyond its limits. */
export type AdmitResult = { kind: 'admitted'; owed: Owed; isFull: boolean } | { kind: 'over' };

/** `parent`: the page the links are on; without one they are start pages. At most `MAX_LINKS_PER_CALL` links. */
export async function admit(
  context: StateContext,
  runId: RunId,
  links: readonly Link[],
  parent?: { key: UrlKey; url: string },
): Promise<AdmitResult> {
  const reply = await call(context, lua, runId, { links: links.map(packLink), parent });
  return 'over' in reply ? { kind: 'over' } : { kind: 'admitted', owed: owedOf(reply), isFull: reply.full === true };
}
