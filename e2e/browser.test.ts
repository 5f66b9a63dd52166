/** Whole-pipeline tests with a browser. */
import { describe } from 'vitest';

describe('render', async () => {
  await import('./render.e2e.ts');
});
describe('crawl page', async () => {
  await import('./crawl-page.e2e.ts');
});
describe('access', async () => {
  await import('./access.e2e.ts');
});
