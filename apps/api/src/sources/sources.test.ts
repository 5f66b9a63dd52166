import {
  problemSchema,
  runAcceptedSchema,
  runListSchema,
  runSchema,
  type Source,
  sourceListSchema,
  sourceSchema,
} from '@trawl/contracts';
import { getRun } from '@trawl/db';
import { testRedis } from '@trawl/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApi } from '../api.ts';
import { startTestApi, type TestApi } from '../test-api.ts';

const redis = testRedis();
let api: TestApi;
beforeAll(async () => {
  api = await startTestApi(redis);
});
afterAll(() => api.close());

const config = { url: 'https://example.com/', maxPages: 5, normalize: { stripWww: false } };

async function create(over: Record<string, unknown> = {}): Promise<Source> {
  const answer = await api.post('/v1/sources', { name: 'Docs', config, ...over });
  expect(answer.status).toBe(201);
  return sourceSchema.strict().parse(await answer.json());
}
const show = async (id: string) => sourceSchema.strict().parse(await (await api.get(`/v1/sources/${id}`)).json());
const patch = (id: string, body: unknown) =>
  api.app.request(`/v1/sources/${id}`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
const remove = (id: string) => api.app.request(`/v1/sources/${id}`, { method: 'DELETE' });
const errorPaths = async (answer: Response) => {
  expect(answer.status).toBe(400);
  return problemSchema.parse(await answer.json()).errors?.map((error) => error.path);
};

async function start(id: string, body: unknown = {}, headers: Record<string, string> = {}) {
  const answer = await api.post(`/v1/sources/${id}/runs`, body, headers);
  expect(answer.status).toBe(202);
  const accepted = runAcceptedSchema.parse(await answer.json());
  const run = runSchema.parse(await (await api.get(accepted.links.self)).json());
  return { ...run, id: run.id as Awaited<ReturnType<TestApi['startRun']>> };
}

describe('POST /v1/sources', () => {
  it('adds a source, without filling in its configuration, and says where it is', async () => {
    const body = { name: 'Docs', config, schedule: '0 3 * * *', timezone: 'Europe/Berlin' };
    const answer = await api.post('/v1/sources', body);
    expect(answer.status).toBe(201);
    const source = sourceSchema.strict().parse(await answer.json());
    expect(source).toMatchObject({ ...body, overlap: false, lastRun: null, pages: 0, gone: 0 });
    expect(source.config).toEqual(config);
    expect(Date.parse(source.nextRunAt ?? '')).toBeGreaterThan(Date.now());
    expect(answer.headers.get('location')).toBe(`/v1/sources/${source.id}`);
    expect(source.links).toEqual({
      self: `/v1/sources/${source.id}`,
      runs: `/v1/sources/${source.id}/runs`,
      pages: `/v1/sources/${source.id}/pages`,
      changes: `/v1/sources/${source.id}/changes`,
    });
    expect(await show(source.id)).toEqual(source);
  });

  it('starts nothing', async () => {
    const { id, nextRunAt } = await create();
    expect(nextRunAt).toBeNull();
    expect(await (await api.get(`/v1/sources/${id}/runs`)).json()).toEqual({ items: [], nextCursor: null });
  });

  it.each([
    ['name', { name: '' }],
    ['config', { config: undefined }],
    ['config.url', { config: { maxPages: 5 } }],
    ['config.colour', { config: { ...config, colour: 'red' } }],
    ['config.sourceId', { config: { ...config, sourceId: 'src_00000000000000000000' } }],
    ['config.url', { config: { url: 'http://127.0.0.1/' } }],
    ['config.sites.0', { config: { sites: ['localhost'] } }],
    ['config.urls.1', { config: { urls: ['https://example.com/', 'http://[::1]/'] } }],
    ['schedule', { schedule: '61 * * * *' }],
    ['schedule', { schedule: '@daily' }],
    ['schedule', { schedule: '0 0 31 2 *' }],
    ['timezone', { timezone: 'Mars/Olympus' }],
    ['overlap', { overlap: 1 }],
    ['colour', { colour: 'red' }],
  ])('refuses a bad body, naming %s: %j', async (path, over) => {
    expect(await errorPaths(await api.post('/v1/sources', { name: 'Docs', config, ...over }))).toContain(path);
  });
});

describe('GET /v1/sources', () => {
  it('lists every source once, newest first, those that came with a run included', async () => {
    const run = await getRun(api.db, await api.startRun());
    const created: string[] = run === null ? [] : [run.sourceId];
    for (let i = 0; i < 4; i++) created.unshift((await create({ name: `Source ${i}` })).id);
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const after: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const list = sourceListSchema.parse(await (await api.get(`/v1/sources?limit=2${after}`)).json());
      seen.push(...list.items.map((source) => source.id));
      cursor = list.nextCursor;
    } while (cursor !== null);
    expect(seen.slice(0, 5)).toEqual(created);
    expect(new Set(seen).size).toBe(seen.length);
    const { items } = sourceListSchema.parse(await (await api.get('/v1/sources?limit=5')).json());
    expect(items[4]).toMatchObject({ name: 'example.com', lastRun: { id: run?.id, status: 'discovering' } });
  });
});

describe('GET /v1/sources/:id', () => {
  it('shows the newest run as it is now, and counts pages', async () => {
    const { id } = await create();
    const run = await start(id);
    expect((await show(id)).lastRun).toEqual({
      id: run.id,
      status: 'discovering',
      createdAt: run.createdAt,
      finishedAt: null,
    });
    await api.savePages(run.id, ['/1', '/2', '/3']);
    await api.finalize(run.id, 'completed', 3);
    await api.database.sql`UPDATE pages SET gone_at = now() WHERE source_id = ${id} AND url LIKE '%/3'`;
    expect(await show(id)).toMatchObject({
      lastRun: { id: run.id, status: 'completed', finishedAt: expect.any(String) },
      pages: 2,
      gone: 1,
    });
  });
});

describe('PATCH /v1/sources/:id', () => {
  it('changes what is given and nothing else', async () => {
    const source = await create({ schedule: '0 3 * * *' });
    const renamed = await patch(source.id, { name: 'New' });
    expect(renamed.status).toBe(200);
    const { updatedAt, ...same } = sourceSchema.parse(await renamed.json());
    expect({ ...same, updatedAt: source.updatedAt }).toEqual({ ...source, name: 'New' });
    expect(Date.parse(updatedAt)).toBeGreaterThanOrEqual(Date.parse(source.updatedAt));
    await patch(source.id, { schedule: null, overlap: true, config: { urls: ['https://example.com/new'] } });
    expect(await show(source.id)).toMatchObject({
      name: 'New',
      schedule: null,
      nextRunAt: null,
      overlap: true,
      config: { urls: ['https://example.com/new'] },
    });
    expect((await show(source.id)).config).not.toHaveProperty('maxPages');
    await patch(source.id, { schedule: '0 0 1 1 *', timezone: 'Asia/Tokyo' });
    expect((await show(source.id)).nextRunAt).toMatch(/-12-31T15:00:00\.000Z$/);
  });

  it('is refused for bad fields and unknown sources', async () => {
    const { id } = await create();
    expect(await errorPaths(await patch(id, { schedule: '* * * *' }))).toEqual(['schedule']);
    expect(await errorPaths(await patch(id, { schedule: 'H 0 * * *' }))).toEqual(['schedule']);
    expect(await errorPaths(await patch(id, { config: { url: 'http://localhost/' } }))).toEqual(['config.url']);
    expect(await errorPaths(await patch(id, { id }))).toEqual(['id']);
    expect((await patch('src_00000000000000000000', { name: 'x' })).status).toBe(404);
  });
});

describe('POST /v1/sources/:id/runs', () => {
  it("starts a run with the source's configuration and today's defaults", async () => {
    const { id } = await create();
    const before = await api.queues.waiting('discover');
    const answer = await api.app.request(`/v1/sources/${id}/runs`, { method: 'POST' });
    expect(answer.status).toBe(202);
    const accepted = runAcceptedSchema.parse(await answer.json());
    expect(accepted.sourceId).toBe(id);
    expect(answer.headers.get('location')).toBe(accepted.links.self);
    expect(await api.queues.waiting('discover')).toBe(before + 1);
    const run = runSchema.parse(await (await api.get(accepted.links.self)).json());
    expect(run.config).toMatchObject({
      urls: ['https://example.com/'],
      maxPages: 5,
      maxDepth: 2,
      userAgent: 'Trawl/test',
      normalize: { stripWww: false, stripIndex: true },
    });
  });

  it('lays what it is given over that, and leaves the source as it is', async () => {
    const { id } = await create();
    const run = await start(id, { maxPages: 7, urls: ['https://example.com/x'], normalize: { ignoreCase: true } });
    expect(run.config).toMatchObject({
      urls: ['https://example.com/x'],
      maxPages: 7,
      normalize: { stripWww: false, ignoreCase: true },
    });
    expect((await show(id)).config).toEqual(config);
  });

  it('takes the configuration of the newest run where the source has none', async () => {
    const first = await api.startRun({ url: 'https://example.com/docs', maxPages: 9, policy: 'gentle' });
    const sourceId = (await getRun(api.db, first))?.sourceId ?? '';
    expect((await show(sourceId)).config).toBeNull();
    await api.finalize(first, 'completed', 0);
    const second = await start(sourceId, { maxDepth: 1 });
    expect(second.config).toMatchObject({ urls: ['https://example.com/docs'], maxPages: 9, maxDepth: 1 });
    await api.finalize(second.id, 'completed', 0);
    const third = await start(sourceId, { policy: 'fast' });
    expect(third.config).toMatchObject({ maxPages: 9, maxDepth: 1, maxParallelPerHost: 16 });
  });

  it('is refused while a run is not finished, unless it or the source says that they may overlap', async () => {
    const { id } = await create();
    const first = await start(id);
    const refused = await api.post(`/v1/sources/${id}/runs`, {});
    expect(refused.status).toBe(409);
    expect(problemSchema.parse(await refused.json())).toMatchObject({ code: 'RUN_IN_PROGRESS', runId: first.id });
    const beside = await start(id, { overlap: true });
    expect(beside.config).not.toHaveProperty('overlap');
    await patch(id, { overlap: true });
    await start(id);
    await patch(id, { overlap: false });
    expect((await api.post(`/v1/sources/${id}/runs`, {})).status).toBe(409);
  });

  it('starts one run when twenty requests race', async () => {
    const { id } = await create();
    const answers = await Promise.all(Array.from({ length: 20 }, () => api.post(`/v1/sources/${id}/runs`, {})));
    expect(answers.map((answer) => answer.status).sort()).toEqual([202, ...Array(19).fill(409)]);
    const list = runListSchema.parse(await (await api.get(`/v1/sources/${id}/runs`)).json());
    expect(list.items).toHaveLength(1);
  });

  it('gives the same answer for the same Idempotency-Key, even when the source has changed since', async () => {
    const { id } = await create();
    const send = (body: unknown) => api.post(`/v1/sources/${id}/runs`, body, { 'idempotency-key': 'source-run' });
    const first = await send({ maxDepth: 1 });
    await patch(id, { config: { url: 'https://example.com/other' } });
    const again = await send({ maxDepth: 1 });
    expect([first.status, again.status]).toEqual([202, 202]);
    expect(await again.text()).toBe(await first.text());
    expect((await send({ maxDepth: 3 })).status).toBe(422);
    const other = await create();
    const elsewhere = await api.post(
      `/v1/sources/${other.id}/runs`,
      { maxDepth: 1 },
      { 'idempotency-key': 'source-run' },
    );
    expect(elsewhere.status).toBe(422);
  });

  it.each([
    [['colour'], { colour: 'red' }],
    [['maxPages'], { maxPages: 0 }],
    [['sourceId'], { sourceId: 'src_00000000000000000000' }],
    [['url'], { url: 'http://10.0.0.1/' }],
    [['minCrawlDelay'], { minCrawlDelay: 100 }],
    [['normalize.shout'], { normalize: { shout: true } }],
    [['overlap'], { overlap: 'yes' }],
  ])('refuses a bad body, naming %j: %j', async (paths, body) => {
    const { id } = await create();
    expect(await errorPaths(await api.post(`/v1/sources/${id}/runs`, body))).toEqual(paths);
  });
});

describe('GET /v1/sources/:id/runs', () => {
  it('lists the runs of this source only, newest first, by status', async () => {
    const { id } = await create({ overlap: true });
    const other = await create();
    await start(other.id);
    const [first, second, third] = [await start(id), await start(id), await start(id)];
    await api.finalize(second.id, 'completed', 0);
    const ids = async (query: string) => {
      const answer = await api.get(`/v1/sources/${id}/runs${query}`);
      return runListSchema.parse(await answer.json()).items.map((run) => run.id);
    };
    expect(await ids('')).toEqual([third.id, second.id, first.id]);
    expect(await ids('?status=completed')).toEqual([second.id]);
    expect(await ids('?limit=1')).toEqual([third.id]);
  });
});

describe('DELETE /v1/sources/:id', () => {
  it('leaves nothing of it: no rows, keys or blobs, whether its runs are finished or not', async () => {
    const source = await create({ overlap: true, schedule: '0 3 * * *' });
    const [finished, alive] = [await start(source.id), await start(source.id)];
    await api.savePages(finished.id, ['/1']);
    await api.finalize(finished.id, 'completed', 1);
    await api.discover(alive.id, ['/1', '/2']);
    await api.savePages(alive.id, ['/1', '/2']);
    const ref = await api.blobs.put(`${alive.id}/body`, Buffer.from('x'));
    const kept = await api.blobs.put(`${source.id}/raw/page`, Buffer.from('x'));
    const others = await api.blobs.put(`${source.id}x/raw/page`, Buffer.from('x'));

    const answer = await remove(source.id);
    expect([answer.status, await answer.text()]).toEqual([204, '']);
    for (const run of [finished, alive]) {
      expect(await api.redis.keys(`${api.prefix}*${run.id}*`)).toEqual([]);
      expect(await getRun(api.db, run.id)).toBeNull();
      expect((await api.get(`/v1/runs/${run.id}`)).status).toBe(404);
    }
    expect(await api.blobs.get(ref)).toBeNull();
    expect(await api.blobs.get(kept)).toBeNull();
    expect(await api.blobs.get(others)).not.toBeNull();
    expect(await api.database.sql`SELECT 1 FROM pages WHERE source_id = ${source.id}`).toEqual([]);
    expect((await remove(source.id)).status).toBe(404);
    expect((await api.get(`/v1/sources/${source.id}`)).status).toBe(404);
  });

  it('can be sent again when it died before the rows were gone, and no run starts by schedule meanwhile', async () => {
    const source = await create({ schedule: '0 3 * * *' });
    const run = await start(source.id);
    // As far as a request gets that dies there: the run's traces are gone, its row is not.
    const died = { ...api.deps, blobs: { ...api.blobs, deletePrefix: () => Promise.reject(new Error('died')) } };
    expect((await createApi(died).request(`/v1/sources/${source.id}`, { method: 'DELETE' })).status).toBe(500);
    api.logged.length = 0;
    expect(await getRun(api.db, run.id)).toMatchObject({ status: 'cancelled', finishedAt: null });
    expect((await show(source.id)).schedule).toBeNull();
    expect((await remove(source.id)).status).toBe(204);
    expect(await getRun(api.db, run.id)).toBeNull();
  });
});
