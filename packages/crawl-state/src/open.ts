/** A wake-up: from the host's gate, or for a retry whose time has come. */
import type { RunId } from '@trawl/contracts';
import { type Owed, owedOf } from './owed.ts';
import { call, type StateContext, script } from './script.ts';

const lua = script('open');

/** `idle`: nothing was opened, so a waker goes on with the next in line. */
export async function open(context: StateContext, runId: RunId, host: string): Promise<{ owed: Owed; idle: boolean }> {
  const reply = await call(context, lua, runId, { host });
  return { owed: owedOf(reply), idle: reply.idle === true };
}
