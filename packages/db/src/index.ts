export { parsePageId } from './cursor.ts';
export { type Db, type OpenDbOptions, openDb, ping } from './db.ts';
export { deleteRun } from './delete-run.ts';
export { updateDepths } from './depths.ts';
export { finalizeRun } from './finalize-run.ts';
export { groupErrors } from './group-errors.ts';
export { insertRun } from './insert-run.ts';
export { migrate } from './migrate.ts';
export { readLinks } from './read-links.ts';
export { getPage, listPages, runPagesSince } from './read-pages.ts';
export { markStarted, reopenRun, sealRun, setRunStatus } from './run-status.ts';
export { getRun, listRuns, unfinishedRuns } from './runs.ts';
export { savePages } from './save-pages.ts';
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
