/** What this package's tests share: renderers that are closed after the tests of a file, and requests with a document. */
import { readdirSync, readFileSync } from 'node:fs';
import { accessSchema, bindAccess, type SiteAccess } from '@trawl/contracts';
import { testBrowser } from '@trawl/testing';
import { afterAll, expect } from 'vitest';
import type { Rendered, RenderReply, RenderRequest } from './render.ts';
import { createRenderer, type Renderer, type RendererOptions } from './renderer.ts';

const opened = new AsyncDisposableStack();
afterAll(() => opened.disposeAsync());

export async function newRenderer(options: Partial<RendererOptions> = {}): Promise<Renderer> {
  const executablePath = await testBrowser();
  const renderer = createRenderer({ executablePath, pages: 4, allowPrivateNetworks: true, ...options });
  return opened.adopt(renderer, () => renderer.close());
}

export const HTML = ['content-type', 'text/html; charset=utf-8'] as const;

/** A render of `html` as if it had been fetched from `url`. */
export const page = (url: string, html: string, options: Partial<RenderRequest> = {}): RenderRequest => ({
  url,
  document: { status: 200, headers: [HTML], body: Buffer.from(html) },
  userAgent: 'Trawl-test/1',
  // A test machine may have much else to do.
  timeoutMs: 60_000,
  waitMs: 0,
  ...options,
});

/** As somebody gives it for a crawl that starts at `url`. */
export const accessTo = (url: string, access: object): SiteAccess => bindAccess(accessSchema.parse(access), [url]);

export function rendered(reply: RenderReply): Rendered {
  if (reply.kind !== 'rendered') throw new Error(`not rendered: ${JSON.stringify(reply)}`);
  return reply;
}

export const failed = (code: string, retryable: boolean) => ({
  kind: 'failed',
  error: { code, retryable, message: expect.stringMatching(/^[A-Z].*\.$/s) },
});

/** The pids of what mentions a text in its command line. */
export function processesWith(text: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((name) => {
      try {
        return readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(text);
      } catch {
        // Gone since it was listed.
        return false;
      }
    })
    .map(Number);
}
