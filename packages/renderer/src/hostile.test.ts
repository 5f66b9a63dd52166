import { startSite } from '@trawl/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failed, newRenderer, page, rendered } from './renderer.fixture.ts';

const MEBIBYTE = 1024 * 1024;
/** Of those that may well need all of it, and of those that end by themselves. */
const [SHORT_MS, LONG_MS] = [4000, 20_000];

const notices: string[] = [];
const renderer = await newRenderer({
  pages: 4,
  maxTransferBytes: 4 * MEBIBYTE,
  pageMemoryMb: 500,
  onNotice: (sentence) => notices.push(sentence),
});
let site: Awaited<ReturnType<typeof startSite>>;

beforeAll(async () => {
  site = await startSite({
    pages: ({ path }) => {
      if (path.startsWith('/round/')) return { redirect: `/round/${Number(path.slice(7)) + 1}` };
      if (path === '/huge') return { body: Buffer.alloc(64 * MEBIBYTE, 'x') };
      if (path === '/file') return { headers: { 'content-disposition': 'attachment; filename=a.bin' }, body: 'x' };
      return { body: 'ok' };
    },
  });
});
afterAll(() => site.close());

const isRendered = { kind: 'rendered', html: expect.stringContaining('words') };
const timedOut = failed('RENDER_TIMEOUT', true);
const crashed = failed('RENDER_CRASHED', true);

/** What a page does, and what may come of it. */
const HOSTILE: readonly (readonly [string, string, ...object[]])[] = [
  ['opens a hundred windows', '<script>for (let i = 0; i < 100; i++) window.open("/" + i)</script>', isRendered],
  ['asks without end', '<script>for (;;) { alert(1); confirm(2); prompt(3); }</script>', timedOut],
  ['asks again and again', '<script>setInterval(() => { alert(1); confirm(2); }, 10)</script>', isRendered, timedOut],
  [
    'downloads',
    '<a id=a download=x href="data:,x">x</a><a id=b download href=/file>x</a><script>for (let i = 0; i < 20; i++) { a.click(); b.click(); }</script>',
    isRendered,
  ],
  ['reloads itself without end', '<script>location.reload()</script>', failed('RENDER_FAILED', false)],
  ['goes elsewhere by script', '<script>location = "/elsewhere"</script>', { kind: 'moved' }],
  ['loads what redirects without end', '<script src=/round/0></script>', isRendered, timedOut],
  ['loads more than it may', '<script>fetch("/huge")</script>', failed('RENDER_TOO_LARGE', false)],
  ['never stops computing', '<script>setTimeout(() => { for (;;); })</script>', timedOut],
  ['computes before it has come', '<script>for (;;);</script>', timedOut],
  [
    'fills the heap of its scripts',
    '<script>const a = []; for (;;) a.push({ n: a.length, s: "x" + a.length })</script>',
    crashed,
    timedOut,
  ],
  [
    'takes memory outside that heap',
    '<script>const a = []; setInterval(() => { a.push(new Uint8Array(1e8).fill(1)); }, 20)</script>',
    crashed,
    timedOut,
  ],
  ['never idles', '<script>setInterval(() => fetch("/poll"), 20)</script>', isRendered],
  [
    'does not want to be left',
    '<script>addEventListener("beforeunload", e => { e.preventDefault(); e.returnValue = "stay"; for (;;); })</script>',
    isRendered,
  ],
  [
    'changes its address without end',
    '<script>setInterval(() => { for (let i = 0; i < 50; i++) history.pushState(null, "", "/" + Math.random()) })</script>',
    isRendered,
    timedOut,
  ],
  [
    'goes back',
    '<script>history.back(); history.go(-5)</script>',
    isRendered,
    timedOut,
    failed('RENDER_FAILED', false),
  ],
  ['goes where there is no web', '<script>location = "about:blank"</script>', failed('RENDER_FAILED', false)],
  [
    'nests frames without end',
    '<script>if (location.hash.length < 100) document.write("<iframe src=" + location.pathname + "?" + Math.random() + "></iframe>".repeat(5))</script>',
    isRendered,
    timedOut,
  ],
  [
    'asks for ten thousand things',
    '<script>for (let i = 0; i < 10000; i++) fetch("/thing/" + i)</script>',
    isRendered,
    timedOut,
  ],
  [
    'starts workers that compute',
    '<script>for (let i = 0; i < 4; i++) new Worker(URL.createObjectURL(new Blob(["for(;;);"])))</script>',
    isRendered,
    timedOut,
  ],
  [
    'waits for each answer before it goes on',
    '<script>const x = new XMLHttpRequest(); x.open("GET", "/poll", false); for (;;) x.send()</script>',
    isRendered,
    timedOut,
  ],
  [
    'writes itself without end',
    '<script>const f = () => { document.write("<p>more"); setTimeout(f) }; f()</script>',
    isRendered,
    // Once it was loaded, what it writes takes the place of what was there.
    { kind: 'rendered', html: expect.stringContaining('<p>more</p>') },
    timedOut,
  ],
];

describe('a hostile page', () => {
  it('ends within its time by what is told of it, and its neighbours do not notice', { timeout: 120_000 }, async () => {
    let hasEnded = false;
    const good = async (): Promise<number> => {
      let count = 0;
      for (; !hasEnded; count += 1) {
        const reply = await renderer.render(
          page(
            site.url('/good'),
            '<p id=a></p><script>fetch("/api").then(r => r.text()).then(t => { a.textContent = t })</script>',
          ),
        );
        const { html, becameIdle } = rendered(reply);
        expect(html, `idle: ${becameIdle}, ${reply.elapsedMs} ms`).toContain('<p id="a">ok</p>');
      }
      return count;
    };
    const neighbours = [good(), good()];
    const hostile = Promise.all(
      HOSTILE.map(async ([name, html, ...accepted]) => {
        const timeoutMs = accepted.includes(timedOut) ? SHORT_MS : LONG_MS;
        // What is to be found out is waited for.
        const idleCapMs = accepted.includes(isRendered) ? 1500 : timeoutMs;
        const reply = await renderer.render(page(site.url('/page'), `<p>words</p>${html}`, { timeoutMs, idleCapMs }));
        return {
          name,
          reply,
          isRight: accepted.some((one) => matches(reply, one)),
          isLate: reply.elapsedMs > timeoutMs + 10_000,
        };
      }),
    );
    void hostile.finally(() => {
      hasEnded = true;
    });
    const [replies, ...counts] = await Promise.all([hostile, ...neighbours]);
    expect(replies.filter(({ isRight, isLate }) => !isRight || isLate)).toEqual([]);
    expect(Math.min(...counts)).toBeGreaterThan(1);
    // A browser that is slow to close a page may have been replaced, but none has gone down with its pages.
    expect(notices.filter((sentence) => sentence.includes('unexpectedly'))).toEqual([]);
    expect(site.count('/thing/9999')).toBe(0);
  });
});

function matches(value: unknown, shape: object): boolean {
  try {
    expect(value).toMatchObject(shape);
    return true;
  } catch {
    return false;
  }
}
