import { createRenderer, findBrowser, type Renderer } from '@trawl/renderer';
import { type RoleContext, runRole } from '@trawl/runtime';
import { openSessionParts } from '@trawl/sessions';
import type { z } from 'zod';
import { renderEnv } from './env.ts';
import { createRenderWorker } from './render-worker.ts';

await runRole('render', renderEnv, async (role) => {
  const { env } = role;
  const renderer = await openRenderer(role);
  const { parts, close } = openSessionParts(role, 'trawl-render');
  const worker = createRenderWorker({
    ...parts,
    renderer,
    limits: {
      pages: env.RENDER_PAGES,
      inlineBodyBytes: env.INLINE_BODY_BYTES,
      robotsMaxAgeMs: env.ROBOTS_MAX_AGE_SECONDS * 1000,
    },
  });
  return async () => {
    await worker.close();
    await renderer?.close();
    await close();
  };
});

/** Null: there is no browser. */
async function openRenderer({ env, logger }: RoleContext<z.output<typeof renderEnv>>): Promise<Renderer | null> {
  const executablePath = env.BROWSER_PATH === 'none' ? null : await findBrowser(env.BROWSER_PATH);
  if (executablePath === null) {
    logger.info('there is no browser: pages that need one are kept as they are; BROWSER_PATH names one');
    return null;
  }
  return createRenderer({
    executablePath,
    pages: env.RENDER_PAGES,
    ...(env.BROWSER_SANDBOX === undefined ? {} : { sandbox: env.BROWSER_SANDBOX }),
    allowPrivateNetworks: env.ALLOW_PRIVATE_NETWORKS,
    maxTransferBytes: env.RENDER_MAX_TRANSFER_BYTES,
    recycle: {
      pages: env.BROWSER_MAX_PAGES,
      ageMs: env.BROWSER_MAX_MINUTES * 60_000,
      memoryMb: env.BROWSER_MAX_MEMORY_MB,
    },
    onNotice: (sentence, context) => logger.info(context, sentence),
  });
}
