/**
 * An answer of a server as it came, as one blob: a head that is small, then the body with nothing done to it but
 * decompression. Four bytes say how long the head is; the whole is compressed like any body. Does not know where it is kept.
 */
import { compressBody, decompressBody } from './compress.ts';

export interface RawAnswer {
  readonly status: number;
  /** What stood behind the status; often empty. */
  readonly statusText: string;
  /** In the order and spelling of the server. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
}

const LENGTH_BYTES = 4;

/** A promise only for a large body. */
export function packRawAnswer({ status, statusText, headers, body }: RawAnswer): Buffer | Promise<Buffer> {
  const head = Buffer.from(JSON.stringify({ status, statusText, headers }));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(head.length);
  return compressBody(Buffer.concat([length, head, body]));
}

/** Undoes `packRawAnswer`; throws, or rejects, on anything else. */
export function unpackRawAnswer(bytes: Buffer): RawAnswer | Promise<RawAnswer> {
  const whole = decompressBody(bytes);
  return whole instanceof Promise ? whole.then(readAnswer) : readAnswer(whole);
}

function readAnswer(whole: Buffer): RawAnswer {
  const bodyAt = whole.length < LENGTH_BYTES ? Number.POSITIVE_INFINITY : LENGTH_BYTES + whole.readUInt32BE(0);
  if (bodyAt > whole.length) throw new Error('a kept answer is cut off');
  const head: unknown = JSON.parse(whole.toString('utf8', LENGTH_BYTES, bodyAt));
  if (!isHead(head)) throw new Error('a kept answer has no head');
  return { ...head, body: whole.subarray(bodyAt) };
}

function isHead(head: unknown): head is Omit<RawAnswer, 'body'> {
  if (typeof head !== 'object' || head === null) return false;
  const { status, statusText, headers } = head as Record<string, unknown>;
  return (
    typeof status === 'number' && typeof statusText === 'string' && Array.isArray(headers) && headers.every(isPair)
  );
}

const isPair = (pair: unknown): boolean =>
  Array.isArray(pair) && pair.length === 2 && pair.every((part) => typeof part === 'string');
