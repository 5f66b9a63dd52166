import type { Page, PageSummary, RunId, RunStatus, SourceId, UrlKey } from '@trawl/contracts';
import type {
  FinalizeRunOptions,
  InsertRunResult,
  KeyDepth,
  KnownLinks,
  Listed,
  ListPagesOptions,
  ListRunsOptions,
  NewRun,
  PageToSave,
  RunRow,
  SavePagesResult,
} from './types.ts';

export interface Db {
  close(): Promise<void>;
}
export declare function openDb(url: string, options?: { max?: number; applicationName?: string }): Db;
export declare function migrate(url: string): Promise<void>;
export declare function ping(db: Db): Promise<void>;
export declare function insertRun(db: Db, run: NewRun): Promise<InsertRunResult>;
export declare function getRun(db: Db, runId: RunId): Promise<RunRow | null>;
export declare function listRuns(db: Db, options: ListRunsOptions): Promise<Listed<RunRow>>;
export declare function markStarted(db: Db, runId: RunId, status: RunStatus): Promise<void>;
export declare function setRunStatus(db: Db, runId: RunId, status: RunStatus): Promise<boolean>;
export declare function pendingRuns(db: Db, limit: number): Promise<readonly RunRow[]>;
export declare function deleteRun(db: Db, runId: RunId): Promise<boolean>;
export declare function savePages(
  db: Db,
  run: { readonly runId: RunId; readonly sourceId: SourceId },
  pages: readonly PageToSave[],
): Promise<SavePagesResult>;
export declare function readLinks(
  db: Db,
  runId: RunId,
  keys: readonly UrlKey[],
): Promise<ReadonlyMap<UrlKey, KnownLinks>>;
export declare function updateDepths(db: Db, runId: RunId, depths: readonly KeyDepth[]): Promise<void>;
export declare function sealRun(db: Db, runId: RunId): Promise<RunRow | null>;
export declare function finalizeRun(
  db: Db,
  runId: RunId,
  options: FinalizeRunOptions,
): Promise<{ readonly rowsRemoved: number }>;
export declare function listPages(db: Db, runId: RunId, options: ListPagesOptions): Promise<Listed<PageSummary>>;
export declare function getPage(db: Db, publicId: string): Promise<Page | null>;
export declare function runPagesSince(
  db: Db,
  runId: RunId,
  afterId: number,
  limit: number,
): Promise<readonly PageSummary[]>;

export type {
  ChunkToSave,
  CountedStats,
  FinalizeRunOptions,
  InsertRunResult,
  KeyDepth,
  KnownLinks,
  Listed,
  ListPagesOptions,
  ListRunsOptions,
  NewRun,
  OutcomeRow,
  PageLink,
  PageToSave,
  RunRow,
  SavePagesResult,
} from './types.ts';
