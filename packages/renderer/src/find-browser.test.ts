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

it('takes the path it is given', () => {
  program('chromium');
  const own = program('my-browser');
  expect(findBrowser(own)).toBe(own);
});

it('refuses a given path that is no program, by name', () => {
  program('chromium');
  const missing = join(directory, 'missing');
  mkdirSync(join(directory, 'folder'));
  for (const path of [missing, program('text', 0o644), join(directory, 'folder')])
    expect(() => findBrowser(path)).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining(path) }),
    );
});

// Where Playwright's own is installed, that one is found whatever is on PATH.
it.skipIf(hasPlaywrightsOwn())('finds one on PATH, chromium before the others, or none', () => {
  expect(findBrowser()).toBeNull();
  mkdirSync(join(directory, 'chromium-browser'));
  const chrome = program('google-chrome');
  expect(findBrowser('')).toBe(chrome);
  const own = program('chromium');
  expect(findBrowser()).toBe(own);
});

function hasPlaywrightsOwn(): boolean {
  return findBrowser() === chromium.executablePath();
}
