export { createRenderWorker, type RenderWorker, type RenderWorkerDeps } from './render-worker.ts';
