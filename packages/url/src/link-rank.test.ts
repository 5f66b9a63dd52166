import { describe, expect, it } from 'vitest';
import { type LinkRank, linkRank } from './link-rank.ts';

const rankOf = (url: string): LinkRank => {
  const question = url.indexOf('?');
  return question < 0 ? linkRank(url, '') : linkRank(url.slice(0, question), url.slice(question));
};

describe('documentation', () => {
  it.each([
    ...[
      '/docs',
      '/docs/',
      '/Docs/Intro',
      '/documentation/setup.html',
      '/doc/latest/',
      '/en/docs/install',
      '/docs.html',
    ],
    ...['/guide/routing', '/guides', '/user-guide/', '/developer_guide/intro', '/tutorial/part-1', '/react-tutorial'],
    ...['/reference/types', '/api/v2/users', '/api', '/apidocs/java/util/List.html', '/javadoc/org/foo/Bar.html'],
    ...['/manual/en/install.php', '/handbook', '/learn/basics', '/how-to/deploy', '/how-to-install-nginx', '/faq.php'],
    ...['/wiki/Linux', '/w/wiki/Help:Editing', '/kb/1234', '/help/billing', '/getting-started', '/quickstart.html'],
    // Behind a word of documentation, the words of listings are subjects.
    ...['/docs/tags/for', '/docs/search', '/api/login', '/reference/categories', '/guide/calendar/', '/help/account'],
    // False friends of listings.
    ...['/tags-in-html-tutorial', '/api/search-index-guide', '/docs/page-speed', '/docs/2024/', '/docs/api/2024-05-18'],
    ...['/docs/intro?v=2', '/docs/intro?lang=de', '/api/system.string?view=net-8.0', '/manual?topic=5'],
  ])('%s', (url) => {
    expect(rankOf(url)).toBe('documentation');
  });
});

describe('anything', () => {
  it.each([
    ...['/', '', '/about', '/blog', '/blog/my-article', '/products/blue-chair', '/library/os.html', '/v1.2', '//'],
    // Articles by date.
    ...['/2024/05/18/my-article', '/2024/05/my-article/', '/blog/2024/my-article', '/archive/2024/05/my-article.html'],
    ...[
      '/news/2024-05-18-title',
      '/changelog/2024-05-18',
      '/archives/123',
      '/2024',
      '/conference/2024',
      '/release/2024/13',
    ],
    // False friends of listings.
    ...['/page-speed', '/page/about', '/pages/3', '/archive-format-spec', '/category-theory', '/authoring', '/tagline'],
    ...['/search-engines', '/calendars-of-the-world', '/printing', '/labeling', '/feedback', '/shared/items', '/p/2'],
    ...[
      '/java/util/Calendar.html',
      '/library/search.html',
      '/org/foo/Label.html',
      '/topics/db/queries',
      '/topics/async.html',
      '/javax/security/auth/login/Foo.html',
      '/homepage2',
    ],
    // False friends of documentation.
    ...['/pricing-api', '/docstring', '/guidelines', '/apiary', '/helpers', '/referenced', '/learned-helplessness'],
    ...['/item?id=5', '/item?v=2', '/forum?topic=5', '/?p=1234', '/index?page=about', '/x?start=intro', '/?q=node/5'],
    ...['/x?view=article', '/x?action=view', '/x?m=5', '/x?s=5', '/x?', '/x?&', '/x?=5', '/forum?f=5', '/x?lang=en'],
  ])('%s', (url) => {
    expect(rankOf(url)).toBe('ordinary');
  });
});

describe('listings', () => {
  it.each([
    ...[
      '/2024/05/',
      '/2024/05/18',
      '/blog/2024/5',
      '/archive/2024',
      '/archives/',
      '/news/2024-05',
      '/cal/2024/05/18.html',
    ],
    ...[
      '/tag/linux',
      '/tags',
      '/Tags/',
      '/tags.html',
      '/blog/tag/linux.html',
      '/blog/category/tutorials',
      '/categories/a/b',
      '/author/jane',
    ],
    ...['/label/new', '/topic/linux', '/topics', '/tag/docs', '/category/api'],
    ...['/page/3', '/blog/page/3/', '/thread/page-3', '/list/page3.html', '/post/comment-page-2', '/2024/05/page/2'],
    ...['/blog?page=3', '/blog?PAGE=3', '/forum?p=2', '/list?start=20', '/list?offset=40', '/list?a=1&paged=2'],
    ...['/search', '/search/foo', '/search.php', '/?s=search+words', '/find?q=foo', '/x?query=y'],
    ...['/shop?sort=price', '/shop?order=asc', '/shop?filter=new', '/shop?filter_color=red', '/shop?view=grid'],
    ...['/shop?f%5B%5D=red', '/shop?size[]=m', '/shop?limit=50', '/article?print=1', '/article?format=print'],
    ...['/calendar', '/calendar/2026', '/events/2026-11', '/x?date=2026-11-18', '/x?month=5&year=2026', '/?m=202405'],
    ...['/feed', '/blog/feed/', '/comments/feed', '/rss', '/2024/05/18/my-article/comments', '/post?replytocom=7'],
    ...['/login', '/login.php', '/account/orders', '/share', '/share?url=x', '/print/123', '/login?returnto=/docs'],
    ...['/wiki/Special:RecentChanges', '/wiki/Category:Linux', '/index.php?title=Linux&action=edit', '/w?oldid=5'],
    ...['/x?tag=linux', '/x?cat=3', '/x?author=1', '/doku.php?do=login'],
    // A shape wins over a word of documentation.
    ...['/docs/page/2', '/docs?page=2', '/docs/?q=install', '/api/users?sort=name', '/wiki/blog/2024/05'],
  ])('%s', (url) => {
    expect(rankOf(url)).toBe('listing');
  });
});

it('takes time in proportion to the URL, whatever is in it', () => {
  const hostile = ['-', '_', '.', '/a', '/page-', '/2024', '%5b', ':'].map((piece) => `/${piece.repeat(2000)}`);
  const queries = ['&', '&a', '=', '&page=', '[', '%5B', ','].map((piece) => `?${piece.repeat(2000)}`);
  const started = performance.now();
  for (const path of hostile) for (const query of queries) linkRank(path, query);
  expect(performance.now() - started).toBeLessThan(500);
});
