/**
 * Whether a run saw all there is of its source: only then does it mean something that it did not meet a page that is known. Any blind spot (a limit,
 * a page that failed and whose links are therefore missing, a sitemap that was not read) makes it mean nothing.
 */
import type { Discovery } from '@trawl/contracts';
import type { RunProgress } from '@trawl/crawl-state';
import type { OutcomeRow, RunRow } from '@trawl/db';
import { compileRules } from '@trawl/url';

export interface Witness {
  /** Passes outcomes on, and looks at them. */
  watch(outcomes: AsyncIterable<readonly OutcomeRow[]>): AsyncGenerator<readonly OutcomeRow[]>;
  /** When all outcomes have passed: which URLs the run would have met, were they still there. Null: it can't tell. */
  wasToFind(): ((url: string) => boolean) | null;
}

/** A page that is not there leads nowhere, and nothing is missing for it. */
const CERTAINLY_ABSENT: ReadonlySet<string> = new Set(['HTTP_404', 'HTTP_410']);

export function createWitness(
  progress: Pick<RunProgress, 'final' | 'beyond' | 'refused'>,
  row: Pick<RunRow, 'config'> & { readonly discovery: Discovery | null },
): Witness {
  const { config, discovery } = row;
  let hasBlindSpot =
    progress.final !== 'completed' ||
    config.mode === 'urls' ||
    progress.beyond > 0 ||
    (progress.refused['template-quota'] ?? 0) > 0 ||
    discovery?.complete === false;
  return {
    async *watch(outcomes) {
      for await (const part of outcomes) {
        hasBlindSpot ||= part.some(({ outcome, error }) => outcome === 'failed' && !CERTAINLY_ABSENT.has(error.code));
        // Of these no row is kept, so that it would not be seen that the run met them.
        hasBlindSpot ||= !config.logSkipped && part.some(({ error }) => error.code === 'ROBOTS_DISALLOWED');
        yield part;
      }
    },
    wasToFind() {
      if (hasBlindSpot) return null;
      const rules = compileRules(config);
      return (url) => rules.check(url, url).kind === 'accepted';
    },
  };
}
