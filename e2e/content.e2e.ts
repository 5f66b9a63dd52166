/** What pages are made of: types and encodings over HTTP, answers kept as they came, and what becomes of them when pages or options change. */
import { readFile } from 'node:fs/promises';
import { type Page, pageSchema } from '@trawl/contracts';
import { type FixtureSite, type SitePage, startSite } from '@trawl/testing';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Cluster, startCluster } from './cluster.ts';

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster({ roles: { api: 1, discover: 1, fetch: 1, process: 2, coordinator: 1 } });
}, 120_000);
afterAll(() => cluster?.stop());

async function site(pages: Parameters<typeof startSite>[0]['pages']): Promise<FixtureSite> {
  const started = await startSite({ pages });
  onTestFinished(() => started.close());
  return started;
}

const fixture = (name: string) =>
  readFile(new URL(`../packages/extract/src/document/fixtures/${name}`, import.meta.url));
const of = (type: string, body: string | Buffer): SitePage => ({ headers: { 'content-type': type }, body });
const index = (...links: string[]): SitePage =>
  of(
    'text/html; charset=utf-8',
    `<title>Index</title><h1>Index</h1>${links.map((l) => `<p><a href="${l}">${l}</a></p>`).join('')}`,
  );

/** Every page of a run with its content, by path. */
async function contents(runId: string): Promise<Map<string, Page>> {
  const pages = new Map<string, Page>();
  for (const item of (await cluster.pages(runId)) as (Page & { url: string })[]) {
    const { body } = await cluster.request('GET', `/v1/pages/${item.id}`);
    pages.set(new URL(item.url).pathname, pageSchema.parse(body));
  }
  return pages;
}

describe('documents of every kind', { timeout: 60_000 }, () => {
  it('are read as what they are, or passed over by name', async () => {
    const markdown = '# Notes\n\nSee [more](more.md) and <https://elsewhere.test/>.\n';
    const web = await site(
      new Map([
        [
          '/',
          index('/page.html', '/read.txt', '/notes.md', '/data.json', '/mill.pdf', '/secret.pdf', '/image', '/nothing'),
        ],
        [
          '/page.html',
          of(
            'application/xhtml+xml',
            '<html xmlns="http://www.w3.org/1999/xhtml"><body><h1>X</h1><p>a &amp; b</p></body></html>',
          ),
        ],
        ['/read.txt', of('text/plain', '<h1>no HTML</h1>\r\nhttp://not.followed.test/\r\n')],
        ['/notes.md', of('text/markdown; charset=utf-8', markdown)],
        ['/more.md', of('text/markdown', '---\ntitle: More\n---\n\nwords')],
        ['/data.json', of('application/json', '{ "a": [1, 2] }')],
        ['/mill.pdf', of('application/pdf', await fixture('mill.pdf'))],
        ['/secret.pdf', of('application/pdf', await fixture('encrypted.pdf'))],
        ['/image', of('image/png', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'))],
        ['/nothing', { status: 204 }],
      ]),
    );
    const id = await cluster.startRun({ url: web.url('/'), maxDepth: 10, scope: 'host' });
    const end = await cluster.finished(id);
    expect(end).toMatchObject({ status: 'completed', processed: 7, failed: 1, skipped: 2, queued: 0, fetched: 0 });
    const pages = await contents(id);
    const shown = Object.fromEntries(
      [...pages].map(([path, { outcome, contentType, title, markdown }]) => [
        path,
        [outcome, contentType, title, markdown],
      ]),
    );
    expect(shown).toMatchObject({
      '/page.html': ['processed', 'application/xhtml+xml', 'X', '# X\n\na & b'],
      '/read.txt': ['processed', 'text/plain', 'read.txt', '<h1>no HTML</h1>\nhttp://not.followed.test/\n'],
      '/notes.md': ['processed', 'text/markdown; charset=utf-8', 'Notes', markdown],
      '/more.md': ['processed', 'text/markdown', 'More', '---\ntitle: More\n---\n\nwords'],
      '/data.json': ['processed', 'application/json', 'data.json', '{ "a": [1, 2] }'],
      '/mill.pdf': [
        'processed',
        'application/pdf',
        'The Old Mill',
        expect.stringMatching(/^The Old Mill\n\nEvery morning/),
      ],
      '/secret.pdf': ['failed', 'application/pdf', null, null],
      '/image': ['skipped', 'image/png', null, null],
    });
    expect(pages.get('/secret.pdf')?.error).toMatchObject({
      code: 'PDF_UNREADABLE',
      message: 'The PDF is encrypted, and no password is known.',
    });
    expect(pages.get('/image')?.error).toMatchObject({
      code: 'UNSUPPORTED_TYPE',
      message: 'The content is image/png, which is not read.',
    });
    expect(pages.get('/nothing')).toMatchObject({ outcome: 'skipped', error: { code: 'UNSUPPORTED_TYPE' } });
    expect(pages.get('/mill.pdf')).toMatchObject({ language: 'en-GB', metadata: { author: 'A. Writer' } });
    expect(web.count('/mill.pdf')).toBe(1);
  });

  it('are read in their encodings, declared or not', async () => {
    const decoded = {
      russian: 'Утром над рекой стоял туман, и паром отходил от берега без единого звука.',
      japanese: '図書館は毎朝九時に開き、夕方六時に閉まります。本を借りるには、受付で会員証を見せてください。',
    };
    const russian = Buffer.from(
      '0/Lw7uwg7eDkIPDl6u7pIPHy7v/rIPLz7ODtLCDoIO/g8O7sIO7y9e7k6Osg7vIg4eXw5ePgIOHl5yDl5Ojt7uPuIOfi8+rgLg==',
      'base64',
    );
    const japanese = Buffer.from(
      'kH2PkYrZgs2WiJKpi+OOnoLJikqCq4FBl1uV+5hajp6CyZXCgtyC6ILcgreBQpZ7gvCO2ILogumCyYLNgUGO85V0gsWJ74j1j9iC8IypgrmCxIKtgr6Cs4KigUI=',
      'base64',
    );
    const around = (body: Buffer, head = '') =>
      Buffer.concat([Buffer.from(`<!doctype html>${head}<p>`), body, Buffer.from('</p>')]);
    const web = await site(
      new Map([
        ['/', index('/guessed', '/meta', '/header', '/xml', '/utf16')],
        ['/guessed', of('text/html', around(russian))],
        [
          '/meta',
          of('text/html', around(japanese, '<meta http-equiv="Content-Type" content="text/html; charset=Shift_JIS">')),
        ],
        ['/header', of('text/html; charset=windows-1251', around(russian, '<meta charset=utf-8>'))],
        [
          '/xml',
          of(
            'application/xhtml+xml',
            Buffer.concat([
              Buffer.from('<?xml version="1.0" encoding="windows-1251"?><html><body><p>'),
              russian,
              Buffer.from('</p></body></html>'),
            ]),
          ),
        ],
        ['/utf16', of('text/html', Buffer.from('\ufeff<!doctype html><p>größer</p>', 'utf16le'))],
      ]),
    );
    const id = await cluster.startRun({ url: web.url('/'), maxDepth: 1, scope: 'host' });
    await cluster.finished(id);
    const texts = Object.fromEntries([...(await contents(id))].map(([path, { text }]) => [path, text]));
    expect(texts).toMatchObject({
      '/guessed': decoded.russian,
      '/meta': decoded.japanese,
      '/header': decoded.russian,
      '/xml': decoded.russian,
      '/utf16': 'größer',
    });
  });
});

describe('answers as they came', { timeout: 90_000 }, () => {
  it('are kept while runs ask for it, and asked for anew when the first one does', async () => {
    const html = '<!doctype html><title>A</title><p>caf\xe9</p>';
    const web = await site((request) =>
      request.path === '/' || request.path === '/a'
        ? {
            headers: { 'content-type': 'text/html; charset=iso-8859-1', etag: '"v1"' },
            ...(request.headers['if-none-match'] === '"v1"'
              ? { status: 304 }
              : { body: Buffer.from(request.path === '/' ? '<a href="/a">a</a>' : html, 'latin1') }),
          }
        : undefined,
    );
    const run = async (config: object) => {
      const id = await cluster.startRun({ url: web.url('/'), maxDepth: 1, ...config });
      expect(await cluster.finished(id)).toMatchObject({ status: 'completed', processed: 2 });
      const pages = await contents(id);
      return {
        id,
        html: pages.get('/a')?.html,
        httpStatus: pages.get('/a')?.httpStatus,
        change: pages.get('/a')?.change,
      };
    };
    const first = await run({});
    expect(first).toMatchObject({ html: null, httpStatus: 200, change: 'new' });
    const { body } = await cluster.request('GET', `/v1/runs/${first.id}`);
    const { sourceId } = body as { sourceId: string };
    expect(await run({ sourceId })).toMatchObject({ html: null, httpStatus: 304, change: 'unchanged' });
    // Not kept by any run so far: a 304 would bring nothing to keep.
    const keeping = { sourceId, output: { html: true } };
    expect(await run(keeping)).toMatchObject({ html, httpStatus: 200, change: 'unchanged' });
    expect(await run(keeping)).toMatchObject({ html, httpStatus: 304, change: 'unchanged' });
    expect(await run({ sourceId })).toMatchObject({ html: null, httpStatus: 200, change: 'unchanged' });
  });
});
