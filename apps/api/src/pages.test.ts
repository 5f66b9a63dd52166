import { packRawAnswer } from '@trawl/blobs';
import { pageListSchema, pageSchema, type RunId } from '@trawl/contracts';
import { testRedis } from '@trawl/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApi, type TestApi } from './test-api.ts';

const redis = testRedis();
let api: TestApi;
beforeAll(async () => {
  api = await startTestApi(redis);
});
afterAll(() => api.close());

async function htmlOf(runId: RunId): Promise<Record<string, string | null>> {
  const { items } = pageListSchema.parse(await (await api.get(`/v1/runs/${runId}/pages`)).json());
  const pages = items.map(async ({ id, url }) => {
    const { html } = pageSchema.parse(await (await api.get(`/v1/pages/${id}`)).json());
    return [new URL(url).pathname, html] as const;
  });
  return Object.fromEntries(await Promise.all(pages));
}

describe('the pages of a run', () => {
  it('are listed in parts, filtered and searched', async () => {
    const id = await api.startRun();
    const paths = ['/a', '/b', '/c', '/d', '/e'];
    await api.savePages(id, paths);
    const list = async (query: string) => {
      const answer = await api.get(`/v1/runs/${id}/pages?${query}`);
      expect(answer.status).toBe(200);
      return pageListSchema.parse(await answer.json());
    };
    const first = await list('limit=3');
    const rest = await list(`limit=3&cursor=${encodeURIComponent(first.nextCursor ?? '')}`);
    const urls = [...first.items, ...rest.items].map((page) => page.url);
    expect(urls.sort()).toEqual(paths.map((path) => `https://example.com${path}`));
    expect(rest.nextCursor).toBeNull();
    expect((await list('outcome=processed')).items).toHaveLength(5);
    expect((await list('outcome=failed')).items).toEqual([]);
    expect((await list('q=TITLE+OF+/c')).items).toMatchObject([{ title: 'Title of /c', outcome: 'processed' }]);
    expect((await list('q=')).items).toHaveLength(5);
  });

  it('have their content at an address of their own', async () => {
    const id = await api.startRun();
    await api.savePages(id, ['/content']);
    const list = pageListSchema.parse(await (await api.get(`/v1/runs/${id}/pages`)).json());
    const answer = await api.get(`/v1/pages/${list.items[0]?.id}`);
    expect(answer.status).toBe(200);
    expect(pageSchema.parse(await answer.json())).toMatchObject({
      ...list.items[0],
      markdown: '# /content',
      text: '/content',
      links: [{ url: 'https://example.com/next', text: 'next', rel: '' }],
      chunks: [{ index: 0, text: '/content', headingPath: ['A'], tokens: 3 }],
      metadata: { description: 'A page' },
      html: null,
    });
  });

  it('are shown as they came where that was kept, in characters', async () => {
    const id = await api.startRun();
    const keep = async (path: string, contentType: string | null, body: Buffer) => {
      const packed = await packRawAnswer({ status: 200, statusText: 'OK', headers: [], body });
      await api.savePages(id, [path], { contentType, rawRef: await api.blobs.put(`kept/${path}`, packed) });
    };
    await keep('/html', 'text/html', Buffer.from('<meta charset=koi8-r><p>\xc1</p>', 'latin1'));
    await keep('/header', 'text/html; charset=iso-8859-1', Buffer.from('<p>gr\xf6\xdfer</p>', 'latin1'));
    await keep('/text', 'text/plain', Buffer.from('<meta charset=koi8-r>\r\nü'));
    await keep('/unnamed', null, Buffer.from('<p>x</p>'));
    await keep('/pdf', 'application/pdf', Buffer.from('%PDF-1.4'));
    await api.savePages(id, ['/lost'], { rawRef: 'src_0/00/0' });
    expect(await htmlOf(id)).toEqual({
      '/html': '<meta charset=koi8-r><p>а</p>',
      '/header': '<p>größer</p>',
      '/text': '<meta charset=koi8-r>\r\nü',
      '/unnamed': '<p>x</p>',
      '/pdf': null,
      '/lost': null,
    });
  });
});
