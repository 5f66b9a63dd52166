/** The names of a run's keys in Redis. Only this package writes them; all carry the hash tag `{runId}`, so a script touches one cluster slot. */
import type { RunId } from '@trawl/contracts';

/** In the order `run.lua` reads them. */
const NAMES = [
  'meta',
  'urls:queued',
  'urls:fetched',
  'urls:processed',
  'urls:failed',
  'urls:skipped',
  'task',
  'inflight',
  'page',
  'relink',
  'sess',
  'alias',
  'hops',
  'errors',
  'beyond',
  'beyond-many',
  'dropped',
  'hosts',
  'templates',
  'deferred',
  'prints',
  'parents',
  'refused',
  'settings',
  'render',
] as const;
export type RunKey = (typeof NAMES)[number];

/** What every key of a run starts with. `prefix` keeps two installations, or two tests, on one Redis apart. */
export const runPrefix = (prefix: string, runId: RunId): string => `${prefix}crawl:{${runId}}:`;

export const runKey = (prefix: string, runId: RunId, name: RunKey): string => `${runPrefix(prefix, runId)}${name}`;

export const runKeys = (prefix: string, runId: RunId): string[] =>
  NAMES.map((name) => `${runPrefix(prefix, runId)}${name}`);

/** A small body, kept in the run's own slot so that it can be written in one pipeline with the step that refers to it. */
export const bodyKey = (prefix: string, runId: RunId, token: string): string =>
  `${runPrefix(prefix, runId)}body:${token}`;

/** The runs that a coordinator looks after. */
export const activeRunsKey = (prefix: string): string => `${prefix}runs:active`;
