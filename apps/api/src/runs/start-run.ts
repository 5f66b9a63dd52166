/** `POST /v1/runs`: a run of a new source, or of one that is named. */
import { createRoute, type OpenAPIHono } from '@hono/zod-openapi';
import { completeRunConfig, createRunSchema, newSourceId, parseSourceId, runAcceptedSchema } from '@trawl/contracts';
import { badInput } from '../bad-input.ts';
import type { ApiDeps } from '../deps.ts';
import { jsonBody } from '../json-body.ts';
import { accessErrors, keepAccess } from '../keep-access.ts';
import { anyTime, badBody, inProgress, json, keyReused } from '../route-parts.ts';
import { answerBegun, beginRun, idempotencyHeaders, startErrors } from './begin-run.ts';

const startRunRoute = (maxRequestBytes: number) =>
  createRoute({
    method: 'post',
    path: '/v1/runs',
    summary: 'Start a run',
    middleware: [jsonBody(maxRequestBytes)] as const,
    request: {
      headers: idempotencyHeaders,
      body: { required: true, content: { 'application/json': { schema: createRunSchema } } },
    },
    responses: {
      202: json('The run is accepted and starts now', runAcceptedSchema),
      ...badBody,
      ...inProgress,
      ...keyReused,
      ...anyTime,
    },
  });

export function serveStartRun(app: OpenAPIHono, deps: ApiDeps): void {
  const { settings } = deps;
  app.openapi(startRunRoute(settings.maxRequestBytes), async (c) => {
    const { access, ...body } = c.req.valid('json');
    const config = completeRunConfig(body, { userAgent: settings.userAgent });
    const errors = [...(await startErrors(deps, config, body)), ...accessErrors(access, deps)];
    if (errors.length > 0) return badInput(c, 'body', errors);
    const id = newSourceId();

    const result = await beginRun(c, deps, {
      sourceId: body.sourceId === undefined ? null : parseSourceId(body.sourceId),
      ...(access && { newSource: { id, access: keepAccess(access, { id, startUrls: config.urls }, deps.vault) } }),
      config,
      idempotencyKey: c.req.valid('header')['idempotency-key'],
      // What it stands for is kept as a digest, and a short password could be guessed from that.
      request: access ? { ...body, access: deps.vault.fingerprint(JSON.stringify(access)) } : body,
    });
    if (result.kind === 'no-source')
      return badInput(c, 'body', [{ path: 'sourceId', message: 'names a source that does not exist' }]);
    return answerBegun(c, result);
  });
}
