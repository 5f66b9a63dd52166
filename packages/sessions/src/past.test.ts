import {
  completeRunConfig,
  createRunSchema,
  newRunId,
  newSourceId,
  runConfigSchema,
  type SourceId,
  type UrlKey,
} from '@trawl/contracts';
import type { Claim, RunSettings } from '@trawl/crawl-state';
import { insertRun, type KnownPage, knownPages, migrate, openDb, savePages, saveSitemapEntries } from '@trawl/db';
import { createLogger } from '@trawl/runtime';
import { testDatabase } from '@trawl/testing';
import { pageIdentity } from '@trawl/url';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createPasts, type PastStore } from './past.ts';

const config = completeRunConfig(createRunSchema.parse({ url: 'https://example.com/' }), { userAgent: 'x' });

const settingsOf = (sourceId: SourceId = newSourceId(), hasPast = true): RunSettings => ({
  sourceId,
  config,
  hasPast,
  access: null,
});

const claimOf = (name: string, url = `https://example.com/${name}`): Claim => ({
  key: `https://example.com/${name}` as UrlKey,
  token: '1',
  url,
  depth: 0,
  attempts: 0,
  age: null,
});

const PAGE: KnownPage = {
  httpStatus: 200,
  contentType: 'text/html',
  etag: null,
  lastModified: null,
  bodyHash: null,
  contentHash: 'content',
  crawledAt: new Date(0),
  rendered: false,
  sitemap: null,
};

/** A store that knows every page, and counts how it is used. */
function setUp(answer: PastStore['knownPages'] = async (_, pages) => new Map(pages.map(({ key }) => [key, PAGE]))) {
  const logger = createLogger({ level: 'silent', role: 'test' });
  const warn = vi.spyOn(logger, 'warn');
  const asked: Parameters<PastStore['knownPages']>[] = [];
  const open = vi.fn(
    async (): Promise<PastStore> => ({
      knownPages: (...call) => {
        asked.push(call);
        return answer(...call);
      },
    }),
  );
  return { pastOf: createPasts(open, logger, { awayMs: 0 }), open, asked, warn };
}

describe('the past of a run', () => {
  it('is null where its source has none, and nothing is opened for it', () => {
    const { pastOf, open } = setUp();
    expect(pastOf(settingsOf(newSourceId(), false))).toBeNull();
    expect(open).not.toHaveBeenCalled();
  });

  it('is opened when it is first asked for, once for all runs', async () => {
    const { pastOf, open, asked } = setUp();
    const sources = [newSourceId(), newSourceId()];
    const pasts = sources.map((sourceId) => pastOf(settingsOf(sourceId)));
    expect(open).not.toHaveBeenCalled();
    await Promise.all([...pasts, ...pasts].map((past) => past?.knownOf([claimOf('a')])));
    await pastOf(settingsOf())?.knownOf([claimOf('a')]);
    expect(open).toHaveBeenCalledTimes(1);
    expect(asked.slice(0, 4).map(([sourceId]) => sourceId)).toEqual([...sources, ...sources]);
  });

  it('is what the store knows of the claims', async () => {
    const { pastOf, warn } = setUp(async () => new Map([[claimOf('b').key, PAGE]]));
    const known = await pastOf(settingsOf())?.knownOf([claimOf('a'), claimOf('b')]);
    expect(known).toEqual(new Map([[claimOf('b').key, PAGE]]));
    expect(warn).not.toHaveBeenCalled();
  });

  it('asks for pages by their key, and for their sitemap entries by the identity all sources share', async () => {
    const { pastOf, asked } = setUp();
    const tracked = claimOf('tracked', 'http://www.example.com/Docs/?utm_source=x#top');
    const plain = claimOf('plain', 'https://example.com/Docs');
    const other = claimOf('other', 'https://example.com/Other');
    await pastOf(settingsOf())?.knownOf([tracked, plain, other]);
    const pages = asked[0]?.[1] ?? [];
    expect(pages.map(({ key }) => key)).toEqual([tracked.key, plain.key, other.key]);
    expect(pages[0]?.identity).toBe(pages[1]?.identity);
    expect(pages[0]?.identity).not.toBe(pages[2]?.identity);
  });

  it('is empty, with a warning, while the store fails, and is there again afterwards', async () => {
    const broken = new Error('the database is away');
    let isAway = true;
    const { pastOf, open, warn } = setUp(async () => {
      if (isAway) throw broken;
      return new Map([[claimOf('a').key, PAGE]]);
    });
    const past = pastOf(settingsOf());
    expect(await past?.knownOf([claimOf('a')])).toEqual(new Map());
    expect(warn).toHaveBeenCalledExactlyOnceWith({ err: broken }, expect.stringContaining('asked for as new'));
    isAway = false;
    expect(await past?.knownOf([claimOf('a')])).toEqual(new Map([[claimOf('a').key, PAGE]]));
    expect(warn).toHaveBeenCalledTimes(1);
    expect(open).toHaveBeenCalledTimes(1);
  });

  it('is empty, with a warning, where the store can not be opened', async () => {
    const { pastOf, open, warn } = setUp();
    open.mockRejectedValueOnce(new Error('no such module'));
    expect(await pastOf(settingsOf())?.knownOf([claimOf('a')])).toEqual(new Map());
    expect(warn).toHaveBeenCalledTimes(1);
  });

  it('is tried to be opened again after it could not be', async () => {
    const { pastOf, open } = setUp();
    open.mockRejectedValueOnce(new Error('out of memory'));
    const past = pastOf(settingsOf());
    await past?.knownOf([claimOf('a')]);
    expect((await past?.knownOf([claimOf('a')]))?.size).toBe(1);
  });
});

it('a past that does not answer is not waited for, nor asked again for a while', async () => {
  let calls = 0;
  const never = {
    knownPages: () => {
      calls++;
      return new Promise<never>(() => {});
    },
  };
  const logger = createLogger({ level: 'silent', role: 'test' });
  const past = createPasts(async () => never, logger, { patienceMs: 20, awayMs: 60_000 })(settingsOf());
  expect((await past?.knownOf([claimOf('a')]))?.size).toBe(0);
  expect((await past?.knownOf([claimOf('a')]))?.size).toBe(0);
  expect(calls).toBe(1);
});

describe('the past in Postgres', () => {
  it('is known by key, with what sitemaps say, and is nothing once Postgres is away', async () => {
    const database = await testDatabase();
    await migrate(database.url);
    const db = openDb(database.url, { max: 2 });
    onTestFinished(async () => {
      await db.close();
      await database.drop();
    });
    const inserted = await insertRun(db, { id: newRunId(), sourceId: null, config: runConfigSchema.parse(config) });
    if (inserted.kind !== 'inserted') throw new Error(inserted.kind);
    const { id: runId, sourceId } = inserted.run;
    const { key, url } = claimOf('a');
    await savePages(db, { runId, sourceId }, [
      {
        ...{ key, url, finalUrl: url, depth: 0, parentUrl: null, httpStatus: 200, contentType: 'text/html' },
        ...{ title: null, language: null, bytes: 1, elapsedMs: 1, contentHash: 'content', etag: '"v1"' },
        ...{ markdown: null, text: '', links: [], metadata: {}, chunks: [], crawledAt: new Date(1000) },
      },
    ]);
    const entry = { url, lastmod: new Date(2000), changefreq: null, priority: null, identity: pageIdentity(url) };
    await saveSitemapEntries(db, 'example.com', new Date(3000), [entry]);

    const logger = createLogger({ level: 'silent', role: 'test' });
    const warn = vi.spyOn(logger, 'warn');
    const store: PastStore = { knownPages: (source, pages) => knownPages(db, source, pages) };
    const past = createPasts(async () => store, logger)(settingsOf(sourceId));
    expect(await past?.knownOf([claimOf('a'), claimOf('b')])).toEqual(
      new Map([
        [
          key,
          {
            ...PAGE,
            etag: '"v1"',
            crawledAt: new Date(1000),
            sitemap: { lastmod: new Date(2000), changefreq: null, isDropped: false },
          },
        ],
      ]),
    );
    expect(warn).not.toHaveBeenCalled();
    await db.close();
    expect(await past?.knownOf([claimOf('a')])).toEqual(new Map());
    expect(warn).toHaveBeenCalledTimes(1);
  });
});
