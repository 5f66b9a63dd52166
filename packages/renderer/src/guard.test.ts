import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { type AddressInfo, createServer, isIPv6, type LookupFunction, type Socket } from 'node:net';
import { afterAll, beforeEach, expect, it } from 'vitest';
import type { RenderReply } from './render.ts';
import { accessTo, newRenderer, page } from './renderer.fixture.ts';

/** What arrives on loopback: the first line of each connection, and each packet. */
const arrived: string[] = [];
beforeEach(() => {
  arrived.length = 0;
});

/** One port on every address, so that a page need not know which is listened at. */
const first = await listenTcp('127.0.0.1', 0);
const { port } = first;
const cleanUps = [
  first.close,
  await listenUdp('127.0.0.1'),
  ...(await Promise.all(['127.0.0.2', '127.1.2.3', '::1'].map(listenIfThere))).flat(),
];
afterAll(() => Promise.all(cleanUps.map((close) => close())));

/** `rebind.example` is a public address when it is first asked for (one that leads nowhere), and loopback after that. */
const asked = new Map<string, number>();
const lookup: LookupFunction = (hostname, options, callback) => {
  const times = (asked.get(hostname) ?? 0) + 1;
  asked.set(hostname, times);
  const address =
    hostname === 'rebind.example' && times % 2 === 1
      ? '2a0f:ffff:ffff::1'
      : hostname === 'six.example'
        ? '::1'
        : '127.0.0.1';
  const family = isIPv6(address) ? 6 : 4;
  if (options.all) callback(null, [{ address, family }]);
  else callback(null, address, family);
};

const guarded = await newRenderer({ allowPrivateNetworks: false, lookup });
const open = await newRenderer({ allowPrivateNetworks: true, lookup });

/** Hosts that stand for this machine. */
const HOSTS = [
  '127.0.0.1',
  '127.0.0.2',
  '127.1.2.3',
  '127.1',
  '2130706433',
  '0x7f.1',
  '0177.0.0.1',
  '0.0.0.0',
  '0',
  '[::1]',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[64:ff9b::127.0.0.1]',
  'localhost',
  'localhost.',
  'foo.localhost',
  'private.example',
  'six.example',
  'rebind.example',
  'trawl-proxy',
];

/** Each way with a URL that says so. `at` is what is asked, without a slash at its end. */
const waysTo = (at: string): Record<string, string> => {
  const authority = at.replace(/^http:\/\//, '');
  return {
    img: `<img src="${at}/img">`,
    srcset: `<img srcset="${at}/srcset 2x"><picture><source srcset="${at}/source"><img></picture>`,
    script: `<script src="${at}/script" async></script><script type=module>import("${at}/module").catch(() => {})</script>`,
    stylesheet: `<link rel=stylesheet href="${at}/stylesheet">`,
    iframe: `<iframe src="${at}/iframe"></iframe><iframe sandbox=allow-scripts src="${at}/sandboxed"></iframe>`,
    srcdoc: `<iframe srcdoc="<img src='${at}/srcdoc'>"></iframe>`,
    object: `<object data="${at}/object"></object><embed src="${at}/embed">`,
    media: `<video src="${at}/video" poster="${at}/poster" autoplay></video><audio src="${at}/audio" autoplay></audio>`,
    track: `<video><track default src="${at}/track"></video>`,
    css: `<style>@import "${at}/import"; @font-face { font-family: f; src: url(${at}/font) } p { font-family: f; background: url(${at}/url) }</style><p>text`,
    svg: `<svg><image href="${at}/svg-image"/><use href="${at}/use#x"/></svg>`,
    icon: `<link rel=icon href="${at}/icon"><link rel=manifest href="${at}/manifest">`,
    hints: ['preload as=script', 'modulepreload', 'prefetch', 'preconnect', 'dns-prefetch', 'prerender']
      .map((rel) => `<link rel=${rel} href="${at}/hint-${rel.split(' ')[0]}">`)
      .join(''),
    speculation: `<script type=speculationrules>{"prerender":[{"source":"list","urls":["${at}/rules"]}],"prefetch":[{"source":"list","urls":["${at}/rules2"]}]}</script>`,
    fetch: `<script>for (const mode of ["cors", "no-cors"]) fetch("${at}/fetch-" + mode, { mode }).catch(() => {}); fetch("${at}/post", { method: "POST", mode: "no-cors", body: "x", keepalive: true }).catch(() => {})</script>`,
    hostHeader: `<script>fetch("${at}/host-header", { mode: "no-cors", headers: { Host: "site.example" } }).catch(() => {})</script>`,
    xhr: `<script>const x = new XMLHttpRequest(); x.open("GET", "${at}/xhr"); x.send()</script>`,
    beacon: `<script>navigator.sendBeacon("${at}/beacon", "x")</script><a id=p href="#" ping="${at}/ping"></a><script>p.click()</script>`,
    eventSource: `<script>new EventSource("${at}/events")</script>`,
    webSocket: `<script>new WebSocket("ws://${authority}/socket"); try { new WebSocket("wss://${authority}/tls") } catch {}</script>`,
    worker: `<script>for (const w of ['importScripts("${at}/worker")', 'fetch("${at}/worker-fetch", { mode: "no-cors" })', 'new WebSocket("ws://${authority}/worker-socket")']) new Worker(URL.createObjectURL(new Blob([w]))); new SharedWorker(URL.createObjectURL(new Blob(['fetch("${at}/shared", { mode: "no-cors" })'])))</script>`,
    serviceWorker: `<script>navigator.serviceWorker?.register("/worker.js").catch(() => {})</script>`,
    worklet: `<script>CSS.paintWorklet?.addModule("${at}/worklet").catch(() => {}); new AudioContext().audioWorklet?.addModule("${at}/audio-worklet").catch(() => {})</script>`,
    form: `<iframe name=target></iframe><form id=form action="${at}/form" target=target></form><script>form.submit()</script>`,
    windows: `<script>window.open("${at}/open"); window.open("${at}/opener", "_blank", "noopener")</script><a id=w target=_blank href="${at}/blank">x</a><script>w.click()</script>`,
    webRtc: `<script>const pc = new RTCPeerConnection({ iceServers: [{ urls: ["stun:${authority}", "turn:${authority}?transport=udp", "turn:${authority}?transport=tcp", "turns:${authority}?transport=tcp"], username: "u", credential: "c" }] }); pc.createDataChannel("x"); pc.createOffer().then((o) => pc.setLocalDescription(o)); pc.addIceCandidate({ candidate: "candidate:1 1 udp 1 ${authority.replace(/:(\d+)$/, ' $1')} typ host", sdpMid: "0" }).catch(() => {})</script>`,
    webTransport: `<script>try { new WebTransport("https://${authority}/transport").ready.catch(() => {}) } catch {}</script>`,
    fileAndOthers: `<img src="file:///etc/passwd"><iframe src="file:///etc/passwd"></iframe><iframe src="view-source:${at}/source-view"></iframe><img src="ftp://${authority}/ftp"><iframe src="chrome://version"></iframe>`,
    reports: `<meta http-equiv=Content-Security-Policy content="font-src 'none'; report-uri ${at}/report">`,
    fetchLater: `<script>try { fetchLater("${at}/later", { activateAfter: 0 }) } catch {}</script>`,
    attribution: `<img attributionsrc="${at}/attribution"><script>try { navigator.joinAdInterestGroup?.({ owner: "${at}", name: "x" }, 1) } catch {}</script>`,
    credentials: `<script>navigator.credentials?.get({ identity: { providers: [{ configURL: "${at}/fedcm", clientId: "1" }] } }).catch(() => {})</script>`,
    payment: `<script>try { new PaymentRequest([{ supportedMethods: "${at}/pay" }], { total: { label: "x", amount: { currency: "EUR", value: "1" } } }).canMakePayment().catch(() => {}) } catch {}</script>`,
  };
};

const everyWay = (at: string): string => Object.values(waysTo(at)).join('\n');
const options = { waitMs: 700, timeoutMs: 60_000, idleCapMs: 3000, screenshot: { fullPage: false } };

it('finds loopback where it is allowed to, so that the tests below would notice', { timeout: 90_000 }, async () => {
  const reply = await open.render(page('http://site.example/', everyWay(`http://127.0.0.1:${port}`), options));
  expect(reply).toMatchObject({ kind: 'rendered' });
  const paths = new Set(arrived.map((line) => /^[A-Z]+ ([^ ]+)/.exec(line)?.[1]));
  const expected = [
    '/img',
    '/script',
    '/stylesheet',
    '/import',
    '/font',
    '/fetch-cors',
    '/fetch-no-cors',
    '/xhr',
    '/events',
  ];
  expect([...expected, '/socket', '/worker', '/worker-fetch'].filter((path) => !paths.has(path))).toEqual([]);
  expect(arrived.filter((line) => line.startsWith('udp'))).toEqual([]);
});

it('reaches no private address, by whatever way a page tries, in whatever spelling', { timeout: 120_000 }, async () => {
  const replies = await Promise.all([
    ...['127.0.0.1', 'localhost', 'private.example', 'rebind.example'].map((host) =>
      guarded.render(page('http://site.example/', everyWay(`http://${host}:${port}`), options)),
    ),
    // A secure page may use what a plain one may not.
    guarded.render(page('https://site.example/', everyWay(`https://127.0.0.1:${port}`), options)),
    ...chunks(HOSTS, 7).map((hosts) => {
      const some = hosts.map((host) => {
        const ways = waysTo(`http://${host}:${port}`);
        return [ways.img, ways.fetch, ways.webSocket, ways.hints].join('');
      });
      return guarded.render(page('http://site.example/', some.join('\n'), { ...options, waitMs: 2000 }));
    }),
  ]);
  expect(arrived).toEqual([]);
  expect(replies.map(({ kind }) => kind)).toEqual(replies.map(() => 'rendered'));
  expect(Math.min(...replies.map(blockedOf))).toBeGreaterThan(5);
  expect(asked.get('rebind.example')).toBeGreaterThan(1);
});

it('goes to no private address where a page leads it, but says where that was', { timeout: 90_000 }, async () => {
  const at = `http://127.0.0.1:${port}`;
  const replies = await Promise.all(
    [
      `<script>location = "${at}/location"</script>`,
      `<meta http-equiv=refresh content="0; url=${at}/refresh">`,
      `<form id=f action="${at}/form"></form><script>f.submit()</script>`,
      `<a id=d download href="${at}/download">x</a><script>d.click()</script>`,
    ].map((html) => guarded.render(page('http://site.example/', html))),
  );
  expect(replies.map(({ kind }) => kind)).toEqual(['moved', 'moved', 'moved', 'moved']);
  expect(arrived).toEqual([]);
});

it('lets no page use the port it goes out by as a way in', { timeout: 90_000 }, async () => {
  const ports = ownPorts();
  expect(ports.length).toBeGreaterThan(1);
  const hosts = ['127.0.0.1', 'trawl-proxy', 'localhost', '[::1]'];
  const urls = ports.flatMap((at) => hosts.map((host) => `http://${host}:${at}/http://127.0.0.1:${port}/via`));
  const html = `<script>for (const url of ${JSON.stringify(urls)}) fetch(url, { mode: "no-cors" }).catch(() => {})</script>`;
  const reply = await guarded.render(page('http://site.example/', html, options));
  expect(blockedOf(reply)).toBe(urls.length);
  expect(arrived).toEqual([]);
});

it('reads no file', { timeout: 90_000 }, async () => {
  const html =
    '<p id=a>waiting</p><script>fetch("file:///etc/passwd").then((r) => r.text(), () => "refused").then((t) => { a.textContent = t })</script>';
  expect(await guarded.render(page('http://site.example/', html))).toMatchObject({
    html: expect.stringContaining('<p id="a">refused</p>'),
  });
});

it('goes through no private proxy, by address and by name', async () => {
  const replies = await Promise.all(
    [`http://127.0.0.1:${port}`, `http://private.example:${port}`, `https://[::1]:${port}`].map((proxy) =>
      guarded.render(
        page('http://site.example/', '<script src=/x.js></script>', {
          access: accessTo('http://site.example/', { proxy }),
        }),
      ),
    ),
  );
  expect(replies).toMatchObject(
    replies.map(() => ({
      kind: 'failed',
      error: { code: 'PROXY_FAILED', message: expect.stringMatching(/not on the public/) },
    })),
  );
  const proxied = accessTo('http://site.example/', { proxy: 'http://proxy.example:1080' });
  const socks = { ...proxied, proxy: 'socks5://proxy.example:1080' };
  expect(await guarded.render(page('http://site.example/', '<p>x', { access: socks }))).toMatchObject({
    kind: 'failed',
    error: { code: 'PROXY_FAILED' },
  });
  expect(arrived).toEqual([]);
});

const blockedOf = (reply: RenderReply): number => (reply.kind === 'rendered' ? reply.blocked : 0);

const chunks = <T>(items: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, index) => items.slice(index * size, (index + 1) * size));

/** The ports that this process listens at, those of the renderers among them. */
function ownPorts(): number[] {
  const ours = new Set(
    readdirSync('/proc/self/fd').flatMap((fd) => {
      try {
        return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/self/fd/${fd}`))?.[1] ?? [];
      } catch {
        // The one that the listing itself used.
        return [];
      }
    }),
  );
  return readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , , state, , , , , , inode]) => state === '0A' && ours.has(inode ?? ''))
    .map(([, local]) => Number.parseInt(local?.split(':')[1] ?? '', 16));
}

async function listenTcp(host: string, at: number): Promise<{ port: number; close: () => Promise<void> }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('data', (data) => {
      arrived.push(data.toString('latin1').split('\r\n')[0] ?? '');
      socket.end('HTTP/1.1 200 OK\r\naccess-control-allow-origin: *\r\ncontent-length: 0\r\nconnection: close\r\n\r\n');
    });
    socket.once('close', () => {
      sockets.delete(socket);
      if (socket.bytesRead === 0) arrived.push(`a connection to ${host}`);
    });
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(at, host, resolve));
  const close = async (): Promise<void> => {
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  return { port: (server.address() as AddressInfo).port, close };
}

async function listenUdp(host: string): Promise<() => Promise<void>> {
  const socket = createSocket(isIPv6(host) ? 'udp6' : 'udp4');
  socket.on('message', (message) => arrived.push(`udp of ${message.length} bytes to ${host}`));
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.bind(port, host, resolve);
  });
  return () => new Promise((resolve) => socket.close(() => resolve()));
}

/** A machine need not have IPv6. */
async function listenIfThere(host: string): Promise<(() => Promise<void>)[]> {
  try {
    return [(await listenTcp(host, port)).close, await listenUdp(host)];
  } catch {
    return [];
  }
}
