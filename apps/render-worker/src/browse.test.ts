/** Which pages are shown to a browser, and what of its answer counts. The browser is the test's own words here; the real one has its tests. */
import { completeRunConfig, createRunSchema, newRunId, type RunConfig } from '@trawl/contracts';
import type { Rendering } from '@trawl/crawl-state';
import type { RenderOutcome, RenderRequest } from '@trawl/renderer';
import type { Browsed, ServedPage } from '@trawl/sessions';
import { compileRules } from '@trawl/url';
import { describe, expect, it } from 'vitest';
import { createBrowse } from './browse.ts';

const PAGE = 'https://example.com/app/1';
const SHELL = '<title>App</title><div id="root"></div><script src="/app.js"></script>';
const words = (count: number): string => Array.from({ length: count }, (_, i) => `word${i}`).join(' ');
const rendered = (html: string): RenderOutcome => ({
  kind: 'rendered',
  html,
  finalUrl: PAGE,
  screenshot: null,
  becameIdle: true,
  blocked: 0,
});

/** What is made of a page, and how often the browser was asked. */
async function browse(
  body: string,
  o: {
    config?: Partial<RunConfig>;
    type?: string;
    counts?: { shells: number; gains: number; idles: number; statics: number };
    outcome?: RenderOutcome;
  } = {},
): Promise<{ result: Browsed; asked: RenderRequest[] }> {
  const asked: RenderRequest[] = [];
  const config = {
    ...completeRunConfig(createRunSchema.parse({ url: PAGE }), { userAgent: 'test' }),
    ...o.config,
  };
  const rules = compileRules(config);
  const own = rules.check(PAGE, PAGE);
  const template = own.kind === 'accepted' ? own.link.template : '';
  const rendering: Rendering = new Map(o.counts ? [[template, o.counts]] : []);
  const page: ServedPage = {
    url: PAGE,
    run: { runId: newRunId(), config, rules, access: { kind: 'open', access: null }, canRender: true },
    rendering,
    reply: {
      kind: 'page',
      status: 200,
      body: Buffer.from(body),
      contentType: o.type ?? 'text/html',
      bytes: body.length,
      date: new Date(),
      robotsTags: [],
      etag: null,
      lastModified: null,
      elapsedMs: 1,
      headMs: 1,
    },
  };
  const render = async (request: RenderRequest) => {
    asked.push(request);
    return { ...(o.outcome ?? rendered(`<p>${words(80)}</p>`)), elapsedMs: 1 };
  };
  return { result: await createBrowse({ render })(page, { signal: new AbortController().signal }), asked };
}

describe('a page in the hands of a render worker', () => {
  it('is shown to the browser where it is a shell, with the time and the wait of its run', async () => {
    const { result, asked } = await browse(SHELL, { config: { timeoutSeconds: 7, renderWaitMs: 250 } });
    expect(result).toMatchObject({ kind: 'rendered', finalUrl: PAGE, gained: true });
    expect(asked).toMatchObject([{ url: PAGE, timeoutMs: 7000, waitMs: 250, userAgent: 'test' }]);
  });

  it.each([
    ['it has text of its own', `<p>${words(100)}</p><div id=root></div><script src=a.js></script>`, {}],
    ['it is no HTML', '{"root": ""}', { type: 'application/json' }],
    ['pages like it came to nothing', SHELL, { counts: { shells: 3, gains: 0, idles: 3, statics: 0 } }],
  ])('is kept as it was served where %s', async (_, body, o) => {
    const { result, asked } = await browse(body, o);
    expect(result).toEqual({ kind: 'as-served' });
    expect(asked).toEqual([]);
  });

  it('is shown to it whatever it is where the run renders everything, but for what is no HTML', async () => {
    const always = { config: { render: 'always' as const } };
    expect((await browse(`<p>${words(100)}</p>`, always)).asked).toHaveLength(1);
    expect((await browse('%PDF-1.7', { ...always, type: 'application/pdf' })).asked).toHaveLength(0);
  });

  it('has gained nothing by a few words', async () => {
    const { result } = await browse(SHELL, { outcome: rendered(`<p>${words(5)}</p>`) });
    expect(result).toMatchObject({ kind: 'rendered', gained: false });
  });

  it('fails where the browser makes more of it than a page may be', async () => {
    const { result } = await browse(SHELL, { config: { maxBodyBytes: 1024 }, outcome: rendered('x'.repeat(2000)) });
    expect(result).toMatchObject({ kind: 'failed', error: { code: 'BODY_TOO_LARGE', retryable: false } });
  });

  it('leads elsewhere, or fails, as the browser says', async () => {
    const moved = await browse(SHELL, { outcome: { kind: 'moved', location: 'https://example.com/b' } });
    expect(moved.result).toEqual({ kind: 'moved', location: 'https://example.com/b' });
    const error = { code: 'RENDER_TIMEOUT' as const, message: 'slow', retryable: true };
    expect((await browse(SHELL, { outcome: { kind: 'failed', error } })).result).toEqual({ kind: 'failed', error });
  });
});
