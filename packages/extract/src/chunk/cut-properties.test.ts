import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Chunk, type ChunkOptions, cutChunks } from './cut.ts';
import { blocks, type GeneratedBlock, joinBlocks, paragraph } from './markdown-documents.fixture.ts';
import { countTokens } from './tokens.ts';

const RUNS = Number(process.env.CHUNK_RUNS ?? 150);

const options: fc.Arbitrary<ChunkOptions> = fc.record({
  maxTokens: fc.constantFrom(50, 60, 120, 500),
  overlap: fc.constantFrom(0, 10, 49),
  tokenizer: fc.constantFrom('cl100k_base', 'o200k_base'),
});

const join = (chunks: readonly Chunk[]) => chunks.map((chunk) => chunk.text.slice(chunk.overlap)).join('');

/** What holds of any chunks of any text. */
function expectSound(text: string, chunks: readonly Chunk[], { maxTokens, overlap, tokenizer }: ChunkOptions): void {
  expect(join(chunks)).toBe(text);
  let end = 0;
  for (const [index, chunk] of chunks.entries()) {
    expect(chunk.index).toBe(index);
    expect(chunk.start).toBe(end);
    end = chunk.end;
    expect(chunk.end).toBeGreaterThan(chunk.start);
    expect(chunk.text).toBe(text.slice(chunk.start - chunk.overlap, chunk.end));
    expect(chunk.tokens).toBe(countTokens(chunk.text, tokenizer));
    expect(chunk.tokens).toBeLessThanOrEqual(maxTokens);
    expect(countTokens(chunk.text.slice(0, chunk.overlap), tokenizer)).toBeLessThanOrEqual(overlap);
    expect(chunk.text.isWellFormed()).toBe(text.slice(chunk.start - chunk.overlap, chunk.end).isWellFormed());
  }
  expect(new Set(chunks.map((chunk) => chunk.id)).size).toBe(chunks.length);
}

describe('chunks of any document', () => {
  it('are slices that join to it, within the budget, with exact counts and the same ids every time', () => {
    fc.assert(
      fc.property(blocks, options, (parts, how) => {
        const { markdown } = joinBlocks(parts);
        const chunks = cutChunks(markdown, how);
        expectSound(markdown, chunks, how);
        expect(cutChunks(markdown, how)).toEqual(chunks);
        expectSound(markdown, cutChunks(markdown, { ...how, kind: 'text' }), how);
      }),
      { numRuns: RUNS, endOnFailure: true },
    );
  });

  it('are sound for text that is no document at all', () => {
    const signs = fc.constantFrom(
      ...'#->*`~|=[]^:<!1.) \t\n\r/\u00a0\u3000aA漢😀'.split(/(?:)/u),
      '\n\n',
      '```',
      '\n- ',
      '\n  - ',
      '\n> ',
      '| a |\n|---|\n',
      '<pre>',
    );
    fc.assert(
      fc.property(fc.array(signs, { maxLength: 400 }), options, (parts, how) => {
        const text = parts.join('');
        if (text.trim() === '') return;
        expectSound(text, cutChunks(text, how), how);
        expectSound(text, cutChunks(text, { ...how, kind: 'text' }), how);
      }),
      { numRuns: 2 * RUNS, endOnFailure: true },
    );
  });

  it('never begin inside a fence, a row or an item that fits the budget alone', () => {
    fc.assert(
      fc.property(blocks, options, (parts, how) => {
        const { markdown, atoms } = joinBlocks(parts);
        const starts = cutChunks(markdown, how).map((chunk) => chunk.start);
        for (const [start, end] of atoms) {
          const lineStart = markdown.lastIndexOf('\n', start - 1) + 1;
          // With the blanks behind it, which are part of whatever chunk it is in.
          const whole = markdown.slice(lineStart, end) + (/^[\s>]*\n|^/.exec(markdown.slice(end))?.[0] ?? '');
          if (countTokens(whole, how.tokenizer) > how.maxTokens) continue;
          for (const cut of starts) expect(cut > start && cut < end, `${cut} in ${start} to ${end}`).toBe(false);
        }
      }),
      { numRuns: 2 * RUNS, endOnFailure: true },
    );
  });
});

interface Zone {
  readonly from: number;
  readonly to: number;
}
/** It holds part of the zone, or ends where that begins. */
const touches = (chunk: Chunk, zone: Zone) => chunk.start < zone.to && chunk.end >= zone.from;
const repeats = (chunk: Chunk | undefined, zone: Zone) =>
  chunk !== undefined && chunk.start - chunk.overlap <= zone.to && chunk.start >= zone.from;

/** Each chunk away from the edit is there again, or is part of one at the edit; only overlaps that reach the edit may differ. */
function expectKept(before: readonly Chunk[], zone: Zone, after: readonly Chunk[], newZone: Zone): void {
  // Without the number of a repeated one, which counts those before it.
  const content = ({ id }: Chunk) => id.slice(0, 16);
  const ids = new Set(after.map(content));
  const shift = newZone.to - zone.to;
  for (const chunk of before) {
    if (touches(chunk, zone) || ids.has(content(chunk))) continue;
    const by = chunk.start >= zone.to ? shift : 0;
    const holder = after.find((other) => other.start <= chunk.start + by && other.end >= chunk.end + by);
    expect(holder, `"${chunk.text}" is parted`).toBeDefined();
    if (holder === undefined || touches(holder, newZone)) continue;
    expect(repeats(chunk, zone) || repeats(holder, newZone), `"${chunk.text}" lost its id`).toBe(true);
  }
}

/** Lists in a row are one list: what comes behind the last is part of the first. */
function listStart(parts: readonly GeneratedBlock[], index: number): number {
  let first = index;
  while (parts[first]?.kind === 'list' && parts[first - 1]?.kind === 'list') first--;
  return first;
}

const edit = fc.oneof(
  fc.record({ kind: fc.constant('replace' as const), by: paragraph }),
  fc.record({ kind: fc.constant('grow' as const), by: paragraph }),
  fc.record({ kind: fc.constant('shrink' as const), by: paragraph }),
  fc.record({ kind: fc.constant('delete' as const), by: paragraph }),
  fc.record({ kind: fc.constant('insert' as const), by: paragraph }),
);

describe('an edit of one paragraph', () => {
  it('changes the chunks it is in or right behind, and no others', () => {
    let parted = 0;
    fc.assert(
      fc.property(blocks, options, fc.nat(), edit, (parts, how, choice, { kind, by }) => {
        const paragraphs = [...parts.keys()].filter((index) => parts[index]?.kind === 'paragraph');
        const index = paragraphs[choice % paragraphs.length];
        const old = index === undefined ? undefined : parts[index];
        if (index === undefined || old === undefined) return;
        const changed: GeneratedBlock[] = {
          replace: [by],
          grow: [{ ...old, markdown: `${old.markdown} ${by.markdown}` }],
          shrink: [{ ...old, markdown: old.markdown.slice(0, Math.ceil(old.markdown.length / 2)).trimEnd() }],
          delete: [],
          insert: [by, old],
        }[kind];
        const newParts = parts.toSpliced(index, 1, ...changed);
        if (newParts.length === 0) return;
        // Where a block comes or goes, what stands behind it may follow a heading or a list now.
        const isMoved = kind === 'delete' || kind === 'insert';
        const first = isMoved ? listStart(parts, index - 1) : index;
        const zoneOf = (document: ReturnType<typeof joinBlocks>, count: number): Zone => {
          const end = document.markdown.length;
          const from = document.starts[first] ?? (isMoved ? 0 : end);
          return { from, to: document.starts[index + count + (isMoved ? 1 : 0)] ?? end };
        };
        const before = joinBlocks(parts);
        const after = joinBlocks(newParts);
        const oldChunks = cutChunks(before.markdown, how);
        const newChunks = cutChunks(after.markdown, how);
        const oldZone = zoneOf(before, 1);
        const newZone = zoneOf(after, changed.length);
        expectKept(oldChunks, oldZone, newChunks, newZone);
        expectKept(newChunks, newZone, oldChunks, oldZone);
        if (oldChunks.some((chunk) => !touches(chunk, oldZone))) parted++;
      }),
      { numRuns: 4 * RUNS, endOnFailure: true },
    );
    expect(parted).toBeGreaterThan(RUNS);
  });
});
