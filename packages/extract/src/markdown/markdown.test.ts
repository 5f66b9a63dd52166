import { describe, expect, it } from 'vitest';
import { extractPage } from '../extract.ts';

const page = (html: string) =>
  extractPage(html, { url: 'https://example.com/d/p', mainContent: false, includeSelectors: [], excludeSelectors: [] });
const md = (html: string) => page(html).markdown;

describe('markdown', () => {
  it.each<[string, string, string]>([
    ['paragraphs', '<p>one\n  two</p><p>three</p>', 'one two\n\nthree'],
    ['loose text between blocks', 'a<div>b</div>c', 'a\n\nb\n\nc'],
    ['headings', '<h1>One</h1><h3>Th<b>ree</b></h3>', '# One\n\n### Three'],
    ['emphasis', '<p>a <em>b </em><strong>c</strong>, <del>d</del></p>', 'a *b* **c**, ~~d~~'],
    ['emphasis around nothing', '<p>a<b> </b>b<i></i></p>', 'a b'],
    ['nested emphasis', '<p><b>a <i>b</i></b> c</p>', '**a *b*** c'],
    ['emphasis within a word', '<p>un<b>believ</b>able</p>', 'un**believ**able'],
    ['emphasis that is never closed', '<p><b>a</p><p>b</p>', '**a**\n\nb'],
    ['inline code', '<p>call <code>f(*a)</code>, <kbd>x`y</kbd></p>', 'call `f(*a)`, `` x`y ``'],
    [
      'links',
      '<p>see <a href="q?a=1#f">the <b>page</b></a>.</p>',
      'see [the **page**](https://example.com/d/q?a=1#f).',
    ],
    ['a link with parentheses', '<p><a href="a_(b)">x</a></p>', '[x](<https://example.com/d/a_(b)>)'],
    ['a link that leads nowhere', '<p><a>x</a> <a href="javascript:0">y</a></p>', 'x y'],
    ['a link around a block', '<a href=x><h3>T</h3><p>t</p></a>', '### [T](https://example.com/d/x)\n\nt'],
    ['permalink signs', '<h2>T<a class="headerlink" href="#t">¶</a></h2>', '## T'],
    [
      'images',
      '<p><img src="i.png" alt="an [i]"> <img src="data:x" alt=y></p>',
      '![an [i]](https://example.com/d/i.png)',
    ],
    [
      'an image in a link',
      '<a href=x><img src=i alt=A></a>',
      '[![A](https://example.com/d/i)](https://example.com/d/x)',
    ],
    ['unordered lists', '<ul><li>a<li>b</ul><p>c</p>', '- a\n- b\n\nc'],
    ['ordered lists', '<ol start=9><li>a</li><li>b</li></ol>', '9. a\n10. b'],
    ['nested lists', '<ul><li>a<ol><li>b</li></ol></li><li>c</li></ul>', '- a\n  1. b\n- c'],
    ['list items of several blocks', '<ol><li><p>a</p><p>b</p></li><li>c</li></ol>', '1. a\n\n   b\n2. c'],
    ['code in a list', '<ul><li>a<pre>b\n c</pre></li></ul>', '- a\n\n  ```\n  b\n   c\n  ```'],
    ['empty list items', '<ul><li></li><li>a</li></ul>', '- a'],
    ['a list in a list item', '<ul><li><ul><li>a</li></ul></li></ul>', '- - a'],
    [
      'definition lists',
      '<dl><dt><b>a</b></dt><dd>b<p>c</p></dd><dt>d</dt><dd>e</dd></dl>',
      '- **a**\n\n  b\n\n  c\n- **d**\n\n  e',
    ],
    ['quotes', '<blockquote><p>a</p><p>b</p></blockquote><p>c</p>', '> a\n>\n> b\n\nc'],
    ['a list in a quote', '<blockquote>a<ul><li>b</li></ul></blockquote>', '> a\n>\n> - b'],
    ['rules and breaks', '<p>a<br>b<hr>c<br><br>d', 'a  \nb\n\n---\n\nc\n\nd'],
    ['fenced code', '<pre>a\n\n  b &lt;c&gt;\n</pre>', '```\na\n\n  b <c>\n```'],
    ['the language of code', '<pre><code class="x language-ts">a</code></pre>', '```ts\na\n```'],
    [
      'the language of code further out',
      '<div class="highlight-python3 notranslate"><div class="highlight"><pre>a</pre></div></div>',
      '```python\na\n```',
    ],
    ['code that holds a fence', '<pre>```\nx\n```</pre>', '````\n```\nx\n```\n````'],
    ['markup in preformatted text', '<pre><b>a</b> <a href=x>b</a><br><span>c</span></pre>', '```\na b\nc\n```'],
    [
      'tables',
      '<table><thead><tr><th>a<th>b</thead><tr><td>1|2<td><p>x</p><p>y</p></table>',
      '| a | b |\n| --- | --- |\n| 1\\|2 | x<br>y |',
    ],
    ['tables without header', '<table><tr><td>1<td>2<tr><td>3</table>', '|  |  |\n| --- | --- |\n| 1 | 2 |\n| 3 |  |'],
    [
      'ragged tables',
      '<table><tr><th colspan=2>a</tr><tr><td>1<td>2<td>3</table>',
      '| a |  |  |\n| --- | --- | --- |\n| 1 | 2 | 3 |',
    ],
    ['tables of one column', '<table><tr><td>a</td></tr><tr><td>b</td></tr></table>', 'a\n\nb'],
    ['layout tables', '<table><tr><td>nav</td><td><h1>T</h1><p>x</p></td></tr></table>', 'nav\n\n# T\n\nx'],
    [
      'tables in tables',
      '<table><tr><td>o<td><table><tr><th>a<th>b<tr><td>1<td>2</table></table>',
      'o\n\n| a | b |\n| --- | --- |\n| 1 | 2 |',
    ],
    [
      'a caption',
      '<table><caption>C</caption><tr><th>a<th>b<tr><td>1<td>2</table>',
      'C\n\n| a | b |\n| --- | --- |\n| 1 | 2 |',
    ],
    ['entities', '<p>&lt;a&gt; &amp;amp; &copy; &nbsp; x</p>', '\\<a> \\&amp; © x'],
    [
      'special characters',
      '<p>*a* _b_ c_d [e] `f` \\ 1 < 2 ~~x~~</p>',
      '\\*a\\* \\_b\\_ c_d [e] \\`f\\` \\ 1 < 2 \\~\\~x\\~\\~',
    ],
    [
      'what looks like a block',
      '<p># a</p><p>- b</p><p>1. c</p><p>> d</p><p>2020 e</p><p>-f</p>',
      '\\# a\n\n\\- b\n\n1\\. c\n\n\\> d\n\n2020 e\n\n-f',
    ],
    ['text around unknown elements', '<x-y>a <blink>b</blink></x-y>', 'a b'],
  ])('renders %s', (_, html, expected) => {
    expect(md(html)).toBe(expected);
  });
});

describe('text', () => {
  it('is what a reader sees, without markup, a line for each block', () => {
    expect(
      page(
        '<h1>T</h1><p>a <b>b</b>&nbsp;<code>c_d</code> <a href=x>e</a><br>f</p><ul><li>g</ul><pre>h\n i</pre><table><tr><th>1<td>2</table>',
      ).text,
    ).toBe('T\na b c_d e\nf\ng\nh\n i\n1 2');
  });
});
