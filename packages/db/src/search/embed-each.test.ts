import { describe, expect, it } from 'vitest';
import { embedEach, withDimensions } from './embed-each.ts';
import type { EmbedAnswer, Embedder } from './search-types.ts';

/** Refuses every request that has a text with "bad" in it. */
function picky(o: { failAt?: number; refusesAll?: boolean } = {}): Embedder & { calls: number } {
  const embedder = {
    model: 'picky',
    batch: 100,
    calls: 0,
    async embed(texts: readonly string[]): Promise<EmbedAnswer> {
      embedder.calls++;
      if (embedder.calls === o.failAt) return { kind: 'unavailable', reason: 'gone', retryAfterMs: 5 };
      if (o.refusesAll || texts.some((text) => text.includes('bad'))) return { kind: 'refused', reason: 'too long' };
      return { kind: 'embedded', vectors: texts.map((text) => (text === 'zero' ? [0, 0] : [text.length, 1])) };
    },
  };
  return embedder;
}

describe('texts', () => {
  it('are embedded but for those that are refused', async () => {
    const texts = Array.from({ length: 33 }, (_, n) => (n === 7 || n === 30 ? `bad ${n}` : `text ${n}`));
    const embedder = picky();
    const result = await embedEach(embedder, texts);
    expect(result.kind).toBe('done');
    for (const [n, outcome] of result.outcomes.entries()) {
      expect(outcome).toEqual(
        n === 7 || n === 30
          ? { kind: 'refused', reason: 'too long' }
          : { kind: 'vector', vector: [texts[n]?.length, 1] },
      );
    }
    expect(embedder.calls).toBeLessThan(30);
  });

  it('are not blamed where everything is refused', async () => {
    expect(await embedEach(picky({ refusesAll: true }), ['a', 'b', 'c'])).toMatchObject({
      kind: 'unavailable',
      reason: 'too long',
    });
  });

  it('that were embedded before the model went away are kept', async () => {
    const result = await embedEach(picky({ failAt: 3 }), ['a', 'b', 'bad', 'd']);
    expect(result).toMatchObject({ kind: 'unavailable', retryAfterMs: 5 });
    expect(result.outcomes.slice(0, 2)).toEqual([
      { kind: 'vector', vector: [1, 1] },
      { kind: 'vector', vector: [1, 1] },
    ]);
    expect(result.outcomes[3]).toBeUndefined();
  });

  it('without a direction are skipped', async () => {
    expect(await embedEach(picky(), ['zero', 'one'])).toMatchObject({
      outcomes: [{ kind: 'refused' }, { kind: 'vector' }],
    });
    expect(await embedEach(picky(), [])).toEqual({ kind: 'done', outcomes: [] });
  });

  it('are not taken with other dimensions than before', async () => {
    expect(await withDimensions(picky(), 3).embed(['a'])).toMatchObject({
      kind: 'unavailable',
      reason: expect.stringContaining('2 dimensions, not 3'),
    });
    expect(await withDimensions(picky(), 2).embed(['a'])).toMatchObject({ kind: 'embedded' });
  });
});
