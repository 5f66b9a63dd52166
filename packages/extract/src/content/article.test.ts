import { describe, expect, it } from 'vitest';
import type { Element, Node } from '../dom/node.ts';
import { parseHtml } from '../dom/parse.ts';
import { findArticle } from './article.ts';

/** The text a writer would show, a line for each box. */
function shown(node: Node): string {
  if (node.tag === null) return node.data;
  if (node.isDropped || node.isAside || node.tag.kind === 'script' || node.tag.kind === 'dropped') return '';
  const text = node.children.map(shown).join('');
  return node.tag.isPhrasing ? text : `\n${text}\n`;
}

function read(html: string): string | null {
  const article = findArticle(parseHtml(html));
  if (article === null) return null;
  const lines = article.roots.map(shown).join('\n').split('\n');
  return lines
    .map((line) => line.replaceAll(/\s+/g, ' ').trim())
    .filter((line) => line !== '')
    .join('\n');
}

const FIRST = 'The river rose by two metres overnight, and by dawn the lower streets of the old town were under water.';
const SECOND =
  'Volunteers carried sandbags to the bridge until noon, when the engineers said that the worst was behind them.';
const THIRD = 'Shops on the market square hope to open again by the end of the week, the mayor told the town council.';
const OTHER = 'A museum in the north of the country shows pictures that were believed lost for more than eighty years.';
const STORY = `<p>${FIRST}</p><p>${SECOND}</p><p>${THIRD}</p>`;
const TEXT = [FIRST, SECOND, THIRD].join('\n');

const inPage = (content: string, head = ''): string => `<html><head>${head}</head><body>${content}</body></html>`;
const inStory = (content: string): string => inPage(`<div class="article-body">${STORY}${content}</div>`);

describe('the box of an article', () => {
  it.each([
    ['by structured data', `<div itemprop="articleBody">${STORY}</div>`],
    ['by its name', `<div class="entry-content">${STORY}</div>`],
    ['by its name in camel case', `<div id="articleBody">${STORY}</div>`],
    ['by its element', `<article>${STORY}</article>`],
    ['by its prose alone', `<div class="x1"><div class="x2">${STORY}</div></div>`],
    ['in a cell of a layout table', `<table><tr><td><a href="/a">Home</a></td><td>${STORY}</td></tr></table>`],
    ['in a custom element', `<amp-story-body>${STORY}</amp-story-body>`],
    ['in a form around the page', `<form action="/"><div>${STORY}</div></form>`],
  ])('is found %s', (_, box) => {
    const menu = '<ul class="menu"><li><a href="/news">News</a><li><a href="/sport">Sport</a></ul>';
    expect(read(inPage(`${menu}${box}<footer><p>${OTHER}</p></footer>`))).toBe(TEXT);
  });

  it('is found where lines are parted by breaks instead of paragraphs', () => {
    expect(
      read(inPage(`<div><a href="/">Home</a></div><div>${FIRST}<br><br>${SECOND}<br><br>${THIRD}</div>`)),
    ).toContain(FIRST);
  });

  it('is found in a language without spaces', () => {
    const line = '昨夜から降り続いた雨で川の水位が二メートル上がり、旧市街の低い通りは夜明けまでに水に浸かった。';
    expect(
      read(inPage(`<ul><li><a href="/">ホーム</a></ul><div><p>${line}</p><p>${line}</p><p>${line}</p></div>`)),
    ).toBe([line, line, line].join('\n'));
  });

  it('holds all sections where the text is spread over several boxes of one name', () => {
    const boxes = [FIRST, SECOND, THIRD].map((line) => `<div class="article-text"><p>${line}</p></div>`).join('<hr>');
    expect(read(inPage(`<div id="page"><h1>Flood</h1>${boxes}</div>`))).toBe(TEXT);
  });

  it('holds all entries of a live blog', () => {
    const entries = [FIRST, SECOND, THIRD]
      .map((line) => `<li><article class="entry"><p>${line}</p></article></li>`)
      .join('');
    expect(read(inPage(`<h1>Flood: live</h1><ul>${entries}</ul>`))).toBe(TEXT);
  });

  it('is the first where one article follows another, each with its title', () => {
    const next = `<section><h1>Museum</h1><div class="post-body"><p>${OTHER}</p><p>${OTHER}</p><p>${OTHER}</p></div></section>`;
    expect(read(inPage(`<section><h1>Flood</h1><div class="post-body">${STORY}</div></section>${next}${next}`))).toBe(
      TEXT,
    );
  });

  it('is not a fragment, whatever its name', () => {
    const page = `<div><article><div class="text-content"><p>${OTHER}</p></div><p>${FIRST}</p><p>${SECOND}</p><p>${THIRD}</p></article></div>`;
    expect(read(inPage(page))).toBe(`${OTHER}\n${TEXT}`);
  });

  it('holds what stands before a list that is nearly all of it', () => {
    const items = Array.from({ length: 9 }, () => `<li>${SECOND}</li>`).join('');
    expect(read(inPage(`<div><p>${FIRST}</p><ol>${items}</ol></div>`))).toContain(FIRST);
  });

  it.each([
    ['named', '<div id="comments">'],
    ['in the footer of the article', '<footer>'],
  ])('is not its comments, however long, %s', (_, open) => {
    const comments = Array.from({ length: 40 }, () => `<li><p>${OTHER}</p></li>`).join('');
    expect(read(inPage(`<article><h1>Flood</h1>${STORY}${open}<ol>${comments}</ol></article>`))).toBe(TEXT);
  });

  it('leaves what was dropped before alone', () => {
    const root = parseHtml(
      inPage(`<div class="article-body">${STORY}</div><div class="hidden-one">${STORY.repeat(9)}</div>`),
    );
    const body = root.children[0] as Element;
    for (const child of (body.children[1] as Element).children) {
      if (child.tag !== null && child.attribs.class === 'hidden-one') child.isDropped = true;
    }
    expect(findArticle(root)?.roots[0]?.attribs.class).toBe('article-body');
  });
});

describe('inside an article', () => {
  it.each([
    ['share buttons', '<div class="share-buttons"><a href="/s">Send</a> Tell your friends</div>'],
    ['an aside', `<aside><p>${OTHER}</p></aside>`],
    ['a newsletter box', '<div class="newsletter_box"><p>News by mail every morning.</p></div>'],
    [
      'links to further articles',
      '<ul><li><a href="/a">Museum shows lost pictures</a><li><a href="/b">Mayor steps down</a></ul>',
    ],
    ['a byline', '<p class="byline">Reported from the bridge by Ada Moor</p>'],
    ['a caption', '<figure><img src="a.jpg"><figcaption>The old town on Monday</figcaption></figure>'],
    ['a credit without a name', '<div><img src="a.jpg"><p>The bridge at noon (Photo: A. Moor)</p></div>'],
    ['a label of an advert', '<div><span>Advertisement</span></div>'],
    ['a pointer', '<p>Read more: <a href="/a">Museum shows pictures that were lost</a></p>'],
    ['a heading of what is gone', '<h3>Elsewhere</h3><ul><li><a href="/a">Museum shows lost pictures</a></ul>'],
    ['a heading at the end', '<h3>What do you think?</h3>'],
    ['a call at the end', '<p><em>Follow us on every network for more of this.</em></p>'],
    ['comments', `<section class="comments"><p>${OTHER}</p></section>`],
    [
      'a card that shows under the pointer',
      '<p>So said <b>Moor</b><span class="hover-card">Ada Moor writes</span></p>',
    ],
  ])('drops %s', (_, extra) => {
    expect(read(inStory(extra))?.replace('\nSo said Moor', '')).toBe(TEXT);
  });

  it.each([
    ['a subheading', '<h2>After the flood</h2><p>All is quiet.</p>', 'After the flood'],
    ['a linked subheading', '<h2><a href="/x">After the flood</a></h2><p>All is quiet.</p>', 'After the flood'],
    [
      'a heading whose id is a word of the page',
      '<h2 id="comments">Comments</h2><p>Nobody spoke.</p>',
      'Nobody spoke.',
    ],
    ['a list', '<ul><li>Two bridges</li><li>Nine streets</li></ul>', 'Nine streets'],
    ['a table of links', '<table><tr><td><a href="/a">Upper bridge</a></td><td>2 m</td></tr></table>', 'Upper bridge'],
    ['code with a comment', '<pre><span class="comment"># open the gate</span>\nopen()</pre>', '# open the gate'],
    [
      'a quotation in a box called social',
      '<div class="social-embed"><blockquote><p>What a night.</p></blockquote></div>',
      'What a night.',
    ],
    [
      'a caption of a table',
      '<figure><table><tr><td>2</td></tr></table><figcaption>Metres</figcaption></figure>',
      'Metres',
    ],
    [
      'a sentence that is a link',
      '<p><a href="/a">The bridge</a> is <a href="/b">safe</a>.</p>',
      'The bridge is safe.',
    ],
    [
      'a word of a sentence with a class',
      `<p>${OTHER} So did <a class="tag" href="/t">others</a>.</p>`,
      `${OTHER} So did others.`,
    ],
    [
      'a source that is spelled out',
      '<p><a href="/r">https://example.org/report</a></p>',
      'https://example.org/report',
    ],
    [
      'what is called a widget by a page builder',
      '<div class="elementor-widget"><p>All is quiet.</p></div>',
      'All is quiet.',
    ],
    ['what hides its overflow', '<div class="overflow-hidden"><p>All is quiet.</p></div>', 'All is quiet.'],
    ['what is shown on larger screens', '<div class="hidden md:block"><p>All is quiet.</p></div>', 'All is quiet.'],
    ['the text behind a paywall', '<p class="paywall">All is quiet.</p>', 'All is quiet.'],
    ['a later title', '<h1>First title</h1><h1>Second title</h1><p>All is quiet.</p>', 'Second title'],
  ])('keeps %s', (_, extra, expected) => {
    expect(read(inStory(extra))?.split('\n')).toContain(expected);
  });

  it('drops the title, told by its element or by the head of the page', () => {
    const page = `<div class="article-body"><h2>Flood in the old town</h2>${STORY}</div>`;
    expect(read(inPage(page, '<title>Flood in the old town | News</title>'))).toBe(TEXT);
    expect(read(inPage(page.replaceAll('h2', 'h1')))).toBe(TEXT);
  });

  it('keeps lists of links to other sites, if it knows its own', () => {
    const links =
      '<ul><li><a href="https://shop.example/a">A pump</a><li><a href="https://shop.example/b">A boat</a></ul>';
    const page = `<div class="article-body">${STORY}${links}</div>`;
    expect(read(inPage(page, '<link rel="canonical" href="https://www.news.example/flood">'))).toBe(
      `${TEXT}\nA pump\nA boat`,
    );
    expect(read(inPage(page, '<link rel="canonical" href="https://shop.example/flood">'))).toBe(TEXT);
  });

  it('is read again with fewer rules where too little is left', () => {
    const lines = [FIRST, SECOND, THIRD].map((line) => `<div class="gallery"><p>${line}</p></div>`).join('');
    expect(read(inPage(`<article>${lines}</article>`))).toBe(TEXT);
  });

  it('may be short, where the page says what it is', () => {
    expect(
      read(inPage('<article><p>The bridge is closed until Friday, the town council said on Monday.</p></article>')),
    ).toContain('bridge');
  });
});

describe('a page without an article', () => {
  const teaser = `<div class="card"><h3><a href="/a">Museum shows lost pictures</a></h3><p>${OTHER}</p></div>`;

  it.each([
    ['empty', ''],
    ['without markup', 'hello'],
    ['a list of teasers', inPage(`<main>${teaser.repeat(20)}</main>`)],
    ['links only', inPage('<ul><li><a href="/a">A</a><li><a href="/b">B</a></ul>')],
    ['a product', inPage(`<div>${STORY}</div>`, '<meta property="og:type" content="product">')],
  ])('is left as it is: %s', (_, html) => {
    const root = parseHtml(html);
    const before = shown(root);
    expect(findArticle(root)).toBeNull();
    expect(shown(root)).toBe(before);
  });
});

describe('hostile pages', () => {
  const COUNT = 100_000;

  it.each([
    ['nested boxes', `${'<div class="entry-content">'.repeat(COUNT)}${FIRST}`],
    ['nested parts of a line around white space', `${'<span class="a">'.repeat(500)}${' '.repeat(COUNT * 5)}x`],
    ['paragraphs side by side', `<p>${FIRST}</p>`.repeat(COUNT / 5)],
    ['articles side by side', `<article class="a"><h1>x</h1><p>${FIRST}</p></article>`.repeat(COUNT / 10)],
    [
      'boxes of as many names',
      Array.from({ length: COUNT / 2 }, (_, at) => `<div class="n${at} share">x</div>`).join(''),
    ],
    ['headings without end', '<h2><a href="/a">x</a>'.repeat(COUNT)],
    ['addresses in one link', `<p><a href="/a">${'http://'.repeat(COUNT)} x</a></p>${STORY}`],
    ['open elements of all kinds', '<table><tr><td><ul><li><p><blockquote><a href=x>'.repeat(COUNT / 10)],
  ])('take time in proportion: %s', (_, html) => {
    const root = parseHtml(html);
    const start = performance.now();
    findArticle(root);
    expect(performance.now() - start).toBeLessThan(3000);
  });
});
