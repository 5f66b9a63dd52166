import { pageListSchema, pageSchema, sourceChangesSchema } from '@trawl/contracts';
import { getRun } from '@trawl/db';
import { testRedis } from '@trawl/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApi, type TestApi } from '../test-api.ts';

const redis = testRedis();
let api: TestApi;
let source: string;

/** Two runs, of which the second meets one page again and one that is new. */
beforeAll(async () => {
  api = await startTestApi(redis);
  const first = await api.startRun();
  source = `/v1/sources/${(await getRun(api.db, first))?.sourceId}`;
  await api.savePages(first, ['/1', '/2', '/3']);
  await api.finalize(first, 'completed', 3);
  const second = await api.startRun({ sourceId: source.split('/').at(-1) });
  await api.savePages(second, ['/1', '/4']);
  await api.finalize(second, 'completed', 2);
});
afterAll(() => api.close());

describe('GET /v1/sources/:id/pages', () => {
  const list = async (query: string) => pageListSchema.parse(await (await api.get(`${source}/pages${query}`)).json());
  const paths = async (query: string) => (await list(query)).items.map((item) => new URL(item.url).pathname).sort();

  it('lists what all runs of the source have found, each page once and readable by its id', async () => {
    expect(await paths('')).toEqual(['/1', '/2', '/3', '/4']);
    for (const item of (await list('')).items) {
      const page = pageSchema.parse(await (await api.get(`/v1/pages/${item.id}`)).json());
      expect(page).toMatchObject({ url: item.url, text: new URL(item.url).pathname });
    }
    const first = await list('?limit=3');
    const rest = await list(`?limit=3&cursor=${first.nextCursor}`);
    expect(first.items.length + rest.items.length).toBe(4);
    expect(rest.nextCursor).toBeNull();
  });

  it('filters by text and by what the last run found', async () => {
    expect(await paths('?q=title of /2')).toEqual(['/2']);
    expect(await paths('?q=')).toEqual(['/1', '/2', '/3', '/4']);
    expect(await paths('?change=unchanged')).toEqual(['/1']);
    expect(await paths('?change=gone')).toEqual([]);
    await api.database.sql`UPDATE pages SET gone_at = now() WHERE url LIKE '%/3'`;
    expect(await paths('')).toEqual(['/1', '/2', '/4']);
    expect((await list('?change=gone')).items).toMatchObject([{ url: 'https://example.com/3', change: 'gone' }]);
  });
});

describe('GET /v1/sources/:id/changes', () => {
  const ask = async (query: Record<string, string>) =>
    sourceChangesSchema.parse(await (await api.get(`${source}/changes?${new URLSearchParams(query)}`)).json());

  it('tells a consumer everything once, part by part, and then what is new since', async () => {
    const seen: string[] = [];
    let part = await ask({ limit: '1' });
    while (part.nextCursor !== null) {
      seen.push(...part.items.map((item) => item.url));
      part = await ask({ limit: '1', cursor: part.nextCursor });
    }
    seen.push(...part.items.map((item) => item.url));
    expect(seen.sort()).toEqual([1, 2, 3, 4].map((n) => `https://example.com/${n}`));
    const asOf = part.asOf ?? '';
    expect(await ask({ since: asOf })).toEqual({ items: [], nextCursor: null, asOf });
    // However the time is written.
    const inBerlin = `${new Date(Date.parse(asOf) + 7200_000).toISOString().slice(0, -1)}+02:00`;
    expect((await ask({ since: inBerlin })).asOf).toBe(asOf);
    const [first] = (await ask({})).items;
    const later = await ask({ since: first?.changedAt ?? '' });
    expect(later.items.map((item) => item.url)).toEqual(['https://example.com/4']);
  });

  it.each(['0000-01-01T00:00:00Z', '1969-01-01T00:00:00Z', '9999-12-31T23:59:59-23:59'])(
    'takes the time %s',
    async (since) => {
      const { items } = await ask({ since });
      expect(items.length).toBe(since < '2000' ? 4 : 0);
    },
  );
});
