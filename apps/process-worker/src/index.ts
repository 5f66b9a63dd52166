export { createKnownLinks, type KnownLinks } from './known-links.ts';
export { createProcessWorker, type ProcessWorker, type ProcessWorkerDeps } from './process-worker.ts';
