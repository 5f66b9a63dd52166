/**
 * Whole-pipeline tests that load a machine: each starts a dozen processes, so those in one file come one after the other however many
 * test files run side by side.
 */
import { describe } from 'vitest';

describe('crawl', async () => {
  await import('./crawl.e2e.ts');
});
describe('content', async () => {
  await import('./content.e2e.ts');
});
describe('discovery', async () => {
  await import('./discovery.e2e.ts');
});
