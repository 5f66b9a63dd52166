/** Sites without end, told from sites that are only large: by whether the pages of one kind bring something new. */
import { newRunId, type RunId } from '@trawl/contracts';
import { expect, test } from 'vitest';
import { MAX_LINKS_PER_CALL } from './admit.ts';
import type { SessionRef } from './begin.ts';
import type { FetchOwed } from './owed.ts';
import { INFO, LIMITS, link, SETTINGS, testCrawl } from './test-run.ts';

const { state } = testCrawl();
const PAGES = 10_000;
const QUOTA = 2000;

/** Links to 10,000 pages of one template, all on one page; then a worker that goes on as long as there is work. */
async function crawl(printOf: (page: number) => string): Promise<RunId> {
  const runId = newRunId();
  const limits = { ...LIMITS, maxPages: 100_000, maxUrls: 100_000, templateQuota: QUOTA };
  await state.create(runId, { limits, settings: SETTINGS });
  let opened: FetchOwed | null = null;
  for (let from = 0; from < PAGES; from += MAX_LINKS_PER_CALL) {
    const links = Array.from({ length: MAX_LINKS_PER_CALL }, (_, i) => link(`a/Class${from + i}.html`));
    const admitted = await state.admit(runId, links);
    if (admitted.kind === 'admitted') opened ??= admitted.owed.fetch[0] ?? null;
  }
  await state.discovered(runId);
  let processed = 0;
  while (opened) {
    const session: SessionRef = { runId, ...opened, exec: 'e' };
    opened = null;
    await state.begin(session);
    for (;;) {
      const claimed = await state.step(session, [], 100);
      if (claimed.kind === 'over' || claimed.claims.length === 0) break;
      const body = { ref: 'blob' };
      await state.step(
        session,
        claimed.claims.map(({ key, token }) => ({ key, token, kind: 'ok', body, info: INFO })),
        0,
      );
      await state.settle(
        runId,
        claimed.claims.map(({ key, token, url, depth }) => ({
          key,
          token,
          kind: 'ok',
          url,
          depth,
          links: [],
          refused: {},
          print: printOf(processed++),
        })),
      );
    }
    opened = (await state.close(session)).owed.fetch[0] ?? null;
  }
  return runId;
}

test('10,000 pages of one kind lose none as long as they bring something new', { timeout: 60_000 }, async () => {
  const runId = await crawl((page) => `print of ${page}`);
  expect(await state.progress(runId)).toMatchObject({ status: 'finalizing', processed: PAGES, queued: 0, refused: {} });
});

test('pages that bring nothing new end at the quota, and what was left out is counted', {
  timeout: 60_000,
}, async () => {
  // Twelve months, over and over.
  const runId = await crawl((page) => `month ${page % 12}`);
  const processed = QUOTA + 2 * 12;
  expect(await state.progress(runId)).toMatchObject({
    status: 'finalizing',
    processed,
    queued: 0,
    refused: { 'template-quota': PAGES - processed },
  });
});
