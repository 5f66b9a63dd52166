/**
 * Embeds texts so that one that the model refuses costs nobody else theirs: what is refused together is tried again in halves, down to
 * the one that it is about. Touches no database.
 */
import type { Embedder } from './search-types.ts';

type EmbedOutcome =
  | { readonly kind: 'vector'; readonly vector: readonly number[] }
  | { readonly kind: 'refused'; readonly reason: string };

export type EmbedEachResult =
  | { readonly kind: 'done'; readonly outcomes: readonly EmbedOutcome[] }
  /** The model is away. Outcomes until then, `undefined` for the rest. */
  | {
      readonly kind: 'unavailable';
      readonly reason: string;
      readonly retryAfterMs: number | null;
      readonly outcomes: readonly (EmbedOutcome | undefined)[];
    };

/** What every model embeds: refused as well, it is the configuration that is refused, and no text is to blame. */
const PROBE = 'test';

export async function embedEach(
  embedder: Embedder,
  texts: readonly string[],
  signal?: AbortSignal,
): Promise<EmbedEachResult> {
  const outcomes: (EmbedOutcome | undefined)[] = Array.from({ length: texts.length });
  const waiting: [from: number, to: number][] = texts.length === 0 ? [] : [[0, texts.length]];
  let isProbed = false;
  for (let range = waiting.pop(); range; range = waiting.pop()) {
    const [from, to] = range;
    const answer = await embedder.embed(texts.slice(from, to), signal);
    if (answer.kind === 'unavailable') return { ...answer, outcomes };
    if (answer.kind === 'embedded') {
      for (const [nth, vector] of answer.vectors.entries()) outcomes[from + nth] = outcomeOf(vector);
      continue;
    }
    if (to - from > 1) {
      const middle = Math.floor((from + to) / 2);
      waiting.push([middle, to], [from, middle]);
      continue;
    }
    if (!isProbed) {
      const probe = await embedder.embed([PROBE], signal);
      if (probe.kind === 'unavailable') return { ...probe, outcomes };
      if (probe.kind === 'refused') {
        return { kind: 'unavailable', reason: probe.reason, retryAfterMs: null, outcomes };
      }
      isProbed = true;
    }
    outcomes[from] = { kind: 'refused', reason: answer.reason };
  }
  return {
    kind: 'done',
    outcomes: outcomes.map((outcome) => outcome ?? { kind: 'refused', reason: 'The model gave no answer for it.' }),
  };
}

/** Nothing is near to a vector without a direction. */
const outcomeOf = (vector: readonly number[]): EmbedOutcome =>
  vector.some((value) => value !== 0)
    ? { kind: 'vector', vector }
    : { kind: 'refused', reason: 'The model gave a vector of zeros.' };

/** A model that suddenly gives other vectors than the tables are made for is as good as away. */
export function withDimensions(embedder: Embedder, dimensions: number): Embedder {
  return {
    model: embedder.model,
    batch: embedder.batch,
    async embed(texts, signal) {
      const answer = await embedder.embed(texts, signal);
      const other =
        answer.kind === 'embedded' ? answer.vectors.find((vector) => vector.length !== dimensions) : undefined;
      if (other === undefined) return answer;
      const reason = `Its embeddings have ${other.length} dimensions, not ${dimensions} as before.`;
      return { kind: 'unavailable', reason, retryAfterMs: null };
    },
  };
}
