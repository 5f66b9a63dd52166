/** `PATCH /v1/sources/:id`. A given configuration takes the place of the old one as a whole; runs under way keep theirs. */
import { createRoute, type OpenAPIHono } from '@hono/zod-openapi';
import { patchSourceSchema, sourceSchema } from '@trawl/contracts';
import { updateSource } from '@trawl/db';
import { badInput } from '../bad-input.ts';
import type { ApiDeps } from '../deps.ts';
import { jsonBody } from '../json-body.ts';
import { problem } from '../problem.ts';
import { anyTime, badBody, json, notFound, sourceParams } from '../route-parts.ts';
import { sourceErrors } from './check-source.ts';
import { findSource, noSuchSource } from './find-source.ts';
import { readSourceView } from './source-view.ts';

const changeSourceRoute = (maxRequestBytes: number) =>
  createRoute({
    method: 'patch',
    path: '/v1/sources/{id}',
    summary: 'Change a source; what is absent stays, and "schedule": null ends its schedule',
    middleware: [jsonBody(maxRequestBytes)] as const,
    request: {
      params: sourceParams,
      body: { required: true, content: { 'application/json': { schema: patchSourceSchema } } },
    },
    responses: { 200: json('The source, changed', sourceSchema), ...badBody, ...notFound, ...anyTime },
  });

export function serveChangeSource(app: OpenAPIHono, deps: ApiDeps): void {
  app.openapi(changeSourceRoute(deps.settings.maxRequestBytes), async (c) => {
    const { id } = c.req.valid('param');
    const source = await findSource(deps, id);
    if (source === null) return problem(c, 'NOT_FOUND', noSuchSource(id));
    const body = c.req.valid('json');
    const errors = sourceErrors(body, deps.settings);
    if (errors.length > 0) return badInput(c, 'body', errors);
    const changed = await updateSource(deps.db, source.id, body);
    const view = changed && (await readSourceView(deps, changed));
    return view === null ? problem(c, 'NOT_FOUND', noSuchSource(id)) : c.json(view, 200);
  });
}
