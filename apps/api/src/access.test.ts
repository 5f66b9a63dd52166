/** What requests of sources carry: what is taken, what is kept of it, and that nobody is shown its values. */
import {
  crawlErrorSchema,
  problemSchema,
  runAcceptedSchema,
  type Source,
  type SourceId,
  sourceSchema,
} from '@trawl/contracts';
import { insertSource, readSealedAccess } from '@trawl/db';
import { accessOf, createVault, openAccess } from '@trawl/runtime';
import { testRedis, testRedisUrl, textInPostgres, textInRedis, waitFor } from '@trawl/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApi } from './api.ts';
import { startTestApi, type TestApi } from './test-api.ts';

const redis = testRedis();
let api: TestApi;
beforeAll(async () => {
  api = await startTestApi(redis);
});
afterAll(() => api.close());

const URL = 'https://example.com/docs';
const VALUES = ['header-s3cret', 'cookie-s3cret', 'me-s3cret', 'pass-s3cret', 'proxy-s3cret'];
const access = {
  headers: { 'X-Token': 'header-s3cret' },
  cookies: [{ name: 'sid', value: 'cookie-s3cret' }],
  basicAuth: { username: 'me-s3cret', password: 'pass-s3cret' },
  proxy: 'http://user:proxy-s3cret@proxy.example:3128',
};
const summary = { hosts: ['example.com'], headers: ['X-Token'], cookies: ['sid'], basicAuth: true, proxy: true };

const withoutSecrets = (text: string): void => {
  for (const value of VALUES) expect(text).not.toContain(value);
};
async function read(answer: Response, status: number): Promise<unknown> {
  const text = await answer.text();
  withoutSecrets(text);
  expect({ status: answer.status, text }).toMatchObject({ status });
  return JSON.parse(text);
}
const errorsOf = async (answer: Response) => problemSchema.parse(await read(answer, 400)).errors;
const send = (
  app: Pick<TestApi['app'], 'request'>,
  method: string,
  path: string,
  body: unknown,
  o: { readonly key?: string; readonly signal?: AbortSignal } = {},
) =>
  app.request(path, {
    method,
    headers: { 'content-type': 'application/json', ...(o.key !== undefined && { 'idempotency-key': o.key }) },
    body: JSON.stringify(body),
    ...(o.signal && { signal: o.signal }),
  });
const create = async (over: object = {}): Promise<Source> =>
  sourceSchema.parse(
    await read(await api.post('/v1/sources', { name: 'Docs', config: { url: URL }, access, ...over }), 201),
  );
const patch = (id: string, body: unknown) => send(api.app, 'PATCH', `/v1/sources/${id}`, body);
const opened = async (id: string) => {
  const sourceId = id as SourceId;
  return openAccess(api.deps.vault, await readSealedAccess(api.db, sourceId), accessOf(sourceId));
};

describe('a source', () => {
  it('shows of its access no more than names', async () => {
    const source = await create();
    expect(source.access).toEqual(summary);
    expect(await read(await api.get(`/v1/sources/${source.id}`), 200)).toMatchObject({ access: summary });
    withoutSecrets(await (await api.get('/v1/sources?limit=200')).text());
    expect(await opened(source.id)).toMatchObject({ kind: 'open', access: { ...access, plainHttp: false } });
  });

  it('has none where none is given', async () => {
    const { id, access: none } = await create({ access: undefined });
    expect([none, await opened(id)]).toEqual([null, { kind: 'open', access: null }]);
  });

  it('is given another, and none, and keeps it where a change says nothing of it', async () => {
    const { id } = await create();
    expect(await read(await patch(id, { name: 'Other' }), 200)).toMatchObject({ access: summary });
    const headers = { Authorization: 'Bearer header-s3cret' };
    expect(await read(await patch(id, { access: { headers } }), 200)).toMatchObject({
      access: { hosts: ['example.com'], headers: ['Authorization'], cookies: [], basicAuth: false, proxy: false },
    });
    expect(await opened(id)).toMatchObject({ access: { headers, cookies: [], proxy: null } });
    expect(await read(await patch(id, { access: null }), 200)).toMatchObject({ access: null });
    expect(await opened(id)).toEqual({ kind: 'open', access: null });
  });

  it('sends it to the hosts it was given for, also when its start pages are others later', async () => {
    const { id } = await create();
    const config = { url: 'http://other.example/' };
    expect(await read(await patch(id, { config }), 200)).toMatchObject({ access: { hosts: ['example.com'] } });
    // With both, it is for the pages that there are from then on.
    expect(await read(await patch(id, { config, access }), 200)).toMatchObject({
      access: { hosts: ['other.example'] },
    });
  });

  it('that has no start pages is told to name the hosts', async () => {
    const { id } = await insertSource(api.db, {
      ...{ name: 'x', config: { url: URL }, schedule: null, timezone: 'UTC', overlap: false, access: null },
    });
    await api.db.sql`UPDATE sources SET config = NULL WHERE id = ${id}`;
    expect(await errorsOf(await patch(id, { access }))).toMatchObject([{ path: 'access.hosts' }]);
    expect(await read(await patch(id, { access: { ...access, hosts: ['a.example'] } }), 200)).toMatchObject({
      access: { hosts: ['a.example'] },
    });
  });

  it('opens for no other source, and without the key for nobody', async () => {
    const [one, other] = [await create(), await create()];
    const sealed = await readSealedAccess(api.db, one.id as SourceId);
    expect(openAccess(api.deps.vault, sealed, accessOf(other.id as SourceId))).toEqual({ kind: 'unreadable' });
    expect(openAccess(createVault([]), sealed, accessOf(one.id as SourceId))).toEqual({ kind: 'unreadable' });
  });
});

describe('a run', () => {
  it('that brings an access makes a source that has it, and its own state has it sealed', async () => {
    const answer = await read(await api.post('/v1/runs', { url: URL, access }), 202);
    const { id, sourceId } = runAcceptedSchema.parse(answer);
    expect(await read(await api.get(`/v1/sources/${sourceId}`), 200)).toMatchObject({ access: summary });
    await read(await api.get(`/v1/runs/${id}`), 200);
    const settings = await api.state.settings(id as Awaited<ReturnType<TestApi['startRun']>>);
    expect(openAccess(api.deps.vault, settings?.access ?? null, accessOf(sourceId as SourceId))).toMatchObject({
      access: { basicAuth: access.basicAuth, proxy: access.proxy },
    });
  });

  it('of a source has what the source has when it starts', async () => {
    const { id: sourceId } = await create();
    const accepted = await read(await api.post(`/v1/sources/${sourceId}/runs`, {}), 202);
    const { id } = runAcceptedSchema.parse(accepted);
    const settings = await api.state.settings(id as Awaited<ReturnType<TestApi['startRun']>>);
    expect(settings?.access).toBe(await readSealedAccess(api.db, sourceId as SourceId));
  });

  it('of a known source brings none of its own', async () => {
    const { id: sourceId } = await create();
    expect(await errorsOf(await api.post('/v1/runs', { url: URL, sourceId, access }))).toMatchObject([
      { path: 'access' },
    ]);
  });

  it('that is repeated with its key is the same run, and another with another password', async () => {
    const start = (body: object) => send(api.app, 'POST', '/v1/runs', body, { key: 'once' });
    const first = runAcceptedSchema.parse(await read(await start({ url: URL, access }), 202));
    expect(await read(await start({ url: URL, access }), 202)).toMatchObject({ id: first.id });
    const basicAuth = { ...access.basicAuth, password: 'other' };
    await read(await start({ url: URL, access: { ...access, basicAuth } }), 422);
  });
});

describe('what is refused', () => {
  it('is an access that can not be kept, since there is no key', async () => {
    const app = createApi({ ...api.deps, vault: createVault([]) });
    const message = expect.stringContaining('SECRET_KEY');
    for (const [path, body] of [
      ['/v1/runs', { url: URL, access }],
      ['/v1/sources', { name: 'x', config: { url: URL }, access }],
    ] as const)
      expect(await errorsOf(await send(app, 'POST', path, body))).toEqual([{ path: 'access', message }]);
    const { id } = await create({ access: undefined });
    expect(await errorsOf(await send(app, 'PATCH', `/v1/sources/${id}`, { access }))).toEqual([
      { path: 'access', message },
    ]);
    const crawl = await read(await send(app, 'POST', '/v1/crawl', { url: URL, access }), 400);
    expect(crawlErrorSchema.parse(crawl)).toMatchObject({ errors: [{ path: 'access' }] });
  });

  it('is a proxy on a private network', async () => {
    for (const proxy of ['http://u:proxy-s3cret@127.0.0.1:3128', 'https://[::1]', 'http://0x7f.1:80'])
      expect(await errorsOf(await api.post('/v1/runs', { url: URL, access: { proxy } }))).toMatchObject([
        { path: 'access.proxy' },
      ]);
  });

  it('quotes no value', async () => {
    const wrong = [
      { headers: { 'X-Token': 'header-s3cret\r\n' } },
      { headers: { Host: 'header-s3cret' } },
      { cookies: [{ name: 'sid', value: 'cookie-s3cret;' }] },
      { basicAuth: { username: 'me-s3cret:', password: 'pass-s3cret' } },
      { proxy: 'socks5://user:proxy-s3cret@proxy.example' },
      { headers: { 'X-Token': 5 } },
      'header-s3cret',
    ];
    for (const one of wrong) {
      expect((await errorsOf(await api.post('/v1/runs', { url: URL, access: one })))?.[0]?.path).toMatch(/^access/);
      await read(await api.post('/v1/crawl', { url: URL, access: one }), 400);
    }
  });
});

it('a page of its own goes to its worker with the access sealed', async () => {
  const gone = new AbortController();
  const asked = send(api.app, 'POST', '/v1/crawl', { url: `${URL}/alone`, access }, { signal: gone.signal });
  const waiting = () => textInRedis(testRedisUrl(), `${api.prefix}queue:crawl`);
  await waitFor(async () => (await waiting()).includes(`${URL}/alone`), { what: 'the page to be in line' });
  withoutSecrets(await waiting());
  gone.abort();
  await asked;
});

it('nothing is in the database, in Redis or in the log', async () => {
  await create();
  await read(await api.post('/v1/runs', { url: URL, access }), 202);
  const rows = await textInPostgres(api.database.url);
  expect(rows).toContain('X-Token');
  withoutSecrets(rows);
  const keys = await textInRedis(testRedisUrl(), api.prefix);
  expect(keys).toContain(URL);
  withoutSecrets(keys);
  withoutSecrets(api.logged.join('\n'));
});
