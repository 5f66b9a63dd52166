/** First call of a fetch job: is this session still its own? */
import type { RunId } from '@trawl/contracts';
import { call, type StateContext, script } from './script.ts';
import { parseSettings, type RunSettings } from './settings.ts';

const lua = script('begin');

/** A fetch session as its worker names it. `exec` is fresh for each execution of the job. */
export interface SessionRef {
  readonly runId: RunId;
  readonly host: string;
  readonly sid: string;
  readonly exec: string;
}

export type BeginResult = { kind: 'begun'; settings: RunSettings } | { kind: 'gone' };

export async function begin(context: StateContext, session: SessionRef): Promise<BeginResult> {
  const { runId, ...args } = session;
  const reply = await call(context, lua, runId, args);
  return reply.ok === true ? { kind: 'begun', settings: parseSettings(String(reply.settings)) } : { kind: 'gone' };
}
