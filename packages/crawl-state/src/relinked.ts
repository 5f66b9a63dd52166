/** All links of a processed page again, after it was found by a shorter way. */
import type { RunId, UrlKey } from '@trawl/contracts';
import { type Link, MAX_LINKS_PER_CALL, packLink } from './admit.ts';
import { type Owed, owedOf } from './owed.ts';
import { call, type StateContext, script } from './script.ts';

const lua = script('relinked');

export interface RelinkedPage {
  readonly key: UrlKey;
  readonly token: string;
  /** As of the job: should it have fallen again meanwhile, the page is linked once more. */
  readonly depth: number;
  readonly url: string;
  readonly links: readonly Link[];
}

/** Sends the links in parts; the entry that holds completion back goes with the last one. Yields what each part owes. */
export async function* relinked(context: StateContext, runId: RunId, page: RelinkedPage): AsyncGenerator<Owed> {
  const { links, ...ref } = page;
  for (let from = 0; from === 0 || from < links.length; from += MAX_LINKS_PER_CALL) {
    const part = links.slice(from, from + MAX_LINKS_PER_CALL).map(packLink);
    const last = from + MAX_LINKS_PER_CALL >= links.length;
    yield owedOf(await call(context, lua, runId, { ...ref, links: part, last }));
  }
}
