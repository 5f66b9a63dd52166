/** The habits of documentation tools, each as small as it can be; whole pages are in `golden/`. */
import { describe, expect, it } from 'vitest';
import { extractPage } from '../extract.ts';

const md = (html: string) =>
  extractPage(html, { url: 'https://a.test/d/p', mainContent: false, includeSelectors: [], excludeSelectors: [] })
    .markdown;

describe('code', () => {
  it.each<[string, string, string]>([
    ['blanks between spans', '<pre><span>a</span> <span>=</span>\n  <span>b</span></pre>', '```\na =\n  b\n```'],
    ['blank lines and a first line end', '<pre>\n\na\n\n\nb\n\n</pre>', '```\n\na\n\n\nb\n```'],
    ['no-break spaces', '<pre>a&nbsp;&nbsp;b</pre>', '```\na  b\n```'],
    [
      'lines as elements without preformatting',
      '<div class="fragment"><div class="line">a {</div>\n<div class="line"> </div>\n<div class="line">  b</div>\n</div>',
      '```\na {\n \n  b\n```',
    ],
    ['lines as elements of a list', '<pre><ol><li>a</li><li></li><li>b</li></ol></pre>', '```\na\n\nb\n```'],
    ['breaks', '<pre><code>a<br>b</code></pre>', '```\na\nb\n```'],
    [
      'line numbers in a column of their own',
      '<table class="highlighttable"><tr><td class="linenos"><pre>1</pre></td><td class="code"><pre>a</pre></td></tr></table>',
      '```\na\n```',
    ],
    ['buttons', '<pre><button>Copy</button>a</pre>', '```\na\n```'],
    ['code of several lines without <pre>', '<p><code>a<br>b</code></p>', '```\na\nb\n```'],
    ['the language of its code', '<pre><code class="hljs language-c++">a</code></pre>', '```cpp\na\n```'],
    ['a language in data', '<pre class="highlight"><code data-lang="ruby">a</code></pre>', '```ruby\na\n```'],
    ['pandoc’s classes', '<pre class="sourceCode numberSource go numberLines"><code>a</code></pre>', '```go\na\n```'],
    ['a class that is no language', '<pre class="programlisting">a</pre>', '```\na\n```'],
  ])('keeps %s', (_, html, expected) => {
    expect(md(html)).toBe(expected);
  });

  it('stays a link where it is one, also in part', () => {
    expect(md('<p><code><a href=x>f</a></code></p>')).toBe('[`f`](https://a.test/d/x)');
    expect(md('<p><a href=x><code>f</code></a></p>')).toBe('[`f`](https://a.test/d/x)');
    expect(md('<p><code>f(<a href=x>T</a>&nbsp;t)</code></p>')).toBe('`f(`[`T`](https://a.test/d/x) `t)`');
  });
});

describe('headings', () => {
  it.each<[string, string, string]>([
    ['breaks', '<h2>a<br>b</h2>', '## a b'],
    ['blocks', '<h3>impl<div class="where">where T</div></h3>', '### impl where T'],
    ['anchors left open', '<h2><a id=x/>a</h2><p>b</p>', '## a\n\nb'],
    ['links back to the contents', '<h2><a class="toc-backref" href="#id1">a</a></h2>', '## a'],
    [
      'a link to the page among other words',
      '<h4>Returns <a href="#t">T</a></h4>',
      '#### Returns [T](https://a.test/d/p#t)',
    ],
    ['permalinks', '<h2>a <span><a href="#a">◆&nbsp;</a></span></h2><h2>b<a href="#b"></a></h2>', '## a\n\n## b'],
    ['lists of sections', '<ul><li><section><h2>a</h2><p>b</p></section></li></ul>', '## a\n\nb'],
    ['summaries with a heading', '<details><summary><h2>a</h2></summary>b</details>', '## a\n\nb'],
  ])('with %s', (_, html, expected) => {
    expect(md(html)).toBe(expected);
  });
});

describe('boxes', () => {
  it('are quotes, with their title in bold, and one after the other stays apart', () => {
    expect(
      md(
        '<div class="admonition note"><p class="admonition-title">Note</p><p>a</p></div><div class="admonition tip"><p class="admonition-title">Tip</p><p>b</p></div>',
      ),
    ).toBe('> **Note**\n>\n> a\n\n> **Tip**\n>\n> b');
  });

  it('are called what they are where they have no title', () => {
    expect(md('<div class="alert alert-warning"><p>a</p></div>')).toBe('> **Warning**\n>\n> a');
  });

  it('may be laid out as a table', () => {
    expect(
      md(
        '<div class="admonitionblock note"><table><tr><td class="icon"><div class="title">Note</div></td><td class="content"><div class="paragraph"><p>a</p></div></td></tr></table></div>',
      ),
    ).toBe('> **Note**\n>\n> a');
  });
});

describe('footnotes', () => {
  const expected = 'a[^1]\n\n[^1]: the note';

  it.each<[string, string]>([
    [
      'docutils',
      '<p>a<a class="footnote-reference" href="#id2">[1]</a></p><aside class="footnote-list"><aside class="footnote" id="id2"><span class="label"><span>[</span><a href="#id1">1</a><span>]</span></span><p>the note</p></aside></aside>',
    ],
    [
      'Python-Markdown',
      '<p>a<sup id="fnref:x"><a class="footnote-ref" href="#fn:x">1</a></sup></p><div class="footnote"><hr><ol><li id="fn:x"><p>the note&#160;<a class="footnote-backref" href="#fnref:x">↩</a></p></li></ol></div>',
    ],
    [
      'GitHub and pandoc',
      '<p>a<sup><a href="#fn1" id="fnref1">1</a></sup></p><section class="footnotes" role="doc-endnotes"><h2 class="sr-only">Footnotes</h2><hr><ol><li id="fn1"><p>the note <a href="#fnref1" class="footnote-back">↩︎</a></p></li></ol></section>',
    ],
    [
      'asciidoctor',
      '<p>a<sup class="footnote">[<a id="_ref_1" class="footnote" href="#_def_1">1</a>]</sup></p><div id="footnotes"><hr><div class="footnote" id="_def_1"><a href="#_ref_1">1</a>. the note</div></div>',
    ],
    [
      'DocBook',
      '<p>a<a href="#ftn.n1" class="footnote" id="n1"><sup class="footnote">[1]</sup></a></p><div class="footnotes"><hr><div id="ftn.n1" class="footnote"><p><a href="#n1" class="para"><sup class="para">[1] </sup></a> the note</p></div></div>',
    ],
  ])('as %s writes them', (_, html) => {
    expect(md(html).replace('\n\n---', '')).toBe(expected);
  });
});

describe('formulas', () => {
  it.each<[string, string, string]>([
    ['in a line', '<p>a <span class="math">\\(x_1\\)</span></p>', 'a $x_1$'],
    ['of their own', '<div class="math">\\[x_1 + y_1\\]</div>', '$$\nx_1 + y_1\n$$'],
    ['with a number', '<div class="math"><span class="eqno">(1)<a href="#e">¶</a></span>\\[x\\]</div>', '$$\nx\n$$'],
    [
      'of KaTeX',
      '<p><span class="katex"><span class="katex-mathml"><math><semantics><mi>x</mi><annotation encoding="application/x-tex">x^2</annotation></semantics></math></span><span class="katex-html" aria-hidden="true">x2</span></span></p>',
      '$x^2$',
    ],
    ['of MathML with its source', '<p><math alttext="x^2"><mi>x</mi></math></p>', '$x^2$'],
    ['of a script', '<p>a <script type="math/tex">x_1</script></p>', 'a $x_1$'],
    ['in the text of a page with MathJax', '<script src=mathjax.js></script><p>a \\(x_1*y\\) b</p>', 'a $x_1*y$ b'],
    [
      'as exponents',
      '<p>2<sup>10</sup> and 1<sup>st</sup>, H<sub>2</sub>O</p>',
      '2<sup>10</sup> and 1st, H<sub>2</sub>O',
    ],
  ])('%s', (_, html, expected) => {
    expect(md(html)).toBe(expected);
  });
});

describe('tables', () => {
  it.each<[string, string, string]>([
    [
      'cells over several rows',
      '<table><tr><th>a<th>b<tr><td rowspan=2>1<td>2<tr><td>3</table>',
      '| a | b |\n| --- | --- |\n| 1 | 2 |\n|  | 3 |',
    ],
    [
      'aligned columns',
      '<table><tr><th align=right>a<th style="text-align: center">b<tr><td>1<td>2</table>',
      '| a | b |\n| ---: | :---: |\n| 1 | 2 |',
    ],
    [
      'blocks in cells',
      '<table><tr><th>a<th>b<tr><td><p>1</p><ul><li>x<li>y</ul><td><pre>f()\ng()</pre></table>',
      '| a | b |\n| --- | --- |\n| 1<br>- x<br>- y | `f()`<br>`g()` |',
    ],
    ['pipes in code', '<table><tr><th>a<tr><td><code>a|b</code></table>', '| a |\n| --- |\n| `a\\|b` |'],
    [
      'a grid of divisions',
      '<div class="summary-table two-column-summary"><div class="table-header col-first">a</div><div class="table-header col-last">b</div><div class="col-first">1</div><div class="col-last">2</div></div>',
      '| a | b |\n| --- | --- |\n| 1 | 2 |',
    ],
    ['tables in a list of tables', '<ul><li><table><tr><th>a<th>b</table></li></ul>', '| a | b |\n| --- | --- |'],
  ])('%s', (_, html, expected) => {
    expect(md(html)).toBe(expected);
  });
});

describe('lines', () => {
  it.each<[string, string, string]>([
    ['emphasis that goes on', '<p><em>A</em><em>[</em><em>b</em><em>]</em></p>', '*A[b]*'],
    ['a sign before a link', '<p>go!<a href=x>y</a></p>', 'go\\![y](https://a.test/d/x)'],
    ['what only looks like a link', '<p>a[<i>i</i>](j)</p>', 'a[*i*\\](j)'],
    ['brackets and single signs', '<p>a[0] * b [x] c</p>', 'a[0] * b [x] c'],
    ['underscores beside punctuation', '<p>‘__index__’</p>', '‘\\_\\_index\\_\\_’'],
    ['signs that end a text', '<p>List<span>&lt;</span><b>T</b></p>', 'List\\<**T**'],
    ['a link that leads nowhere', '<p><a href="#" onclick="x()">a</a></p>', 'a'],
    [
      'boxes to tick',
      '<ul><li><input type=checkbox checked> a</li><li><label><input type=checkbox> b</label></li></ul>',
      '- [x] a\n- [ ] b',
    ],
    ['verses', '<div class="line-block"><div class="line">a</div><div class="line">b</div></div>', 'a  \nb'],
    ['terms', '<dl><dt>a<span class="classifier">b</span></dt><dd>c</dd></dl>', '- **a : b**\n\n  c'],
    ['lists of terms only', '<dl><dt><a href=x>a</a></dt><dt>b</dt></dl>', '- [a](https://a.test/d/x)\n- b'],
    ['quotations', '<p><q>a</q></p>', '“a”'],
    ['pictures of one dot', '<p>a<img src=x width=1 height=1></p>', 'a'],
    ['pictures that load late', '<p><img src="data:," data-src=x alt=a></p>', '![a](https://a.test/d/x)'],
  ])('%s', (_, html, expected) => {
    expect(md(html)).toBe(expected);
  });
});
