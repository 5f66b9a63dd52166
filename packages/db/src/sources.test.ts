import { newSourceId } from '@trawl/contracts';
import { describe, expect, it } from 'vitest';
import { savePages } from './save-pages.ts';
import { readSourceInput } from './source-input.ts';
import type { NewSource } from './source-types.ts';
import { describeSource, getSource, listSources, scheduledSources } from './sources.ts';
import { addRun, config, page, useStore } from './testing/store.ts';
import { insertSource, updateSource } from './write-source.ts';

const store = useStore();
const given: NewSource = {
  name: 'Docs',
  config: { url: 'https://example.com/', maxPages: 5 },
  schedule: null,
  timezone: 'UTC',
  overlap: false,
  access: null,
};

describe('a source', () => {
  it('is kept as it was given', async () => {
    const source = await insertSource(store.db, {
      ...given,
      schedule: '0 3 * * *',
      timezone: 'Asia/Tokyo',
      overlap: true,
    });
    expect(source).toEqual({
      ...given,
      id: expect.stringMatching(/^src_/),
      schedule: '0 3 * * *',
      timezone: 'Asia/Tokyo',
      overlap: true,
      createdAt: expect.any(String),
      updatedAt: source.createdAt,
    });
    expect(await getSource(store.db, source.id)).toEqual(source);
    expect(await describeSource(store.db, source.id)).toEqual({ ...source, lastRun: null, pages: 0, gone: 0 });
  });

  it('is changed only in what is given', async () => {
    const source = await insertSource(store.db, { ...given, schedule: '0 3 * * *' });
    const renamed = await updateSource(store.db, source.id, { name: 'New', config: undefined });
    expect(renamed).toEqual({ ...source, name: 'New', updatedAt: renamed?.updatedAt });
    expect(Date.parse(renamed?.updatedAt ?? '')).toBeGreaterThanOrEqual(Date.parse(source.updatedAt));
    expect(await updateSource(store.db, source.id, { schedule: null })).toMatchObject({ name: 'New', schedule: null });
    const before = await getSource(store.db, source.id);
    expect(await updateSource(store.db, source.id, {})).toEqual(before);
    expect(await updateSource(store.db, newSourceId(), { name: 'x' })).toBeNull();
  });

  it('is described with its newest run, and its pages counted', async () => {
    const first = await addRun(store.db);
    await savePages(store.db, first, [page('a'), page('b'), page('c')]);
    const second = await addRun(store.db, first.sourceId);
    await store.database.sql`UPDATE pages SET gone_at = now() WHERE source_id = ${first.sourceId} AND key LIKE '%c'`;
    expect(await describeSource(store.db, first.sourceId)).toMatchObject({
      name: 'example.com',
      config: null,
      lastRun: { id: second.runId, status: 'pending', finishedAt: null },
      pages: 2,
      gone: 1,
    });
    expect(await describeSource(store.db, newSourceId())).toBeNull();
  });

  it('is among those with a schedule while it has one', async () => {
    const { id } = await insertSource(store.db, { ...given, schedule: '0 3 * * *', timezone: 'Europe/Berlin' });
    expect(await scheduledSources(store.db)).toContainEqual({ id, schedule: '0 3 * * *', timezone: 'Europe/Berlin' });
    await updateSource(store.db, id, { schedule: null });
    expect((await scheduledSources(store.db)).map((source) => source.id)).not.toContain(id);
  });
});

describe('listSources', () => {
  it('gives every source once, newest first, with its newest run, also where sources share their time', async () => {
    const run = await addRun(store.db);
    for (let i = 0; i < 6; i++) await insertSource(store.db, given);
    await store.database.sql`UPDATE sources SET created_at = date_trunc('minute', created_at)`;
    const expected = await store.database.sql`SELECT id FROM sources ORDER BY created_at DESC, id DESC`;
    const seen = [];
    let cursor: string | undefined;
    do {
      const part = await listSources(store.db, { limit: 3, cursor });
      if (part.kind !== 'listed') throw new Error(part.kind);
      seen.push(...part.items);
      cursor = part.nextCursor ?? undefined;
    } while (cursor !== undefined);
    expect(seen.map((source) => source.id)).toEqual(expected.map((row) => row.id));
    expect(seen.find((source) => source.id === run.sourceId)?.lastRun?.id).toBe(run.runId);
    expect(seen[0]).not.toHaveProperty('config');
  });

  it.each([
    '',
    'x',
    Buffer.from('source 1 src_x').toString('base64url'),
    Buffer.from(`run 1 ${newSourceId()}`).toString('base64url'),
    Buffer.from(`source 999999999999999 ${newSourceId()}`).toString('base64url'),
  ])('refuses the cursor %j', async (cursor) => {
    expect(await listSources(store.db, { limit: 3, cursor })).toEqual({ kind: 'bad-cursor' });
  });
});

describe('what the next run of a source is started with', () => {
  it('is its own configuration, or else that of its newest run', async () => {
    const own = await insertSource(store.db, given);
    expect(await readSourceInput(store.db, own.id)).toEqual({ kind: 'found', source: own, input: given.config });
    const came = await addRun(store.db);
    const found = await readSourceInput(store.db, came.sourceId);
    expect(found).toMatchObject({ kind: 'found', input: { urls: config.urls, maxDepth: config.maxDepth } });
  });

  it('is nothing where there is no source, or no run left to tell', async () => {
    expect(await readSourceInput(store.db, newSourceId())).toEqual({ kind: 'no-source' });
    const { runId, sourceId } = await addRun(store.db);
    await store.database.sql`DELETE FROM runs WHERE id = ${runId}`;
    expect(await readSourceInput(store.db, sourceId)).toEqual({ kind: 'no-config' });
  });
});
