/**
 * `GET /v1/sources/:id/search`: chunks of a source by words, by meaning, or by both. Decides how it is searched, and embeds the query;
 * the rest is the database's.
 */
import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi';
import { SEARCH_MODES, type SearchMode, type SourceId, searchSchema } from '@trawl/contracts';
import { findVectors, modeOfCursor, searchSource, withDimensions } from '@trawl/db';
import type { ApiDeps } from '../deps.ts';
import { isStorable } from '../json-body.ts';
import { badCursor, problem } from '../problem.ts';
import {
  anyTime,
  badRequest,
  conflict,
  cursorParam,
  json,
  limitParam,
  notFound,
  sourceParams,
} from '../route-parts.ts';
import { findSource, noSuchSource } from './find-source.ts';

/** A person waits: shorter than an indexer would. */
const EMBED_MS = 10_000;

const storable = (text: string) => isStorable(text);

const searchRoute = createRoute({
  method: 'get',
  path: '/v1/sources/{id}/search',
  summary: 'Search in the pages of a source',
  request: {
    params: sourceParams,
    query: z.object({
      q: z
        .string({ error: 'is required' })
        .min(1, 'must not be empty')
        .max(500, 'must be at most 500 characters')
        .refine(storable, 'holds a NUL or half of a surrogate pair')
        .openapi({
          description: 'Words; "in quotes" as they stand, -without, one or another',
          example: 'install -windows',
        }),
      mode: z
        .enum(SEARCH_MODES)
        .optional()
        .openapi({ description: 'Absent: hybrid where there are embeddings, else text' }),
      limit: limitParam({ most: 100, usually: 10 }),
      perPage: limitParam({ most: 100, usually: 3 }).openapi({ description: 'Most chunks of one page' }),
      cursor: cursorParam,
      language: z
        .string()
        .regex(/^[a-zA-Z]{2,3}$/, 'must be a language such as en')
        .transform((tag) => tag.toLowerCase())
        .optional()
        .openapi({ description: 'Pages that say they are in this language', example: 'en' }),
      path: z
        .string()
        .max(500)
        .regex(/^\//, 'must begin with a slash')
        .refine(storable, 'holds a NUL or half of a surrogate pair')
        .optional()
        .openapi({ description: 'What the path of a page begins with', example: '/docs/' }),
    }),
  },
  responses: {
    200: json('A part of what was found, best first', searchSchema),
    ...badRequest,
    ...notFound,
    409: { ...conflict[409], description: 'There are no embeddings to search by' },
    ...anyTime,
  },
});

export function serveSearchSource(app: OpenAPIHono, deps: ApiDeps): void {
  app.openapi(searchRoute, async (c) => {
    const { id } = c.req.valid('param');
    const source = await findSource(deps, id);
    if (source === null) return problem(c, 'NOT_FOUND', noSuchSource(id));
    const { mode: wanted, ...query } = c.req.valid('query');
    const asked = query.cursor === undefined ? wanted : modeOfCursor(query.cursor, { ...query, sourceId: source.id });
    if (asked === null || (wanted !== undefined && wanted !== asked)) return badCursor(c);
    const means = await meansFor(deps, query.q, asked, c.req.raw.signal);
    if (means.kind === 'missing') return problem(c, 'CONFLICT', means.reason);
    if (means.kind === 'away') return problem(c, 'DEPENDENCY_UNAVAILABLE', means.reason);
    const { mode, vector, warnings } = means;
    const found = await searchSource(deps.db, source.id as SourceId, { ...query, mode, vector });
    if (found.kind === 'bad-cursor') return badCursor(c);
    if (found.kind === 'too-slow') {
      return problem(c, 'DEPENDENCY_UNAVAILABLE', 'The search took too long. Rarer words, or a path, make it shorter.');
    }
    const { embeddings, ...index } = found.index;
    const model = deps.embeddings?.model;
    return c.json(
      {
        items: found.items.map((item) => ({
          ...item,
          headingPath: [...item.headingPath],
          highlights: item.highlights.map(({ text, matches }) => ({
            text,
            matches: matches.map(([from, to]): [number, number] => [from, to]),
          })),
        })),
        nextCursor: found.nextCursor,
        mode,
        index: { ...index, embeddings: embeddings && model !== undefined ? { model, ...embeddings } : null },
        warnings: [...warnings],
      },
      200,
    );
  });
}

type Means =
  | {
      readonly kind: 'ready';
      readonly mode: SearchMode;
      readonly vector: readonly number[] | undefined;
      readonly warnings: readonly string[];
    }
  /** What was asked for can't be had here. */
  | { readonly kind: 'missing'; readonly reason: string }
  /** Not now. */
  | { readonly kind: 'away'; readonly reason: string };

const byWords = (...warnings: string[]): Means => ({ kind: 'ready', mode: 'text', vector: undefined, warnings });

/** Whoever asked for nothing in particular gets words alone where there is no more; whoever asked for meaning is told why not. */
async function meansFor(deps: ApiDeps, q: string, asked: SearchMode | undefined, signal: AbortSignal): Promise<Means> {
  if (asked === 'text') return byWords();
  if (deps.embeddings === undefined) {
    if (asked === undefined) return byWords();
    return {
      kind: 'missing',
      reason: 'Embeddings are not configured: EMBEDDINGS_URL and EMBEDDINGS_MODEL say where from.',
    };
  }
  const vectors = await findVectors(deps.db, deps.embeddings.model);
  if (vectors.kind === 'none') {
    return asked === undefined ? byWords(vectors.reason) : { kind: 'missing', reason: vectors.reason };
  }
  const embedder = withDimensions(deps.embeddings, vectors.dimensions);
  const answer = await embedder.embed([q], AbortSignal.any([signal, AbortSignal.timeout(EMBED_MS)]));
  if (answer.kind !== 'embedded') {
    const reason = `The query could not be embedded. ${answer.reason}`;
    deps.log.warn({ reason: answer.reason }, 'a query could not be embedded');
    return asked === undefined ? byWords(reason) : { kind: 'away', reason };
  }
  return { kind: 'ready', mode: asked ?? 'hybrid', vector: answer.vectors[0], warnings: [] };
}
