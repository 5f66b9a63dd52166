/** What a session works with: one for all sessions of a process. */
import type { RunId } from '@trawl/contracts';
import type { CrawlState } from '@trawl/crawl-state';
import type { Gate, RobotsCache } from '@trawl/politeness';
import type { Logger, Vault } from '@trawl/runtime';
import type { UrlRules } from '@trawl/url';
import type { Wakeups } from '@trawl/wakeups';
import type { FetchUrlDeps, RunRequests } from './fetch-url.ts';
import type { PastOf } from './past.ts';
import type { RequestBudget } from './request-budget.ts';

export interface SessionDeps extends FetchUrlDeps {
  readonly state: CrawlState;
  readonly gate: Gate;
  readonly robots: RobotsCache;
  readonly robotsMaxAgeMs: number;
  readonly pastOf: PastOf;
  /** Opens what a source's requests carry. */
  readonly vault: Vault;
  /** Whether there are workers with a browser. */
  readonly canRender: () => Promise<boolean>;
  readonly wakeups: Wakeups;
  readonly requests: RequestBudget;
  readonly rulesOf: (runId: RunId, config: RunRequests['config']) => UrlRules;
  /** Sessions that wait for a worker: then a slice's end is an end. */
  readonly othersWait: () => Promise<boolean>;
  readonly sessionSlots: number;
  readonly logger: Logger;
  /** The process is about to stop: hand back what is not started. */
  readonly stopping: AbortSignal;
  /** Calls `told` whenever the host is blocked, until the returned function is called. */
  readonly onBlocked: (host: string, told: () => void) => () => void;
}
