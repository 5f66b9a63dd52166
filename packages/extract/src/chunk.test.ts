import { describe, expect, it } from 'vitest';
import { estimateTokens } from './chunk.ts';
import { extractPage } from './extract.ts';

const cut = (html: string, maxTokens: number, overlap = 0) =>
  extractPage(html, { url: 'https://example.com/', markdown: true, chunks: { maxTokens, overlap } }).chunks;
const sentence = (word: string, times: number) =>
  `<p>${Array.from({ length: times }, (_, n) => `${word}${n}`).join(' ')}</p>`;

describe('chunks', () => {
  it('begin at headings and know the headings above them', () => {
    const chunks = cut(
      '<p>intro</p><h1>A</h1><p>a</p><h2>B</h2><p>b</p><h3>C</h3><p>c</p><h2>D <i>d</i></h2><p>d</p>',
      500,
    );
    expect(chunks.map(({ index, headingPath, text }) => [index, headingPath.join(' > '), text])).toEqual([
      [0, '', 'intro'],
      [1, 'A', '# A\n\na'],
      [2, 'A > B', '## B\n\nb'],
      [3, 'A > B > C', '### C\n\nc'],
      [4, 'A > D d', '## D d\n\nd'],
    ]);
  });

  it('keep headings without text of their own with what follows', () => {
    expect(cut('<h1>A</h1><h2>B</h2><p>b</p>', 500)).toMatchObject([
      { text: '# A\n\n## B\n\nb', headingPath: ['A', 'B'] },
    ]);
    expect(cut('<h1>A</h1>', 500)).toMatchObject([{ text: '# A', headingPath: ['A'] }]);
    expect(cut('', 500)).toEqual([]);
  });

  it('never exceed the limit, and together hold every word', () => {
    const html = `<h1>T</h1>${sentence('a', 300)}<h2>S</h2>${sentence('b', 900)}<ul><li>${'c '.repeat(800)}</ul><pre>${'d d d\n'.repeat(300)}</pre><p>${'e'.repeat(3000)}</p>`;
    for (const [maxTokens, overlap] of [
      [50, 0],
      [50, 20],
      [120, 119],
      [500, 50],
    ] as const) {
      const chunks = cut(html, maxTokens, overlap);
      for (const chunk of chunks) {
        expect(chunk.tokens).toBe(estimateTokens(chunk.text));
        expect(chunk.tokens).toBeLessThanOrEqual(maxTokens);
      }
      const words = new Set(chunks.flatMap((chunk) => chunk.text.split(/\s+/)));
      for (let n = 0; n < 300; n++) expect(words.has(`a${n}`), `a${n}`).toBe(true);
      for (let n = 0; n < 900; n++) expect(words.has(`b${n}`), `b${n}`).toBe(true);
      expect(chunks.flatMap((chunk) => chunk.text.match(/^d d d$/gm) ?? []).length).toBe(300);
    }
  });

  it('are cut between blocks, not inside one that fits', () => {
    const chunks = cut(`${sentence('a', 30)}${sentence('b', 30)}${sentence('c', 30)}`, 50);
    expect(chunks.map((chunk) => chunk.text.split(' ')[0])).toEqual(['a0', 'b0', 'c0']);
  });

  it('keep a code block whole where it fits, and fence each part where it does not', () => {
    const code = (lines: number) => `<pre class="language-js">${'let x = 1;\n'.repeat(lines)}</pre>`;
    expect(cut(`${sentence('a', 30)}${code(10)}`, 50)[1]?.text).toMatch(/^```js\n(let x = 1;\n){10}```$/);
    const parts = cut(code(60), 50);
    expect(parts.length).toBeGreaterThan(2);
    for (const part of parts) expect(part.text).toMatch(/^```js\n(let x = 1;\n)+```$/);
  });

  it('repeat the end of the one before, whole words, within a section only', () => {
    const chunks = cut(`${sentence('a', 30)}${sentence('b', 30)}<h2>H</h2>${sentence('c', 3)}`, 50, 10);
    expect(chunks[1]?.text.startsWith('a2')).toBe(true);
    expect(chunks[1]?.text).toContain('a29\n\nb0 ');
    expect(chunks[2]?.text).toBe('## H\n\nc0 c1 c2');
  });

  it('do not split a character outside the basic plane', () => {
    for (const chunk of cut(`<p>x${'😀'.repeat(1000)}</p>`, 50)) expect(chunk.text.isWellFormed()).toBe(true);
  });
});
