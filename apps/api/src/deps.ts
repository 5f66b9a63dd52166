/** What the API needs of the rest of Trawl. `main.ts` opens and wires it; a test may give it its own. */
import type { Role, RunId } from '@trawl/contracts';
import type { CrawlState, Owed } from '@trawl/crawl-state';
import type { Db } from '@trawl/db';
import type { FailureLog } from './failures.ts';

export interface ApiDeps {
  readonly state: Pick<CrawlState, 'create' | 'progress' | 'why' | 'pause' | 'resume' | 'cancel' | 'remove'>;
  readonly db: Db;
  readonly wakeups: { pay(runId: RunId, owed: Owed): Promise<void> };
  readonly gate: { describe(hosts: readonly string[]): Promise<readonly HostDescription[]> };
  readonly blobs: { deletePrefix(prefix: string): Promise<unknown> };
  /** Live processes of each role, from their heartbeats in Redis. */
  rolesSeen(): Promise<Readonly<Record<Role, number>>>;
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
}

export interface HostDescription {
  readonly host: string;
  readonly blockedForMs: number;
  readonly failures: number;
}
