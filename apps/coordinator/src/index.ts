export { type FinalizeDeps, finalizeRun } from './finalize-run.ts';
export { type LookAfterDeps, lookAfterRuns } from './look-after.ts';
