import { completeRunConfig, createRunSchema, type Discovery, type UrlErrorCode, type UrlKey } from '@trawl/contracts';
import type { OutcomeRow } from '@trawl/db';
import { describe, expect, it } from 'vitest';
import { createWitness } from './full-run.ts';

const config = (o: object = {}) =>
  completeRunConfig(createRunSchema.parse({ url: 'https://a.test/', exclude: ['/private/**'], ...o }), {
    userAgent: 't',
  });
const all = { final: 'completed' as const, beyond: 0, refused: {} };
const discovery = (complete: boolean): Discovery => ({ complete, sites: [], sitemaps: [], problems: [] });

const ended = (outcome: 'failed' | 'skipped', code: UrlErrorCode): OutcomeRow => ({
  ...{ key: 'https://a.test/x' as UrlKey, url: 'https://a.test/x', finalUrl: null, depth: 1, parentUrl: null, outcome },
  ...{ httpStatus: null, contentType: null, bytes: null, elapsedMs: null, crawledAt: new Date() },
  error: { code, message: '', retryable: false, attempts: 1 },
});

async function judge(
  progress: Parameters<typeof createWitness>[0],
  row: Parameters<typeof createWitness>[1],
  ...outcomes: OutcomeRow[]
) {
  const witness = createWitness(progress, row);
  const passed: OutcomeRow[] = [];
  for await (const part of witness.watch(only(outcomes))) passed.push(...part);
  expect(passed).toEqual(outcomes);
  return witness.wasToFind();
}

async function* only(outcomes: OutcomeRow[]): AsyncGenerator<OutcomeRow[]> {
  yield outcomes;
}

describe('a run that saw all', () => {
  it('would have met what its rules let in, and judges nothing else', async () => {
    const wasToFind = await judge(all, { config: config(), discovery: discovery(true) }, ended('failed', 'HTTP_404'));
    expect(wasToFind?.('https://a.test/docs')).toBe(true);
    expect(wasToFind?.('https://a.test/private/x')).toBe(false);
    expect(wasToFind?.('https://b.test/')).toBe(false);
  });

  it('may have skipped pages', async () => {
    expect(
      await judge(all, { config: config(), discovery: null }, ended('skipped', 'ROBOTS_DISALLOWED')),
    ).not.toBeNull();
  });
});

describe('a run can not tell what is gone', () => {
  it.each([
    ['that was cancelled', { ...all, final: 'cancelled' as const }],
    ['that met its limits', { ...all, beyond: 1 }],
    ['that left out pages of one kind', { ...all, refused: { 'template-quota': 3 } }],
  ])('%s', async (_, progress) => {
    expect(await judge(progress, { config: config(), discovery: null })).toBeNull();
  });

  it('that keeps no row of what it was not allowed to ask for', async () => {
    const row = { config: config({ logSkipped: false }), discovery: null };
    expect(await judge(all, row, ended('skipped', 'ROBOTS_DISALLOWED'))).toBeNull();
  });

  it('that takes a list', async () => {
    expect(await judge(all, { config: config({ mode: 'urls' }), discovery: null })).toBeNull();
  });

  it('whose sitemaps were not all read', async () => {
    expect(await judge(all, { config: config(), discovery: discovery(false) })).toBeNull();
  });

  it.each(['HTTP_500', 'HTTP_403', 'TIMEOUT_BODY', 'HOST_UNAVAILABLE'] as const)(
    'one of whose pages failed with %s',
    async (code) => {
      expect(await judge(all, { config: config(), discovery: null }, ended('failed', code))).toBeNull();
    },
  );
});
