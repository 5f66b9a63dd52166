import { describe, expect, it } from 'vitest';
import { extractPage } from '../extract.ts';

const page = (html: string, options = {}) =>
  extractPage(html, {
    url: 'https://example.com/d/p',
    mainContent: true,
    includeSelectors: [],
    excludeSelectors: [],
    ...options,
  });

describe('content', () => {
  const long = 'words that matter. '.repeat(10).trim();

  it.each<[string, string, string]>([
    [
      'scripts, styles and templates',
      `<style>a</style><script>b</script><template>c</template><noscript>d</noscript>${long}<svg><title>e</title><text>f</text></svg>`,
      long,
    ],
    ['navigation and footers', `<nav>a</nav><div role=navigation>b</div>${long}<footer>c</footer>`, long],
    [
      'what is hidden',
      `<p hidden>a</p><div style="color:red; display: none">b</div><p>${long}<span aria-hidden=true>x<span>y</span></span></p>`,
      long,
    ],
    [
      'controls',
      `<form>${long}<select><option>a</select><button>b</button><textarea>c</textarea><input value=d></form>`,
      long,
    ],
    ['navigation that is never closed', `<div><nav>a</div><p>${long}</p>`, long],
  ])('leaves out %s', (_, html, expected) => {
    expect(page(html).text).toBe(expected);
  });

  it('is the main element where it holds most of the text', () => {
    expect(page(`<p>before</p><main><p>${long}</p><footer>end</footer></main><p>after</p>`).text).toBe(long);
    expect(page(`<div role=main><p>${long}</p></div><p>after</p>`).text).toBe(long);
    expect(page(`<main>x</main><p>${long}</p>`).text).toBe(`x\n${long}`);
  });

  it('is the article where there is only one', () => {
    expect(page(`<p>before</p><article>${long}</article>`).text).toBe(long);
    expect(page(`<p>before</p><article>${long}</article><article>two</article>`).text).toBe(`before\n${long}\ntwo`);
  });

  it('is the whole body, navigation included, where all of it is wanted', () => {
    const html = `<nav>a</nav><div class="sidebar">b</div><main>${long}</main><footer>c</footer><p hidden>d</p>`;
    expect(page(html, { mainContent: false }).text).toBe(`a\nb\n${long}\nc`);
  });

  it('is what selectors include, less what they exclude, and links are followed from everywhere', () => {
    const html = `<div class=a>one <i>two</i><div class=a>three</div></div><p id=x>four <a href=y>five</a></p><p>${long}</p>`;
    expect(page(html, { includeSelectors: ['.a', '#x'] }).text).toBe('one two\nthree\nfour five');
    const without = page(html, { includeSelectors: ['.a', '#x'], excludeSelectors: ['.a .a', 'a'] });
    expect(without.text).toBe('one two\nfour');
    expect(without.links.map((link) => link.url)).toEqual(['https://example.com/d/y']);
    expect(page(html, { includeSelectors: ['.missing'] }).text).toContain(long);
  });

  it('of documentation is its container, whole, with the title above it and without what leads elsewhere', () => {
    const { markdown } = page(
      `<div id="top"><div class="navpath">x</div></div><h1>Title</h1><div class="rst-content"><nav class="contents">toc</nav><div class="toctree-wrapper"><ul><li><a href=a>A</a></li></ul></div><p>${long}</p><p>${long}</p><section id="navigation"><h2>Navigation</h2><p>b</p></section><div class="rst-footer-buttons">next</div></div>`,
    );
    expect(markdown).toBe(`# Title\n\n- [A](https://example.com/d/a)\n\n${long}\n\n${long}\n\n## Navigation\n\nb`);
  });

  it('is the list of contents where there is nothing else', () => {
    expect(page('<div class="rst-content"><h1>Book</h1><div class="toc"><a href=a>A</a></div></div>').markdown).toBe(
      '# Book\n\n[A](https://example.com/d/a)',
    );
  });

  it('of an article has its title and captions in the markdown, not in the text', () => {
    const body = `<p>${'The river rose by two metres in the night, and the harbour was closed. '.repeat(4)}</p>`.repeat(
      4,
    );
    const { text, markdown } = page(
      `<head><title>Flood at the bridge - News</title><meta property="og:type" content="article"></head><body><h1>Flood at the bridge</h1><div class="article-body">${body}<figure><img src=i.png><figcaption>The bridge</figcaption></figure>${body}</div></body>`,
    );
    expect(text).not.toContain('Flood at');
    expect(text).not.toContain('The bridge');
    expect(markdown).toMatch(/^# Flood at the bridge\n\nThe river/);
    expect(markdown).toContain('![](https://example.com/d/i.png)\n\nThe bridge');
  });
});
