import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { packRawAnswer, type RawAnswer, unpackRawAnswer } from './raw-answer.ts';

const answer = (body: Buffer): RawAnswer => ({
  status: 200,
  statusText: 'Alles gut',
  headers: [
    ['Content-Type', 'text/html'],
    ['set-cookie', 'a=1'],
    ['Set-Cookie', 'b="größer"'],
  ],
  body,
});

describe('a kept answer', () => {
  it.each([
    ['an empty body', Buffer.alloc(0)],
    ['a small one', Buffer.from('<p>wörds</p>')],
    ['one that is no text', randomBytes(3000)],
    ['one that looks compressed', Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 1, 2, 3])],
    ['a usual one', Buffer.from('<p>wörds</p>'.repeat(3000))],
    ['a large one', Buffer.from('<p>wörds</p>'.repeat(200_000))],
  ])('comes back as it was: %s', async (_what, body) => {
    const back = await unpackRawAnswer(await packRawAnswer(answer(body)));
    expect(back).toEqual(answer(body));
    expect(back.body.equals(body)).toBe(true);
  });

  it('of a usual page is small, and is neither packed nor unpacked in another thread', () => {
    const packed = packRawAnswer(answer(Buffer.from('<p>wörds</p>'.repeat(3000))));
    if (packed instanceof Promise) throw new Error('packed elsewhere');
    expect(packed.length).toBeLessThan(1000);
    expect(unpackRawAnswer(packed)).not.toBeInstanceOf(Promise);
  });

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['less than a length', Buffer.from([0, 0])],
    ['a length beyond the end', Buffer.from([0, 0, 1, 0, 123])],
    ['a head that is no JSON', Buffer.from([0, 0, 0, 1, 123])],
    ['a head of another kind', Buffer.from('\0\0\0\x04null')],
    ['headers that are no pairs', Buffer.from('\0\0\0\x2f{"status":200,"statusText":"","headers":[["a"]]}')],
  ])('that is %s is refused', async (_what, bytes) => {
    await expect(async () => unpackRawAnswer(bytes)).rejects.toThrow();
  });
});
