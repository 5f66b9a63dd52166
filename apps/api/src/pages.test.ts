import { pageListSchema, pageSchema } from '@trawl/contracts';
import { testRedis } from '@trawl/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApi, type TestApi } from './test-api.ts';

const redis = testRedis();
let api: TestApi;
beforeAll(async () => {
  api = await startTestApi(redis);
});
afterAll(() => api.close());

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
    });
  });
});
