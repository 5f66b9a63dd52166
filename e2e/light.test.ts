/** Whole-pipeline tests with one process or a few of them. */
import { describe } from 'vitest';

describe('exports', async () => {
  await import('./exports.e2e.ts');
});
describe('containers', async () => {
  await import('./containers.e2e.ts');
});
describe('command line', async () => {
  await import('./cli.e2e.ts');
});
