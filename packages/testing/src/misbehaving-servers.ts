/**
 * A table of servers that misbehave, on raw sockets, and what the fetcher must make of each with `timeoutMs` from 1500 to
 * 8000 and `maxBodyBytes` 1 MiB. For the tests of the fetcher and of the pipeline. Redirects that are valid have no place here:
 * what becomes of them is not for the fetcher to say.
 */

import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { UrlErrorCode } from '@trawl/contracts';
import {
  type Answer,
  brotliZeros,
  drips,
  floods,
  gzippedZeros,
  html,
  PAGE,
  says,
  saysAndWaits,
  sendsMade,
  zstdOfWideWindow,
  zstdZeros,
} from './misbehaving-parts.ts';

export interface MisbehavingServer {
  readonly name: string;
  /** Called with the head of each request. */
  readonly answer: Answer;
  readonly code: UrlErrorCode | 'page';
  /** What becomes of the URL in a run. */
  readonly outcome: 'processed' | 'failed' | 'skipped';
}

const row = (name: string, code: UrlErrorCode | 'page', answer: Answer): MisbehavingServer => {
  const outcome = code === 'page' ? 'processed' : code === 'UNSUPPORTED_TYPE' ? 'skipped' : 'failed';
  return { name, answer, code, outcome };
};

const CHUNKED = html('transfer-encoding: chunked');
const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;
const page = (...headers: readonly string[]): string => html(`content-length: ${PAGE.length}`, ...headers) + PAGE;
const gzipped = gzipSync(PAGE.repeat(100));
const encoded = (encoding: string, body: Buffer, length = body.length): Answer =>
  says(html(`content-encoding: ${encoding}`, `content-length: ${length}`), body);
const status = (line: string, ...headers: readonly string[]): string =>
  `${[`HTTP/1.1 ${line}`, 'content-type: text/html', `content-length: ${PAGE.length}`, ...headers].join('\r\n')}\r\n\r\n${PAGE}`;

const SILENT: readonly MisbehavingServer[] = [
  row('closes at once', 'CONNECTION_FAILED', (socket) => socket.destroy()),
  row('resets the connection', 'CONNECTION_FAILED', (socket) => socket.resetAndDestroy()),
  row('says nothing', 'TIMEOUT_HEADERS', saysAndWaits()),
  row('stops within the status line', 'TIMEOUT_HEADERS', saysAndWaits('HTTP/1.1 2')),
  row('stops after the head', 'TIMEOUT_BODY', saysAndWaits(html('content-length: 100'))),
  row('sends one byte of the head at a time, for ever', 'TIMEOUT_HEADERS', drips('HTTP/1.1 200 OK\r\nx-a: ', 'y', 100)),
  row('sends one byte of the body at a time, for ever', 'TIMEOUT_BODY', drips(html(), '.', 20)),
  row('sends one chunk of one byte at a time, for ever', 'TIMEOUT_BODY', drips(CHUNKED, chunk('.'), 20)),
  row('never ends the size of a chunk', 'TIMEOUT_BODY', drips(`${CHUNKED}1;`, 'x', 20)),
  row('trickles the body of an error page', 'HTTP_404', drips('HTTP/1.1 404 Not Found\r\n\r\n', '.', 20)),
];

const ENDLESS: readonly MisbehavingServer[] = [
  row('never ends a chunked body', 'BODY_TOO_LARGE', floods(CHUNKED, chunk('x'.repeat(16_384)))),
  row('never ends a body of tiny chunks', 'BODY_TOO_LARGE', floods(CHUNKED, chunk('x').repeat(4096))),
  row('never ends a body without a length', 'BODY_TOO_LARGE', floods(html(), 'x'.repeat(16_384))),
  row('never ends the body of an error page', 'HTTP_410', floods('HTTP/1.1 410 Gone\r\n\r\n', 'x'.repeat(16_384))),
  row(
    'never ends an image',
    'UNSUPPORTED_TYPE',
    floods('HTTP/1.1 200 OK\r\ncontent-type: image/png\r\n\r\n', 'x'.repeat(9999)),
  ),
  row('never ends an extension of a chunk', 'HTTP_PROTOCOL', floods(`${CHUNKED}1;`, 'x'.repeat(16_384))),
  row('announces ten gigabytes', 'BODY_TOO_LARGE', floods(html('content-length: 10737418240'), 'x'.repeat(16_384))),
  row('announces more than can be counted', 'HTTP_PROTOCOL', says(html(`content-length: 1${'0'.repeat(30)}`), PAGE)),
  row('sends 100,000 headers', 'HTTP_PROTOCOL', says(`HTTP/1.1 200 OK\r\n${'x-a: y\r\n'.repeat(100_000)}\r\n`)),
  row('sends empty headers for ever', 'HTTP_PROTOCOL', floods('HTTP/1.1 200 OK\r\n', 'a:\r\n'.repeat(4096))),
  row('sends a header of a megabyte', 'HTTP_PROTOCOL', says(html(`x-a: ${'y'.repeat(1_000_000)}`), PAGE)),
  row('never ends a header', 'HTTP_PROTOCOL', floods('HTTP/1.1 200 OK\r\nx-a: ', 'y'.repeat(16_384))),
  row('never ends the name of a header', 'HTTP_PROTOCOL', floods('HTTP/1.1 200 OK\r\n', 'y'.repeat(16_384))),
  row('never ends the status line', 'HTTP_PROTOCOL', floods('HTTP/1.1 200 ', 'y'.repeat(16_384))),
  row('sends 100 for ever', 'HTTP_PROTOCOL', floods('', 'HTTP/1.1 100 Continue\r\n\r\n')),
  row('sends 103 for ever', 'HTTP_PROTOCOL', floods('', 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(100))),
  row('sends 102 slowly, for ever', 'TIMEOUT_HEADERS', drips('', 'HTTP/1.1 102 Processing\r\n\r\n', 300)),
  row('floods with trailers', 'HTTP_PROTOCOL', floods(`${CHUNKED}${chunk(PAGE)}0\r\n`, 'x-a: y\r\n'.repeat(4096))),
];

const CODED: readonly MisbehavingServer[] = [
  row('sends a gzip bomb', 'BODY_TOO_LARGE', sendsMade('gzip', gzippedZeros)),
  row(
    'sends a smaller gzip bomb',
    'BODY_TOO_LARGE',
    sendsMade('gzip', () => gzipSync(Buffer.alloc(5_000_000))),
  ),
  row('sends a brotli bomb', 'BODY_TOO_LARGE', sendsMade('br', brotliZeros)),
  row('sends a zstd bomb', 'BODY_TOO_LARGE', sendsMade('zstd', zstdZeros)),
  row(
    'sends a gzip bomb in gzip',
    'BODY_TOO_LARGE',
    sendsMade('gzip, gzip', () => gzipSync(gzippedZeros())),
  ),
  row('wants 128 MB for a zstd window', 'DECODE_FAILED', sendsMade('zstd', zstdOfWideWindow)),
  row('says gzip and sends none', 'DECODE_FAILED', says(page('content-encoding: gzip'))),
  row(
    'sends the head of gzip, then garbage',
    'DECODE_FAILED',
    encoded('gzip', Buffer.concat([gzipped.subarray(0, 10), Buffer.alloc(500, 0xff)])),
  ),
  row('sends a part of gzip', 'DECODE_FAILED', encoded('gzip', gzipped.subarray(0, gzipped.length - 12))),
  row(
    'sends gzip with a wrong checksum',
    'DECODE_FAILED',
    encoded('gzip', Buffer.concat([gzipped.subarray(0, -8), Buffer.alloc(8)])),
  ),
  row('sends garbage after gzip', 'page', encoded('gzip', Buffer.concat([gzipped, Buffer.from('\0\0garbage')]))),
  row('says gzip and sends brotli', 'DECODE_FAILED', encoded('gzip', brotliCompressSync(PAGE))),
  row('closes within gzip', 'CONNECTION_FAILED', encoded('gzip', gzipped.subarray(0, 40), gzipped.length)),
  row('says an unknown encoding', 'DECODE_FAILED', says(page('content-encoding: lzma'))),
  row('stacks four encodings', 'DECODE_FAILED', says(page('content-encoding: gzip, gzip, br, gzip'))),
];

const LENGTHS: readonly MisbehavingServer[] = [
  row('closes before the announced length', 'CONNECTION_FAILED', says(html('content-length: 1000'), PAGE)),
  row('sends more than the announced length', 'page', says(html('content-length: 20'), PAGE)),
  row('announces a negative length', 'HTTP_PROTOCOL', says(html('content-length: -5'), PAGE)),
  row('announces a length that is no number', 'HTTP_PROTOCOL', says(html('content-length: many'), PAGE)),
  row('announces two lengths', 'HTTP_PROTOCOL', says(html('content-length: 43', 'content-length: 4'), PAGE)),
  row('announces a list of lengths', 'HTTP_PROTOCOL', says(html('content-length: 43, 43'), PAGE)),
  row(
    'announces a length and chunks',
    'HTTP_PROTOCOL',
    says(html('content-length: 5', 'transfer-encoding: chunked'), chunk(PAGE), '0\r\n\r\n'),
  ),
  row('sends a chunk size that is no number', 'HTTP_PROTOCOL', says(CHUNKED, 'zz\r\n', PAGE)),
  row('sends a chunk size of 2^63', 'CONNECTION_FAILED', says(CHUNKED, '8000000000000000\r\n', PAGE)),
  row('sends a chunk size beyond 2^64', 'HTTP_PROTOCOL', says(CHUNKED, `${'f'.repeat(20)}\r\n`, PAGE)),
  row('sends a negative chunk size', 'HTTP_PROTOCOL', says(CHUNKED, '-1\r\n', PAGE)),
  row('leaves out the last chunk', 'CONNECTION_FAILED', says(CHUNKED, chunk(PAGE))),
  row('closes within a chunk', 'CONNECTION_FAILED', says(CHUNKED, '40\r\n<p>')),
  row('resets within the body', 'CONNECTION_FAILED', (socket) => {
    socket.write(html('content-length: 1000') + PAGE, () => setTimeout(() => socket.resetAndDestroy(), 50));
  }),
];

const MALFORMED: readonly MisbehavingServer[] = [
  row('sends a body without a head', 'HTTP_PROTOCOL', says(PAGE)),
  row('sends garbage', 'HTTP_PROTOCOL', says(Buffer.from(Array.from({ length: 2000 }, (_, i) => (i * 73) & 0xff)))),
  row('sends only line ends, for ever', 'HTTP_PROTOCOL', floods('', '\r\n'.repeat(4096))),
  row('speaks SSH', 'HTTP_PROTOCOL', saysAndWaits('SSH-2.0-OpenSSH_9.6\r\n')),
  row('speaks SMTP', 'HTTP_PROTOCOL', saysAndWaits('220 mail.test ESMTP\r\n')),
  row('speaks TLS', 'HTTP_PROTOCOL', says(Buffer.from('15030300020228', 'hex'))),
  row('speaks HTTP/2', 'HTTP_PROTOCOL', says(Buffer.from('000012040000000000000300000064', 'hex'))),
  row('sends a request', 'HTTP_PROTOCOL', says('GET / HTTP/1.1\r\nhost: you\r\n\r\n')),
  row('sends the preface of HTTP/2', 'HTTP_PROTOCOL', says('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')),
  row('says it is HTTP/9.9', 'HTTP_PROTOCOL', says(page().replace('HTTP/1.1', 'HTTP/9.9'))),
  row(
    'switches protocols unasked',
    'HTTP_PROTOCOL',
    says('HTTP/1.1 101 X\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
  ),
  row('sends a header without a colon', 'HTTP_PROTOCOL', says(page('no colon here'))),
  row('sends a space in the name of a header', 'HTTP_PROTOCOL', says(page('x a: y'))),
  row('sends NUL in a header', 'HTTP_PROTOCOL', says(page('x-a: a\0b'))),
  row('sends a bare CR in a header', 'HTTP_PROTOCOL', says(page('x-a: a\rb'))),
  row('folds a header', 'HTTP_PROTOCOL', says(page('x-a: a\r\n  b'))),
  row('ends its lines with LF alone', 'HTTP_PROTOCOL', says(page().replaceAll('\r\n', '\n'))),
  row(
    'names headers like parts of every object',
    'page',
    says(page('__proto__: a', '__proto__: b', 'constructor: c', 'toString: d')),
  ),
  row('sends Latin-1 in its headers', 'page', says(page('x-a: gr\xf6\xdfe'))),
];

const STATUSES: readonly MisbehavingServer[] = [
  row('answers 000', 'HTTP_PROTOCOL', says(status('000 Nothing'))),
  row('answers 099', 'HTTP_PROTOCOL', says(status('099 Nothing'))),
  row('answers 600', 'HTTP_600', says(status('600 Strange'))),
  row('answers 999', 'HTTP_999', says(status('999 Request denied'))),
  row('answers 1000', 'HTTP_PROTOCOL', says(status('1000 Too much'))),
  row('answers -1', 'HTTP_PROTOCOL', says(status('-1 Less'))),
  row('answers 204 with a body', 'UNSUPPORTED_TYPE', says(status('204 No Content'))),
  row('answers 205', 'UNSUPPORTED_TYPE', says(status('205 Reset Content'))),
  row('answers 206 unasked', 'HTTP_206', says(status('206 Partial Content', 'content-range: bytes 0-42/1000'))),
  row('answers 304 unasked', 'HTTP_304', says(status('304 Not Modified'))),
  row('answers 407', 'HTTP_407', says(status('407 Proxy Authentication Required'))),
  row('redirects nowhere', 'REDIRECT_INVALID', says(status('302 Found'))),
  row('redirects to ftp', 'REDIRECT_INVALID', says(status('301 Moved', 'location: ftp://site.test/'))),
  row('redirects to javascript', 'REDIRECT_INVALID', says(status('302 Found', 'location: javascript:alert(1)'))),
  row('redirects with credentials', 'REDIRECT_INVALID', says(status('307 X', 'location: http://me:pw@site.test/'))),
  row('redirects to no host', 'REDIRECT_INVALID', says(status('308 X', 'location: http://'))),
];

const CONTENTS: readonly MisbehavingServer[] = [
  row(
    'sends an image',
    'UNSUPPORTED_TYPE',
    says('HTTP/1.1 200 OK\r\ncontent-type: image/png\r\ncontent-length: 4\r\n\r\n\x89PNG'),
  ),
  row(
    'sends an unnamed image',
    'UNSUPPORTED_TYPE',
    says('HTTP/1.1 200 OK\r\ncontent-length: 8\r\n\r\n\x89PNG\r\n\x1a\n'),
  ),
  row('sends an unnamed nothing', 'UNSUPPORTED_TYPE', says('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')),
  row(
    'says a type of 10,000 letters',
    'UNSUPPORTED_TYPE',
    says(`HTTP/1.1 200 OK\r\ncontent-type: ${'a'.repeat(10_000)}\r\n\r\n`),
  ),
  row(
    'sends bytes of no character set',
    'page',
    says(html('content-length: 256'), Buffer.from(Array.from({ length: 256 }, (_, i) => i))),
  ),
  row('sends another answer after its answer', 'page', (socket, request) => {
    if (request.startsWith('GET /next ')) socket.write(page('x-robots-tag: own'));
    else socket.write(page() + page('x-robots-tag: smuggled'));
  }),
  row('sends another answer a while after its answer', 'page', (socket, request) => {
    if (request.startsWith('GET /next ')) return void socket.write(page('x-robots-tag: own'));
    socket.write(page());
    const timer = setTimeout(() => socket.write(page('x-robots-tag: smuggled')), 30);
    socket.on('close', () => clearTimeout(timer));
  }),
];

export const MISBEHAVING: readonly MisbehavingServer[] = [
  ...SILENT,
  ...ENDLESS,
  ...CODED,
  ...LENGTHS,
  ...MALFORMED,
  ...STATUSES,
  ...CONTENTS,
];
