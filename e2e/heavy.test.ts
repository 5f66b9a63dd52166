/**
 * The whole-pipeline tests that load a machine, in one file: each starts a dozen processes, so they come one after the other however
 * many test files run side by side.
 */
import { describe } from 'vitest';

describe('crawl', async () => {
  await import('./crawl.e2e.ts');
});
describe('content', async () => {
  await import('./content.e2e.ts');
});
describe('deaths', async () => {
  await import('./deaths.e2e.ts');
});
describe('shutdown', async () => {
  await import('./shutdown.e2e.ts');
});
describe('discovery', async () => {
  await import('./discovery.e2e.ts');
});
