export type { Browsed, ServedPage } from './fetch-url.ts';
export { openSessionParts, sessionEnv } from './open-parts.ts';
export { whyDisallowed } from './robots-verdict.ts';
export { createSessionWorker, type SessionWorker, type SessionWorkerDeps } from './session-worker.ts';
