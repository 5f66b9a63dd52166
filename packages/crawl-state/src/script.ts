/** Calls a script of this package with a run's keys: one JSON argument in, one JSON reply out. */
import type { RunId } from '@trawl/contracts';
import { type LuaScript, loadLua, runLua, runLuaAfter } from '@trawl/runtime';
import type { ChainableCommander, Redis } from 'ioredis';
import { runKeys } from './keys.ts';

export interface StateContext {
  readonly redis: Redis;
  /** In front of every key; empty in an installation of its own. */
  readonly prefix: string;
}

export type Reply = Record<string, unknown>;

const DIRECTORY = new URL('./lua/', import.meta.url);

export const script = (name: string): LuaScript => loadLua(DIRECTORY, name);

export async function call(context: StateContext, lua: LuaScript, runId: RunId, args: unknown = {}): Promise<Reply> {
  return parse(await runLua(context.redis, lua, runKeys(context.prefix, runId), [JSON.stringify(args)]));
}

/** The same as the last command of a pipeline; returns the other commands' replies beside it. */
export async function callAfter(
  context: StateContext,
  prepare: (pipeline: ChainableCommander) => void,
  lua: LuaScript,
  runId: RunId,
  args: unknown,
): Promise<{ reply: Reply; before: unknown[] }> {
  const replies = await runLuaAfter(context.redis, prepare, lua, runKeys(context.prefix, runId), [
    JSON.stringify(args),
  ]);
  return { reply: parse(replies.at(-1)), before: replies.slice(0, -1) };
}

function parse(reply: unknown): Reply {
  return JSON.parse(String(reply)) as Reply;
}
