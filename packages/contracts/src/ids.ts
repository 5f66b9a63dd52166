/** Names of things, as types. Nothing but the parse functions here makes one, so a branded value is a checked value. */
import { randomBytes } from 'node:crypto';

declare const brand: unique symbol;
type Brand<T, B extends string> = T & { readonly [brand]: B };

export type RunId = Brand<string, 'RunId'>;
export type SourceId = Brand<string, 'SourceId'>;
/** The identity of a page: what two spellings of one URL have in common. Never requested as it is (see `@trawl/url`). */
export type UrlKey = Brand<string, 'UrlKey'>;

const RUN_ID = /^run_[0-9a-z]{20}$/;
const SOURCE_ID = /^src_[0-9a-z]{20}$/;

export const newRunId = (): RunId => `run_${randomId()}` as RunId;
export const newSourceId = (): SourceId => `src_${randomId()}` as SourceId;

export function parseRunId(value: string): RunId | null {
  return RUN_ID.test(value) ? (value as RunId) : null;
}

export function parseSourceId(value: string): SourceId | null {
  return SOURCE_ID.test(value) ? (value as SourceId) : null;
}

/** 20 characters of 32 signs: 100 random bits, and nothing that needs escaping in a URL, a file name or a Redis key. */
function randomId(): string {
  const signs = '0123456789abcdefghjkmnpqrstvwxyz';
  let id = '';
  for (const byte of randomBytes(20)) id += signs[byte & 31];
  return id;
}
