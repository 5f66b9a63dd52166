import {
  newRunId,
  problemSchema,
  progressSchema,
  runAcceptedSchema,
  runListSchema,
  runSchema,
  runWhySchema,
} from '@trawl/contracts';
import { getRun } from '@trawl/db';
import { BROWSER, createLogger, startHeartbeat } from '@trawl/runtime';
import { testRedis, waitFor } from '@trawl/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApi, type TestApi } from '../test-api.ts';

const redis = testRedis();
let api: TestApi;
beforeAll(async () => {
  api = await startTestApi(redis);
});
afterAll(() => api.close());

const runOf = async (id: string) => runSchema.parse(await (await api.get(`/v1/runs/${id}`)).json());
const progressOf = async (id: string) => progressSchema.parse(await (await api.get(`/v1/runs/${id}/progress`)).json());

describe('POST /v1/runs', () => {
  it('accepts a run, sets it up and wakes discovery', async () => {
    const before = await api.queues.waiting('discover');
    const answer = await api.post('/v1/runs', { url: 'https://example.com/', maxPages: 5 });
    expect(answer.status).toBe(202);
    const run = runAcceptedSchema.parse(await answer.json());
    expect(run.links).toEqual({
      self: `/v1/runs/${run.id}`,
      progress: `/v1/runs/${run.id}/progress`,
      pages: `/v1/runs/${run.id}/pages`,
      events: `/v1/runs/${run.id}/events`,
    });
    expect(answer.headers.get('location')).toBe(run.links.self);
    expect(await api.queues.waiting('discover')).toBe(before + 1);
    expect(await runOf(run.id)).toMatchObject({
      id: run.id,
      sourceId: run.sourceId,
      status: 'discovering',
      config: { urls: ['https://example.com/'], maxPages: 5, userAgent: 'Trawl/test' },
      stats: null,
      discovery: null,
    });
  });

  it('refuses a run that is to be rendered as long as there is no browser, and takes it once there is', async () => {
    const refused = await api.post('/v1/runs', { url: 'https://example.com/', render: 'always' });
    expect(refused.status).toBe(400);
    expect(problemSchema.parse(await refused.json()).errors).toMatchObject([
      { path: 'render', message: expect.stringContaining('no render worker has one') },
    ]);
    const log = createLogger({ level: 'silent', role: 'test' });
    const browser = startHeartbeat(redis, BROWSER, { prefix: api.prefix, logger: log });
    await waitFor(() => api.deps.anyBrowser(), { what: 'the browser' });
    expect((await api.post('/v1/runs', { url: 'https://example.com/', render: 'always' })).status).toBe(202);
    await browser.stop();
  });

  it('takes JSON without a content type, as curl users send it', async () => {
    const request = new Request('http://localhost/v1/runs', {
      method: 'POST',
      body: Buffer.from('{"url":"https://example.com/"}'),
    });
    expect(request.headers.get('content-type')).toBeNull();
    expect((await api.app.request(request)).status).toBe(202);
  });

  it('continues a source that exists, and refuses one that does not', async () => {
    const id = await api.startRun();
    const first = await runOf(id);
    await api.finalize(id, 'completed', 0);
    const second = await runOf(await api.startRun({ sourceId: first.sourceId }));
    expect(second.sourceId).toBe(first.sourceId);
    const answer = await api.post('/v1/runs', { url: 'https://example.com/', sourceId: `src_${'0'.repeat(20)}` });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ errors: [{ path: 'sourceId' }] });
  });

  it('is refused while a run of the source is not finished, naming that run', async () => {
    const id = await api.startRun();
    const { sourceId } = await runOf(id);
    const answer = await api.post('/v1/runs', { url: 'https://example.com/', sourceId });
    expect(answer.status).toBe(409);
    const told = problemSchema.parse(await answer.json());
    expect(told).toMatchObject({ code: 'RUN_IN_PROGRESS', runId: id, detail: expect.stringContaining(id) });
  });

  it('refuses start URLs that are private by their look, naming each', async () => {
    const urls = [
      'https://example.com/',
      'http://127.0.0.1:9000/',
      'http://localhost/',
      'http://[::1]/',
      'http://0x7f.1/',
    ];
    const answer = await api.post('/v1/runs', { urls });
    expect(answer.status).toBe(400);
    const { errors } = problemSchema.parse(await answer.json());
    expect(errors?.map(({ path }) => path)).toEqual(['urls.1', 'urls.2', 'urls.3', 'urls.4']);
    const single = await api.post('/v1/runs', { url: 'http://169.254.169.254/latest' });
    expect(await single.json()).toMatchObject({ status: 400, errors: [{ path: 'url' }] });
  });

  it('finishes what a request that died after the row had begun, when it is repeated', async () => {
    const key = { 'idempotency-key': 'died-half-way' };
    const body = { url: 'https://example.com/half' };
    const { id } = runAcceptedSchema.parse(await (await api.post('/v1/runs', body, key)).json());
    const run = await runOf(id);
    await api.state.remove(run.id as never);
    await api.database.sql`UPDATE runs SET status = 'pending' WHERE id = ${id}`;
    expect((await api.post('/v1/runs', body, key)).status).toBe(202);
    expect(await runOf(id)).toMatchObject({ status: 'discovering' });
  });
});

describe('an Idempotency-Key', () => {
  it('gives the same answer for the same body, however it is spelled, and starts one run', async () => {
    const key = { 'idempotency-key': 'same' };
    const first = await api.post('/v1/runs', { url: 'https://example.com/a', maxDepth: 1 }, key);
    const again = await api.post('/v1/runs', '{ "maxDepth": 1, "url": "https://example.com/a" }', key);
    expect([first.status, again.status]).toEqual([202, 202]);
    expect(await again.text()).toBe(await first.text());
  });

  it('starts one run when twenty requests race', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        api.post('/v1/runs', { url: 'https://example.com/race' }, { 'idempotency-key': 'race' }),
      ),
    );
    expect(answers.map((answer) => answer.status)).toEqual(Array(20).fill(202));
    const bodies = await Promise.all(answers.map((answer) => answer.text()));
    expect(new Set(bodies).size).toBe(1);
  });

  it('is refused with another body', async () => {
    const key = { 'idempotency-key': 'other' };
    await api.post('/v1/runs', { url: 'https://example.com/a' }, key);
    const answer = await api.post('/v1/runs', { url: 'https://example.com/b' }, key);
    expect(answer.status).toBe(422);
    expect(problemSchema.parse(await answer.json()).code).toBe('IDEMPOTENCY_KEY_REUSED');
  });

  it.each(['', ' ', 'a b', 'x'.repeat(256)])('is refused when it is %j', async (key) => {
    const answer = await api.post('/v1/runs', { url: 'https://example.com/' }, { 'idempotency-key': key });
    expect(answer.status).toBe(400);
  });
});

describe('GET /v1/runs', () => {
  it('lists every run once, newest first, over as many parts as it takes', async () => {
    const started: string[] = [];
    for (let i = 0; i < 5; i++) started.unshift(await api.startRun({ url: `https://example.com/list/${i}` }));
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const after: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const answer = await api.get(`/v1/runs?limit=2${after}`);
      const list = runListSchema.parse(await answer.json());
      expect(list.items.length).toBeLessThanOrEqual(2);
      seen.push(...list.items.map((run) => run.id));
      cursor = list.nextCursor;
    } while (cursor !== null);
    expect(seen.slice(0, 5)).toEqual(started);
    expect(new Set(seen).size).toBe(seen.length);
  });

  it('shows the status of now, and filters by it', async () => {
    const id = await api.startRun();
    await api.post(`/v1/runs/${id}/pause`, '');
    const idsWith = async (status: string): Promise<string[]> => {
      const list = runListSchema.parse(await (await api.get(`/v1/runs?limit=100&status=${status}`)).json());
      expect(list.items.every((run) => run.status === status)).toBe(true);
      return list.items.map((run) => run.id);
    };
    expect(await idsWith('paused')).toContain(id);
    expect(await idsWith('discovering')).not.toContain(id);
    expect(await idsWith('completed')).not.toContain(id);
    const other = await api.startRun();
    expect(await idsWith('discovering')).toContain(other);
  });

  it('shows the first few start URLs and how many there are', async () => {
    const urls = Array.from({ length: 8 }, (_, i) => `https://example.com/${i}`);
    const id = await api.startRun({ url: undefined, urls });
    const list = runListSchema.parse(await (await api.get('/v1/runs?limit=1')).json());
    expect(list.items).toMatchObject([{ id, urls: urls.slice(0, 5), urlCount: 8 }]);
  });
});

describe('the progress of a run', () => {
  it('comes from Redis while it is alive and from Postgres afterwards, at both addresses', async () => {
    const id = await api.startRun();
    await api.discover(id, ['/1', '/2', '/3']);
    expect(await progressOf(id)).toMatchObject({
      status: 'running',
      total: 3,
      queued: 3,
      inProgress: 3,
      percentComplete: 0,
    });
    const { sourceId } = await runOf(id);
    const ofSource = await api.get(`/v1/sources/${sourceId}/runs/${id}/progress`);
    expect(await ofSource.json()).toMatchObject({ runId: id, total: 3 });

    await api.savePages(id, ['/1', '/2', '/3']);
    await api.finalize(id, 'completed', 3);
    const atTheEnd = await progressOf(id);
    expect(atTheEnd).toMatchObject({ status: 'completed', total: 3, queued: 0, processed: 3, percentComplete: 100 });
    await api.state.remove(id);
    expect(await progressOf(id)).toEqual(atTheEnd);
    expect(await runOf(id)).toMatchObject({ status: 'completed', stats: { processed: 3, bytes: 300 } });
  });

  it('is not found under another source', async () => {
    const id = await api.startRun();
    const other = await runOf(await api.startRun());
    expect((await api.get(`/v1/sources/${other.sourceId}/runs/${id}/progress`)).status).toBe(404);
    expect((await api.get(`/v1/sources/nonsense/runs/${id}/progress`)).status).toBe(404);
  });
});

describe('pause, resume and cancel', () => {
  const send = async (id: string, verb: string) => {
    const answer = await api.app.request(`/v1/runs/${id}/${verb}`, { method: 'POST' });
    return { status: answer.status, body: await answer.json() };
  };

  it('change the run and answer with it; the row says the same', async () => {
    const id = await api.startRun();
    await api.discover(id, ['/1']);
    expect(await send(id, 'pause')).toMatchObject({ status: 200, body: { id, status: 'paused' } });
    expect((await getRun(api.db, id))?.status).toBe('paused');
    expect(await send(id, 'resume')).toMatchObject({ status: 200, body: { id, status: 'running' } });
    expect((await getRun(api.db, id))?.status).toBe('running');
    const before = await api.queues.waiting('finalize');
    expect(await send(id, 'cancel')).toMatchObject({ status: 200, body: { id, status: 'finalizing' } });
    expect(await api.queues.waiting('finalize')).toBe(before + 1);
  });

  it('are refused with 409 where the status does not allow them', async () => {
    const id = await api.startRun();
    await api.discover(id, ['/1']);
    expect(await send(id, 'resume')).toMatchObject({ status: 409, body: { code: 'CONFLICT' } });
    await send(id, 'cancel');
    for (const verb of ['pause', 'resume', 'cancel']) expect((await send(id, verb)).status).toBe(409);
    await api.finalize(id, 'cancelled', 0);
    await api.state.remove(id);
    const late = await send(id, 'cancel');
    expect(late).toMatchObject({ status: 409, body: { detail: "The run is cancelled; it can't cancel." } });
  });

  it('are not found for a run that does not exist', async () => {
    for (const verb of ['pause', 'resume', 'cancel']) expect((await send(newRunId(), verb)).status).toBe(404);
  });
});

describe('DELETE /v1/runs/:id', () => {
  it('leaves nothing of a run that is alive: no keys, rows or blobs', async () => {
    const id = await api.startRun();
    await api.discover(id, ['/1']);
    await api.savePages(id, ['/1']);
    const ref = await api.blobs.put(`${id}/body`, Buffer.from('x'));
    const remove = () => api.app.request(`/v1/runs/${id}`, { method: 'DELETE' });

    const answer = await remove();
    expect([answer.status, await answer.text()]).toEqual([204, '']);
    expect(await api.redis.keys(`${api.prefix}*${id}*`)).toEqual([]);
    expect(await api.blobs.get(ref)).toBeNull();
    expect(await api.database.sql`SELECT 1 FROM run_pages WHERE run_id = ${id}`).toEqual([]);
    expect(await getRun(api.db, id)).toBeNull();
    expect((await remove()).status).toBe(404);
    expect((await api.get(`/v1/runs/${id}`)).status).toBe(404);
  });

  it('takes the kept answers of pages with it that no other run saw, and all of a source that goes too', async () => {
    const first = await api.startRun();
    const { sourceId } = (await getRun(api.db, first)) ?? {};
    const keep = (name: string) => api.blobs.put(`${sourceId}/raw/${name}`, Buffer.from(name));
    const [a, b, loose] = [await keep('/a'), await keep('/b'), await keep('/loose')];
    await api.savePages(first, ['/a'], { rawRef: a });
    await api.savePages(first, ['/b'], { rawRef: b });
    await api.finalize(first, 'completed', 2);
    const second = await api.startRun({ sourceId });
    await api.savePages(second, ['/b'], { rawRef: b });
    const remove = (id: string) => api.app.request(`/v1/runs/${id}`, { method: 'DELETE' });
    const left = async () => (await Promise.all([a, b, loose].map((ref) => api.blobs.get(ref)))).map(String);
    expect((await remove(first)).status).toBe(204);
    expect(await left()).toEqual(['null', '/b', '/loose']);
    expect((await remove(second)).status).toBe(204);
    expect(await left()).toEqual(['null', 'null', 'null']);
  });

  it('deletes a finished run', async () => {
    const id = await api.startRun();
    await api.finalize(id, 'completed', 0);
    expect((await api.app.request(`/v1/runs/${id}`, { method: 'DELETE' })).status).toBe(204);
  });
});

describe('GET /v1/runs/:id/why', () => {
  const why = async (id: string) => runWhySchema.parse(await (await api.get(`/v1/runs/${id}/why`)).json());

  it('counts what waits, by host', async () => {
    const id = await api.startRun();
    await api.discover(id, ['/1', '/2']);
    expect(await why(id)).toMatchObject({
      runId: id,
      status: 'running',
      waiting: 2,
      leased: 0,
      discovering: false,
      hosts: [{ host: 'example.com', waiting: 2, session: 'open', blockedUntil: null }],
    });
  });

  it('says that a run is paused, and how to go on', async () => {
    const id = await api.startRun();
    await api.state.pause(id);
    expect((await why(id)).explanation[0]).toBe(`The run is paused; POST /v1/runs/${id}/resume continues it.`);
  });

  it('says of a finished run that nothing is left', async () => {
    const id = await api.startRun();
    await api.finalize(id, 'completed', 0);
    expect(await why(id)).toMatchObject({ waiting: 0, explanation: ['The run is completed; nothing is left to do.'] });
  });
});
