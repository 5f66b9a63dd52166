export {
  ERROR_CODES,
  type ErrorCode,
  TrawlError,
  URL_ERROR_CODES,
  type UrlError,
  type UrlErrorCode,
} from './errors.ts';
export { newRunId, newSourceId, parseRunId, parseSourceId, type RunId, type SourceId, type UrlKey } from './ids.ts';
export {
  type CreateRunInput,
  completeRunConfig,
  createRunSchema,
  type NormalizeOptions,
  type RunConfig,
  runConfigSchema,
  startUrlProblem,
} from './run-config.ts';
export {
  assertNever,
  FINAL_STATUSES,
  type FinalStatus,
  isFinal,
  PAGE_CHANGES,
  PAGE_OUTCOMES,
  type PageChange,
  type PageOutcome,
  REFUSALS,
  type Refusal,
  ROLES,
  type Role,
  RUN_STATUSES,
  type RunStatus,
  URL_STATES,
  type UrlState,
} from './statuses.ts';
