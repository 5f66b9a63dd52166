/**
 * WARC 1.1: what servers answered, a record each, every record a gzip member of its own, so that readers can begin at any of them.
 *
 * Bodies are kept decoded, so headers that speak of the encoding would lie: they become `X-Orig-Content-Encoding` and
 * `X-Orig-Transfer-Encoding`, and a `Content-Length` that is not that of the body becomes `X-Orig-Content-Length` beside the right one.
 * Requests are not recorded.
 */
import { createHash, randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip, gzipSync } from 'node:zlib';

export interface WarcAnswer {
  readonly url: string;
  readonly fetchedAt: Date;
  readonly status: number;
  readonly statusText: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
}

export interface WarcFile {
  readonly fileName: string;
  readonly software: string;
  readonly createdAt: Date;
}

/** Half the CPU of the usual 6 for a tenth more bytes. */
const COMPRESSION = { level: 3 };
const gzipPooled = promisify<Buffer, typeof COMPRESSION, Buffer>(gzip);
const INLINE_BYTES = 128 * 1024;
const RENAMED = new Set(['content-encoding', 'transfer-encoding']);

export async function* exportWarc(
  answers: AsyncIterable<WarcAnswer>,
  file: WarcFile,
): AsyncGenerator<Buffer, void, undefined> {
  const infoId = recordId();
  yield await record(
    [
      ['WARC-Type', 'warcinfo'],
      ['WARC-Record-ID', infoId],
      ['WARC-Date', file.createdAt.toISOString()],
      ['WARC-Filename', oneLine(file.fileName)],
      ['Content-Type', 'application/warc-fields'],
    ],
    Buffer.from(
      `software: ${oneLine(file.software)}\r\nformat: WARC File Format 1.1\r\n` +
        'conformsTo: https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/\r\n',
    ),
  );
  for await (const answer of answers) {
    const block = Buffer.concat([httpHead(answer), answer.body]);
    yield await record(
      [
        ['WARC-Type', 'response'],
        ['WARC-Record-ID', recordId()],
        ['WARC-Warcinfo-ID', infoId],
        ['WARC-Date', answer.fetchedAt.toISOString()],
        ['WARC-Target-URI', oneLine(answer.url)],
        ['WARC-Payload-Digest', digest(answer.body)],
        ['WARC-Block-Digest', digest(block)],
        ['Content-Type', 'application/http;msgtype=response'],
      ],
      block,
    );
  }
}

function record(headers: readonly (readonly [string, string])[], block: Buffer): Buffer | Promise<Buffer> {
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `WARC/1.1\r\n${lines.join('')}Content-Length: ${block.length}\r\n\r\n`;
  const whole = Buffer.concat([Buffer.from(head), block, Buffer.from('\r\n\r\n')]);
  return whole.length > INLINE_BYTES ? gzipPooled(whole, COMPRESSION) : gzipSync(whole, COMPRESSION);
}

function httpHead({ status, statusText, headers, body }: WarcAnswer): Buffer {
  const lines = [`HTTP/1.1 ${status} ${oneLine(statusText)}`];
  for (const [name, value] of headers) {
    const folded = name.toLowerCase();
    if (folded === 'content-length' && value.trim() === String(body.length)) continue;
    const isRenamed = RENAMED.has(folded) || folded === 'content-length';
    lines.push(`${isRenamed ? 'X-Orig-' : ''}${oneLine(name)}: ${oneLine(value)}`);
  }
  lines.push(`Content-Length: ${body.length}`);
  const head = `${lines.join('\r\n')}\r\n\r\n`;
  // Bytes that are no ASCII come as characters of the same number.
  return /^[\0-\u00ff]*$/.test(head) ? Buffer.from(head, 'latin1') : Buffer.from(head);
}

/** A line break in a value would begin a header of its own. */
const oneLine = (text: string): string => text.replace(/[\r\n\0]+/g, ' ');

const recordId = (): string => `<urn:uuid:${randomUUID()}>`;

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

function digest(bytes: Buffer): string {
  let text = '';
  let held = 0;
  let bits = 0;
  // 160 bits are 32 digits of 5: nothing is left over.
  for (const byte of createHash('sha1').update(bytes).digest()) {
    held = (held << 8) | byte;
    for (bits += 8; bits >= 5; bits -= 5) text += BASE32[(held >>> (bits - 5)) & 31];
    held &= 0xff;
  }
  return `sha1:${text}`;
}
