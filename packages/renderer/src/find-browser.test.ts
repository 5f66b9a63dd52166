import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { chromium } from 'playwright-core';
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { findBrowser } from './find-browser.ts';

// Playwright reads it once, when it is loaded: what this machine has installed is not to be found.
const browsers = vi.hoisted(() => {
  process.env.PLAYWRIGHT_BROWSERS_PATH = `${process.env.TMPDIR ?? '/tmp'}/find-browser-${process.pid}`;
  return process.env.PLAYWRIGHT_BROWSERS_PATH;
});

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'find-browser-'));
  const path = process.env.PATH;
  process.env.PATH = directory;
  onTestFinished(() => {
    process.env.PATH = path;
    rmSync(directory, { recursive: true });
  });
});

function program(name: string, mode = 0o755): string {
  const path = join(directory, name);
  writeFileSync(path, '');
  chmodSync(path, mode);
  return path;
}

it('takes the path it is given', async () => {
  program('chromium');
  const own = program('my-browser');
  expect(await findBrowser(own)).toBe(own);
});

it('refuses a given path that is no program, by name', async () => {
  program('chromium');
  const missing = join(directory, 'missing');
  mkdirSync(join(directory, 'folder'));
  for (const path of [missing, program('text', 0o644), join(directory, 'folder')])
    await expect(findBrowser(path)).rejects.toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining(path) }),
    );
});

it('finds one on PATH, chromium before the others, or none', async () => {
  expect(await findBrowser()).toBeNull();
  mkdirSync(join(directory, 'chromium-browser'));
  const chrome = program('google-chrome');
  expect(await findBrowser('')).toBe(chrome);
  const own = program('chromium');
  expect(await findBrowser()).toBe(own);
});

it("takes Playwright's own, where it is installed, before what is on PATH", async () => {
  program('chromium');
  const own = chromium.executablePath();
  expect(own.startsWith(browsers)).toBe(true);
  mkdirSync(dirname(own), { recursive: true });
  onTestFinished(() => rmSync(browsers, { recursive: true }));
  writeFileSync(own, '', { mode: 0o755 });
  expect(await findBrowser()).toBe(own);
});
