/** `GET` of pages: those of a run as a list, and one with its content, as it came where that is kept. */
import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi';
import { PAGE_OUTCOMES, pageListSchema, pageSchema } from '@trawl/contracts';
import { getPage, listPages } from '@trawl/db';
import type { ApiDeps } from './deps.ts';
import { readAsItCame, shotPath } from './exports/kept-answers.ts';
import { badCursor, problem } from './problem.ts';
import {
  anyTime,
  badRequest,
  cursorParam,
  json,
  limitParam,
  notFound,
  png,
  runParams,
  searchParam,
} from './route-parts.ts';
import { findRun, noSuchRun } from './runs/read-run.ts';

const listPagesRoute = createRoute({
  method: 'get',
  path: '/v1/runs/{id}/pages',
  summary: 'The pages of a run',
  request: {
    params: runParams,
    query: z.object({
      limit: limitParam({ most: 1000, usually: 100 }),
      cursor: cursorParam,
      outcome: z.enum(PAGE_OUTCOMES).optional(),
      q: searchParam,
    }),
  },
  responses: { 200: json('A part of the list', pageListSchema), ...badRequest, ...notFound, ...anyTime },
});

const showPageRoute = createRoute({
  method: 'get',
  path: '/v1/pages/{id}',
  summary: 'A page with its content',
  request: { params: z.object({ id: z.string().openapi({ param: { name: 'id', in: 'path' } }) }) },
  responses: { 200: json('The page', pageSchema), ...notFound, ...anyTime },
});

const showShotRoute = createRoute({
  method: 'get',
  path: '/v1/pages/{id}/screenshot',
  summary: 'The picture of a page',
  request: { params: z.object({ id: z.string().openapi({ param: { name: 'id', in: 'path' } }) }) },
  responses: { 200: png, ...notFound, ...anyTime },
});

export function servePages(app: OpenAPIHono, deps: ApiDeps): void {
  app.openapi(listPagesRoute, async (c) => {
    const { id } = c.req.valid('param');
    const run = await findRun(deps, id);
    if (run === null) return problem(c, 'NOT_FOUND', noSuchRun(id));
    const { q, ...options } = c.req.valid('query');
    const listed = await listPages(deps.db, run.row.id, { ...options, q: q === '' ? undefined : q });
    if (listed.kind === 'bad-cursor') return badCursor(c);
    return c.json({ items: [...listed.items], nextCursor: listed.nextCursor }, 200);
  });

  app.openapi(showPageRoute, async (c) => {
    const { id } = c.req.valid('param');
    const stored = await getPage(deps.db, id);
    if (stored === null) return problem(c, 'NOT_FOUND', `There is no page ${JSON.stringify(id.slice(0, 100))}.`);
    const { rawRef, shotRef, ...page } = stored;
    const html = rawRef === null ? null : await readAsItCame(deps, rawRef, page.contentType);
    return c.json({ ...page, html, screenshot: shotPath({ id: page.id, shotRef }) }, 200);
  });

  app.openapi(showShotRoute, async (c) => {
    const { id } = c.req.valid('param');
    const stored = await getPage(deps.db, id);
    const shot = stored?.shotRef ? await deps.blobs.get(stored.shotRef) : null;
    if (shot === null)
      return problem(c, 'NOT_FOUND', `There is no picture of a page ${JSON.stringify(id.slice(0, 100))}.`);
    return c.body(new Uint8Array(shot), 200, { 'Content-Type': 'image/png' });
  });
}
