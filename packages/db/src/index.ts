export { parsePageId } from './cursor.ts';
export { type Db, type OpenDbOptions, openDb, ping } from './db.ts';
export { blobRefsOf } from './delete-pages.ts';
export { type DeletedRun, deleteRun } from './delete-run.ts';
export { deleteSource, type TracedRun, tracedRuns } from './delete-source.ts';
export { updateDepths } from './depths.ts';
export {
  type ExportContents,
  type ExportedSet,
  type ExportPage,
  type ExportPagesOptions,
  exportPages,
  keepsAnswers,
} from './export-pages.ts';
export { type FinalizedRun, finalizeRun } from './finalize-run.ts';
export { groupErrors } from './group-errors.ts';
export { insertRun, type RunInserted, type RunToInsert } from './insert-run.ts';
export { hasEarlierRun, knownPages, wasRendered } from './known-pages.ts';
export { migrate } from './migrate.ts';
export { readLinks } from './read-links.ts';
export { getPage, listPages, runPagesSince, type StoredPage } from './read-pages.ts';
export { abandonRun, markStarted, reopenRun, sealRun, setRunStatus } from './run-status.ts';
export { getRun, listRuns, unfinishedRuns } from './runs.ts';
export { saveDiscovery } from './save-discovery.ts';
export { forgetAnswers, savePages } from './save-pages.ts';
export { type SaveUnchangedResult, saveUnchanged } from './save-unchanged.ts';
export { areRunsUnderWay, dueSources } from './search/due-sources.ts';
export { withDimensions } from './search/embed-each.ts';
export { type EmbeddedSource, embedSource, sourcesToEmbed } from './search/embed-source.ts';
export { type IndexedSource, indexSource } from './search/index-source.ts';
export { modeOfCursor, type SearchOptions, type SearchResult, searchSource } from './search/search-source.ts';
export type { EmbedAnswer, Embedder } from './search/search-types.ts';
export {
  findVectors,
  prepareVectors,
  readVectorModel,
  type VectorModel,
  type VectorSupport,
  vectorSupport,
} from './search/vector-store.ts';
export {
  cachedSitemapEntries,
  cachedSitemaps,
  finishSitemapReading,
  type SitemapReading,
  saveSitemapEntries,
  sitemapSite,
} from './sitemap-cache.ts';
export { type ListChangesOptions, type ListedChanges, listChanges } from './source-changes.ts';
export { readSourceInput, type SourceInput } from './source-input.ts';
export { type ListSourcePagesOptions, listSourcePages } from './source-pages.ts';
export type {
  DescribedSource,
  KeptAccess,
  LastRun,
  ListedSource,
  NewSource,
  SourcePatch,
  SourceRow,
} from './source-types.ts';
export {
  describeSource,
  getSource,
  listSources,
  readSealedAccess,
  type ScheduledSource,
  scheduledSources,
} from './sources.ts';
export type {
  ChunkToSave,
  CountedStats,
  FinalizeRunOptions,
  InsertRunResult,
  KeyDepth,
  KnownLinks,
  KnownPage,
  KnownSitemapEntry,
  Listed,
  ListPagesOptions,
  ListRunsOptions,
  NewRun,
  OutcomeRow,
  PageLink,
  PageToSave,
  ReleasedAnswer,
  RunRow,
  SavePagesResult,
  SitemapEntryRow,
  UnchangedPage,
} from './types.ts';
export { insertSource, updateSource } from './write-source.ts';
