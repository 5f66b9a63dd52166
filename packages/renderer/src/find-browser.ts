/** Finds a Chromium to render with. Does not start it, and does not look at its version. */
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { TrawlError } from '@trawl/contracts';

/** In the order of preference. */
const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** Path of a browser that can be used, or null: the given one, else Playwright's own if installed, else one on PATH. */
export async function findBrowser(explicit?: string): Promise<string | null> {
  if (explicit !== undefined && explicit !== '') {
    if (isProgram(explicit)) return explicit;
    throw new TrawlError('CONFIG_INVALID', `BROWSER_PATH is ${explicit}, which is not a program that can be run.`, {
      retryable: false,
      context: { browserPath: explicit },
    });
  }
  // Loaded by those alone who need it: it takes half a second, and memory.
  const { chromium } = await import('playwright-core');
  const directories = (process.env.PATH ?? '').split(delimiter).filter((directory) => directory !== '');
  const onPath = NAMES.flatMap((name) => directories.map((directory) => join(directory, name)));
  return [chromium.executablePath(), ...onPath].find((path) => path !== '' && isProgram(path)) ?? null;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    // Not there, or not for us: either way it is no browser to use.
    return false;
  }
}
