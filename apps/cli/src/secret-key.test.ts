import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { secretKeys } from '@trawl/runtime';
import { expect, it, onTestFinished } from 'vitest';
import { keptSecretKey } from './secret-key.ts';

it('is made once, for its owner alone, and is one that the roles take', () => {
  const parent = mkdtempSync(join(tmpdir(), 'trawl-key-'));
  onTestFinished(() => rmSync(parent, { recursive: true, force: true }));
  const dataDir = join(parent, 'data');
  const key = keptSecretKey(dataDir);
  expect(secretKeys.parse(key)).toEqual([Buffer.from(key, 'base64')]);
  expect(keptSecretKey(dataDir)).toBe(key);
  expect(statSync(join(dataDir, 'secret-key')).mode & 0o777).toBe(0o600);
  expect(readdirSync(dataDir)).toEqual(['secret-key']);
  expect(keptSecretKey(join(parent, 'other'))).not.toBe(key);
});
