/** `GET` of sources: all of them, newest first, and one with its configuration and its pages counted. */
import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi';
import { sourceListSchema, sourceSchema } from '@trawl/contracts';
import { listSources } from '@trawl/db';
import type { ApiDeps } from '../deps.ts';
import { badCursor, problem } from '../problem.ts';
import { anyTime, badRequest, cursorParam, json, limitParam, notFound, sourceParams } from '../route-parts.ts';
import { findSource, noSuchSource } from './find-source.ts';
import { readSourceView, sourceSummaryView } from './source-view.ts';

const listSourcesRoute = createRoute({
  method: 'get',
  path: '/v1/sources',
  summary: 'Sources, newest first',
  request: { query: z.object({ limit: limitParam({ most: 100, usually: 20 }), cursor: cursorParam }) },
  responses: { 200: json('A part of the list', sourceListSchema), ...badRequest, ...anyTime },
});

const showSourceRoute = createRoute({
  method: 'get',
  path: '/v1/sources/{id}',
  summary: 'A source with its configuration',
  request: { params: sourceParams },
  responses: { 200: json('The source', sourceSchema), ...notFound, ...anyTime },
});

export function serveShowSource(app: OpenAPIHono, deps: ApiDeps): void {
  app.openapi(listSourcesRoute, async (c) => {
    const listed = await listSources(deps.db, c.req.valid('query'));
    if (listed.kind === 'bad-cursor') return badCursor(c);
    const items = await Promise.all(listed.items.map((source) => sourceSummaryView(deps, source)));
    return c.json({ items, nextCursor: listed.nextCursor }, 200);
  });

  app.openapi(showSourceRoute, async (c) => {
    const { id } = c.req.valid('param');
    const source = await findSource(deps, id);
    const view = source && (await readSourceView(deps, source));
    return view === null ? problem(c, 'NOT_FOUND', noSuchSource(id)) : c.json(view, 200);
  });
}
