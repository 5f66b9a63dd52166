/** `/healthz` says that this process lives; `/readyz` that a run started now would be crawled. */
import { createRoute, type OpenAPIHono } from '@hono/zod-openapi';
import { healthSchema, ROLES, type Role, readySchema } from '@trawl/contracts';
import { ping } from '@trawl/db';
import type { ApiDeps } from './deps.ts';
import { problem } from './problem.ts';
import { anyTime, json } from './route-parts.ts';

/** An orchestrator asks every few seconds and gives up after one or two. */
const PATIENCE_MS = 2000;

const healthRoute = createRoute({
  method: 'get',
  path: '/healthz',
  summary: 'Is this process alive?',
  responses: { 200: json('Yes', healthSchema) },
});

const readyRoute = createRoute({
  method: 'get',
  path: '/readyz',
  summary: 'Are Redis, Postgres and at least one worker of each role there?',
  responses: { 200: json('Yes', readySchema), 503: anyTime[503] },
});

export function serveHealth(app: OpenAPIHono, deps: ApiDeps): void {
  app.openapi(healthRoute, (c) => c.json({ status: 'ok' as const }, 200));

  app.openapi(readyRoute, async (c) => {
    const [roles, postgres] = await Promise.all([
      outcomeOf(() => deps.rolesSeen(), deps),
      outcomeOf(() => ping(deps.db), deps),
    ]);
    const missing = [
      ...(roles.ok ? missingRoles(roles.value).map((role) => `a worker of the role ${role}`) : ['Redis']),
      ...(postgres.ok ? [] : ['Postgres']),
    ];
    if (missing.length > 0 || !roles.ok) return problem(c, 'NOT_READY', `Missing: ${missing.join(', ')}.`);
    return c.json({ status: 'ready' as const, roles: { ...roles.value } }, 200);
  });
}

const missingRoles = (seen: Readonly<Record<Role, number>>): Role[] => ROLES.filter((role) => !(seen[role] > 0));

type Outcome<T> = { ok: true; value: T } | { ok: false };

/** Here a failure is the answer, so it is logged and not thrown. */
async function outcomeOf<T>(ask: () => Promise<T>, deps: Pick<ApiDeps, 'log'>): Promise<Outcome<T>> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${PATIENCE_MS} ms`)), PATIENCE_MS);
  });
  try {
    return { ok: true, value: await Promise.race([ask(), tooLate]) };
  } catch (error) {
    deps.log.warn({ err: error }, 'not ready');
    return { ok: false };
  } finally {
    clearTimeout(timer);
  }
}
