/** `GET` of what a source has: its pages as they are now, and what has become of them since a time. */
import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi';
import { PAGE_CHANGES, pageListSchema, sourceChangesSchema } from '@trawl/contracts';
import { listChanges, listSourcePages } from '@trawl/db';
import type { ApiDeps } from '../deps.ts';
import { badCursor, problem } from '../problem.ts';
import {
  anyTime,
  badRequest,
  cursorParam,
  json,
  limitParam,
  notFound,
  searchParam,
  sourceParams,
} from '../route-parts.ts';
import { findSource, noSuchSource } from './find-source.ts';

const listSourcePagesRoute = createRoute({
  method: 'get',
  path: '/v1/sources/{id}/pages',
  summary: 'The pages of a source as they are now',
  request: {
    params: sourceParams,
    query: z.object({
      limit: limitParam({ most: 1000, usually: 100 }),
      cursor: cursorParam,
      q: searchParam,
      change: z
        .enum(PAGE_CHANGES)
        .optional()
        .openapi({ description: 'What the last run that saw it found; pages that are gone are listed by "gone" only' }),
    }),
  },
  responses: { 200: json('A part of the list', pageListSchema), ...badRequest, ...notFound, ...anyTime },
});

/** Postgres reads neither the year 0 nor one of five digits, which an offset can make of the last hours of 9999. */
const [EARLIEST, LATEST] = [new Date(0), new Date('9999-12-31T23:59:59.999Z')];

const sinceParam = z.iso
  .datetime({ offset: true, error: 'must be an ISO 8601 time such as 2026-01-31T12:00:00.000Z' })
  .transform((text) => {
    const time = new Date(text);
    return time < EARLIEST ? EARLIEST : time > LATEST ? LATEST : time;
  })
  .optional()
  .openapi({ type: 'string', format: 'date-time', description: 'asOf of the last answer; absent: from the beginning' });

const listChangesRoute = createRoute({
  method: 'get',
  path: '/v1/sources/{id}/changes',
  summary: 'What is new, changed or gone since a time: for keeping a copy up to date',
  request: {
    params: sourceParams,
    query: z.object({ since: sinceParam, limit: limitParam({ most: 1000, usually: 100 }), cursor: cursorParam }),
  },
  responses: { 200: json('A part of the list', sourceChangesSchema), ...badRequest, ...notFound, ...anyTime },
});

export function serveSourcePages(app: OpenAPIHono, deps: ApiDeps): void {
  app.openapi(listSourcePagesRoute, async (c) => {
    const { id } = c.req.valid('param');
    const source = await findSource(deps, id);
    if (source === null) return problem(c, 'NOT_FOUND', noSuchSource(id));
    const { q, ...options } = c.req.valid('query');
    const listed = await listSourcePages(deps.db, source.id, { ...options, q: q === '' ? undefined : q });
    if (listed.kind === 'bad-cursor') return badCursor(c);
    return c.json({ items: [...listed.items], nextCursor: listed.nextCursor }, 200);
  });

  app.openapi(listChangesRoute, async (c) => {
    const { id } = c.req.valid('param');
    const source = await findSource(deps, id);
    if (source === null) return problem(c, 'NOT_FOUND', noSuchSource(id));
    const listed = await listChanges(deps.db, source.id, c.req.valid('query'));
    if (listed.kind === 'bad-cursor') return badCursor(c);
    const { items, nextCursor, asOf } = listed;
    return c.json({ items: [...items], nextCursor, asOf }, 200);
  });
}
