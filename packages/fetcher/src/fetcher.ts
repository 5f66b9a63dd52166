/**
 * One HTTP GET with limits. Does not follow redirects (each target is a URL of its own), retry (the URL's task does)
 * or pace (the host gate does), and speaks HTTP/1.1 only: with HTTP/2 undici puts all requests of a host on one
 * connection, so one stalled or closed connection fails them all, and the header limit below does not hold there.
 */
import type { LookupFunction } from 'node:net';
import type { HeaderPair } from '@trawl/contracts';
import { ACCEPT_ENCODING } from './decode.ts';
import { type BodyReader, Exchange } from './exchange.ts';
import { createOriginPools } from './origin-pools.ts';
import { PageReader } from './page-reader.ts';
import { refusal } from './proxy-way.ts';
import { type FetchReply, failure, type Reply, type StreamReply, type TextReply, type Validators } from './reply.ts';
import { StreamReader } from './stream-reader.ts';
import { TextReader } from './text-reader.ts';
import { findWays, MAX_HEAD_BYTES } from './ways.ts';

export type { AnswerHead, FetchError, FetchReply, StreamReply, TextReply, Validators } from './reply.ts';

interface AnyRequest {
  readonly url: string;
  readonly userAgent: string;
  /** For the whole request, the wait for a connection included. */
  readonly timeoutMs: number;
  /** Further headers; one that has the name of one of ours takes its place. */
  readonly headers?: readonly HeaderPair[];
  /** An http or https proxy to go through, with its login where it wants one. */
  readonly proxy?: string | null;
  /** Aborting makes the call reject with the signal's reason. */
  readonly signal?: AbortSignal;
  /**
   * Called once, in the moment the request is handed to a connected socket; never if it does not get that far.
   * If it throws, the request is not sent and the call rejects.
   */
  readonly onSent?: () => void;
}

export interface FetchRequest extends AnyRequest {
  /** After decompression; a larger page is refused. */
  readonly maxBodyBytes: number;
  /** Of the page as it is known: the server may answer that it is still so. */
  readonly known?: Validators;
  /** Whether the page is to come with the head of the answer. */
  readonly keepsHead?: boolean;
  /** The language it is asked for in. */
  readonly language?: string;
}

export interface TextRequest extends AnyRequest {
  /** After decompression; a larger text is cut here. */
  readonly maxBytes: number;
}

/** Its time is that of the whole stream, the consumer's own included. */
export interface StreamRequest extends TextRequest {
  /** The Accept header. Default: text before all else. */
  readonly accept?: string;
}

/** An answer whose body is read as it comes. */
export interface BodyStream {
  /** Decompressed. Ends with the answer, or where that broke off: `reply` says which. Not reading holds up the server; leaving the loop ends the request. */
  readonly body: AsyncIterable<Buffer>;
  readonly reply: Promise<StreamReply>;
}

export interface FetcherOptions {
  /** Dial any address, not only global unicast ones. */
  readonly allowPrivateNetworks: boolean;
  /** Requests beyond wait, within their timeout. Default 64. */
  readonly maxConnectionsPerOrigin?: number;
  /** How long an unused connection stays open; less if the server says so. Default 4000. */
  readonly keepAliveMs?: number;
  /** Resolves host names. Default: the system's resolver. */
  readonly lookup?: LookupFunction;
  /** Further certificate authorities to trust, in PEM; each string may hold several. */
  readonly ca?: readonly string[];
}

/** Calls reject only for what no server or network did: a bad argument, a closed fetcher, the caller's own signal. */
export interface Fetcher {
  /** Asks for a page: HTML, or another kind of content that is read. */
  get(request: FetchRequest): Promise<FetchReply>;
  /** Asks for a small text resource of whatever type, such as robots.txt. Any 2xx is one. */
  getText(request: TextRequest): Promise<TextReply>;
  /** Asks for a large resource of whatever type, such as a sitemap, in bounded memory. Any 2xx is one; `maxBytes` is where it is cut. */
  stream(request: StreamRequest): BodyStream;
  /** Waits for the requests under way, then closes every connection. */
  close(): Promise<void>;
}

const DEFAULT_KEEP_ALIVE_MS = 4000;
/** On the wire an answer has at most so many times the bytes of its body: a chunk of one byte takes six. */
const FRAMING = 8;
const PRINTABLE_ASCII = /^[\x20-\x7e]+$/;
const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/i;
/** HTML before all else: a server that has a page in several forms is to send that. */
const ACCEPT_PAGE =
  'text/html,application/xhtml+xml;q=0.9,text/markdown;q=0.6,text/plain;q=0.6,application/pdf;q=0.5,application/json;q=0.5,*/*;q=0.1';
const ACCEPT_TEXT = 'text/plain,*/*;q=0.8';
const NOTHING_KNOWN: Validators = { etag: null, lastModified: null };

export function createFetcher(options: FetcherOptions): Fetcher {
  let maxAnswerBytes = 0;
  const keepAliveMs = options.keepAliveMs ?? DEFAULT_KEEP_ALIVE_MS;
  const wayTo = findWays({ ...options, keepAliveMs }, () => maxAnswerBytes);
  const pools = createOriginPools(keepAliveMs);
  let underWay = 0;
  let closing: Promise<void> | null = null;
  let onIdle: () => void = () => {};

  async function send<Wanted extends object>(
    request: AnyRequest,
    accept: string,
    maxBytes: number,
    newReader: (url: URL) => BodyReader<Wanted>,
    { known = NOTHING_KNOWN, language }: Pick<FetchRequest, 'known' | 'language'> = {},
  ): Promise<Reply<Wanted>> {
    if (closing !== null) throw new Error('the fetcher is closed');
    // Checked here because a request that undici itself refuses takes a connection out of its pool for good (8.12).
    if (!PRINTABLE_ASCII.test(request.userAgent)) throw new TypeError('the user agent must be printable ASCII');
    const { headers = [], proxy = null } = request;
    if (!headers.every(([name, value]) => HEADER_NAME.test(name) && PRINTABLE_ASCII.test(value)))
      throw new TypeError('headers must be printable ASCII');
    request.signal?.throwIfAborted();
    const url = URL.parse(request.url);
    const problem = url === null ? 'is not an absolute URL' : urlProblem(url);
    if (url === null || problem !== null)
      return { ...failure('ADDRESS_INVALID', `The address ${problem}.`, null), elapsedMs: 0, headMs: null };

    maxAnswerBytes = Math.max(maxAnswerBytes, MAX_HEAD_BYTES + FRAMING * maxBytes);
    const { timeoutMs, signal, onSent } = request;
    const exchange = new Exchange({ timeoutMs, signal, onSent }, newReader(url));
    const way = wayTo(url, proxy);
    underWay += 1;
    try {
      pools.acquire(way.name, way.open).dispatch(
        {
          path: way.path,
          method: 'GET',
          headers: [
            ...way.headers,
            ...withHeaders(
              [
                ['user-agent', request.userAgent],
                ['accept', accept],
                ['accept-encoding', ACCEPT_ENCODING],
                ...(language === undefined ? [] : [['accept-language', language] as const]),
                ...(known.etag === null ? [] : [['if-none-match', known.etag] as const]),
                ...(known.lastModified === null ? [] : [['if-modified-since', known.lastModified] as const]),
              ],
              headers,
            ),
          ],
        },
        exchange,
      );
      const reply = await exchange.reply;
      return proxy === null || url.protocol === 'https:' ? reply : judgedPlain(reply);
    } finally {
      pools.release(way.name);
      underWay -= 1;
      if (underWay === 0) onIdle();
    }
  }

  return {
    get(request) {
      const { maxBodyBytes, known = NOTHING_KNOWN, keepsHead = false } = request;
      const o = { isConditional: known.etag !== null || known.lastModified !== null, keepsHead };
      return send(request, ACCEPT_PAGE, maxBodyBytes, (url) => new PageReader(url, maxBodyBytes, o), request);
    },

    getText(request) {
      const { maxBytes } = request;
      return send(request, ACCEPT_TEXT, maxBytes, (url) => new TextReader(url, maxBytes));
    },

    stream(request) {
      const reader = new StreamReader(request.maxBytes);
      const reply = send(request, request.accept ?? ACCEPT_TEXT, request.maxBytes, (url) => reader.for(url));
      // Heard of by whoever awaits it; until then a body that is read first must not end the process.
      reply.catch(() => {});
      // Where no request came about, no reader was asked, and the body ends all the same.
      void reply.finally(() => reader.onSettled()).catch(() => {});
      return { body: reader.body(), reply };
    },

    close() {
      closing ??= (async () => {
        if (underWay > 0) await new Promise<void>((resolve) => (onIdle = resolve));
        await pools.destroy();
      })();
      return closing;
    },
  };
}

/** A proxy that plain requests are handed to answers for itself as well; of a tunnel, all that comes is the host's. */
function judgedPlain<T>(reply: Reply<T>): Reply<T> {
  if (!('kind' in reply) || reply.kind !== 'failed') return reply;
  // Only a proxy says so.
  if (reply.status === 407) return { ...reply, ...failure('PROXY_REFUSED', refusal(407), 407) };
  const { status, retryAfterMs, error } = reply;
  const isOfEither = status === null || (status >= 502 && status <= 504 && retryAfterMs === null);
  return error.retryable && isOfEither ? { ...reply, mayBeProxys: true } : reply;
}

/** Flat, as undici takes them quickest. */
function withHeaders(ours: readonly HeaderPair[], theirs: readonly HeaderPair[]): string[] {
  if (theirs.length === 0) return ours.flat();
  const names = new Set(theirs.map(([name]) => name.toLowerCase()));
  return [...ours.filter(([name]) => !names.has(name)), ...theirs].flat();
}

function urlProblem(url: URL): string | null {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return `has the scheme ${url.protocol.slice(0, 40)}`;
  if (url.username !== '' || url.password !== '') return 'carries credentials, which are not sent';
  return null;
}
