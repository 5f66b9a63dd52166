import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { packRawAnswer } from '@trawl/blobs';
import { pageSchema, problemSchema, type RunId } from '@trawl/contracts';
import { getRun, listPages, openDb } from '@trawl/db';
import { EXPORT_FORMATS, FORMAT_FILES } from '@trawl/exports';
import { testRedis, waitFor } from '@trawl/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApi } from '../api.ts';
import { listen } from '../listen.ts';
import { startTestApi, type TestApi } from '../test-api.ts';

const redis = testRedis();
let api: TestApi;
beforeAll(async () => {
  api = await startTestApi(redis);
});
afterAll(() => api.close());

const PATHS = ['/', '/docs/a', '/docs/b', '/docs/c'];

async function finishedRun(body: Record<string, unknown> = {}, paths: readonly string[] = PATHS): Promise<RunId> {
  const id = await api.startRun(body);
  await api.savePages(id, paths);
  await api.finalize(id, 'completed', paths.length);
  return id;
}

const sourceOf = async (id: RunId): Promise<string> => (await getRun(api.db, id))?.sourceId ?? '';

/** What a process worker does where the run keeps answers. */
async function keepAnswers(id: RunId, html: string): Promise<void> {
  const body = Buffer.from(html, 'latin1');
  const headers = [['Content-Type', 'text/html; charset=iso-8859-1']] as const;
  const ref = await api.blobs.put(`${id}/kept`, await packRawAnswer({ status: 200, statusText: 'OK', headers, body }));
  await api.database.sql`UPDATE pages SET raw_ref = ${ref} WHERE last_run_id = ${id} AND url NOT LIKE '%/c'`;
  await api.database.sql`UPDATE run_pages SET content_type = 'text/html; charset=iso-8859-1' WHERE run_id = ${id}`;
}

describe('an export', () => {
  it.each(EXPORT_FORMATS)('as %s is a file with its type and name, of a run and of its source', async (format) => {
    const id = await finishedRun({ output: { html: true } });
    await keepAnswers(id, 'x');
    const source = await sourceOf(id);
    const { contentType, extension } = FORMAT_FILES[format];
    for (const [path, name] of [
      [`/v1/runs/${id}/export`, `example.com-${id}`],
      [`/v1/sources/${source}/export`, `example.com-${source}`],
    ] as const) {
      const answer = await api.get(`${path}?format=${format}`);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toBe(contentType);
      expect(answer.headers.get('content-disposition')).toBe(`attachment; filename="${name}${extension}"`);
      expect((await answer.arrayBuffer()).byteLength).toBeGreaterThan(50);
    }
  });

  it('is JSON Lines unless asked otherwise, each line as GET /v1/pages/:id has it', async () => {
    const id = await finishedRun();
    const lines = (await (await api.get(`/v1/runs/${id}/export`)).text()).trimEnd().split('\n');
    const pages = lines.map((line) => pageSchema.strict().parse(JSON.parse(line)));
    expect(pages.map(({ url }) => url).sort()).toEqual(PATHS.map((path) => `https://example.com${path}`));
    for (const page of pages) expect(await (await api.get(`/v1/pages/${page.id}`)).json()).toEqual(page);
  });

  it('has the page as it came where the run kept it', async () => {
    const id = await finishedRun({ output: { html: true } }, ['/a', '/c']);
    await keepAnswers(id, '<p>Grüße');
    const lines = (await (await api.get(`/v1/runs/${id}/export`)).text()).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line).html)).toEqual(['<p>Grüße', null]);
  });

  it('of a run that is not finished has what there is so far', async () => {
    const id = await api.startRun();
    expect(await (await api.get(`/v1/runs/${id}/export`)).text()).toBe('');
    await api.savePages(id, ['/a']);
    expect((await (await api.get(`/v1/runs/${id}/export`)).text()).split('\n')).toHaveLength(2);
  });

  it('takes only the pages that were asked for', async () => {
    const id = await finishedRun();
    const count = async (query: string) =>
      (await (await api.get(`/v1/runs/${id}/export?${query}`)).text()).split('\n').length - 1;
    expect(await count('change=new,changed')).toBe(4);
    expect(await count('change=unchanged')).toBe(0);
    const listed = await listPages(api.db, id, { limit: 1 });
    const original = listed.kind === 'listed' ? Number(listed.items[0]?.id.slice('page_'.length)) : 0;
    await api.database
      .sql`UPDATE run_pages SET duplicate_of = ${original} WHERE run_id = ${id} AND url LIKE '%/docs/b'`;
    expect(await count('duplicates=false')).toBe(3);
    expect(await count('duplicates=true')).toBe(4);
  });

  it('of a source is llms.txt at an address of its own', async () => {
    const source = await sourceOf(await finishedRun());
    const answer = await api.get(`/v1/sources/${source}/llms.txt`);
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(answer.headers.get('content-disposition')).toBe('inline; filename="llms.txt"');
    expect(await answer.text()).toBe(
      [
        '# example.com',
        '',
        '> A page',
        '',
        '## Pages',
        '',
        '- [Title of /](https://example.com/): A page',
        '',
        '## docs',
        '',
        ...['a', 'b', 'c'].map((name) => `- [Title of /docs/${name}](https://example.com/docs/${name}): A page`),
        '',
      ].join('\n'),
    );
    expect(await (await api.get(`/v1/sources/${source}/llms-full.txt`)).text()).toContain(
      '# Title of /docs/a\nSource: https://example.com/docs/a\n\n# /docs/a\n',
    );
  });

  it('answers HEAD with the headers alone', async () => {
    const id = await finishedRun();
    const answer = await api.app.request(`/v1/runs/${id}/export?format=zip`, { method: 'HEAD' });
    expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([
      200,
      'application/zip',
      '',
    ]);
  });

  it.each([
    ['/v1/runs/run_00000000000000000000/export', 404, 'There is no run'],
    ['/v1/sources/src_00000000000000000000/export', 404, 'There is no source'],
    ['/v1/sources/x/llms.txt', 404, 'There is no source'],
    ['/v1/sources/x/llms-full.txt', 404, 'There is no source'],
    ['/v1/runs/RUN/export?format=pdf', 400, 'jsonl, markdown, zip, csv, parquet, warc, llms, llms-full'],
    ['/v1/runs/RUN/export?change=gone', 400, 'new, changed, unchanged'],
    ['/v1/runs/RUN/export?duplicates=maybe', 400, 'true or false'],
    ['/v1/runs/RUN/export?format=warc', 409, 'kept no answers'],
    ['/v1/sources/SOURCE/export?format=warc', 409, 'kept no answers'],
  ])('is refused: %s is %i, and says why', async (path, status, words) => {
    const id = await finishedRun();
    const answer = await api.get(path.replace('RUN', id).replace('SOURCE', await sourceOf(id)));
    expect(answer.status).toBe(status);
    expect(problemSchema.parse(await answer.json()).detail).toContain(words);
  });
});

describe('a WARC export', () => {
  it('leaves out pages whose answer is not there, or broken', async () => {
    const id = await finishedRun({ output: { html: true } });
    await keepAnswers(id, 'x');
    const broken = await api.blobs.put(`${id}/broken`, Buffer.from('x'));
    await api.database.sql`UPDATE pages SET raw_ref = ${broken} WHERE last_run_id = ${id} AND url LIKE '%/docs/b'`;
    await api.database.sql`UPDATE pages SET raw_ref = 'gone' WHERE last_run_id = ${id} AND url LIKE '%/docs/a'`;
    const bytes = Buffer.from(await (await api.get(`/v1/runs/${id}/export?format=warc`)).arrayBuffer());
    const targets = gunzipSync(bytes)
      .toString()
      .match(/WARC-Target-URI: .*/g);
    expect(targets).toEqual(['WARC-Target-URI: https://example.com/']);
    expect(api.logged).toContain('a kept answer can not be read');
  });
});

describe('an export under way', () => {
  /** On a port, with its own connections, and pages that take more than the sockets hold. */
  async function serve() {
    const db = openDb(api.database.url, { max: 1, applicationName: 'export test' });
    const stopping = new AbortController();
    const server = await listen(createApi({ ...api.deps, db, stopping: stopping.signal }), {
      host: '127.0.0.1',
      port: 0,
    });
    const id = await api.startRun();
    await api.savePages(
      id,
      Array.from({ length: 120 }, (_, n) => `/${n}`),
    );
    await api.database.sql`UPDATE pages SET text = repeat('0123456789', 50000) WHERE last_run_id = ${id}`;
    const url = `http://127.0.0.1:${server.port}/v1/runs/${id}/export`;
    const close = async () => {
      stopping.abort();
      await server.close();
      await db.close();
    };
    return { url, stopping, close };
  }

  const open = (url: string) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      get(url, resolve).on('error', reject);
    });

  const queries = async (): Promise<string> => {
    const [row] = await api.database.sql<{ at: string }[]>`
      SELECT coalesce(max(query_start), now())::text AS at FROM pg_stat_activity WHERE application_name = 'export test'`;
    return row?.at ?? '';
  };

  /** Resolves once no query has begun for a while. */
  async function untilQuiet(): Promise<string> {
    let last = await queries();
    let sameFor = 0;
    await waitFor(async () => {
      const now = await queries();
      sameFor = now === last ? sameFor + 1 : 0;
      last = now;
      return sameFor >= 10;
    });
    return last;
  }

  it('waits for a reader that does not read, and goes on when it does', async () => {
    const { url, close } = await serve();
    const reply = await open(url);
    reply.pause();
    await untilQuiet();
    let bytes = 0;
    for await (const piece of reply) bytes += (piece as Buffer).length;
    expect(reply.complete).toBe(true);
    expect(bytes).toBeGreaterThan(60_000_000);
    await close();
  });

  it('asks Postgres for nothing more once its reader has left', async () => {
    const { url, close } = await serve();
    const reply = await open(url);
    await once(reply, 'readable');
    api.logged.length = 0;
    reply.destroy();
    const quietSince = await untilQuiet();
    expect(await queries()).toBe(quietSince);
    const [row] = await api.database.sql<{ state: string }[]>`
      SELECT state FROM pg_stat_activity WHERE application_name = 'export test'`;
    expect(row?.state).toBe('idle');
    expect(api.logged).toEqual([]);
    await close();
  });

  it.each([
    [
      'when Postgres goes away',
      async () => {
        await api.database
          .sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'export test'`;
        await api.database.sql`ALTER TABLE run_pages RENAME TO run_pages_away`;
      },
    ],
    ['when the process stops', async ({ stopping }: { stopping: AbortController }) => stopping.abort()],
  ])('breaks off and does not look complete %s', async (_when, happen) => {
    const { url, stopping, close } = await serve();
    api.logged.length = 0;
    const reply = await open(url);
    reply.pause();
    await untilQuiet();
    await happen({ stopping });
    const read = async () => {
      for await (const _piece of reply);
    };
    await expect(read()).rejects.toThrow('aborted');
    expect(reply.complete).toBe(false);
    expect(api.logged).toContain('an export broke off');
    await api.database.sql`ALTER TABLE IF EXISTS run_pages_away RENAME TO run_pages`;
    await close();
  });
});
