import { startSite, waitFor } from '@trawl/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { accessTo, failed, HTML, newRenderer, page, rendered } from './renderer.fixture.ts';

const SCRIPT = { 'content-type': 'text/javascript' };
const renderer = await newRenderer();

async function siteWith(pages: Parameters<typeof startSite>[0]['pages'], host = '127.0.0.1') {
  const site = await startSite({ pages, host });
  onTestFinished(() => site.close());
  return site;
}

describe.concurrent('a render', { timeout: 90_000 }, () => {
  it('is the page as its scripts and what they load have made it', async () => {
    const site = await siteWith(
      new Map([
        [
          '/app.js',
          { headers: SCRIPT, body: 'fetch("/api").then(r => r.text()).then(t => { root.textContent = t; });' },
        ],
        ['/api', { body: 'from the interface' }],
      ]),
    );
    const reply = rendered(
      await renderer.render(
        page(
          site.url('/start'),
          '<!doctype html><title>T</title><p id=root>empty</p><img src=/i.png><script src=/app.js></script>',
        ),
      ),
    );
    expect(reply.html).toBe(
      '<!DOCTYPE html>\n<html><head><title>T</title></head><body><p id="root">from the interface</p><img src="/i.png"><script src="/app.js"></script></body></html>',
    );
    expect(reply).toMatchObject({ finalUrl: site.url('/start'), becameIdle: true, blocked: 0, screenshot: null });
    expect([...site.counts().keys()].sort()).toEqual(['/api', '/app.js']);
    expect(site.requests()[0]?.headers['user-agent']).toBe('Trawl-test/1');
  });

  it('holds the shadow trees of elements, one within the other, as templates of their hosts', async () => {
    const html = `<!doctype html><html lang=en><title>T</title><x-outer><p>light</p></x-outer><x-shut>seen by none</x-shut><script>
      customElements.define('x-inner', class extends HTMLElement {
        connectedCallback() { this.attachShadow({ mode: 'open' }).innerHTML = '<b>inner</b><slot></slot>'; }
      });
      customElements.define('x-outer', class extends HTMLElement {
        connectedCallback() { this.attachShadow({ mode: 'open' }).innerHTML = '<h1>outer</h1><x-inner><slot></slot></x-inner>'; }
      });
      document.querySelector('x-shut').attachShadow({ mode: 'closed' }).innerHTML = 'closed';
      document.currentScript.remove();
    </script>`;
    expect(rendered(await renderer.render(page('http://site.example/', html))).html).toBe(
      '<!DOCTYPE html>\n<html lang="en"><head><title>T</title></head><body><x-outer><template shadowrootmode="open"><h1>outer</h1><x-inner><template shadowrootmode="open"><b>inner</b><slot></slot></template><slot></slot></x-inner></template><p>light</p></x-outer><x-shut>seen by none</x-shut></body></html>',
    );
  });

  it('takes the document as it was fetched: status, cookies and policies of its head, its character set', async () => {
    const html =
      '<p id=a></p><script>a.textContent = document.cookie + " \xe9"; </script><script src=/other.js></script>';
    const site = await siteWith(new Map([['/other.js', { headers: SCRIPT, body: 'a.textContent += " not allowed"' }]]));
    const reply = await renderer.render({
      ...page(site.url('/'), ''),
      document: {
        status: 404,
        headers: [
          ['Content-Type', 'text/html; charset=iso-8859-1'],
          ['Content-Encoding', 'gzip'],
          ['Content-Length', '7'],
          ['Set-Cookie', 'a=1; Path=/'],
          ['Set-Cookie', 'b=2; Path=/'],
          ['Content-Security-Policy', "script-src 'unsafe-inline'"],
        ],
        body: Buffer.from(html, 'latin1'),
      },
    });
    expect(rendered(reply).html).toContain('<p id="a">a=1; b=2 é</p>');
    expect(site.count('/other.js')).toBe(0);
  });

  it('waits for the time it is told to once the network is idle', async () => {
    const late = '<p id=a>early</p><script>setTimeout(() => { a.textContent = "late"; }, 900)</script>';
    const reply = await renderer.render(page('http://site.example/', late, { waitMs: 1000 }));
    expect(rendered(reply).html).toContain('late</p>');
    expect(reply.elapsedMs).toBeGreaterThan(1500);
  });

  it.each([
    ['before the document has come', 'BUSY; fetch("/api").then((r) => r.text()).then((t) => { a.textContent = t; })'],
    [
      'once it has',
      'setTimeout(() => { BUSY; fetch("/api").then((r) => r.text()).then((t) => { a.textContent = t; }) })',
    ],
    [
      'and again between two answers',
      'fetch("/api").then((r) => { BUSY; return fetch("/api") }).then((r) => r.text()).then((t) => { BUSY; a.textContent = t; })',
    ],
  ])('waits for a page that computes for long before it asks, %s', async (_, script) => {
    const site = await siteWith(() => ({ body: 'ok', delayMs: 300 }));
    const busy = 'for (const until = Date.now() + 1500; Date.now() < until; );';
    const html = `<p id=a>empty</p><script>${script.replaceAll('BUSY', busy)}</script>`;
    const reply = rendered(await renderer.render(page(site.url('/'), html)));
    expect(reply).toMatchObject({ html: expect.stringContaining('<p id="a">ok</p>'), becameIdle: true });
  });

  it('takes a page that never idles as it is', async () => {
    const site = await siteWith(() => ({ body: 'ok', delayMs: 20 }));
    const polling =
      '<p id=a>0</p><script>const f = () => fetch("/poll").then(() => { a.textContent++; f(); }); f()</script>';
    const reply = rendered(await renderer.render(page(site.url('/'), polling, { idleCapMs: 1500 })));
    expect(reply.becameIdle).toBe(false);
    expect(site.count('/poll')).toBeGreaterThan(3);
  });

  it('goes on without a script that holds up the document and never comes', async () => {
    const site = await siteWith(({ path }) =>
      path === '/never.js' ? { body: '', delayMs: 60_000 } : { body: 'data' },
    );
    const html = `<p>before<script>fetch("/api").then(r => r.text()).then(t => { a.textContent = t; })</script><i id=a></i>
      <script src="/never.js"></script><p>behind it<script>document.body.append("by a script")</script>`;
    const reply = rendered(await renderer.render(page(site.url('/'), html, { timeoutMs: 10_000 })));
    expect(reply.html).toContain('<i id="a">data</i>');
    expect(reply.html).toContain('behind it');
    expect(reply.html).toContain('by a script');
  });

  it('shows a page that comes as a file to keep', async () => {
    const { document, ...request } = page('http://site.example/', '<p>words');
    const headers = [...document.headers, ['Content-Disposition', 'attachment; filename="page.html"'] as const];
    const reply = await renderer.render({ ...request, document: { ...document, headers } });
    expect(rendered(reply).html).toContain('<p>words</p>');
  });

  it('has time to be read though it is to wait for longer than there is', async () => {
    const reply = await renderer.render(page('http://site.example/', '<p>words', { timeoutMs: 4000, waitMs: 10_000 }));
    expect(rendered(reply).html).toContain('<p>words</p>');
  });

  it('has its scripts as well where it is to wait for all of its time afterwards', async () => {
    const script = 'document.body.append("by a script")';
    const site = await siteWith(() => ({ headers: SCRIPT, body: script, delayMs: 200 }));
    const html = '<p>words</p><script src="/app.js"></script>';
    const reply = rendered(await renderer.render(page(site.url('/'), html, { timeoutMs: 10_000, waitMs: 9900 })));
    expect(reply.html).toContain('by a script');
  });

  it('has the address it was fetched from where a script gives it an endless one', async () => {
    const html = '<p>words</p><script>history.pushState(null, "", "/a".repeat(10_000))</script>';
    expect(rendered(await renderer.render(page('http://site.example/', html))).finalUrl).toBe('http://site.example/');
    const away = '<p>words</p><script>location = "/a".repeat(10_000)</script>';
    expect(rendered(await renderer.render(page('http://site.example/', away))).html).toContain('words');
  });

  it('is a picture too where one is wanted, with the images and fonts of the page', async () => {
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"><rect width="10" height="10"/></svg>';
    const image = { headers: { 'content-type': 'image/svg+xml' }, body: svg };
    const site = await siteWith(
      new Map([
        ['/i.svg', image],
        ['/lazy.svg', image],
      ]),
    );
    const html =
      '<body style="margin:0"><img src=/i.svg><div style="height:9000px;width:10px"></div><img loading=lazy src=/lazy.svg>';
    const [whole, view] = await Promise.all([
      renderer.render(
        page(site.url('/'), html, { screenshot: { fullPage: true }, viewport: { width: 300, height: 200 } }),
      ),
      renderer.render(
        page(site.url('/'), html, { screenshot: { fullPage: false }, viewport: { width: 300, height: 200 } }),
      ),
    ]);
    expect([whole, view].map((reply) => sizeOf(rendered(reply).screenshot))).toEqual([
      [300, expect.toSatisfy((height: number) => height > 9000)],
      [300, 200],
    ]);
    // A reader of the whole page would scroll to the second one.
    expect([site.count('/i.svg'), site.count('/lazy.svg')]).toEqual([2, 1]);
  });

  it('sees nothing of the one before it, nor of its neighbours', async () => {
    const html =
      '<p id=a></p><script>a.textContent = [document.cookie, localStorage.x ?? `none`].join(); document.cookie = "x=1; path=/"; localStorage.x = 1;</script>';
    const request = page('http://site.example/', html, { waitMs: 300 });
    const replies = [
      ...(await Promise.all([renderer.render(request), renderer.render(request)])),
      await renderer.render(request),
    ];
    expect(replies.map((reply) => /<p id="a">.*<\/p>/.exec(rendered(reply).html)?.[0])).toEqual(
      Array(3).fill('<p id="a">,none</p>'),
    );
  });

  it.each([
    ['location.href', '<script>location.href = "/next?a=1#part"</script>', 'http://site.example/next?a=1'],
    [
      'a timer',
      '<script>setTimeout(() => location.replace("https://other.example/"), 200)</script>',
      'https://other.example/',
    ],
    ['meta refresh', '<meta http-equiv=refresh content="0; url=/next">', 'http://site.example/next'],
    ['a link that a script clicks', '<a id=a href=/next>x</a><script>a.click()</script>', 'http://site.example/next'],
    [
      'a form',
      '<form id=f action=/search><input name=q value=1></form><script>f.submit()</script>',
      'http://site.example/search?q=1',
    ],
  ])('says where the page went by %s, and does not follow', async (_, html, location) => {
    expect(await renderer.render(page('http://site.example/', html))).toMatchObject({ kind: 'moved', location });
  });

  it('says where a refresh header leads', async () => {
    const request = page('http://site.example/', '<p>x');
    const headers = [HTML, ['refresh', '0; url=/next'] as const];
    const reply = await renderer.render({ ...request, document: { ...request.document, headers } });
    expect(reply).toMatchObject({ kind: 'moved', location: 'http://site.example/next' });
  });

  it('stays on the page when a script only names it anew', async () => {
    const replies = await Promise.all([
      renderer.render(page('http://site.example/', '<script>history.pushState(null, "", "/pushed?x")</script>')),
      renderer.render(page('http://site.example/', '<script>history.replaceState(null, "", "/replaced")</script>')),
      renderer.render(page('http://site.example/', '<script>location.hash = "part"</script>')),
    ]);
    expect(replies.map((reply) => rendered(reply).finalUrl)).toEqual([
      'http://site.example/pushed?x',
      'http://site.example/replaced',
      'http://site.example/#part',
    ]);
  });

  it('serves the same document to a page that reloads itself once or twice', async () => {
    const html =
      '<p id=a></p><script>const n = +(localStorage.n ?? 0); localStorage.n = n + 1; a.textContent = n; if (n < 2) location.reload()</script>';
    expect(rendered(await renderer.render(page('http://site.example/', html))).html).toContain('<p id="a">2</p>');
  });

  it('stays when a script posts a form', async () => {
    const html = '<p>text<form id=f method=post action=/login></form><script>f.submit()</script>';
    expect(rendered(await renderer.render(page('http://site.example/', html))).html).toContain('text');
  });

  it('refuses a page that has become too long', async () => {
    const reply = await renderer.render(
      page('http://site.example/', '<p id=a><script>a.textContent = "x".repeat(5000)</script>', {
        maxHtmlLength: 5000,
      }),
    );
    expect(reply).toMatchObject(failed('RENDER_TOO_LARGE', false));
  });

  it('is not misled by elements that are named like properties of the document', async () => {
    const html = '<p>text<img name=documentElement><form name=doctype></form>';
    expect(rendered(await renderer.render(page('http://site.example/', html))).html).toMatch(/^<html>.*<p>text/);
  });

  it('gives up its place when its caller does, before it has one or in the middle', async () => {
    const site = await siteWith(() => ({ body: 'x' }));
    const [early, late] = [new AbortController(), new AbortController()];
    const request = page(site.url('/'), '<script>fetch("/api")</script>', { waitMs: 12_000 });
    const replies = [early, late].map(({ signal }) => renderer.render({ ...request, signal }));
    early.abort(new Error('not wanted'));
    void waitFor(() => site.count('/api') === 1).then(() => late.abort(new Error('not wanted any more')));
    expect(await Promise.allSettled(replies)).toMatchObject([
      { status: 'rejected', reason: { message: 'not wanted' } },
      { status: 'rejected', reason: { message: 'not wanted any more' } },
    ]);
    await expect(renderer.render({ ...request, signal: early.signal })).rejects.toThrow('not wanted');
  });
});

describe.concurrent('an access', { timeout: 90_000 }, () => {
  it('sends its headers and its login to its hosts, and to no other that these lead to', async () => {
    const cors = { 'access-control-allow-origin': '*' };
    const other = await siteWith(() => ({ headers: cors, body: 'x' }), '127.0.0.2');
    const site = await siteWith(
      new Map([
        ['/own', { headers: cors, body: 'x' }],
        ['/leads-away', { redirect: other.url('/led'), headers: cors }],
        ['/leads-home', { redirect: '/own', headers: cors }],
      ]),
    );
    const html = `<script>for (const u of ["/own", "/leads-away", "/leads-home", "${other.url('/direct')}"]) fetch(u)</script>`;
    rendered(
      await renderer.render(
        page(site.url('/'), html, {
          access: accessTo(site.origin, {
            headers: { 'X-Key': 'secret' },
            basicAuth: { username: 'me', password: 'pässword' },
          }),
        }),
      ),
    );
    const seen = (requests: readonly { path: string; headers: Record<string, unknown> }[]) =>
      requests.map(({ path, headers }) => `${path} ${headers['x-key']} ${headers.authorization}`).sort();
    const login = `Basic ${Buffer.from('me:pässword').toString('base64')}`;
    expect(seen(site.requests())).toEqual([
      `/leads-away secret ${login}`,
      `/leads-home secret ${login}`,
      `/own secret ${login}`,
      `/own secret ${login}`,
    ]);
    expect(seen(other.requests())).toEqual(['/direct undefined undefined', '/led undefined undefined']);
  });

  it('is of no use to a page of another site, whomever that asks', async () => {
    const bound = await siteWith(() => ({ headers: { 'access-control-allow-origin': '*' }, body: 'private' }));
    const access = accessTo(bound.origin, {
      headers: { 'X-Key': 'secret' },
      basicAuth: { username: 'me', password: 'word' },
      cookies: [{ name: 'sid', value: 'secret' }],
    });
    const html = `<script>fetch("${bound.url('/a')}"); fetch("${bound.url('/b')}", { method: 'POST', body: '{}', credentials: 'include' })</script>`;
    rendered(await renderer.render(page('http://evil.example/', html, { access })));
    const seen = bound.requests().map(({ headers }) => [headers['x-key'], headers.authorization, headers.cookie]);
    expect(seen).toEqual(Array(2).fill([undefined, undefined, undefined]));
  });

  it('leaves out the cookies that a browser does not take, and costs no page', async () => {
    const site = await siteWith(() => ({ body: 'x' }));
    const access = accessTo(site.origin, {
      cookies: [
        { name: '__Secure-id', value: 'a' },
        { name: 'id', value: 'b' },
      ],
    });
    rendered(await renderer.render(page(site.url('/'), '<script>fetch("/api")</script>', { access })));
    expect(site.requests().map(({ headers }) => headers.cookie)).toEqual(['id=b']);
  });

  it('has its cookies in the requests of the page, and in the page those that scripts are to read', async () => {
    const site = await siteWith(() => ({ body: 'x' }));
    const reply = await renderer.render(
      page(site.url('/'), '<p id=a></p><script>a.textContent = document.cookie; fetch("/api")</script>', {
        access: accessTo(site.origin, {
          cookies: [
            { name: 'sid', value: 'def' },
            { name: 'id', value: 'abc', httpOnly: false },
          ],
        }),
      }),
    );
    expect(rendered(reply).html).toContain('<p id="a">id=abc</p>');
    expect(site.requests().map(({ headers }) => headers.cookie)).toEqual(['sid=def; id=abc']);
  });
});

function sizeOf(png: Buffer | null): [number, number] {
  if (png === null) return [0, 0];
  expect(png.subarray(1, 4).toString()).toBe('PNG');
  return [png.readUInt32BE(16), png.readUInt32BE(20)];
}
