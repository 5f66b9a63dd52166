/**
 * The markdown of the pages in `golden/`, byte for byte. UPDATE_GOLDEN=1 writes what comes out now: look at the difference
 * before it is committed. How much of the pages is kept is measured by `npm run quality`, not here.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { extractPage } from './extract.ts';

const GOLDEN = fileURLToPath(new URL('../golden/', import.meta.url));
const isUpdate = process.env.UPDATE_GOLDEN === '1';

const generators = readdirSync(GOLDEN, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => ({ name, pages: pagesOf(name) }));

describe.each(generators)('pages made by $name', ({ name, pages }) => {
  it.each(pages)('gives the golden markdown of %s', (page) => {
    const html = readFileSync(`${GOLDEN}${name}/${page}.html`, 'utf8');
    const url = `https://${name}.example/docs/${page}.html`;
    const { markdown } = extractPage(html, { url, mainContent: true, includeSelectors: [], excludeSelectors: [] });
    const file = `${GOLDEN}${name}/${page}.md`;
    if (isUpdate) writeFileSync(file, `${markdown}\n`);
    else expect(`${markdown}\n`).toBe(readFileSync(file, 'utf8'));
  });

  it('has no golden markdown without a page', () => {
    const files = readdirSync(`${GOLDEN}${name}`).filter((file) => file.endsWith('.md'));
    for (const file of files) expect(existsSync(`${GOLDEN}${name}/${file.replace(/\.md$/, '.html')}`), file).toBe(true);
  });
});

it('covers ten generators and more with five pages and more of each', () => {
  expect(generators.length).toBeGreaterThanOrEqual(10);
  for (const { name, pages } of generators) expect(pages.length, name).toBeGreaterThanOrEqual(5);
});

function pagesOf(generator: string): string[] {
  return readdirSync(GOLDEN + generator)
    .filter((file) => file.endsWith('.html'))
    .map((file) => file.replace(/\.html$/, ''))
    .sort();
}
