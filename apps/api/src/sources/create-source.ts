/** `POST /v1/sources`: adds a source of its own. Starts nothing, not even its schedule: coordinators see that it is there. */
import { createRoute, type OpenAPIHono } from '@hono/zod-openapi';
import { createSourceSchema, newSourceId, sourceSchema } from '@trawl/contracts';
import { insertSource } from '@trawl/db';
import { badInput } from '../bad-input.ts';
import type { ApiDeps } from '../deps.ts';
import { jsonBody } from '../json-body.ts';
import { accessErrors, keepAccess } from '../keep-access.ts';
import { anyTime, badBody, json } from '../route-parts.ts';
import { sourceErrors, startUrlsOf } from './check-source.ts';
import { sourceView } from './source-view.ts';

const createSourceRoute = (maxRequestBytes: number) =>
  createRoute({
    method: 'post',
    path: '/v1/sources',
    summary: 'Add a source: what is crawled again and again, and when',
    middleware: [jsonBody(maxRequestBytes)] as const,
    request: { body: { required: true, content: { 'application/json': { schema: createSourceSchema } } } },
    responses: { 201: json('The source', sourceSchema), ...badBody, ...anyTime },
  });

export function serveCreateSource(app: OpenAPIHono, deps: ApiDeps): void {
  app.openapi(createSourceRoute(deps.settings.maxRequestBytes), async (c) => {
    const { access, ...body } = c.req.valid('json');
    const errors = [...sourceErrors(body, deps.settings), ...accessErrors(access, deps)];
    if (errors.length > 0) return badInput(c, 'body', errors);
    const id = newSourceId();
    const startUrls = startUrlsOf(body.config, deps.settings);
    const source = await insertSource(deps.db, {
      ...body,
      id,
      access: access && keepAccess(access, { id, startUrls }, deps.vault),
    });
    const view = await sourceView(deps, { ...source, lastRun: null, pages: 0, gone: 0 });
    return c.json(view, 201, { Location: view.links.self });
  });
}
