/** Runs what we want to know of a page beside its own scripts: in a world where these have changed nothing. */
import type { CDPSession } from 'playwright-core';

/** A page that is never idle is asked after this long all the same. */
const PATIENCE_MS = 2000;

/** Resolves when the page has finished what its last answers set off. */
export const UNTIL_IDLE = `new Promise((done) => requestIdleCallback(() => done(), { timeout: ${PATIENCE_MS} }))`;

/** The value, or what it promises. Rejects while a document is being replaced. */
export async function inOwnWorld(session: CDPSession, expression: string): Promise<unknown> {
  const { frameTree } = await session.send('Page.getFrameTree');
  const world = await session.send('Page.createIsolatedWorld', { frameId: frameTree.frame.id, worldName: 'trawl' });
  const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
    expression,
    contextId: world.executionContextId,
    awaitPromise: true,
    returnByValue: true,
  });
  if (exceptionDetails !== undefined) throw new Error(`the page can't be read: ${exceptionDetails.text}`);
  return result.value;
}
