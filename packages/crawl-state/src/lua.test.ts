/** The scripts as files: each says what it is, names its keys rightly, and compiles; the host in Lua is the host in TypeScript. */
import { readdirSync, readFileSync } from 'node:fs';
import { newRunId, type UrlKey } from '@trawl/contracts';
import { loadLua } from '@trawl/runtime';
import { hostKey } from '@trawl/url';
import { describe, expect, test } from 'vitest';
import { runKeys } from './keys.ts';
import { LIMITS, link, owedBy, SETTINGS, testCrawl } from './test-run.ts';

const { context, state } = testCrawl();
const directory = new URL('./lua/', import.meta.url);
const names = readdirSync(directory).map((file) => file.replace(/\.lua$/, ''));
/** Included by others; all else is called. */
const PARTS = ['admission', 'run', 'sessions', 'tail', 'task'];

describe.each(names)('%s.lua', (name) => {
  const text = readFileSync(new URL(`${name}.lua`, directory), 'utf8');

  test('begins with what it is', () => {
    expect(text.startsWith(`--[[ ${name}: `)).toBe(true);
  });

  test('names as many keys as it is given', () => {
    const stated = /KEYS\s+the (\d+) keys/.exec(text)?.[1];
    const used = [...text.matchAll(/KEYS\[(\d+)\]/g)].map((m) => Number(m[1]));
    const count = runKeys('', newRunId()).length;
    expect(count).toBe(25);
    if (stated !== undefined) expect(Number(stated)).toBe(count);
    if (used.length > 0) expect(used).toEqual(Array.from({ length: count }, (_, i) => i + 1));
    expect(name === 'run').toBe(used.length > 0);
  });
});

test.each(names.filter((name) => !PARTS.includes(name)))(
  '%s.lua says what it returns and costs, and compiles',
  async (name) => {
    const text = readFileSync(new URL(`${name}.lua`, directory), 'utf8');
    const header = text.slice(0, text.indexOf(']]'));
    expect(header).toContain('RETURNS');
    expect(header).toContain('COST');
    expect(header.includes('ARGV ')).toBe(text.includes('ARGV['));
    const { source, sha } = loadLua(directory, name);
    expect(await context.redis.script('LOAD', source)).toBe(sha);
  },
);

test('the keys of run.lua are in the order of keys.ts', () => {
  const text = readFileSync(new URL('run.lua', directory), 'utf8');
  const inLua = [...text.matchAll(/(\w+) = KEYS\[\d+\]/g)].map((m) => m[1]?.toLowerCase());
  const inTs = runKeys('', newRunId()).map((key) =>
    key
      .split('}:')[1]
      ?.replace(/^urls:/, '')
      .replace('-', ''),
  );
  expect(inLua).toEqual(inTs);
});

test.each([
  'https://example.com/',
  'https://example.com/a?b=c:d',
  'https://example.com:8443/a',
  'https://example.com?q=1',
  'https://example.com:8443?q=1',
  'https://www.example.com/a',
  'https://www.www.example.com/a',
  'https://www.com/a',
  'https://www.co.uk/a',
  'https://wwwexample.com/a',
  'https://example.com./a',
  'https://www.example.com.:8443/a',
  'https://[2001:db8::1]/a',
  'https://[2001:db8::1]:8443/a?b',
  'https://[::1]?q=1',
  'https://192.0.2.1:8080/a',
  'https://localhost/a',
  'https://xn--bcher-kva.example/a',
  'https://a_b.example.com/a',
])('%s waits under the name that politeness knows its host by', async (url) => {
  const runId = newRunId();
  await state.create(runId, { limits: LIMITS, settings: SETTINGS });
  const owed = owedBy(await state.admit(runId, [link('a/1', { key: url as UrlKey, url })]));
  expect(owed.fetch.map((f) => f.host)).toEqual([hostKey(url)]);
});
