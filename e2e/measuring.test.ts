/** Whole-pipeline tests that measure: memory, and times between requests. They run first, beside small tests only. One of them: `npm test -- e2e -t 'polite'`. */
import { describe } from 'vitest';

describe('hostile', async () => {
  await import('./hostile.e2e.ts');
});
describe('polite', async () => {
  await import('./polite.e2e.ts');
});
