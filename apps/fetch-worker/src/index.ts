export { createFetchWorker, type FetchWorker, type FetchWorkerDeps } from './fetch-worker.ts';
