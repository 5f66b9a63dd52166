/** The coordinator's part in search: rounds that index, and rounds that embed where that is configured. Each apart: neither waits for the other. */
import type { Db } from '@trawl/db';
import type { Embeddings } from '@trawl/embeddings';
import type { Logger } from '@trawl/runtime';
import { createEmbedRound } from './embed-sources.ts';
import { createIndexRound, INDEXED_AT_A_TIME } from './index-sources.ts';
import { startRounds } from './rounds.ts';

/** At most so long after the end of a run its indexing begins. */
const TICK_MS = 2000;
/** What the rounds use of the pool. */
export const SEARCH_CONNECTIONS = INDEXED_AT_A_TIME + 1;

export interface SearchDeps {
  readonly db: Db;
  readonly logger: Logger;
  /** Null: not configured. */
  readonly embeddings: Embeddings | null;
}

export function startSearch(
  { db, logger, embeddings }: SearchDeps,
  o: { readonly tickMs?: number } = {},
): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  const tickMs = o.tickMs ?? TICK_MS;
  const rounds = [startRounds(createIndexRound({ db, logger, signal }), tickMs, logger)];
  if (embeddings) rounds.push(startRounds(createEmbedRound({ db, embeddings, logger, signal }), tickMs, logger));
  return {
    async stop() {
      stopping.abort();
      await Promise.all(rounds.map((each) => each.stop()));
      await embeddings?.close();
    },
  };
}
