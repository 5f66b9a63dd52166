import { describe, expect, it } from 'vitest';
import { extractPage, readShell } from './extract.ts';

const isShell = (html: string): boolean => readShell(Buffer.from(html), 'text/html; charset=utf-8').isShell;
const prose = (words: number): string => Array.from({ length: words }, (_, i) => `word${i}`).join(' ');
const bundle = '<script src="/app.js"></script>';

describe('an empty shell', () => {
  it.each([
    ['a root and a bundle', `<div id="root"></div>${bundle}`],
    ['a root that says it is loading', `<div id="app"><p>Loading, please wait…</p></div>${bundle}`],
    [
      'Next without content',
      `<div id="__next"></div><script id="__NEXT_DATA__" type="application/json">{}</script>${bundle}`,
    ],
    ['Angular', '<app-root></app-root><script type="module" src="main.js"></script>'],
    ['an element of its own', '<my-app></my-app><script type="module" src="main.js"></script>'],
    ['a body that asks for JavaScript', `<noscript>You need to enable JavaScript to run this app.</noscript>${bundle}`],
    [
      'one that asks in the head',
      `<head><noscript>Please enable JavaScript</noscript>${bundle}</head><body><p>Shop</p>`,
    ],
    ['an inline script and a root', '<div id="root"></div><script>render()</script>'],
    ['nothing but boxes and a bundle', `<div><div></div></div>${bundle}`],
    ['a menu and an empty root', `<nav><a href="/a">${prose(80)}</a></nav><div id="root"></div>${bundle}`],
    [
      'a box that a script in the page fills',
      '<h1>Offer</h1><p>Of the week</p><div id="offer"></div><script>show("#offer")</script>',
    ],
    [
      'nothing but boxes and a script in the page',
      '<main><section></section></main><script>document.body.append(page())</script>',
    ],
    ['nothing but a script', '<title>Page</title><body><script type="module" src="/main.js"></script></body>'],
    ['a name and a place', `<h1>My shop</h1><div id="content"></div>${bundle}`],
    ['a spinner', `<div class="spinner">Loading</div>${bundle}`],
  ])('is %s', (_, html) => {
    expect(isShell(html)).toBe(true);
    expect(extractPage(html, OPTIONS).isShell).toBe(true);
  });

  it.each([
    ['a page with text, a root and a bundle', `<div id="root"><p>${prose(100)}</p></div>${bundle}`],
    ['a short page without scripts', '<div id="root"></div><p>Moved.</p>'],
    ['a short page with a counter', `<p>The office is closed today.</p><script src="/stats.js"></script>`],
    [
      'a page with text that also greets those without scripts',
      `<p>${prose(100)}</p><noscript>Enable JavaScript for comments</noscript>${bundle}`,
    ],
    ['data that is no script', '<div id="root"></div><script type="application/ld+json">{}</script>'],
    ['an empty page', ''],
    ['nothing but an image', `<img src="a.png">${bundle}`],
    ['a root that is full of links', `<div id="root"><h1>Index</h1><a href="/a">${prose(20)}</a></div>${bundle}`],
    ['nothing but a frame', `<iframe src="/inner.html"></iframe>${bundle}`],
    ['a short page with a menu', `<div id="menu"><a href="/">Home</a></div><p>Closed today.</p>${bundle}`],
    ['a short page with a box for looks', `<p>The office is closed today.</p><div class="clear"></div>${bundle}`],
    [
      'a page with an empty box and scripts of others',
      `<p>${prose(20)}</p><div id="map"></div><script>count("page")</script>${bundle}`,
    ],
    [
      'a page with text and a box that a script fills',
      `<p>${prose(100)}</p><div id="offer"></div><script>show("#offer")</script>`,
    ],
  ])('is not %s', (_, html) => {
    expect(isShell(html)).toBe(false);
    expect(extractPage(html, OPTIONS).isShell).toBe(false);
  });

  it('tells how many words there are that are no links', () => {
    expect(readShell(Buffer.from(`<p>one two</p><a href=x>three</a><script>four</script><p>five`), null).words).toBe(3);
  });
});

const OPTIONS = {
  url: 'https://shell.example/',
  mainContent: true,
  includeSelectors: [],
  excludeSelectors: [],
};
