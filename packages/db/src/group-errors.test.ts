import type { ErrorGroup } from '@trawl/contracts';
import { expect, it } from 'vitest';
import { finalizeRun } from './finalize-run.ts';
import { groupErrors } from './group-errors.ts';
import { sealRun } from './run-status.ts';
import { savePages } from './save-pages.ts';
import { addRun, ending, key, outcome, page, useStore } from './testing/store.ts';
import type { OutcomeRow } from './types.ts';

const store = useStore();
const BOTH = { outcomes: ['failed', 'skipped'], limit: 100 } as const;

function ended(url: string, code: OutcomeRow['error']['code'], over: Partial<OutcomeRow> = {}): OutcomeRow {
  const error = { code, message: `It was ${code}.`, retryable: code === 'HTTP_503', attempts: 1 };
  return outcome(url, { key: key(url), url, error, ...over });
}

async function finished(outcomes: readonly OutcomeRow[]) {
  const run = await addRun(store.db);
  await savePages(store.db, run, [page('fine')]);
  await sealRun(store.db, run.runId);
  await finalizeRun(store.db, run.runId, ending(['fine'], { outcomes }));
  return run.runId;
}

it('groups what failed or was skipped by code and host, most frequent first', async () => {
  const many = Array.from({ length: 40 }, (_, i) => ended(`https://b.test/${i}`, 'HTTP_404'));
  const runId = await finished([
    ...many,
    ended('https://a.test/1', 'HTTP_404'),
    ended('https://a.test/2', 'HTTP_503'),
    ended('https://a.test/3', 'REDIRECTED', { outcome: 'skipped' }),
  ]);
  await finished([ended('https://b.test/1', 'HTTP_404')]);
  const { groups, ...rest } = await groupErrors(store.db, runId, BOTH);
  expect(rest).toEqual({ total: 43, truncated: false });
  const [first, ...others] = groups;
  expect(first).toMatchObject({
    code: 'HTTP_404',
    host: 'b.test',
    outcome: 'failed',
    count: 40,
    retryable: false,
    message: 'It was HTTP_404.',
  });
  expect(first?.examples).toHaveLength(3);
  const urls = new Set(many.map(({ url }) => url));
  expect(first?.examples.filter((url) => !urls.has(url))).toEqual([]);
  expect(others).toEqual([
    group('HTTP_404', 'failed', 'https://a.test/1'),
    { ...group('HTTP_503', 'failed', 'https://a.test/2'), retryable: true },
    group('REDIRECTED', 'skipped', 'https://a.test/3'),
  ]);
});

const group = (code: string, outcome: ErrorGroup['outcome'], url: string): ErrorGroup => ({
  code,
  host: 'a.test',
  outcome,
  count: 1,
  retryable: false,
  message: `It was ${code}.`,
  examples: [url],
});

it('counts the URLs of all groups of the outcome that was asked for, however few are listed', async () => {
  const runId = await finished([
    ended('https://a.test/1', 'HTTP_404'),
    ended('https://a.test/2', 'HTTP_404'),
    ended('https://a.test/3', 'HTTP_410'),
    ended('https://a.test/4', 'UNSUPPORTED_TYPE', { outcome: 'skipped' }),
  ]);
  const failed = await groupErrors(store.db, runId, { outcomes: ['failed'], limit: 1 });
  expect(failed).toMatchObject({ total: 3, truncated: true, groups: [{ code: 'HTTP_404', count: 2 }] });
  const skipped = await groupErrors(store.db, runId, { outcomes: ['skipped'], limit: 1 });
  expect(skipped).toMatchObject({ total: 1, truncated: false, groups: [{ code: 'UNSUPPORTED_TYPE' }] });
});

it('finds nothing in a run without errors', async () => {
  expect(await groupErrors(store.db, await finished([]), BOTH)).toEqual({ total: 0, groups: [], truncated: false });
});
