/** First call of a fetch job: is this session still its own? */
import type { RunId, UrlKey } from '@trawl/contracts';
import { unpackRequestUrl } from '@trawl/url';
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

export type BeginResult =
  /** `firstUrl`: what a claim would bring first, if anything. */
  { kind: 'begun'; settings: RunSettings; firstUrl: string | null; runAgeMs: number } | { kind: 'gone' };

export async function begin(context: StateContext, session: SessionRef): Promise<BeginResult> {
  const { runId, ...args } = session;
  const reply = await call(context, lua, runId, args);
  if (reply.ok !== true) return { kind: 'gone' };
  const first = reply.first as { key: UrlKey; url: string } | undefined;
  return {
    kind: 'begun',
    settings: parseSettings(String(reply.settings)),
    firstUrl: first ? unpackRequestUrl(first.key, first.url) : null,
    runAgeMs: Number(reply.ageMs),
  };
}
