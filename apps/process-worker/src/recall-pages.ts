/** Pages that are as their source knows them: nothing of them is parsed or written again, but the run saw them, and follows their links. */
import type { RunId } from '@trawl/contracts';
import type { HeldPage, RunSettings } from '@trawl/crawl-state';
import { saveUnchanged } from '@trawl/db';
import { pageLinks, wantedLinks } from './page-links.ts';
import type { ProcessDeps, ReadPage } from './process-pages.ts';

/** Null: the run is over, and what was held is not part of it. */
export async function recallPages(
  held: readonly HeldPage[],
  settings: RunSettings,
  runId: RunId,
  deps: ProcessDeps,
): Promise<ReadPage[] | null> {
  if (held.length === 0) return [];
  const { config, sourceId } = settings;
  const saved = await saveUnchanged(
    deps.db,
    { runId, sourceId },
    held.map(({ key, depth, parentUrl, info }) => ({
      key,
      depth,
      parentUrl,
      httpStatus: info.httpStatus,
      elapsedMs: info.elapsedMs,
      crawledAt: info.unchanged === 'fresh' ? null : new Date(info.crawledAt),
      etag: info.etag ?? null,
      lastModified: info.lastModified ?? null,
    })),
  );
  if (saved.kind !== 'saved') return null;
  const rules = deps.rulesOf(runId, config);
  return held.map((page) => {
    const { key, token, url, depth } = page;
    const known = saved.pages.get(key);
    // Forgotten since it was asked for (its last run was deleted): it is fetched after all.
    if (!known) return { held: page, row: null, settled: { key, token, kind: 'gone' } };
    const { links, refused } = pageLinks({ ...known, url }, config, rules);
    const wanted = wantedLinks(links, depth, config, deps.knownLinks(runId));
    // What it says was told apart when it was read; it counts as new among pages of its kind.
    const settled = { print: known.contentHash, sample: [known.contentHash] };
    return {
      held: page,
      row: null,
      settled: { key, token, kind: 'ok', url, depth, links: wanted, refused, ...settled },
    };
  });
}
