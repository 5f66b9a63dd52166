/** Settings of the render role. */
import { count, flag } from '@trawl/runtime';
import { sessionEnv } from '@trawl/sessions';
import { z } from 'zod';

export const renderEnv = sessionEnv.extend({
  /** The browser's program; `none`: there is to be none. Otherwise it is looked for. */
  BROWSER_PATH: z.string().optional(),
  /** Chromium's own sandbox. Where nothing is said: on, but for root, who can't have it. */
  BROWSER_SANDBOX: flag.optional(),
  /** Pages this process has open at a time. */
  RENDER_PAGES: count(1, 50).default(5),
  /** The browser is replaced after so many pages, so many minutes, and above so much memory of all its processes (0: never for that). */
  BROWSER_MAX_PAGES: count(1, 1_000_000).default(500),
  BROWSER_MAX_MINUTES: count(1, 10_000).default(30),
  BROWSER_MAX_MEMORY_MB: count(0, 1_000_000).default(1500),
  /** What one page may load, scripts and data together. */
  RENDER_MAX_TRANSFER_BYTES: count(64 * 1024, 999_999_999).default(64 * 1024 * 1024),
});
