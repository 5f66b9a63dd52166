/** `POST /v1/sources/:id/runs`: a run with the source's configuration, and what this one is to have different laid over it. */
import { createRoute, type OpenAPIHono } from '@hono/zod-openapi';
import {
  completeRunConfig,
  createRunSchema,
  overlayRunInput,
  parseSourceId,
  runAcceptedSchema,
  runOverridesSchema,
} from '@trawl/contracts';
import { readSourceInput } from '@trawl/db';
import { badInput, inputErrors } from '../bad-input.ts';
import type { ApiDeps } from '../deps.ts';
import { jsonBody } from '../json-body.ts';
import { problem } from '../problem.ts';
import { anyTime, badBody, inProgress, json, keyReused, notFound, sourceParams } from '../route-parts.ts';
import { answerBegun, beginRun, idempotencyHeaders, startErrors } from '../runs/begin-run.ts';
import { noSuchSource } from './find-source.ts';

const startSourceRunRoute = (maxRequestBytes: number) =>
  createRoute({
    method: 'post',
    path: '/v1/sources/{id}/runs',
    summary: 'Start a run of a source',
    middleware: [jsonBody(maxRequestBytes, { empty: '{}' })] as const,
    request: {
      params: sourceParams,
      headers: idempotencyHeaders,
      body: {
        required: false,
        description: "What is different from the source's configuration",
        content: { 'application/json': { schema: runOverridesSchema } },
      },
    },
    responses: {
      202: json('The run is accepted and starts now', runAcceptedSchema),
      ...badBody,
      ...notFound,
      ...inProgress,
      ...keyReused,
      ...anyTime,
    },
  });

export function serveStartSourceRun(app: OpenAPIHono, deps: ApiDeps): void {
  const { settings } = deps;
  app.openapi(startSourceRunRoute(settings.maxRequestBytes), async (c) => {
    const { id } = c.req.valid('param');
    const body = c.req.valid('json');
    const { overlap, ...overrides } = body;
    const sourceId = parseSourceId(id);
    const found = sourceId === null ? ({ kind: 'no-source' } as const) : await readSourceInput(deps.db, sourceId);
    if (found.kind === 'no-source') return problem(c, 'NOT_FOUND', noSuchSource(id));
    if (found.kind === 'no-config')
      return problem(c, 'CONFLICT', 'The source has no configuration; PATCH gives it one.');

    const merged = createRunSchema.safeParse(overlayRunInput(found.input, overrides));
    if (!merged.success)
      return badInput(c, "source's configuration with the body laid over it", inputErrors(merged.error.issues));
    const config = completeRunConfig(merged.data, { userAgent: settings.userAgent });
    const errors = await startErrors(deps, config, merged.data);
    if (errors.length > 0) return badInput(c, 'body', errors);

    const result = await beginRun(c, deps, {
      sourceId: found.source.id,
      config,
      overlap,
      idempotencyKey: c.req.valid('header')['idempotency-key'],
      // As it was asked for: the source's own configuration may change between two sendings of one request.
      request: [c.req.path, body],
    });
    return result.kind === 'no-source' ? problem(c, 'NOT_FOUND', noSuchSource(id)) : answerBegun(c, result);
  });
}
