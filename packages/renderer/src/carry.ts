/**
 * What an access adds to the requests of a page in the browser: cookies in its jar, and headers to those hosts alone that they
 * are for, which `@trawl/contracts` says. The proxy is the gate's affair.
 */
import { isIP } from 'node:net';
import { headersTo, parseHost, type SiteAccess } from '@trawl/contracts';
import type { BrowserContext, CDPSession } from 'playwright-core';

/** They end with the context, which ends with the render. A browser's cookies know of no ports. */
export async function addCookies(context: BrowserContext, access: SiteAccess): Promise<void> {
  const domains = access.hosts.flatMap(domainsOf);
  const secure = !access.plainHttp;
  const cookies = access.cookies.flatMap(({ domain, ...cookie }) =>
    (domain === null ? domains : [domain.toLowerCase()]).map((at) => ({ ...cookie, domain: at, secure })),
  );
  if (cookies.length === 0) return;
  await context.addCookies(cookies).catch(async () => {
    // Of a list it takes all or none. One that it does not take by its own rules, `__Secure-` over http for one, is not to cost the page.
    for (const cookie of cookies) await context.addCookies([cookie]).catch(() => {});
  });
}

/** A dot in front stands for everything below as well, as with `domain`. */
function domainsOf(pattern: string): readonly string[] {
  const host = parseHost(pattern);
  if (host === null) return [];
  if (host.isWhole) return [`.${host.name}`];
  return isIP(host.name) === 0 ? [host.name, `www.${host.name}`] : [host.name];
}

/**
 * Not by Playwright's own interception: the headers that it is given for a request it sends on to wherever that is
 * redirected (1.65). Here each hop is looked at anew. Requests of workers and of other processes go without.
 */
export async function sendHeaders(cdp: CDPSession, access: SiteAccess): Promise<void> {
  const names = new Set(Object.keys(access.headers).map((name) => name.toLowerCase()));
  if (access.basicAuth !== null) names.add('authorization');
  if (names.size === 0) return;
  cdp.on('Fetch.requestPaused', ({ requestId, request, redirectedRequestId }) => {
    const url = URL.parse(request.url);
    const added = url === null ? [] : headersTo(url, access);
    const isRedirected = redirectedRequestId !== undefined;
    const others = Object.entries(request.headers).filter(([name]) => !names.has(name.toLowerCase()));
    const headers = [...others, ...added].map(([name, value]) => ({ name, value }));
    cdp
      .send('Fetch.continueRequest', { requestId, ...((added.length > 0 || isRedirected) && { headers }) })
      // Headers that the browser does not take must not keep the request waiting.
      .catch(() => cdp.send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' }))
      // The request, or the page, is gone.
      .catch(() => {});
  });
  await cdp.send('Fetch.enable', { patterns: [{ urlPattern: '*' }] });
}
