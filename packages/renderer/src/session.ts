/**
 * What a session adds to the requests of a page: cookies for its hosts, and headers to those hosts alone. Its proxy is
 * the gate's affair.
 */
import { isIP } from 'node:net';
import type { BrowserContext, CDPSession } from 'playwright-core';
import type { RenderSession } from './render.ts';

/** The longest expiry is the context's own: it ends with the render. */
export async function addCookies(context: BrowserContext, session: RenderSession): Promise<void> {
  const hosts = session.hosts.map(withoutWww).flatMap((host) => (isIP(host) === 0 ? [host, `www.${host}`] : [host]));
  const cookies = (session.cookies ?? []).flatMap(({ name, value, domain, path = '/' }) =>
    (domain === undefined ? hosts : [domain]).map((at) => ({ name, value, domain: at, path })),
  );
  if (cookies.length > 0) await context.addCookies(cookies);
}

/**
 * Not by Playwright's own interception: the headers that it is given for a request it sends on to wherever that is
 * redirected (1.65). Here each hop is looked at anew. Requests of workers and of other processes go without.
 */
export async function sendHeaders(cdp: CDPSession, session: RenderSession): Promise<void> {
  const added = headersOf(session);
  if (added.length === 0) return;
  const names = new Set(added.map(([name]) => name.toLowerCase()));
  const hosts = new Set(session.hosts.map(withoutWww));
  cdp.on('Fetch.requestPaused', ({ requestId, request, redirectedRequestId }) => {
    const isForHost = hosts.has(withoutWww(URL.parse(request.url)?.hostname ?? ''));
    const isRedirected = redirectedRequestId !== undefined;
    const others = Object.entries(request.headers).filter(([name]) => !names.has(name.toLowerCase()));
    const headers = [...others, ...(isForHost ? added : [])].map(([name, value]) => ({ name, value }));
    cdp
      .send('Fetch.continueRequest', { requestId, ...((isForHost || isRedirected) && { headers }) })
      // The request, or the page, is gone.
      .catch(() => {});
  });
  await cdp.send('Fetch.enable', { patterns: [{ urlPattern: '*' }] });
}

function headersOf({ headers = {}, basicAuth }: RenderSession): (readonly [string, string])[] {
  const own = Object.entries(headers);
  if (basicAuth === undefined) return own;
  const login = Buffer.from(`${basicAuth.username}:${basicAuth.password}`).toString('base64');
  return [...own.filter(([name]) => name.toLowerCase() !== 'authorization'), ['Authorization', `Basic ${login}`]];
}

const withoutWww = (host: string): string => host.toLowerCase().replace(/^www\./, '');
