/**
 * The HTTP API: puts the routes together with what holds for all of them (keys, problems, wrong methods, the document).
 * Opens nothing and listens nowhere; `main.ts` does.
 */
import { OpenAPIHono } from '@hono/zod-openapi';
import { requireApiKey } from './api-keys.ts';
import { answerBadInput } from './bad-input.ts';
import { refuseKey, serveCrawlPage } from './crawl/crawl-page.ts';
import { serveCrawlShots } from './crawl/show-shot.ts';
import type { ApiDeps } from './deps.ts';
import { serveExports } from './exports/serve-exports.ts';
import { answerFailure } from './failures.ts';
import { serveHealth } from './health.ts';
import { servePages } from './pages.ts';
import { problem } from './problem.ts';
import { serveControlRun } from './runs/control-run.ts';
import { serveDeleteRun } from './runs/delete-run.ts';
import { serveListErrors } from './runs/list-errors.ts';
import { serveListRuns } from './runs/list-runs.ts';
import { serveRunEvents } from './runs/run-events.ts';
import { serveShowRun } from './runs/show-run.ts';
import { serveStartRun } from './runs/start-run.ts';
import { serveChangeSource } from './sources/change-source.ts';
import { serveCreateSource } from './sources/create-source.ts';
import { serveDeleteSource } from './sources/delete-source.ts';
import { serveSearchSource } from './sources/search-source.ts';
import { serveShowSource } from './sources/show-source.ts';
import { serveSourcePages } from './sources/source-pages.ts';
import { serveStartSourceRun } from './sources/start-source-run.ts';

export function createApi(deps: ApiDeps): OpenAPIHono {
  const app = new OpenAPIHono({ defaultHook: answerBadInput });
  app.onError(answerFailure(deps.log));
  app.notFound((c) =>
    problem(c, 'NOT_FOUND', 'There is nothing at this address. GET /openapi.json lists what there is.'),
  );
  app.use('/v1/crawl', requireApiKey(deps.settings.apiKeys, refuseKey));
  app.use('/v1/*', requireApiKey(deps.settings.apiKeys));

  serveCrawlPage(app, deps);
  serveCrawlShots(app, deps);
  serveStartRun(app, deps);
  serveListRuns(app, deps);
  serveShowRun(app, deps);
  serveListErrors(app, deps);
  serveControlRun(app, deps);
  serveDeleteRun(app, deps);
  serveRunEvents(app, deps);
  servePages(app, deps);
  serveCreateSource(app, deps);
  serveShowSource(app, deps);
  serveChangeSource(app, deps);
  serveDeleteSource(app, deps);
  serveStartSourceRun(app, deps);
  serveSourcePages(app, deps);
  serveSearchSource(app, deps);
  serveExports(app, deps);
  serveHealth(app, deps);
  app.get('/', (c) => c.json({ name: 'Trawl', openapi: '/openapi.json' }));
  serveDocument(app);
  refuseOtherMethods(app);
  return app;
}

function serveDocument(app: OpenAPIHono): void {
  app.openAPIRegistry.registerComponent('securitySchemes', 'bearer', { type: 'http', scheme: 'bearer' });
  app.openAPIRegistry.registerComponent('securitySchemes', 'apiKey', {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
  });
  // Made once: it does not change, and a schema it can't describe should stop the start, not a request.
  const document = app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'Trawl',
      version: '0.1.0',
      description: 'Crawls whole sites and turns them into clean, chunked markdown.',
    },
    // The empty one: keys are asked for only where they are configured.
    security: [{ bearer: [] }, { apiKey: [] }, {}],
  });
  app.get('/openapi.json', (c) => c.json(document));
}

/** Comes last, so it meets only what no route has taken: an address that exists, with a method that does not. */
function refuseOtherMethods(app: OpenAPIHono): void {
  const methods = new Map<string, Set<string>>();
  for (const { path, method } of app.routes) {
    if (method === 'ALL') continue;
    const known = methods.get(path) ?? new Set();
    known.add(method);
    if (method === 'GET') known.add('HEAD');
    methods.set(path, known);
  }
  for (const [path, known] of methods) {
    const allow = [...known].sort().join(', ');
    app.all(path, (c) =>
      problem(c, 'METHOD_NOT_ALLOWED', `This address takes ${allow}.`, { headers: { Allow: allow } }),
    );
  }
}
