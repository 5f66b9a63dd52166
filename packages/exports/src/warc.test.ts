import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { WARCParser } from 'warcio';
import { collect } from './sample-pages.ts';
import { exportWarc, type WarcAnswer } from './warc.ts';

const file = { fileName: 'x.warc.gz', software: 'Trawl/test', createdAt: new Date('2026-01-02T03:04:05.678Z') };

function answer(path: string, over: Partial<WarcAnswer> = {}): WarcAnswer {
  return {
    url: `https://example.com${path}`,
    fetchedAt: new Date('2026-01-01T00:00:00.123Z'),
    status: 200,
    statusText: 'OK',
    headers: [['Content-Type', 'text/html; charset=utf-8']],
    body: Buffer.from(`<p>${path} 日本語`),
    ...over,
  };
}

async function* all<T>(items: readonly T[]) {
  yield* items;
}

async function read(answers: readonly WarcAnswer[]) {
  const bytes = await collect(exportWarc(all(answers), file));
  const records: { header: (name: string) => string | null | undefined; status: string; payload: Buffer }[] = [];
  for await (const record of new WARCParser(all([new Uint8Array(bytes)]))) {
    const payload = Buffer.from(await record.readFully(true));
    const header = (name: string) => record.warcHeaders.headers.get(name);
    records.push({ header, status: record.httpHeaders?.statusline ?? '', payload });
  }
  return { bytes, records };
}

describe('a WARC export', () => {
  it('begins with a record about itself, then has one for each answer, body and all', async () => {
    const large = Buffer.alloc(1024 * 1024, 'binär\0\r\n');
    const answers = [
      answer('/'),
      answer('/empty', { body: Buffer.alloc(0), status: 204, statusText: '' }),
      answer('/large', { body: large }),
    ];
    const { records } = await read(answers);
    expect(records.map(({ header }) => header('WARC-Type'))).toEqual(['warcinfo', 'response', 'response', 'response']);
    expect(records[0]?.payload.toString()).toContain('software: Trawl/test\r\n');
    const responses = records.slice(1);
    expect(responses.map(({ payload }, at) => payload.equals(answers[at]?.body ?? payload))).toEqual([
      true,
      true,
      true,
    ]);
    expect(responses.map(({ header }) => header('WARC-Target-URI'))).toEqual(answers.map(({ url }) => url));
    expect(responses.map(({ status }) => status.trim())).toEqual([
      'HTTP/1.1 200 OK',
      'HTTP/1.1 204',
      'HTTP/1.1 200 OK',
    ]);
    for (const { header } of responses) {
      expect(header('WARC-Date')).toBe('2026-01-01T00:00:00.123Z');
      expect(header('WARC-Record-ID')).toMatch(/^<urn:uuid:[0-9a-f-]{36}>$/);
      expect(header('Content-Type')).toBe('application/http;msgtype=response');
    }
  });

  it('names the digests of block and payload', async () => {
    const { records } = await read([answer('/')]);
    expect(records[1]?.header('WARC-Payload-Digest')).toBe(
      `sha1:${base32(createHash('sha1').update(answer('/').body).digest())}`,
    );
    expect(records[1]?.header('WARC-Block-Digest')).toMatch(/^sha1:[A-Z2-7]{32}$/);
  });

  it('renames headers that no longer describe the body, and gives its length', async () => {
    const headers = [
      ['Content-Encoding', 'gzip'],
      ['transfer-encoding', 'chunked'],
      ['Content-Length', '9'],
      ['Set-Cookie', 'a=1'],
      ['Set-Cookie', 'b=2'],
      ['X-Evil', 'x\r\nWARC-Type: request'],
    ] as const;
    const { bytes } = await read([answer('/', { headers, statusText: 'Très bien' })]);
    const text = gunzipSync(bytes).toString('latin1');
    const body = answer('/').body;
    expect(text).toContain(
      [
        'HTTP/1.1 200 Très bien',
        'X-Orig-Content-Encoding: gzip',
        'X-Orig-transfer-encoding: chunked',
        'X-Orig-Content-Length: 9',
        'Set-Cookie: a=1',
        'Set-Cookie: b=2',
        'X-Evil: x WARC-Type: request',
        `Content-Length: ${body.length}`,
        '',
        body.toString('latin1'),
      ].join('\r\n'),
    );
  });

  it('is a series of gzip members, one for each record', async () => {
    const pieces: string[] = [];
    for await (const piece of exportWarc(all([answer('/a'), answer('/b')]), file))
      pieces.push(gunzipSync(piece).toString());
    expect(pieces.map((piece) => piece.slice(0, 10))).toEqual(['WARC/1.1\r\n', 'WARC/1.1\r\n', 'WARC/1.1\r\n']);
    for (const piece of pieces) expect(piece.endsWith('\r\n\r\n')).toBe(true);
  });
});

/** By way of one large number, unlike the code under test. */
function base32(bytes: Buffer): string {
  const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
  const number = BigInt(`0x${bytes.toString('hex')}`);
  return Array.from({ length: 32 }, (_, at) => digits[Number((number >> BigInt(5 * (31 - at))) & 31n)]).join('');
}
