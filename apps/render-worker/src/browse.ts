/**
 * What a browser makes of a page that was served: whether it is worth one, and what of the result counts. Does not fetch the page (the
 * session did, like every other), nor run the browser (renderer).
 */
import { assertNever, rendersAll } from '@trawl/contracts';
import { isBarren } from '@trawl/crawl-state';
import { documentKind, readShell } from '@trawl/extract';
import type { Renderer } from '@trawl/renderer';
import type { Browsed, ServedPage } from '@trawl/sessions';

/** Fewer words more than without a browser are no gain: a date, a counter, a greeting. */
const GAINED_WORDS = 10;

export function createBrowse(renderer: Pick<Renderer, 'render'>) {
  return async (page: ServedPage, { signal }: { readonly signal: AbortSignal }): Promise<Browsed> => {
    const { url, reply, run, rendering } = page;
    const { config, rules } = run;
    if (documentKind(reply.body, reply.contentType) !== 'html') return { kind: 'as-served' };
    const served = readShell(reply.body, reply.contentType);
    if (!rendersAll(config)) {
      const verdict = rules.check(url, url);
      const isKnownBarren = verdict.kind === 'accepted' && isBarren(rendering, verdict.link.template);
      if (!served.isShell || isKnownBarren) return { kind: 'as-served' };
    }
    const result = await renderer.render({
      url,
      document: { status: reply.status, headers: reply.head?.headers ?? [], body: reply.body },
      userAgent: config.userAgent,
      timeoutMs: config.timeoutSeconds * 1000,
      waitMs: config.renderWaitMs,
      maxHtmlLength: config.maxBodyBytes,
      viewport: config.viewport,
      ...(config.locale !== null && { locale: config.locale }),
      ...(config.output.screenshot && { screenshot: { fullPage: true } }),
      // Without it nothing was fetched, so there is no page.
      access: run.access.kind === 'open' ? run.access.access : null,
      signal,
    });
    switch (result.kind) {
      case 'rendered': {
        const html = Buffer.from(result.html);
        if (html.length > config.maxBodyBytes) {
          const message = `What the browser made of it has ${html.length} bytes; maxBodyBytes is ${config.maxBodyBytes}.`;
          return { kind: 'failed', error: { code: 'BODY_TOO_LARGE', message, retryable: false } };
        }
        const { words } = readShell(html, 'text/html; charset=utf-8');
        const { finalUrl, screenshot, becameIdle } = result;
        const gained = words >= served.words + GAINED_WORDS;
        return { kind: 'rendered', html, finalUrl, screenshot, becameIdle, gained };
      }
      case 'moved':
        return { kind: 'moved', location: result.location };
      case 'failed':
        return { kind: 'failed', error: result.error };
      default:
        return assertNever(result);
    }
  };
}
