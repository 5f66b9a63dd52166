/** What a run's source knows of pages from earlier runs. A convenience: without it everything is asked for as if it were new. */
import type { RunConfig, SourceId, UrlKey } from '@trawl/contracts';
import type { Claim, RunSettings } from '@trawl/crawl-state';
import type { KnownPage } from '@trawl/db';
import type { Logger } from '@trawl/runtime';
import { pageIdentity } from '@trawl/url';

export interface Past {
  knownOf(claims: readonly Claim[]): Promise<ReadonlyMap<UrlKey, KnownPage>>;
}

/** Null for a run whose source has no past. */
export type PastOf = (settings: RunSettings) => Past | null;

export interface PastStore {
  knownPages(
    sourceId: SourceId,
    pages: readonly { readonly key: UrlKey; readonly identity: UrlKey }[],
    kept: Pick<RunConfig, 'output' | 'extractor'>,
  ): Promise<ReadonlyMap<UrlKey, KnownPage>>;
}

/** The session waits for the answer, and its lease with it: a store that is away must not cost it. */
const PATIENCE_MS = 1500;
/** And is not asked for a while. */
const AWAY_MS = 5000;

async function inTime<T>(answer: Promise<T>, patienceMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${patienceMs} ms`)), patienceMs);
  });
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}

/** `open` is called when a run with a past is first met: most workers never do, and loading the store takes half a second and 20 MB. */
export function createPasts(
  open: () => Promise<PastStore>,
  logger: Logger,
  { awayMs = AWAY_MS, patienceMs = PATIENCE_MS } = {},
): PastOf {
  let store: Promise<PastStore> | null = null;
  let awayUntil = 0;
  return ({ sourceId, hasPast, config }) => {
    if (!hasPast) return null;
    return {
      async knownOf(claims) {
        if (performance.now() < awayUntil) return new Map();
        try {
          store ??= open().catch((error) => {
            store = null;
            throw error;
          });
          const pages = claims.map(({ key, url }) => ({ key, identity: pageIdentity(url) }));
          const answer = store.then((opened) => opened.knownPages(sourceId, pages, config));
          return await inTime(answer, patienceMs);
        } catch (error) {
          awayUntil = performance.now() + awayMs;
          logger.warn({ err: error }, 'what is known of pages could not be read; they are asked for as new');
          return new Map();
        }
      },
    };
  };
}
