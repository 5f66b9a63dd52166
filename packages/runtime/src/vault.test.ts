import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { createVault } from './vault.ts';

const [one, two] = [randomBytes(32), randomBytes(32)];
const sealedBy = (key: Buffer, text: string, purpose = 'p'): string => createVault([key]).seal(text, purpose) ?? '';

it('opens what it sealed, whatever it says', () => {
  const vault = createVault([one]);
  for (const text of ['', 'pässwörd', '{"a":1}', 'x'.repeat(100_000)])
    expect(vault.open(vault.seal(text, 'p') ?? '', 'p')).toBe(text);
});

it('shows nothing of the text, and seals it differently each time', () => {
  const [first, second] = [sealedBy(one, 'hunter2'), sealedBy(one, 'hunter2')];
  expect(first).not.toBe(second);
  expect(Buffer.from(first.split('.')[2] ?? '', 'base64url').toString('latin1')).not.toContain('hunter2');
});

it('opens nothing for another purpose, by another key, or that was changed', () => {
  const vault = createVault([one]);
  const sealed = sealedBy(one, 'text');
  expect(vault.open(sealed, 'other')).toBeNull();
  expect(createVault([two]).open(sealed, 'p')).toBeNull();
  const [version, name, body = ''] = sealed.split('.');
  const bytes = Buffer.from(body, 'base64url');
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ 1;
    expect(vault.open([version, name, changed.toString('base64url')].join('.'), 'p')).toBeNull();
  }
  for (const broken of ['', 'x', '1..', `2.${name}.${body}`, `1.${name}.`, `1.${name}.${body.slice(0, -4)}`])
    expect(vault.open(broken, 'p')).toBeNull();
});

it('a new key takes over: it seals, and the old one still opens', () => {
  const vault = createVault([two, one]);
  expect(vault.open(sealedBy(one, 'old'), 'p')).toBe('old');
  const sealed = vault.seal('new', 'p') ?? '';
  expect(createVault([two]).open(sealed, 'p')).toBe('new');
  expect(createVault([one]).open(sealed, 'p')).toBeNull();
});

it('without a key nothing is sealed, opened or told apart', () => {
  const vault = createVault([]);
  expect([vault.seal('a', 'p'), vault.open(sealedBy(one, 'a'), 'p'), vault.fingerprint('a')]).toEqual([
    null,
    null,
    null,
  ]);
});

it('a fingerprint is the same for the same text, by the same key alone', () => {
  const [mine, other] = [createVault([one]), createVault([two])];
  expect(mine.fingerprint('a')).toBe(mine.fingerprint('a'));
  expect(mine.fingerprint('a')).not.toBe(mine.fingerprint('b'));
  expect(mine.fingerprint('a')).not.toBe(other.fingerprint('a'));
});
