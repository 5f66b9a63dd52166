/** Whole-pipeline tests in which processes are killed, or told to stop. */
import { describe } from 'vitest';

describe('deaths', async () => {
  await import('./deaths.e2e.ts');
});
describe('shutdown', async () => {
  await import('./shutdown.e2e.ts');
});
