/**
 * `POST /v1/runs`. In this order: row, state, wake-up. A death in between is healed by the coordinator, which sets up
 * rows that are still pending; the answer is given only when all three are done.
 */
import { createHash } from 'node:crypto';
import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi';
import {
  type CreateRunInput,
  completeRunConfig,
  createRunSchema,
  newRunId,
  parseSourceId,
  type RunConfig,
  runAcceptedSchema,
} from '@trawl/contracts';
import { limitsOf } from '@trawl/crawl-state';
import { insertRun, markStarted, type RunRow } from '@trawl/db';
import { privateAddressProblem } from '@trawl/fetcher';
import { givenKey } from '../api-keys.ts';
import type { ApiDeps } from '../deps.ts';
import { jsonBody } from '../json-body.ts';
import { problem } from '../problem.ts';
import { anyTime, badBody, json } from '../route-parts.ts';
import { runLinks } from './read-run.ts';

const startRunRoute = (maxRequestBytes: number) =>
  createRoute({
    method: 'post',
    path: '/v1/runs',
    summary: 'Start a run',
    middleware: [jsonBody(maxRequestBytes)] as const,
    request: {
      headers: z.object({
        'idempotency-key': z
          .string()
          .regex(/^[\x21-\x7e]{1,255}$/, 'must be 1 to 255 printable ASCII characters without spaces')
          .optional()
          .openapi({ description: 'Makes a repeated request harmless: the same key and body give the same run' }),
      }),
      body: { required: true, content: { 'application/json': { schema: createRunSchema } } },
    },
    responses: { 202: json('The run is accepted and starts now', runAcceptedSchema), ...badBody, ...anyTime },
  });

export function serveStartRun(app: OpenAPIHono, deps: ApiDeps): void {
  const { settings } = deps;
  app.openapi(startRunRoute(settings.maxRequestBytes), async (c) => {
    const body = c.req.valid('json');
    const config = completeRunConfig(body, { userAgent: settings.userAgent });

    const errors = settings.allowPrivateNetworks ? [] : privateStartUrls(config, body.url === undefined);
    const [first] = errors;
    if (first) return problem(c, 'BAD_REQUEST', `The body is not valid: ${first.path}: ${first.message}`, { errors });

    const key = c.req.valid('header')['idempotency-key'];
    const result = await insertRun(deps.db, {
      id: newRunId(),
      sourceId: body.sourceId === undefined ? null : parseSourceId(body.sourceId),
      config,
      ...(key === undefined ? {} : idempotency(givenKey(c) ?? '', key, body)),
    });
    if (result.kind === 'key-reused')
      return problem(c, 'IDEMPOTENCY_KEY_REUSED', 'This Idempotency-Key came with another body before.');
    if (result.kind === 'no-source') {
      const message = 'names a source that does not exist';
      return problem(c, 'BAD_REQUEST', `The body is not valid: sourceId: ${message}`, {
        errors: [{ path: 'sourceId', message }],
      });
    }
    const { run } = result;
    // A repeated request finishes what the first one may have died in; a run that has gone on is left alone.
    if (run.status === 'pending') await setUp(deps, run);

    const links = runLinks(run.id);
    return c.json(
      // Pending, whatever it is by now: a repeated request gets the same answer.
      { id: run.id, sourceId: run.sourceId, status: 'pending' as const, createdAt: run.createdAt, links },
      202,
      { Location: links.self },
    );
  });
}

async function setUp(deps: ApiDeps, run: RunRow): Promise<void> {
  const { owed } = await deps.state.create(run.id, {
    limits: limitsOf(run.config),
    settings: { sourceId: run.sourceId, config: run.config },
  });
  await deps.wakeups.pay(run.id, owed);
  await markStarted(deps.db, run.id, 'running');
}

/** A key belongs to its caller, so two callers may use one key for different things. API keys are kept as digests only. */
function idempotency(caller: string, key: string, body: CreateRunInput) {
  return {
    idempotencyKey: digest([digest([caller]), key]),
    // Parsed input has its fields in the order of the schema and its defaults filled in: one request, one spelling.
    requestHash: digest([JSON.stringify(body)]),
  };
}

const digest = (parts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('base64url');

function privateStartUrls(config: RunConfig, isList: boolean): { path: string; message: string }[] {
  return config.urls.flatMap((url, index) => {
    const message = privateAddressProblem(url);
    return message === null ? [] : [{ path: isList ? `urls.${index}` : 'url', message }];
  });
}
