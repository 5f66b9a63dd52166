/** The words for where a run, a URL and a page stand. */

export const RUN_STATUSES = [
  'pending',
  'discovering',
  'running',
  'paused',
  'finalizing',
  'completed',
  'failed',
  'cancelled',
] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

/** A run in one of these never changes again. */
export const FINAL_STATUSES = ['completed', 'failed', 'cancelled'] as const;
export type FinalStatus = (typeof FINAL_STATUSES)[number];

export function isFinal(status: RunStatus): status is FinalStatus {
  return (FINAL_STATUSES as readonly string[]).includes(status);
}

/** The five states of an admitted URL; it is in exactly one of them at any moment. */
export const URL_STATES = ['queued', 'fetched', 'processed', 'failed', 'skipped'] as const;
export type UrlState = (typeof URL_STATES)[number];

export const PAGE_OUTCOMES = ['processed', 'failed', 'skipped'] as const;
export type PageOutcome = (typeof PAGE_OUTCOMES)[number];

export const PAGE_CHANGES = ['new', 'changed', 'unchanged', 'gone'] as const;
export type PageChange = (typeof PAGE_CHANGES)[number];

/** Why a link was not let into a run. Each is counted per run. */
export const REFUSALS = [
  'not-a-url',
  'scheme',
  'credentials',
  'out-of-scope',
  'not-included',
  'excluded',
  'url-filter',
  'preset',
  'asset',
  'nofollow',
  'url-too-long',
  'path-too-deep',
  'repeated-segments',
  'template-quota',
] as const;
export type Refusal = (typeof REFUSALS)[number];

export const ROLES = ['api', 'discover', 'fetch', 'render', 'process', 'coordinator'] as const;
export type Role = (typeof ROLES)[number];

/**
 * On a machine with much memory V8 lets the young generation grow to 128 MB before it looks at what is dead. The table of 98 misbehaving
 * servers, twice, took a fetch worker to 395 MB that way and to 265 MB with this, at the same CPU per page. A process worker makes so much
 * that dies young that it would pay with a fifth more CPU.
 */
const SMALL_YOUNG_GENERATION = ['--max-semi-space-size=8'];

/**
 * V8 lets garbage lie as long as there is room, and takes the machine's memory for the room: an API that exported 5,000 pages came to
 * 370 MB, of which 30 were in use. Told that there is less, it comes to 160.
 */
const SMALL_HEAP = ['--max-semi-space-size=2', '--max-old-space-size=256'];

/** What Node is told when a role's process starts; it can't be set later. */
export const ROLE_NODE_ARGS: Readonly<Record<Role, readonly string[]>> = {
  api: SMALL_HEAP,
  discover: SMALL_YOUNG_GENERATION,
  fetch: SMALL_YOUNG_GENERATION,
  render: SMALL_YOUNG_GENERATION,
  process: [],
  coordinator: [],
};

export function assertNever(value: never): never {
  throw new Error(`unexpected value ${JSON.stringify(value)}`);
}
