/** A processed page was found by a shorter way: all its links are sent again, from its row, at its depth now. */
import type { RunId } from '@trawl/contracts';
import type { RelinkOwed } from '@trawl/crawl-state';
import { readLinks } from '@trawl/db';
import { pageLinks } from './page-links.ts';
import type { ProcessDeps } from './process-pages.ts';

export async function relinkPage(runId: RunId, relink: RelinkOwed, deps: ProcessDeps): Promise<void> {
  const settings = await deps.state.settings(runId);
  if (!settings) return;
  const { config } = settings;
  const row = (await readLinks(deps.db, runId, [relink.key])).get(relink.key);
  const rules = deps.rulesOf(runId, config);
  const { links } = row
    ? pageLinks(
        { url: row.url, links: row.links, nofollow: row.nofollow, canonicalUrl: row.canonicalUrl },
        config,
        rules,
      )
    : { links: [] };
  for await (const owed of deps.state.relinked(runId, { ...relink, url: row?.url ?? relink.key, links })) {
    await deps.wakeups.pay(runId, owed);
  }
}
