import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { findBrowser } from './find-browser.ts';

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

// Where Playwright's own is installed, that one is found whatever is on PATH.
it.skipIf(await hasPlaywrightsOwn())('finds one on PATH, chromium before the others, or none', async () => {
  expect(await findBrowser()).toBeNull();
  mkdirSync(join(directory, 'chromium-browser'));
  const chrome = program('google-chrome');
  expect(await findBrowser('')).toBe(chrome);
  const own = program('chromium');
  expect(await findBrowser()).toBe(own);
});

async function hasPlaywrightsOwn(): Promise<boolean> {
  return (await findBrowser()) === chromium.executablePath();
}
