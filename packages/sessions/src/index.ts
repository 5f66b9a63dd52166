export type { Browsed, ServedPage } from './fetch-url.ts';
export { createPasts } from './past.ts';
export { createSessionWorker, type SessionWorker, type SessionWorkerDeps } from './session-worker.ts';
