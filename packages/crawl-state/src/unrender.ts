/** Lets a run go on that waits for browsers while there are none: its pages are taken as they are, or fail where it wants them rendered. */
import type { RunId } from '@trawl/contracts';
import { type Owed, owedOf } from './owed.ts';
import { call, type StateContext, script } from './script.ts';
import type { Failure } from './step.ts';

const lua = script('unrender');

/** Few enough for one call not to hold up others. */
const PART = 1000;

export interface Unrendered {
  readonly owed: Owed;
  /** URLs that go on without a browser. */
  readonly unrendered: number;
  readonly failed: number;
}

/** In parts, each with what it owes. */
export async function* unrender(context: StateContext, runId: RunId, failure: Failure): AsyncGenerator<Unrendered> {
  for (let more = true; more; ) {
    const reply = await call(context, lua, runId, { most: PART, failure });
    if ('over' in reply) return;
    more = reply.more === true;
    yield { owed: owedOf(reply), unrendered: Number(reply.unrendered), failed: Number(reply.failed) };
  }
}
