/**
 * The round that gives indexed chunks their embeddings. Prepares the tables once the model and pgvector are there. What is not there is
 * said once and asked for again later; text search and crawls never notice.
 */
import {
  type Db,
  embedSource,
  prepareVectors,
  readVectorModel,
  sourcesToEmbed,
  vectorSupport,
  withDimensions,
} from '@trawl/db';
import type { Embeddings } from '@trawl/embeddings';
import type { Logger } from '@trawl/runtime';

/** After a failure of the endpoint: 1, 2, 4 … s, or as it says. */
const FIRST_WAIT_MS = 1000;
const MOST_WAIT_MS = 60_000;
/** pgvector may be installed while this runs. */
const LOOK_AGAIN_MS = 300_000;

export interface EmbedSourcesDeps {
  readonly db: Db;
  readonly embeddings: Pick<Embeddings, 'model' | 'dimensions' | 'batch' | 'embed'>;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

export function createEmbedRound({ db, embeddings, logger, signal }: EmbedSourcesDeps): () => Promise<void> {
  const { model } = embeddings;
  let dimensions: number | null = null;
  let waitUntilMs = 0;
  let failures = 0;
  let said = '';

  const sayOnce = (reason: string, message: string): void => {
    if (said === reason) return;
    said = reason;
    logger.warn({ model, reason }, message);
  };
  const wait = (ms: number): void => {
    waitUntilMs = performance.now() + ms;
  };
  const onUnavailable = (answer: { readonly reason: string; readonly retryAfterMs: number | null }): void => {
    wait(answer.retryAfterMs ?? Math.min(MOST_WAIT_MS, FIRST_WAIT_MS * 2 ** failures));
    failures++;
    sayOnce(answer.reason, 'no embeddings for now; the endpoint is asked again later');
  };

  /** How many dimensions the vectors have; null: not to be had now. */
  async function prepare(): Promise<number | null> {
    const support = await vectorSupport(db);
    if (support.kind === 'missing') {
      sayOnce(support.reason, 'embeddings are configured and not possible; search goes by words alone');
      wait(LOOK_AGAIN_MS);
      return null;
    }
    // What the model gives is known by asking; what is configured, the client holds it to.
    const probe = await embeddings.embed(['test'], signal);
    if (probe.kind !== 'embedded') {
      onUnavailable({ retryAfterMs: null, ...probe });
      return null;
    }
    const length = probe.vectors[0]?.length ?? 0;
    const done = await prepareVectors(db, { model, dimensions: length });
    logger.info({ model, dimensions: length, pgvector: support.version, tables: done }, 'embeddings are ready');
    return length;
  }

  return async () => {
    if (performance.now() < waitUntilMs || signal.aborted) return;
    dimensions ??= await prepare();
    if (dimensions === null) return;
    const present = await readVectorModel(db.sql);
    if (present?.model !== model || present.dimensions !== dimensions) {
      // Made anew at a start only: two coordinators with different models would else undo each other's work for ever.
      sayOnce('other model', 'another process has prepared the index for another model; this one embeds nothing');
      wait(LOOK_AGAIN_MS);
      return;
    }
    const embedder = withDimensions(embeddings, dimensions);
    for (const sourceId of await sourcesToEmbed(db)) {
      if (signal.aborted) return;
      const result = await embedSource(db, sourceId, embedder, signal);
      if (result.kind === 'unavailable') return onUnavailable(result);
      if (result.kind !== 'done') continue;
      failures = 0;
      said = '';
      if (result.embedded + result.skipped + result.copied > 0) {
        logger.info(
          { sourceId, embedded: result.embedded, skipped: result.skipped, copied: result.copied },
          'embedded',
        );
      }
    }
  };
}
