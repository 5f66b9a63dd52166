import { describe, expect, it } from 'vitest';
import { cutChunks } from './cut.ts';
import { countTokens } from './tokens.ts';

const nested = Array.from({ length: 100_000 }, (_, n) => `${'  '.repeat(n % 50)}- item ${n}\n`).join('');
const TEXTS: Record<string, string> = {
  'a megabyte of one letter': 'a'.repeat(1_000_000),
  'a megabyte of words without a newline': 'lorem ipsum '.repeat(90_000),
  'a megabyte of sentences without a newline': 'Lorem ipsum. '.repeat(80_000),
  'a megabyte of numbers in JSON': JSON.stringify(Array.from({ length: 150_000 }, (_, n) => n)),
  'a megabyte of blanks behind a letter': `a${' '.repeat(1_000_000)}`,
  'a megabyte of newlines behind a letter': `a${'\n'.repeat(1_000_000)}`,
  '100,000 headings': '# heading\n\n'.repeat(100_000),
  '100,000 headings with text': Array.from({ length: 100_000 }, (_, n) => `## ${n}\n\ntext\n\n`).join(''),
  '100,000 items nested 50 deep': nested,
  '100,000 equal items': '- the same\n'.repeat(100_000),
  'a fence of two megabytes': `\`\`\`\n${'let x = 1;\n'.repeat(190_000)}\`\`\`\n`,
  'a table of 50,000 rows': `| a | b |\n| --- | --- |\n${'| c | d |\n'.repeat(50_000)}`,
  'a quote in a quote, 100,000 times': `${'> '.repeat(100_000)}text`,
  '50,000 markers in one line': `${'- '.repeat(50_000)}text`,
  'a heading of a megabyte with text': `# ${'heading '.repeat(125_000)}\n\n${'text '.repeat(1_000)}`,
  '100,000 fences': '```\n'.repeat(100_000),
  'a megabyte of full stops and quotes': `."`.repeat(500_000),
  'a megabyte of brackets': '# '.concat('['.repeat(1_000_000)),
  'slashes after signs': '!\n/\n'.repeat(100_000),
};

describe('hostile text', () => {
  it.each(Object.entries(TEXTS))('is cut in seconds: %s', (_, text) => {
    for (const tokenizer of ['cl100k_base', 'o200k_base'] as const) {
      const start = performance.now();
      const chunks = cutChunks(text, { maxTokens: 500, overlap: 50, tokenizer });
      expect(performance.now() - start).toBeLessThan(5_000);
      expect(chunks.map((chunk) => chunk.text.slice(chunk.overlap)).join('') === text).toBe(true);
      for (const chunk of chunks.slice(0, 50)) expect(chunk.tokens).toBe(countTokens(chunk.text, tokenizer));
      expect(Math.max(...chunks.slice(0, 10_000).map((chunk) => chunk.tokens))).toBeLessThanOrEqual(500);
    }
  });
});
