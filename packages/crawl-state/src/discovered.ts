/** The start pages are in: from here on the run may end. */
import type { RunId } from '@trawl/contracts';
import { type Owed, owedOf } from './owed.ts';
import { call, type StateContext, script } from './script.ts';

const lua = script('discovered');

export async function discovered(context: StateContext, runId: RunId): Promise<Owed> {
  return owedOf(await call(context, lua, runId, { done: true }));
}

/** Keeps a long discovery's lease. */
export async function renewDiscovery(context: StateContext, runId: RunId): Promise<{ isOver: boolean }> {
  return { isOver: 'over' in (await call(context, lua, runId, { done: false })) };
}
