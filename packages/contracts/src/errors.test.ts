import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { URL_ERROR_CODES } from './errors.ts';

it('explains every code of a URL in docs/errors.md', () => {
  const docs = readFileSync(new URL('../../../docs/errors.md', import.meta.url), 'utf8');
  expect(URL_ERROR_CODES.filter((code) => !docs.includes(`\`${code}\``))).toEqual([]);
});
