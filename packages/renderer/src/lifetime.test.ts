import { fork } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { testBrowser, waitFor } from '@trawl/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { treeMemory } from './process-tree.ts';
import type { RenderReply, RenderRequest } from './render.ts';
import { failed, newRenderer, page, processesWith, rendered } from './renderer.fixture.ts';

const DOOMED = fileURLToPath(new URL('./doomed-process.ts', import.meta.url));
const GOOD = page('http://site.example/', '<p>words');
const SLOW: RenderRequest = { ...GOOD, waitMs: 10_000 };

const homesOf = (pid: number): string[] =>
  readdirSync(tmpdir())
    .filter((name) => name.startsWith(`trawl-render-${pid}-`))
    .map((name) => join(tmpdir(), name));

it('what was rendered is forgotten while the browser goes on', { timeout: 90_000 }, async () => {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as () => void;
  const renderer = await newRenderer();
  const kept: WeakRef<RenderRequest>[] = [];
  const renderOne = async (): Promise<void> => {
    const request = { ...GOOD };
    kept.push(new WeakRef(request));
    rendered(await renderer.render(request));
  };
  for (let wave = 0; wave < 2; wave++) await Promise.all([renderOne(), renderOne(), renderOne(), renderOne()]);
  await waitFor(() => {
    gc();
    return kept.every((one) => one.deref() === undefined);
  });
  expect(renderer.facts()).toMatchObject({ browserStarts: 1, pages: kept.length });
});

describe.concurrent('a browser', { timeout: 90_000 }, () => {
  it('that is killed fails what it had, and the next render has a new one', async () => {
    const notices: string[] = [];
    const renderer = await newRenderer({ onNotice: (sentence) => notices.push(sentence) });
    const slow = [renderer.render(SLOW), renderer.render(SLOW)];
    const pid = await waitFor(() => renderer.facts().open === 2 && renderer.facts().browserPid);
    await waitFor(() => renderer.facts().browserPages === 2);
    process.kill(pid, 'SIGKILL');
    expect(await Promise.all(slow)).toMatchObject([failed('RENDER_CRASHED', true), failed('RENDER_CRASHED', true)]);
    rendered(await renderer.render(GOOD));
    expect(renderer.facts()).toMatchObject({ browserStarts: 2, pages: 3, open: 0 });
    expect(renderer.facts().browserPid).not.toBe(pid);
    expect(notices).toEqual(['The browser ended unexpectedly.']);
  });

  it('is replaced when it has served its pages, and finishes those it has', async () => {
    const notices: object[] = [];
    const renderer = await newRenderer({
      recycle: { pages: 2 },
      onNotice: (sentence, context) => notices.push({ sentence, ...context }),
    });
    const replies = await Promise.all(Array.from({ length: 4 }, () => renderer.render({ ...GOOD, waitMs: 500 })));
    expect(replies.map(({ kind }) => kind)).toEqual(Array(4).fill('rendered'));
    expect(renderer.facts()).toMatchObject({ browserStarts: 2, pages: 4 });
    expect(notices).toMatchObject([{ reason: '2 pages', pages: 2 }]);
  });

  it.each([
    ['is old', { ageMs: 1 }],
    ['holds too much memory', { memoryMb: 120 }],
  ])('is replaced when it %s', async (_, recycle) => {
    const renderer = await newRenderer({ recycle });
    rendered(await renderer.render({ ...GOOD, waitMs: 'memoryMb' in recycle ? 1500 : 0 }));
    rendered(await renderer.render(GOOD));
    expect(renderer.facts().browserStarts).toBe(2);
  });

  it('is closed when nothing was rendered for a while', async () => {
    const renderer = await newRenderer({ idleCloseMs: 50 });
    expect(renderer.facts()).toMatchObject({ browserPid: null, browserStarts: 0, memoryMb: 0 });
    rendered(await renderer.render(GOOD));
    await waitFor(() => renderer.facts().browserPid === null && renderer.facts().memoryMb === 0);
    rendered(await renderer.render(GOOD));
    expect(renderer.facts().browserStarts).toBe(2);
  });

  it('that can not be started fails the render with the reason, and is not tried again at once', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'no-browser-'));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const executablePath = join(directory, 'chromium');
    writeFileSync(executablePath, '#!/bin/sh\necho "error while loading shared libraries: libnss3.so" >&2\nexit 127\n');
    chmodSync(executablePath, 0o755);
    const renderer = await newRenderer({ executablePath });
    expect(renderer.isAble()).toBe(true);
    const replies = await Promise.all([renderer.render(GOOD), renderer.render(GOOD)]);
    replies.push(await renderer.render(GOOD));
    expect(replies).toMatchObject(Array(3).fill(failed('RENDER_UNAVAILABLE', true)));
    for (const reply of replies)
      expect(reply).toMatchObject({ error: { message: expect.stringContaining('libnss3.so') } });
    expect(renderer.facts().browserStarts).toBe(1);
    expect([renderer.isAble(), await renderer.probe()]).toEqual([false, false]);

    writeFileSync(executablePath, `#!/bin/sh\nexec ${await testBrowser()} "$@"\n`);
    await waitFor(() => renderer.probe(), { timeoutMs: 30_000, what: 'the next start' });
    expect(renderer.isAble()).toBe(true);
    rendered(await renderer.render(GOOD));
  });

  it('that hangs while it starts holds up neither who has gone nor who closes', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'no-browser-'));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const executablePath = join(directory, 'chromium');
    writeFileSync(executablePath, '#!/bin/sh\nexec sleep 120\n');
    chmodSync(executablePath, 0o755);
    const renderer = await newRenderer({ executablePath });
    const caller = new AbortController();
    const reply = renderer.render({ ...GOOD, signal: caller.signal });
    await waitFor(() => renderer.facts().browserStarts === 1);
    caller.abort(new Error('gone'));
    await expect(reply).rejects.toThrow('gone');
    const startedAt = performance.now();
    await renderer.close();
    // Playwright itself waits for 30 s.
    expect(performance.now() - startedAt).toBeLessThan(20_000);
  });

  it('whose part that has a page goes down, whenever that is, costs no more than another try', async () => {
    const renderer = await newRenderer();
    rendered(await renderer.render(GOOD));
    let hasEnded = false;
    const killing = (async () => {
      for (let waitMs = 20; !hasEnded; waitMs = (waitMs + 35) % 200) {
        const { browserPid } = renderer.facts();
        for (const { pid } of browserPid === null ? [] : treeMemory(browserPid).renderers) kill(pid);
        await sleep(waitMs);
      }
    })();
    const replies: RenderReply[] = [];
    for (let n = 0; n < 10; n++) replies.push(...(await Promise.all([renderer.render(GOOD), renderer.render(GOOD)])));
    hasEnded = true;
    await killing;
    const lost = replies.filter(({ kind }) => kind !== 'rendered');
    expect(lost.length).toBeGreaterThan(0);
    for (const reply of lost) expect(reply).toMatchObject(failed('RENDER_CRASHED', true));
    rendered(await renderer.render(GOOD));
  });

  it('loses only the page that takes too much memory', async () => {
    const renderer = await newRenderer({ pageMemoryMb: 300 });
    const greedy = '<script>const a = []; setInterval(() => { a.push(new Uint8Array(2e7).fill(1)) }, 20)</script>';
    const replies = await Promise.all([
      renderer.render({ ...GOOD, waitMs: 3000 }),
      renderer.render(page('http://site.example/', greedy, { waitMs: 12_000 })),
    ]);
    expect(replies).toMatchObject([{ kind: 'rendered' }, failed('RENDER_CRASHED', true)]);
    expect(renderer.facts().browserStarts).toBe(1);
  });

  it('is ended when it takes twice what it may, wherever that is, and what it had is told to be tried again', async () => {
    const notices: string[] = [];
    const recycle = { memoryMb: 200 };
    const renderer = await newRenderer({ pageMemoryMb: 0, recycle, onNotice: (sentence) => notices.push(sentence) });
    const greedy = `<script>setInterval(() => { const a = new Uint8Array(2e7); for (let i = 0; i < a.length; i += 4096) a[i] = i;
      (globalThis.kept ??= []).push(new Blob([a])); }, 50)</script>`;
    const reply = await renderer.render(page('http://site.example/', greedy, { waitMs: 20_000 }));
    expect(reply).toMatchObject(failed('RENDER_CRASHED', true));
    expect(notices.join()).toContain('too much memory');
    rendered(await renderer.render(GOOD));
  });
});

describe.concurrent('a renderer', { timeout: 90_000 }, () => {
  it('finishes what is under way when it is closed, and leaves no process and no directory', async () => {
    const child = await startDoomed();
    child.send('close');
    expect(await once(child, 'exit')).toEqual([0, null]);
    // The janitor ended before close() did; nothing to wait for.
    expect(homesOf(child.pid ?? 0)).toEqual([]);
    expect(processesWith(`trawl-render-${child.pid}-`)).toEqual([]);
  });

  it('takes no more when it is closed, twice for all it cares', async () => {
    const renderer = await newRenderer({ pages: 1 });
    const last = renderer.render(GOOD);
    const waiting = renderer.render(GOOD);
    const closing = [renderer.close(), renderer.close()];
    await expect(waiting).rejects.toThrow('closed');
    await expect(renderer.render(GOOD)).rejects.toThrow('closed');
    rendered(await last);
    await Promise.all(closing);
  });

  it('leaves no process and no directory when its own process, and the group of it, is killed in the middle of a render', async () => {
    const child = await startDoomed({ detached: true });
    const home = homesOf(child.pid ?? 0);
    expect(home).toHaveLength(1);
    expect(processesWith(`trawl-render-${child.pid}-`).length).toBeGreaterThan(3);
    process.kill(-(child.pid ?? 0), 'SIGKILL');
    await waitFor(() => processesWith(`trawl-render-${child.pid}-`).length === 0, { timeoutMs: 30_000 });
    await waitFor(() => home.every((directory) => !existsSync(directory)), { timeoutMs: 30_000 });
  });
});

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Gone since it was listed.
  }
}

/** A process of its own that renders; resolves when its browser has the page. */
async function startDoomed(options: { detached?: boolean } = {}) {
  const child = fork(DOOMED, [await testBrowser()], {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    ...options,
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  expect(await once(child, 'message')).toEqual(['rendering', undefined]);
  return child;
}
