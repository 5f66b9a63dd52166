/** What the API needs of the rest of Trawl. `main.ts` opens and wires it; a test may give it its own. */

import type { BlobStore } from '@trawl/blobs';
import type { Role } from '@trawl/contracts';
import type { CrawlState } from '@trawl/crawl-state';
import type { Db, Embedder } from '@trawl/db';
import type { Gate } from '@trawl/politeness';
import type { Crawls } from '@trawl/queues';
import type { Vault } from '@trawl/runtime';
import type { Wakeups } from '@trawl/wakeups';
import type { FailureLog } from './failures.ts';

export interface ApiDeps {
  readonly state: Pick<CrawlState, 'create' | 'progress' | 'why' | 'errors' | 'pause' | 'resume' | 'cancel' | 'remove'>;
  readonly db: Db;
  readonly wakeups: Pick<Wakeups, 'pay'>;
  readonly gate: Pick<Gate, 'describe'>;
  readonly blobs: Pick<BlobStore, 'get' | 'delete' | 'deletePrefix'>;
  /** Live processes of each role, from their heartbeats in Redis. */
  rolesSeen(): Promise<Readonly<Record<Role, number>>>;
  /** Whether a live worker has a browser. */
  anyBrowser(): Promise<boolean>;
  /** What queries are embedded with; absent where embeddings are not configured. */
  readonly embeddings?: Embedder | undefined;
  /** Single pages, in line for a worker. */
  readonly crawls: Pick<Crawls, 'ask'>;
  /** Seals what requests of sources carry. */
  readonly vault: Vault;
  readonly log: FailureLog;
  readonly settings: ApiSettings;
  /** Aborted when the process stops: event streams end then, or the server could not close. */
  readonly stopping: AbortSignal;
}

export interface ApiSettings {
  readonly apiKeys: readonly string[];
  readonly userAgent: string;
  readonly allowPrivateNetworks: boolean;
  readonly maxRequestBytes: number;
  /** How long a crawl of a single page waits for its slot. */
  readonly queueTimeoutMs: number;
}
