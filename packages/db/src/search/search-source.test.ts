import type { SourceId } from '@trawl/contracts';
import { beforeAll, describe, expect, it } from 'vitest';
import { getPage } from '../read-pages.ts';
import { useStore } from '../testing/store.ts';
import { indexedCrawl, names, search } from './search-fixture.ts';
import { searchSource } from './search-source.ts';

const store = useStore();

describe('ranking', () => {
  let sourceId: SourceId;
  beforeAll(async () => {
    sourceId = await indexedCrawl(store.db, [
      {
        name: 'body',
        title: 'Something else',
        chunks: ['How to install a kettle, and what else there is to know about it.'],
      },
      { name: 'title', title: 'Kettle', chunks: ['What is written here is about boiling water in the morning.'] },
      {
        name: 'heading',
        title: 'Kitchen',
        chunks: [
          { headings: ['Tools', 'The kettle'], text: 'What is written here is about boiling water in the evening.' },
        ],
      },
      { name: 'phrase', title: 'A', chunks: ['The red fox jumps over a lazy dog.'] },
      { name: 'words', title: 'B', chunks: ['A fox that is not red, and jumps. Dogs are lazy.'] },
      { name: 'stems', title: 'C', chunks: ['She was running and had installed three programs.'] },
      { name: 'deutsch', language: 'de-AT', title: 'Häuser', chunks: ['In den Häusern wohnten viele Kinder.'] },
      { name: 'unknown', language: null, title: 'D', chunks: ['Zxqv running on tlhIngan paths.'] },
      { name: 'odd', language: 'x-klingon', title: 'E', chunks: ['Zxqv runs elsewhere.'] },
    ]);
  });

  it('puts a title above a heading, and that above the text', async () => {
    expect(await names(store.db, sourceId, 'kettle')).toEqual(['title', 'heading', 'body']);
  });

  it('takes words in quotes as they stand, and leaves out what has a minus', async () => {
    expect((await names(store.db, sourceId, 'red fox')).sort()).toEqual(['phrase', 'words']);
    expect(await names(store.db, sourceId, '"red fox"')).toEqual(['phrase']);
    expect(await names(store.db, sourceId, 'fox -red')).toEqual([]);
    expect(await names(store.db, sourceId, 'fox -programs -jumps')).toEqual([]);
    expect(await names(store.db, sourceId, 'kettle -install')).toEqual(['title', 'heading']);
    expect((await names(store.db, sourceId, 'kettle or fox')).length).toBe(5);
  });

  it('knows the stems of English and German, and takes words of unknown languages as they are written', async () => {
    expect(await names(store.db, sourceId, 'installing program')).toEqual(['stems']);
    expect(await names(store.db, sourceId, 'Haus Kind')).toEqual(['deutsch']);
    expect(await names(store.db, sourceId, 'HÄUSERN')).toEqual(['deutsch']);
    expect(await names(store.db, sourceId, 'zxqv')).toHaveLength(2);
    expect(await names(store.db, sourceId, 'zxqv running')).toEqual(['unknown']);
  });

  it('filters by language and by the path of the URL', async () => {
    expect(await names(store.db, sourceId, 'kettle', { language: 'de' })).toEqual([]);
    expect(await names(store.db, sourceId, 'Kind', { language: 'de' })).toEqual(['deutsch']);
    expect(await names(store.db, sourceId, 'kettle', { path: '/t' })).toEqual(['title']);
    expect(await names(store.db, sourceId, 'kettle', { path: '/%' })).toEqual([]);
  });

  it('finds nothing of another source, and everything of its own', async () => {
    const other = await indexedCrawl(store.db, [{ name: 'other', title: 'Kettle', chunks: ['A kettle of another.'] }]);
    expect(await names(store.db, other, 'kettle')).toEqual(['other']);
    expect(await names(store.db, sourceId, 'kettle')).not.toContain('other');
    // What marks a chunk's source can't be asked for.
    expect(await names(store.db, other, `${sourceId} english`)).toEqual([]);
    expect(await names(store.db, other, `"${sourceId} english"`)).toEqual([]);
  });

  it('shows what a client needs to read on', async () => {
    const { items, index, nextCursor } = await search(store.db, sourceId, 'evening kettle');
    expect(nextCursor).toBeNull();
    expect(index).toEqual({ complete: true, pages: 9, indexed: 9, checkedAt: expect.any(String), embeddings: null });
    const [item] = items;
    expect(item).toMatchObject({
      url: 'https://example.com/heading',
      title: 'Kitchen',
      language: 'en',
      index: 0,
      headingPath: ['Tools', 'The kettle'],
      text: 'What is written here is about boiling water in the evening.',
    });
    expect(item?.score).toBeGreaterThan(0);
    expect(item?.score).toBeLessThan(1);
    const page = await getPage(store.db, item?.pageId ?? '');
    expect(page?.chunks.map((chunk) => chunk.id)).toEqual([item?.chunkId]);
  });
});

describe('highlights', () => {
  const matched = (highlights: readonly { text: string; matches: readonly (readonly [number, number])[] }[]) =>
    highlights.map(({ text, matches }) => [text, matches.map(([from, to]) => text.slice(from, to))]);

  it('are plain text with exact places, whatever a page says', async () => {
    const sourceId = await indexedCrawl(store.db, [
      {
        name: 'hostile',
        chunks: [
          'See the [Kettle manual](https://evil.example/kettle "kettle") for **KETTLES** 😀 and <script>alert(1)</script> kettle.',
        ],
      },
    ]);
    const [item] = (await search(store.db, sourceId, 'kettle')).items;
    expect(matched(item?.highlights ?? [])).toEqual([
      ['See the Kettle manual for KETTLES 😀 and <script>alert(1)</script> kettle', ['Kettle', 'KETTLES', 'kettle']],
    ]);
  });

  it('are cut from long texts around what was found', async () => {
    const filler = (word: string) => Array.from({ length: 300 }, (_, n) => `${word}${n}`).join(' ');
    const sourceId = await indexedCrawl(store.db, [
      { name: 'long', chunks: [`${filler('a')} kettle ${filler('b')} kettle ${filler('c')}`] },
    ]);
    const [item] = (await search(store.db, sourceId, 'kettle')).items;
    expect(item?.highlights).toHaveLength(2);
    for (const { text, matches } of item?.highlights ?? []) {
      expect(text.length).toBeLessThan(300);
      expect(matches).toHaveLength(1);
      expect(text.slice(...(matches[0] ?? [0, 0]))).toBe('kettle');
    }
  });
});

describe('links and fences', () => {
  it('are not what a page is found by', async () => {
    const sourceId = await indexedCrawl(store.db, [
      {
        name: 'links',
        chunks: ['Read [this](https://example.org/teapot/index.html).\n\n```typescript\nconst saucer = 1;\n```'],
      },
    ]);
    expect(await names(store.db, sourceId, 'teapot')).toEqual([]);
    expect(await names(store.db, sourceId, 'typescript')).toEqual([]);
    expect(await names(store.db, sourceId, 'saucer')).toEqual(['links']);
  });
});

describe('what has no words for Postgres', () => {
  let sourceId: SourceId;
  beforeAll(async () => {
    sourceId = await indexedCrawl(store.db, [
      { name: 'ja', language: 'ja', title: '設定', chunks: ['このページでは検索エンジンの設定について説明します。'] },
      { name: 'zh', language: 'zh-Hans', title: '首页', chunks: ['我们使用 Redis 作为搜索引擎的缓存。'] },
      { name: 'ko', language: 'ko', title: '안내', chunks: ['검색엔진을 설정하는 방법을 설명합니다.'] },
      { name: 'en', title: 'Who', chunks: ['The Who were there.'] },
    ]);
  });

  it('is found as it stands: Chinese, Japanese, Korean', async () => {
    expect(await names(store.db, sourceId, '検索エンジン')).toEqual(['ja']);
    expect(await names(store.db, sourceId, '設定')).toEqual(['ja']);
    expect(await names(store.db, sourceId, 'redis 搜索')).toEqual(['zh']);
    expect(await names(store.db, sourceId, '검색엔진')).toEqual(['ko']);
    expect(await names(store.db, sourceId, '無い')).toEqual([]);
    const [item] = (await search(store.db, sourceId, 'エンジン 設定')).items;
    expect(item?.highlights).toEqual([
      {
        text: 'このページでは検索エンジンの設定について説明します。',
        matches: [
          [9, 13],
          [14, 16],
        ],
      },
    ]);
  });

  it('is found as it stands: stop words only', async () => {
    expect(await names(store.db, sourceId, 'were there')).toEqual(['en']);
  });
});

describe('a hostile query', () => {
  let sourceId: SourceId;
  beforeAll(async () => {
    sourceId = await indexedCrawl(store.db, [
      { name: 'a', chunks: ['Some words 100% a_b.'] },
      { name: 'b', language: null, chunks: ['Other words.'] },
      { name: 'c', language: 'de', chunks: ['Andere Worte.'] },
    ]);
  });

  it.each([
    ['quotes', '"'.repeat(500)],
    ['brackets', '('.repeat(500)],
    ['operators', '& | ! <-> :* - or and'],
    ['backslashes', '\\'.repeat(500)],
    ['a minus alone', '-'],
    ['minuses', '-a '.repeat(160)],
    ['stop words', 'the a of und der'],
    ['signs of LIKE', '%_%'],
    ['spaces', ' \t\n '],
    ['a quote inside', "'; DROP TABLE pages; --"],
    ['many phrases', '"a b" '.repeat(80)],
    ['a long word', 'x'.repeat(500)],
    ['emoji', '😀'.repeat(250)],
    ['right to left', '\u202e\u200f מילים'],
    [
      'many words',
      Array.from({ length: 160 }, (_, n) => `w${n}`)
        .join(' ')
        .slice(0, 500),
    ],
    ['Han only', '字'.repeat(500)],
  ])('is answered: %s', async (_, q) => {
    expect((await searchSource(store.db, sourceId, { q, limit: 10, perPage: 3, mode: 'text' })).kind).toBe('found');
  });

  it('means its percent sign', async () => {
    expect(await names(store.db, sourceId, '%')).toEqual(['a']);
    expect(await names(store.db, sourceId, '_')).toEqual(['a']);
  });
});

describe('a list', () => {
  let sourceId: SourceId;
  beforeAll(async () => {
    sourceId = await indexedCrawl(
      store.db,
      Array.from({ length: 40 }, (_, n) => ({
        name: `page-${n}`,
        title: `Page ${n}`,
        // Some say it more often than others, and many equally often.
        chunks: Array.from({ length: 4 }, (_, m) => `${'kettle '.repeat(1 + (n % 3))} filler${n} filler${m}`),
      })),
    );
  });

  it('gives every chunk once, part by part, in the order of the whole', async () => {
    const whole = (await search(store.db, sourceId, 'kettle', { limit: 1000, perPage: 100 })).items;
    expect(whole).toHaveLength(160);
    expect(whole.map((item) => item.score)).toEqual(whole.map((item) => item.score).sort((a, b) => b - a));
    const parts: string[] = [];
    let cursor: string | undefined;
    do {
      const part = await search(store.db, sourceId, 'kettle', { limit: 7, perPage: 100, cursor });
      parts.push(...part.items.map((item) => item.chunkId));
      cursor = part.nextCursor ?? undefined;
    } while (cursor);
    expect(parts).toEqual(whole.map((item) => item.chunkId));
  });

  it('shows at most so many chunks of one page', async () => {
    const { items } = await search(store.db, sourceId, 'kettle', { limit: 100, perPage: 1 });
    expect(items).toHaveLength(40);
    expect(new Set(items.map((item) => item.url)).size).toBe(40);
  });

  it('refuses a cursor of another search', async () => {
    const { nextCursor } = await search(store.db, sourceId, 'kettle');
    const again = { limit: 10, perPage: 3, mode: 'text' as const, cursor: nextCursor ?? '' };
    expect((await searchSource(store.db, sourceId, { ...again, q: 'kettle' })).kind).toBe('found');
    expect((await searchSource(store.db, sourceId, { ...again, q: 'kettles' })).kind).toBe('bad-cursor');
    expect((await searchSource(store.db, sourceId, { ...again, q: 'kettle', path: '/' })).kind).toBe('bad-cursor');
    expect((await searchSource(store.db, sourceId, { ...again, q: 'kettle', cursor: 'c2VhcmNo' })).kind).toBe(
      'bad-cursor',
    );
  });
});
