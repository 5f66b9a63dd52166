/** What a run's source knows of pages from earlier runs. A convenience: without it everything is asked for as if it were new. */
import type { SourceId, UrlKey } from '@trawl/contracts';
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
  ): Promise<ReadonlyMap<UrlKey, KnownPage>>;
}

/** `open` is called when a run with a past is first met: most workers never do, and loading the store takes half a second and 20 MB. */
export function createPasts(open: () => Promise<PastStore>, logger: Logger): PastOf {
  let store: Promise<PastStore> | null = null;
  return ({ sourceId, hasPast }) => {
    if (!hasPast) return null;
    return {
      async knownOf(claims) {
        try {
          store ??= open().catch((error) => {
            store = null;
            throw error;
          });
          const pages = claims.map(({ key, url }) => ({ key, identity: pageIdentity(url) }));
          return await (await store).knownPages(sourceId, pages);
        } catch (error) {
          logger.warn({ err: error }, 'what is known of pages could not be read; they are asked for as new');
          return new Map();
        }
      },
    };
  };
}
