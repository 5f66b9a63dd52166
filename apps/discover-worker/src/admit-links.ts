/** Lets links in as start pages, as many as a call takes. */
import type { RunId } from '@trawl/contracts';
import { type CrawlState, type Link, MAX_LINKS_PER_CALL } from '@trawl/crawl-state';
import type { Wakeups } from '@trawl/wakeups';

export type Admitted = 'more' | 'full' | 'over';

export async function admitLinks(
  runId: RunId,
  links: readonly Link[],
  deps: { readonly state: CrawlState; readonly wakeups: Wakeups },
): Promise<Admitted> {
  for (let from = 0; from < links.length; from += MAX_LINKS_PER_CALL) {
    const result = await deps.state.admit(runId, links.slice(from, from + MAX_LINKS_PER_CALL));
    if (result.kind === 'over') return 'over';
    await deps.wakeups.pay(runId, result.owed);
    if (result.isFull) return 'full';
  }
  return 'more';
}
