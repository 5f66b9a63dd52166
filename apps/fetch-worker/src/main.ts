import { runRole, watchBrowsers } from '@trawl/runtime';
import { openSessionParts } from '@trawl/sessions';
import { fetchEnv } from './env.ts';
import { createFetchWorker } from './fetch-worker.ts';

await runRole('fetch', fetchEnv, async (role) => {
  const { env, redis } = role;
  const { parts, close } = openSessionParts(role, 'trawl-fetch');
  const worker = createFetchWorker({
    ...parts,
    canRender: watchBrowsers(redis, env.REDIS_PREFIX),
    limits: {
      sessions: env.FETCH_SESSIONS,
      requests: env.FETCH_REQUESTS,
      slowRequests: env.FETCH_SLOW_REQUESTS,
      sessionSlots: env.SESSION_SLOTS,
      inlineBodyBytes: env.INLINE_BODY_BYTES,
      robotsMaxAgeMs: env.ROBOTS_MAX_AGE_SECONDS * 1000,
    },
  });
  return async () => {
    await worker.close();
    await close();
  };
});
