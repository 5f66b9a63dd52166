import { describe, expect, it } from 'vitest';
import { type ChunkOptions, cutChunks } from './cut.ts';
import { countTokens } from './tokens.ts';

const cut = (text: string, options: Partial<ChunkOptions> = {}) =>
  cutChunks(text, { maxTokens: 50, overlap: 0, tokenizer: 'cl100k_base', ...options });
const words = (word: string, count: number) => Array.from({ length: count }, (_, n) => `${word}${n}`).join(' ');
const own = (chunks: ReturnType<typeof cut>) => chunks.map((chunk) => chunk.text.slice(chunk.overlap));

describe('chunks', () => {
  it('begin at headings and know the headings above them', () => {
    const text = 'intro\n\n# A\n\na\n\n## B\n\nb\n\n### C\n\nc\n\n## D *d*\n\nd\n';
    expect(cut(text).map(({ headingPath, text: content }) => [headingPath.join(' > '), content])).toEqual([
      ['', 'intro\n\n'],
      ['A', '# A\n\na\n\n'],
      ['A > B', '## B\n\nb\n\n'],
      ['A > B > C', '### C\n\nc\n\n'],
      ['A > D d', '## D *d*\n\nd\n'],
    ]);
  });

  it('say where they lie', () => {
    const chunks = cut('# A\n\na\n\n# B\n\nb\n\n\n');
    expect(chunks.map(({ index, start, end, overlap, tokens }) => [index, start, end, overlap, tokens])).toEqual([
      [0, 0, 8, 0, countTokens('# A\n\na\n\n', 'cl100k_base')],
      [1, 8, 17, 0, countTokens('# B\n\nb\n\n\n', 'cl100k_base')],
    ]);
  });

  it('keep headings without text of their own with what follows', () => {
    expect(cut('# A\n\n## B\n\nb')).toMatchObject([{ text: '# A\n\n## B\n\nb', headingPath: ['A', 'B'] }]);
    expect(cut('# A\n## B')).toMatchObject([{ text: '# A\n## B', headingPath: ['A', 'B'] }]);
    expect(cut('Title\n=====\n\nPart\n---\ntext')).toMatchObject([{ headingPath: ['Title', 'Part'] }]);
  });

  it('are none for a text of nothing, or of blanks', () => {
    expect(cut('')).toEqual([]);
    expect(cut(' \n\n\t\n')).toEqual([]);
    expect(own(cut('\n\n  a\n\n  \n'))).toEqual(['\n\n  a\n\n  \n']);
  });

  it('have the words of a heading in the path, not its markup', () => {
    const path = (heading: string) => cut(`${heading}\n\ntext`)[0]?.headingPath[0];
    expect(path('## The `fetch()` **API** ##')).toBe('The fetch() API');
    expect(path('# [Guide](https://example.com/a) to snake_case\\_names')).toBe('Guide to snake_case_names');
    expect(path('#')).toBe('');
    expect(path(`# ${'long '.repeat(1000)}`)?.length).toBeLessThanOrEqual(200);
  });

  it('take nothing in a fence for a heading', () => {
    expect(cut('a\n\n```sh\n# comment\n```\n\n~~~~\n~~~\n# no\n~~~~\n\n> ```\n> # no\n> ```\n')).toHaveLength(1);
    expect(cut('- a\n\n  ```\n  # no\n\n  # no\n  ```\n')).toHaveLength(1);
    expect(cut('```\n# no\n')).toHaveLength(1);
  });

  it('take nothing in plain text for a heading or a fence', () => {
    const text = `# a\n\n\`\`\`\n# b\n\n${words('w', 40)}\n\n# c`;
    const chunks = cut(text, { kind: 'text' });
    expect(chunks.every((chunk) => chunk.headingPath.length === 0)).toBe(true);
    expect(own(chunks).join('')).toBe(text);
  });

  it('lie between blocks, then items and rows, then lines', () => {
    const paragraphs = ['a', 'b', 'c'].map((word) => `${words(word, 14)}\n\n`);
    expect(own(cut(paragraphs.join('')))).toEqual(paragraphs);
    const items = ['a', 'b', 'c'].map((word) => `- ${words(word, 6)}\n  - ${words(word, 6)}\n`);
    expect(own(cut(items.join('')))).toEqual(items);
    const code = `\`\`\`\n${Array.from({ length: 30 }, (_, n) => `let x${n} = ${n};\n`).join('')}\`\`\`\n`;
    for (const part of own(cut(code))) expect(part.endsWith('\n')).toBe(true);
  });

  it('keep a code block whole where it fits, in front of whatever does not', () => {
    const code = `\`\`\`js\n${'let x = 1;\n\n'.repeat(6)}\`\`\`\n\n`;
    expect(own(cut(`${words('a', 14)}\n\n${code}${words('b', 14)}\n`))).toContain(code);
  });

  it('cut a line that is too long at sentences, else at blanks, else anywhere but inside a character', () => {
    const sentences = Array.from({ length: 12 }, (_, n) => `${words(`s${n}x`, 4)}. `).join('');
    for (const part of own(cut(sentences)).slice(0, -1)) expect(part).toMatch(/\. $/);
    for (const part of own(cut(words('a', 200))).slice(0, -1)) expect(part).toMatch(/\d $/);
    for (const { text } of cut('😀'.repeat(500))) expect(text.isWellFormed()).toBe(true);
    expect(own(cut('x'.repeat(5000))).join('')).toBe('x'.repeat(5000));
  });

  it('repeat the end of what stands before, from a sentence on, within a section', () => {
    const first = `${words('a', 10)}. Last words here. `.trim();
    const chunks = cut(`${first}\n\n${words('b', 14)}\n\n# H\n\n${words('c', 5)}`, { overlap: 10 });
    expect(chunks.map((chunk) => chunk.text.slice(0, chunk.overlap))).toEqual(['', 'Last words here.\n\n', '']);
  });

  it('repeat words where there is no sentence, a whole block where it fits, and nothing of code', () => {
    const overlapOf = (before: string) => {
      const chunk = cut(`${before}\n\n${words('b', 19)}`, { overlap: 12 }).at(-1);
      return chunk?.text.slice(0, chunk.overlap);
    };
    expect(overlapOf(words('a', 20))).toMatch(/^a\d+ (a\d+ )*a19\n\n$/);
    expect(overlapOf(`${words('a', 20)}\n\nShort one.`)).toBe('Short one.\n\n');
    expect(overlapOf(`\`\`\`\n${'let x = 1;\n'.repeat(7)}\`\`\``)).toBe('');
  });

  it('have ids that do not change with blank lines behind them, or with what comes elsewhere', () => {
    const ids = (text: string) => cut(text).map((chunk) => chunk.id);
    const [a, b] = ids('# A\n\na\n\n# B\n\nb');
    expect(ids('# A\n\na\n\n\n\n# B\n\nb\n')).toEqual([a, b]);
    expect(ids('# New\n\nnew\n\n# A\n\na\n\n# B\n\nb')).toEqual([expect.anything(), a, b]);
    expect(ids('# A\n\na\n\n# C\n\nb')[1]).not.toBe(b);
    expect(ids('# A\n\na\n\n# A\n\na\n\n# A\n\na')).toEqual([a, `${a}-2`, `${a}-3`]);
  });
});
