import { describe, expect, it } from 'vitest';
import { extractPage } from './extract.ts';
import { readRobotsTags } from './robots-directives.ts';

const both = { noindex: true, nofollow: true };
const neither = { noindex: false, nofollow: false };

describe('X-Robots-Tag', () => {
  it.each([
    [[], neither],
    [['noindex'], { ...neither, noindex: true }],
    [['NOINDEX, NoFollow'], both],
    [['none'], both],
    [['all'], neither],
    [['noindex', 'nofollow'], both],
    [['noarchive, max-snippet: 5, nofollow'], { ...neither, nofollow: true }],
    [['unavailable_after: 25 Jun 2030 15:00:00 PST, noindex'], { ...neither, noindex: true }],
    [['trawl: noindex'], { ...neither, noindex: true }],
    [['Trawl: none'], both],
    [['otherbot: noindex, nofollow'], neither],
    [['otherbot: noindex, trawl: nofollow'], { ...neither, nofollow: true }],
    [['otherbot: none', 'noindex'], { ...neither, noindex: true }],
    [['noindexing, unfollow'], neither],
    [['', ' , ,, '], neither],
  ])('%j', (values, directives) => {
    expect(readRobotsTags(values, 'Trawl')).toEqual(directives);
  });
});

describe('meta tags', () => {
  const read = (html: string) =>
    extractPage(html, {
      url: 'https://a.test/',
      mainContent: true,
      includeSelectors: [],
      excludeSelectors: [],
      productToken: 'Trawl',
    }).robots;

  it('count in all, however many a page has', () => {
    expect(read('<meta name=robots content=noindex><meta name=ROBOTS content=nofollow>')).toEqual(both);
  });

  it('count when they name this crawler, and not when they name another', () => {
    expect(read('<meta name=trawl content="none">')).toEqual(both);
    expect(read('<meta name=otherbot content="none">')).toEqual(neither);
  });
});
