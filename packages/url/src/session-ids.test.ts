import { describe, expect, it } from 'vitest';
import { looksRandom } from './session-ids.ts';

describe('a text that looks drawn by lot', () => {
  it.each([
    'd41d8cd98f00b204e9800998ecf8427e',
    'D41D8CD98F00B204',
    'aaaaaaaaaaaaaaa1',
    'lit3py55t21z5v55vlm25s55',
    'k8s4f1o2m3bq7d0v9t2e6h5u1c',
    'aZ3kQ9xT1mB7cV5nL2',
    '3f2504e0-4f89-11d3-9a0c-0305e82c3301',
    '00000000-0000-0000-0000-000000000000',
  ])('%s', (text) => {
    expect(looksRandom(text)).toBe(true);
  });

  it.each([
    '',
    '42',
    'd41d8cd98f00b20',
    '1234567890123456',
    'internationalization',
    'windows2000server',
    'keynote2024opening',
    'ERC20PresetMinterPauser',
    'keynote-opening-2024-day-1',
    'search+words+and+more+words',
    'a1b2c3d4e5f6a7b8%20',
    'getting-started-3f2504e04f8911d39a0c',
    '3f2504e0-4f89-11d3-9a0c-0305e82c330g',
  ])('not %j', (text) => {
    expect(looksRandom(text)).toBe(false);
  });
});
