import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { compressBody, decompressBody } from './compress.ts';

describe('bodies', () => {
  it.each([
    ['an empty one', Buffer.alloc(0)],
    ['a small one', Buffer.from('<p>wörds</p>')],
    ['a small one that looks compressed', Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 1, 2, 3])],
    ['a usual one', Buffer.from('<p>wörds</p>'.repeat(2000))],
    ['a large one', Buffer.from('<p>wörds</p>'.repeat(200_000))],
    ['a large one that does not compress', randomBytes(600_000)],
  ])('come back as they were: %s', async (_what, body) => {
    expect((await decompressBody(await compressBody(body))).equals(body)).toBe(true);
  });

  it('of HTML get much smaller', async () => {
    const html = Buffer.from(
      Array.from({ length: 5000 }, (_, i) => `<li><a href="/page/${i}">Page ${i}</a></li>`).join('\n'),
    );
    expect((await compressBody(html)).length).toBeLessThan(html.length / 4);
  });

  it('that are cut off are refused', async () => {
    const body = await compressBody(Buffer.from('<p>wörds</p>'.repeat(20_000)));
    await expect(async () => decompressBody(body.subarray(0, body.length - 20))).rejects.toThrow();
  });
});
