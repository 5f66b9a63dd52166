/**
 * What starting a run has in common, whatever address it was asked for at. In this order: row, state, wake-up. A death in
 * between is healed by the coordinator, which sets up rows that are still pending.
 */
import { createHash } from 'node:crypto';
import { z } from '@hono/zod-openapi';
import { assertNever, newRunId, type RunConfig, type RunInput, rendersAll, type SourceId } from '@trawl/contracts';
import { limitsOf } from '@trawl/crawl-state';
import {
  hasEarlierRun,
  insertRun,
  markStarted,
  type NewRun,
  type RunInserted,
  type RunRow,
  readSealedAccess,
} from '@trawl/db';
import { privateAddressProblem } from '@trawl/fetcher';
import type { Context } from 'hono';
import { givenKey } from '../api-keys.ts';
import type { InputError } from '../bad-input.ts';
import type { ApiDeps } from '../deps.ts';
import { problem } from '../problem.ts';
import { runLinks } from './read-run.ts';

export const idempotencyHeaders = z.object({
  'idempotency-key': z
    .string()
    .regex(/^[\x21-\x7e]{1,255}$/, 'must be 1 to 255 printable ASCII characters without spaces')
    .optional()
    .openapi({ description: 'Makes a repeated request harmless: the same key and body give the same run' }),
});

export interface AskedRun {
  readonly sourceId: SourceId | null;
  readonly newSource?: NewRun['newSource'];
  readonly config: RunConfig;
  /** True: beside a run of the source that is not finished. */
  readonly overlap?: boolean | undefined;
  readonly idempotencyKey: string | undefined;
  /** What an Idempotency-Key stands for. Parsed input has its fields in the order of the schema: one request, one spelling. */
  readonly request: unknown;
}

/** Returns when the run is set up; refusals start nothing. */
export async function beginRun(c: Context, deps: ApiDeps, asked: AskedRun): Promise<RunInserted> {
  const key = asked.idempotencyKey;
  const result = await insertRun(deps.db, {
    id: newRunId(),
    sourceId: asked.sourceId,
    ...(asked.newSource && { newSource: asked.newSource }),
    config: asked.config,
    overlap: asked.overlap,
    // A key belongs to its caller, so two callers may use one key for different things. API keys are kept as digests only.
    ...(key === undefined
      ? {}
      : {
          idempotencyKey: digest([digest([givenKey(c) ?? '']), key]),
          requestHash: digest([JSON.stringify(asked.request)]),
        }),
  });
  // A repeated request finishes what the first one may have died in; a run that has gone on is left alone.
  if ('run' in result && result.run.status === 'pending') await setUp(deps, result.run);
  return result;
}

/** All answers but the one for a source that is not there, which is another at each address. */
export function answerBegun(c: Context, result: Exclude<RunInserted, { kind: 'no-source' }>) {
  switch (result.kind) {
    case 'key-reused':
      return problem(c, 'IDEMPOTENCY_KEY_REUSED', 'This Idempotency-Key came with another body before.');
    case 'in-progress':
      return problem(c, 'RUN_IN_PROGRESS', `The run ${result.runId} of this source is not finished.`, {
        runId: result.runId,
      });
    case 'inserted':
    case 'exists': {
      const { run } = result;
      const links = runLinks(run.id);
      return c.json(
        // Pending, whatever it is by now: a repeated request gets the same answer.
        { id: run.id, sourceId: run.sourceId, status: 'pending' as const, createdAt: run.createdAt, links },
        202,
        { Location: links.self },
      );
    }
    default:
      return assertNever(result);
  }
}

/** What keeps a run from being started as it is asked for, beyond its schema. */
export async function startErrors(
  deps: Pick<ApiDeps, 'settings' | 'anyBrowser'>,
  config: RunConfig,
  input: Pick<RunInput, 'url' | 'sites'>,
): Promise<InputError[]> {
  const errors = deps.settings.allowPrivateNetworks ? [] : privateStartUrls(config, input);
  if (!rendersAll(config) || (await deps.anyBrowser())) return errors;
  const message = `asks for a browser, and no render worker has one; start one (npm run role -- render), or take "auto"`;
  return [...errors, { path: 'render', message }];
}

/** Start URLs that are private by their look, by the name of the field they came in. */
export function privateStartUrls(config: RunConfig, input: Pick<RunInput, 'url' | 'sites'>): InputError[] {
  return config.urls.flatMap((url, index) => {
    const message = privateAddressProblem(url);
    if (message === null) return [];
    const path = input.url === undefined ? `${input.sites === undefined ? 'urls' : 'sites'}.${index}` : 'url';
    return [{ path, message }];
  });
}

async function setUp(deps: ApiDeps, run: RunRow): Promise<void> {
  const { id: runId, sourceId, config } = run;
  const hasPast = await hasEarlierRun(deps.db, { runId, sourceId, config });
  const access = await readSealedAccess(deps.db, sourceId);
  const { owed } = await deps.state.create(runId, {
    limits: limitsOf(config),
    settings: { sourceId, config, hasPast, access },
  });
  await deps.wakeups.pay(runId, owed);
  await markStarted(deps.db, runId, 'running');
}

const digest = (parts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
