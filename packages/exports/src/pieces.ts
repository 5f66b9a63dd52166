/** Puts many short texts together into pieces worth sending, and no more than that: what was asked for is all that is held. */

const PIECE_CHARACTERS = 64 * 1024;

export async function* inPieces(texts: AsyncIterable<string>): AsyncGenerator<Buffer, void, undefined> {
  let held: string[] = [];
  let length = 0;
  for await (const text of texts) {
    held.push(text);
    length += text.length;
    if (length < PIECE_CHARACTERS) continue;
    yield Buffer.from(held.join(''));
    held = [];
    length = 0;
  }
  if (length > 0) yield Buffer.from(held.join(''));
}
