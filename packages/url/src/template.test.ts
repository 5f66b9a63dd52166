import { describe, expect, it } from 'vitest';
import { isEndlessLooking, pathTemplate, templateHash } from './template.ts';

describe('the template of a path', () => {
  it.each([
    ['https://example.com/', 'example.com/'],
    ['https://www.example.com/about', 'example.com/about'],
    ['https://example.com/page-12', 'example.com/page-#'],
    ['https://example.com/api/java/util/List.html', 'example.com/api/java/util/*'],
    ['https://example.com/api/java/util/Map.html', 'example.com/api/java/util/*'],
    ['https://example.com/cal/2026/11/18', '~example.com/cal/#/#/*'],
    ['https://example.com/cal/2026-11-18/events', '~example.com/cal/#/*'],
    ['https://example.com/2026/11/18', '~example.com/#/#/*'],
    ['https://example.com/2026/11/title', 'example.com/#/#/*'],
    ['https://example.com/blog/page/20', 'example.com/blog/page/*'],
    ['https://example.com/u/3f2504e0-4f89-11d3-9a0c-0305e82c3301/posts', '~example.com/u/#/*'],
    ['https://example.com/s/aZ3kQ9xT1mB7cV5nL2/posts', '~example.com/s/#/*'],
    ['https://example.com/c/deadbeef01/files', 'example.com/c/#/*'],
    ['https://example.com/defaced/files/x', 'example.com/defaced/files/*'],
    ['https://example.com/v1.2/item5/x', 'example.com/v#/item#/*'],
    ['https://example.com/item?id=5', 'example.com/item?id=*'],
    ['https://example.com/item?ID', 'example.com/item?ID=*'],
    ['https://example.com/item?&=1', 'example.com/item'],
    ['https://example.com/item?', 'example.com/item'],
    ['https://example.com/list?page=3', 'example.com/list?page=*'],
    ['https://example.com/a/b/?z=1&a=2&z=3', '~example.com/a/*?*'],
  ])('%s is %s', (url, template) => {
    expect(pathTemplate(url)).toBe(template);
  });

  it('is one for a grid of filters, however they are combined', () => {
    const facets = ['color=red', 'size=m', 'brand=acme', 'price=10-20', 'sort=asc', 'view=grid', 'f%5B%5D=new'];
    const templates = new Set<string>();
    for (let chosen = 1; chosen < 2 ** facets.length; chosen++) {
      const query = facets.filter((_, at) => chosen & (1 << at)).join('&');
      templates.add(pathTemplate(`https://example.com/shop?${query}`));
    }
    expect([...templates]).toEqual(['~example.com/shop?*']);
  });

  it('hashes to the same eight characters in every process', () => {
    expect(templateHash('example.com/api/java/util/*')).toBe('vn0fAewn');
  });
});

const isEndless = (url: string): boolean => {
  const question = url.indexOf('?');
  return question < 0 ? isEndlessLooking(url, '') : isEndlessLooking(url.slice(0, question), url.slice(question));
};

describe('a URL of a kind without end', () => {
  const hex = 'd41d8cd98f00b204e9800998ecf8427e';
  it.each([
    // Calendars.
    ...[
      '/2026/11',
      '/2026/11/',
      '/blog/2026/11/18',
      '/2026-11-18',
      '/events/2026-11',
      '/events/2026-11/list',
      '/20261118',
    ],
    ...['/calendar/2026', '/calendar/5', '/calendar/week-14', '/calendar/november-2026', '/calendar/month/2026-11'],
    ...['/cal/2026/11/18.html', '/2026-11-18/events', '/schedule/2026-w14', '/2026/11/page/2', '/2026_11_18'],
    ...['/x?date=today', '/x?month=11&year=2026', '/x?week=14', '/x?year=2026', '/x?from=2026-11-18', '/?cal=1'],
    // Filters.
    ...[
      '/shop?color=red',
      '/shop?a=1&b=2',
      '/shop?sort=price',
      '/shop?f[]=new',
      '/shop?f%5B%5D=new',
      '/shop?per_page=50',
    ],
    ...[
      '/shop?filter_brand=acme',
      '/shop?Filter=x',
      '/shop?facet.year=1',
      '/shop?refine=a',
      '/shop?order=asc',
      '/x?dir=desc',
    ],
    ...[
      '/shop?view=grid',
      '/shop?limit=10',
      '/shop?price=1-5',
      '/shop?brand=acme',
      '/shop?size=m',
      '/x?q=words',
      '/?s=words',
    ],
    ...['/x?tag=a&tag=b', '/x?tags=red,blue,red', '/x?tags=a%7Cb%7Ca', '/viewtopic.php?f=5&t=7'],
    // Sessions and tokens.
    ...[`/x?sid=${hex}`, `/x?id=${hex}`, '/x?PHPSESSID=abc', `/s/${hex}`, `/s/${hex}/posts`, '/x;jsessionid=abc'],
    ...['/u/3f2504e0-4f89-11d3-9a0c-0305e82c3301', '/(S(lit3py55t21z5v55vlm25s55))/x', '/go/aZ3kQ9xT1mB7cV5nL2'],
  ])('%s', (url) => {
    expect(isEndless(url)).toBe(true);
  });

  it.each([
    ...[
      '/',
      '',
      '/about',
      '/library/os.html',
      '/library/calendar.html',
      '/3/library/datetime.html',
      '/genindex-A.html',
    ],
    ...[
      '/org/foo/Bar.html',
      '/java.base/java/util/Calendar.html',
      '/org/foo/package-summary.html',
      '/api/v1/Foo.Bar.html',
    ],
    ...['/com/google/api/services/calendar/v3/Calendar.html', '/en/2024.05/intro.html', '/en/latest/search.html'],
    ...[
      '/user-guide/installation/',
      '/reference/calendar/',
      '/reference/calendar/intro/',
      '/docs/2024/',
      '/docs/v1.2/',
    ],
    ...['/d3/d4f/classstd_1_1vector.html', '/struct.HashMap.html', '/a00123_source.html', '/docs/calendar/v3/'],
    ...[
      '/2024/05/18/some-article-slug',
      '/2024/05/some-article',
      '/2024/some-article',
      '/blog/2024',
      '/2024/13',
      '/2024',
    ],
    ...['/2024-05-18-some-article', '/2024-05-18/some-article', '/archives/123', '/?p=123', '/?p=25', '/?page_id=7'],
    ...[
      '/item?id=5',
      '/item?v=2',
      '/forum?topic=5',
      '/forum?f=5',
      '/x?lang=de',
      '/x?version=2024-05-18',
      '/x?v=20240518',
    ],
    ...['/x?api-version=2024-05-01', '/api/system.string?view=net-8.0', '/index.php?title=Linux', '/?q=node/5', '/x?'],
    ...['/events/my-conference', '/events/12345', '/events/2026/my-conference', '/calendar', '/calendar/setup'],
    ...['/page/21', '/blog/page/100/', '/thread/page-21', '/list?page=21', '/list?offset=1000'],
    ...['/page/20', '/page/about', '/list?page=20', '/list?page=about', '/list?start=380', '/page-speed'],
    ...['/x?tags=red,blue', '/watch?v=dQw4w9WgXcQ', '/x?token=abc'],
    ...['/Getting-started-3f2504e04f8911d39a0c0305e82c3301', '/GUID-3F2504E0-4F89-11D3-9A0C-0305E82C3301.html'],
    ...[`/blob/${hex}.html`, '/internationalization/guide', '/c/deadbeef01/files', '/windows2000server/setup'],
  ])('not %s', (url) => {
    expect(isEndless(url)).toBe(false);
  });
});
