/**
 * A Chromium for tests: TEST_BROWSER if set, else one on PATH, else, as root on Debian or Ubuntu, that of the
 * distribution. Starts none.
 */
import { execFile } from 'node:child_process';
import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

let found: Promise<string> | undefined;

/** Its path. Two test processes may ask at once: apt waits for its own lock, and finds it installed then. */
export function testBrowser(): Promise<string> {
  found ??= find();
  return found;
}

async function find(): Promise<string> {
  const path = process.env.TEST_BROWSER || onPath();
  if (path) return path;
  if (process.getuid?.() !== 0 || !isDebian())
    throw new Error('These tests need a browser: install Chromium, or set TEST_BROWSER to the path of one.');
  process.stderr.write('Installing chromium for the tests (first time only)…\n');
  await install();
  const installed = onPath();
  if (installed === null) throw new Error('chromium was installed, and is not on PATH: set TEST_BROWSER to its path.');
  return installed;
}

/** With the package lists that are there; if those are missing or too old, with fresh ones. */
async function install(): Promise<void> {
  const apt = (...command: string[]) =>
    run('apt-get', ['-q', '-o', 'DPkg::Lock::Timeout=300', ...command], {
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      maxBuffer: 10_000_000,
    });
  const installChromium = () => apt('install', '-y', '--no-install-recommends', 'chromium');
  try {
    await installChromium();
  } catch {
    await apt('update');
    await installChromium();
  }
}

const isDebian = (): boolean =>
  existsSync('/etc/os-release') && /^ID(_LIKE)?=.*debian/m.test(readFileSync('/etc/os-release', 'utf8'));

function onPath(): string | null {
  const directories = (process.env.PATH ?? '').split(delimiter);
  const paths = NAMES.flatMap((name) => directories.map((directory) => join(directory, name)));
  return paths.find(isProgram) ?? null;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    // Not there, or not for us.
    return false;
  }
}
