import { expect, it } from 'vitest';
import { CollectedBytes } from './collected-bytes.ts';

const collect = (pieces: readonly Buffer[]) => {
  const collected = new CollectedBytes();
  for (const piece of pieces) collected.add(piece);
  return collected;
};

it.each([0, 1, 2, 1023, 1024, 1025, 5000])('puts %i pieces together in their order', (count) => {
  const pieces = Array.from({ length: count }, (_, i) => Buffer.from(`${i},`));
  const collected = collect(pieces);
  expect(collected).toMatchObject({ pieces: count, bytes: Buffer.concat(pieces).length });
  expect(collected.joined().equals(Buffer.concat(pieces))).toBe(true);
  expect(collected.joined(3).toString()).toBe(Buffer.concat(pieces).toString().slice(0, 3));
});

it('does not copy a single piece', () => {
  const piece = Buffer.from('page');
  expect(collect([piece]).joined().buffer).toBe(piece.buffer);
});
