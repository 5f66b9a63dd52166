export { type DiscoverDeps, discoverRun } from './discover-run.ts';
