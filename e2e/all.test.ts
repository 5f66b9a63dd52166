/**
 * The whole-pipeline tests that load a machine, in one file: each starts a dozen processes, so they come one after the other however
 * many test files run side by side. One of them: `npm test -- e2e -t 'polite'`. Others are in `light.test.ts` and `browser.test.ts`.
 */
import { describe } from 'vitest';

// Those that measure first: the other whole-pipeline tests come later on the other worker, and take more than a core of the machine.

describe('hostile', async () => {
  await import('./hostile.e2e.ts');
});
describe('polite', async () => {
  await import('./polite.e2e.ts');
});
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
