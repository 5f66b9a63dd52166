/** `GET` of exports: all pages of a run or of a source as one file, streamed. What a file looks like is up to `@trawl/exports`. */
import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi';
import { describeSource, getRun, keepsAnswers, type SourceRow } from '@trawl/db';
import { EXPORT_FORMATS, type ExportFormat, FORMAT_FILES } from '@trawl/exports';
import type { Context } from 'hono';
import type { ApiDeps } from '../deps.ts';
import { problem } from '../problem.ts';
import { anyTime, badRequest, conflict, notFound, runParams, sourceParams } from '../route-parts.ts';
import { findRun, noSuchRun } from '../runs/read-run.ts';
import { findSource, noSuchSource } from '../sources/find-source.ts';
import { exportBody } from './export-body.ts';
import { type ExportRequest, exportPieces } from './export-pieces.ts';

const CHANGES = ['new', 'changed', 'unchanged'] as const;

const exportQuery = z.object({
  format: z
    .enum(EXPORT_FORMATS, { error: `must be one of ${EXPORT_FORMATS.join(', ')}` })
    .default('jsonl')
    .openapi({ description: 'warc needs a run with output.html' }),
  duplicates: z
    .enum(['true', 'false'], { error: 'must be true or false' })
    .default('true')
    .openapi({ description: 'false leaves out pages whose content another page has' }),
  change: z
    .string()
    .max(100)
    .transform((list) => list.split(','))
    .pipe(z.array(z.enum(CHANGES, { error: `must be some of ${CHANGES.join(', ')}, separated by commas` })))
    .optional()
    .openapi({
      type: 'string',
      description: 'Only pages that were found so, e.g. new,changed',
      example: 'new,changed',
    }),
});

const file = {
  200: {
    description: 'The file; broken off where it could not be completed',
    content: Object.fromEntries(
      EXPORT_FORMATS.map((format) => [
        FORMAT_FILES[format].contentType.replace(/;.*/, ''),
        { schema: z.string().openapi({ format: 'binary' }) },
      ]),
    ),
  },
};
const textFile: typeof file = {
  200: { description: file[200].description, content: { 'text/plain': { schema: z.string() } } },
};

const exportRunRoute = createRoute({
  method: 'get',
  path: '/v1/runs/{id}/export',
  summary: 'The processed pages of a run as a file; of a run that is not finished, those it has so far',
  request: { params: runParams, query: exportQuery },
  responses: { ...file, ...badRequest, ...notFound, ...conflict, ...anyTime },
});

const exportSourceRoute = createRoute({
  method: 'get',
  path: '/v1/sources/{id}/export',
  summary: 'The pages of a source as they are now, as a file',
  request: { params: sourceParams, query: exportQuery },
  responses: { ...file, ...badRequest, ...notFound, ...conflict, ...anyTime },
});

const llmsRoutes = (['llms', 'llms-full'] as const).map((format) => ({
  format,
  route: createRoute({
    method: 'get',
    path: `/v1/sources/{id}/${format}.txt` as const,
    summary: `${format}.txt of a source, as it is now`,
    request: { params: sourceParams },
    responses: { ...textFile, ...notFound, ...anyTime },
  }),
}));

export function serveExports(app: OpenAPIHono, deps: ApiDeps): void {
  app.openapi(exportRunRoute, async (c) => {
    const { id } = c.req.valid('param');
    const run = await findRun(deps, id);
    if (run === null) return problem(c, 'NOT_FOUND', noSuchRun(id));
    const { format, duplicates, change } = c.req.valid('query');
    const { config } = run.row;
    if (format === 'warc' && !config.output.html) return problem(c, 'CONFLICT', nothingKept('The run'));
    const mainHost = hostOf(config.urls[0]);
    return send(c, deps, {
      format,
      of: { runId: run.row.id },
      site: { name: mainHost ?? run.row.id, mainHost },
      fileName: fileName([mainHost, run.row.id], format),
      duplicates: duplicates === 'true',
      changes: change,
    });
  });

  app.openapi(exportSourceRoute, async (c) => {
    const { id } = c.req.valid('param');
    const source = await findSource(deps, id);
    if (source === null) return problem(c, 'NOT_FOUND', noSuchSource(id));
    const { format, duplicates, change } = c.req.valid('query');
    if (format === 'warc' && !(await keepsAnswers(deps.db, source.id)))
      return problem(c, 'CONFLICT', nothingKept('The last run of this source'));
    return send(c, deps, {
      ...(await sourceRequest(deps, source)),
      format,
      fileName: fileName([source.name, source.id], format),
      duplicates: duplicates === 'true',
      changes: change,
    });
  });

  for (const { format, route } of llmsRoutes) {
    app.openapi(route, async (c) => {
      const { id } = c.req.valid('param');
      const source = await findSource(deps, id);
      if (source === null) return problem(c, 'NOT_FOUND', noSuchSource(id));
      const request = { format, fileName: `${format}.txt`, duplicates: true, changes: undefined };
      return send(c, deps, { ...(await sourceRequest(deps, source)), ...request }, 'inline');
    });
  }
}

function send(c: Context, deps: ApiDeps, request: ExportRequest, disposition: 'attachment' | 'inline' = 'attachment') {
  const headers = {
    'Content-Type': FORMAT_FILES[request.format].contentType,
    'Content-Disposition': `${disposition}; filename="${request.fileName}"`,
  };
  // Hono answers HEAD with the headers of GET and never reads the body, which would then never be closed.
  if (c.req.method === 'HEAD') return c.body(null, 200, headers);
  const body = exportBody(exportPieces(deps, request), {
    stopping: deps.stopping,
    onFailure: (error) =>
      deps.log.warn({ err: error, path: c.req.path, format: request.format }, 'an export broke off'),
  });
  return c.body(body, 200, headers);
}

/** Where its newest run began tells which host is its own. A source without a run has no pages either. */
async function sourceRequest(deps: ApiDeps, source: SourceRow): Promise<Pick<ExportRequest, 'of' | 'site'>> {
  const last = (await describeSource(deps.db, source.id))?.lastRun;
  const run = last ? await getRun(deps.db, last.id) : null;
  return { of: { sourceId: source.id }, site: { name: source.name, mainHost: hostOf(run?.config.urls[0]) } };
}

const nothingKept = (what: string): string =>
  `${what} kept no answers as they came, which WARC is made of: start one with "output": { "html": true }.`;

const hostOf = (url: string | undefined): string | null => (url === undefined ? null : (URL.parse(url)?.host ?? null));

/** Of letters that need no quoting in a header nor in a shell. */
function fileName(parts: readonly (string | null)[], format: ExportFormat): string {
  const stem = parts
    .flatMap(
      (part) =>
        part
          ?.replace(/[^A-Za-z0-9._-]+/g, '-')
          .replace(/^[-.]+/, '')
          .slice(0, 80) || [],
    )
    .join('-');
  return `${stem}${FORMAT_FILES[format].extension}`;
}
