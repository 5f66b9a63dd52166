/** Random markdown documents for the tests of chunks, with what is known of them: where each block lies, and what must stay whole. */
import fc from 'fast-check';

export interface GeneratedBlock {
  readonly kind: 'heading' | 'paragraph' | 'list' | 'fence' | 'table' | 'quote';
  readonly markdown: string;
  /** Fences, rows and items, as places in `markdown`. */
  readonly atoms: readonly (readonly [start: number, end: number])[];
}

export interface GeneratedDocument {
  readonly markdown: string;
  readonly atoms: readonly (readonly [start: number, end: number])[];
  /** Where each block begins. */
  readonly starts: readonly number[];
}

/** Blocks without anything in front or behind. */
export function joinBlocks(blocks: readonly GeneratedBlock[]): GeneratedDocument {
  let markdown = '';
  const atoms: [number, number][] = [];
  const starts: number[] = [];
  for (const block of blocks) {
    if (markdown !== '') markdown += '\n\n';
    starts.push(markdown.length);
    for (const [start, end] of block.atoms) atoms.push([markdown.length + start, markdown.length + end]);
    markdown += block.markdown;
  }
  return { markdown: `${markdown}\n`, atoms, starts };
}

const word = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.constantFrom(
      'the',
      'crawler',
      'reads',
      'robots',
      'URL',
      "doesn't",
      '1234567',
      'path/to',
      '(see',
      'below)',
    ),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      'done.',
      'why?',
      'e.g.',
      'naïve',
      'Straße',
      '漢字を読む。',
      'привет',
      '😀👍🏽',
      'a\u00a0b',
      '/usr',
      '<|endoftext|>',
    ),
  },
  {
    weight: 1,
    arbitrary: fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
      .map((text) => text.replace(/[\s`~|#>[\]<*+\-_=:\\\d]/gu, 'x')),
  },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 2 ** 30 }).map((n) => `${n.toString(36)}x`.repeat(1 + (n % 60))) },
);
// A number that is hardly there twice: equal units would share their ids.
const mark = fc.integer({ min: 0, max: 2 ** 31 }).map((n) => `w${n.toString(36)}`);
const line = (maxLength: number) =>
  fc.tuple(mark, fc.array(word, { maxLength })).map(([first, words]) => [first, ...words].join(' '));

const heading: fc.Arbitrary<GeneratedBlock> = fc
  .tuple(fc.integer({ min: 1, max: 6 }), line(4))
  .map(([level, text]) => ({ kind: 'heading', markdown: `${'#'.repeat(level)} ${text}`, atoms: [] }));

export const paragraph: fc.Arbitrary<GeneratedBlock> = fc
  .array(line(60), { minLength: 1, maxLength: 3 })
  .map((lines) => ({ kind: 'paragraph', markdown: lines.join('\n'), atoms: [] }));

const fence: fc.Arbitrary<GeneratedBlock> = fc
  .tuple(
    fc.constantFrom('```', '~~~', '`````'),
    fc.array(
      fc.oneof(
        line(8),
        fc.constant(''),
        line(2).map((text) => `# ${text}`),
        line(2).map((text) => `- ${text}`),
      ),
      {
        maxLength: 30,
      },
    ),
  )
  .map(([sign, lines]) => {
    const markdown = [`${sign}js`, ...lines, sign].join('\n');
    return { kind: 'fence', markdown, atoms: [[0, markdown.length]] };
  });

const table: fc.Arbitrary<GeneratedBlock> = fc.array(line(12), { minLength: 1, maxLength: 12 }).map((rows) => {
  let markdown = '| a | b |\n| --- | --- |';
  const atoms: [number, number][] = [[0, markdown.length]];
  for (const row of rows) {
    markdown += '\n';
    const start = markdown.length;
    markdown += `| ${row.replaceAll('|', 'x')} | b |`;
    atoms.push([start, markdown.length]);
  }
  return { kind: 'table', markdown, atoms };
});

/** With every line behind a prefix; the first line's may differ. */
function prefixed(block: GeneratedBlock, first: string, rest: string): GeneratedBlock {
  const places = new Map<number, number>();
  let markdown = '';
  let from = 0;
  for (const [index, content] of block.markdown.split('\n').entries()) {
    if (index > 0) markdown += '\n';
    // A blank line has no blanks in a list, but its sign in a quote.
    markdown += index === 0 ? first : content === '' ? rest.trimEnd() : rest;
    places.set(from, markdown.length);
    for (let at = 1; at <= content.length; at++) places.set(from + at, markdown.length + at);
    markdown += content;
    from += content.length + 1;
  }
  const place = (at: number) => places.get(at) ?? 0;
  // The prefix of an atom's first line belongs to the line, so a cut lies in front of it.
  return { ...block, markdown, atoms: block.atoms.map(([start, end]) => [place(start), place(end)] as const) };
}

const item = (marker: string, blocks: readonly GeneratedBlock[]): GeneratedBlock => {
  const { markdown, atoms } = joinBlocks(blocks);
  const body: GeneratedBlock = { kind: 'list', markdown: markdown.trimEnd(), atoms };
  const inner = prefixed(body, marker, ' '.repeat(marker.length));
  return { ...inner, atoms: [[0, inner.markdown.length], ...inner.atoms] };
};

const join = (kind: 'list' | 'quote', parts: readonly GeneratedBlock[], gap: string): GeneratedBlock => {
  let markdown = '';
  const atoms: [number, number][] = [];
  for (const part of parts) {
    if (markdown !== '') markdown += gap;
    for (const [start, end] of part.atoms) atoms.push([markdown.length + start, markdown.length + end]);
    markdown += part.markdown;
  }
  return { kind, markdown, atoms };
};

const shortParagraph: fc.Arbitrary<GeneratedBlock> = line(20).map((markdown) => ({
  kind: 'paragraph',
  markdown,
  atoms: [],
}));

const { list } = fc.letrec<{ list: GeneratedBlock }>((tie) => ({
  list: fc
    .tuple(
      fc.constantFrom('- ', '1. '),
      fc.constantFrom('\n', '\n\n'),
      fc.array(
        fc.tuple(
          shortParagraph,
          fc.array(fc.oneof({ depthSize: 'small', withCrossShrink: true }, fence, tie('list')), { maxLength: 1 }),
        ),
        { minLength: 1, maxLength: 5 },
      ),
    )
    .map(([marker, gap, items]) =>
      join(
        'list',
        items.map(([first, rest]) => item(marker, [first, ...rest])),
        gap,
      ),
    ),
}));

const quote: fc.Arbitrary<GeneratedBlock> = fc
  .array(fc.oneof(paragraph, fence), { minLength: 1, maxLength: 3 })
  .map((blocks) => {
    const { markdown, atoms } = joinBlocks(blocks);
    return prefixed({ kind: 'quote', markdown: markdown.trimEnd(), atoms }, '> ', '> ');
  });

export const blocks: fc.Arbitrary<GeneratedBlock[]> = fc.array(
  fc.oneof(
    { weight: 2, arbitrary: heading },
    { weight: 6, arbitrary: paragraph },
    { weight: 2, arbitrary: list },
    { weight: 1, arbitrary: fence },
    { weight: 1, arbitrary: table },
    { weight: 1, arbitrary: quote },
  ),
  { minLength: 1, maxLength: 14 },
);
