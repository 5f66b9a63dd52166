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
});
