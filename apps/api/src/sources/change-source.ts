/** `PATCH /v1/sources/:id`. A given configuration takes the place of the old one as a whole; runs under way keep theirs. */
import { createRoute, type OpenAPIHono } from '@hono/zod-openapi';
import { type AccessInput, patchSourceSchema, type RunInput, type SourceId, sourceSchema } from '@trawl/contracts';
import { type KeptAccess, readSourceInput, updateSource } from '@trawl/db';
import { badInput } from '../bad-input.ts';
import type { ApiDeps } from '../deps.ts';
import { jsonBody } from '../json-body.ts';
import { accessErrors, keepAccess } from '../keep-access.ts';
import { problem } from '../problem.ts';
import { anyTime, badBody, json, notFound, sourceParams } from '../route-parts.ts';
import { sourceErrors, startUrlsOf } from './check-source.ts';
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
    const { access, ...body } = c.req.valid('json');
    const errors = [...sourceErrors(body, deps.settings), ...accessErrors(access, deps)];
    if (errors.length > 0) return badInput(c, 'body', errors);
    const kept = access && (await keptFor(source.id, access, body.config, deps));
    if (kept === 'no-config')
      return badInput(c, 'body', [{ path: 'access.hosts', message: 'is needed: the source has no start pages' }]);
    const changed = await updateSource(deps.db, source.id, { ...body, access: kept });
    const view = changed && (await readSourceView(deps, changed));
    return view === null ? problem(c, 'NOT_FOUND', noSuchSource(id)) : c.json(view, 200);
  });
}

/** For the hosts of the start pages as they are from now on. */
async function keptFor(
  id: SourceId,
  access: AccessInput,
  config: RunInput | undefined,
  deps: ApiDeps,
): Promise<KeptAccess | 'no-config'> {
  const found = config ? null : await readSourceInput(deps.db, id);
  const input = config ?? (found?.kind === 'found' ? found.input : null);
  if (input === null && access.hosts === undefined) return 'no-config';
  const startUrls = input === null ? [] : startUrlsOf(input, deps.settings);
  return keepAccess(access, { id, startUrls }, deps.vault);
}
