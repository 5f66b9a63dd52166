/** What this package's tests share: fetchers and servers that are closed after each test, and the shape of a failure. */
import { afterEach, expect } from 'vitest';
import {
  createFetcher,
  type Fetcher,
  type FetcherOptions,
  type FetchReply,
  type FetchRequest,
  type TextReply,
  type TextRequest,
} from './fetcher.ts';
import type { LoopbackServer } from './loopback-server.ts';

export const PAGE = '<!doctype html><title>Page</title><p>Words.';
export const MEBIBYTE = 1024 * 1024;

let opened: AsyncDisposableStack = new AsyncDisposableStack();
afterEach(async () => {
  await opened.disposeAsync();
  opened = new AsyncDisposableStack();
});

export const keep = async (server: Promise<LoopbackServer>): Promise<LoopbackServer> => opened.use(await server);

export function newFetcher(options: Partial<FetcherOptions> = {}): Fetcher {
  return opened.adopt(createFetcher({ allowPrivateNetworks: true, ...options }), (fetcher) => fetcher.close());
}

export const request = (url: string, limits: Partial<FetchRequest> = {}): FetchRequest => ({
  url,
  userAgent: 'Trawl-test/1',
  timeoutMs: 10_000,
  maxBodyBytes: MEBIBYTE,
  ...limits,
});

export const textRequest = (url: string, limits: Partial<TextRequest> = {}): TextRequest => ({
  url,
  userAgent: 'Trawl-test/1',
  timeoutMs: 10_000,
  maxBytes: MEBIBYTE,
  ...limits,
});

export const get = (
  url: string,
  limits?: Partial<FetchRequest>,
  options?: Partial<FetcherOptions>,
): Promise<FetchReply> => newFetcher(options).get(request(url, limits));

export const getText = (
  url: string,
  limits?: Partial<TextRequest>,
  options?: Partial<FetcherOptions>,
): Promise<TextReply> => newFetcher(options).getText(textRequest(url, limits));

export const failed = (code: string, retryable: boolean, status: number | null) => ({
  kind: 'failed',
  status,
  error: { code, retryable, message: expect.stringMatching(/^[A-Z].*\.$/) },
});
