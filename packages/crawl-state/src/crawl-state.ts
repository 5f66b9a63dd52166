/**
 * The truth about every URL of every run, in Redis: which of its five states it is in, who holds it, what waits where.
 * Each function is one atomic script that checks the state it leaves and returns the wake-ups its caller owes.
 * Does not add jobs (the caller pays), nor know hosts' limits (politeness), nor URLs' rules (url).
 */
import type { PageOutcome, RunId, UrlKey } from '@trawl/contracts';
import type { Redis } from 'ioredis';
import { admit, type Link } from './admit.ts';
import { begin, type SessionRef } from './begin.ts';
import { beginPages, type HeldPage, renewPages } from './begin-pages.ts';
import { close } from './close.ts';
import { cancel, pause, resume } from './control.ts';
import { create } from './create.ts';
import { discovered, renewDiscovery } from './discovered.ts';
import { type ErrorsAsked, errors } from './errors.ts';
import { finish, finishedUrls, remove } from './finish.ts';
import { giveUp } from './give-up.ts';
import { activeRuns, heal, retire } from './heal.ts';
import type { RunLimits } from './limits.ts';
import { open } from './open.ts';
import type { PageRef } from './owed.ts';
import { park } from './park.ts';
import { progress } from './progress.ts';
import { type RelinkedPage, relinked } from './relinked.ts';
import { type RunSettings, settings } from './settings.ts';
import { type SettledPage, settle } from './settle.ts';
import { type Failure, type StepResult, step } from './step.ts';
import { unrender } from './unrender.ts';
import { why } from './why.ts';

export type CrawlState = ReturnType<typeof createCrawlState>;

export function createCrawlState(redis: Redis, o: { prefix?: string } = {}) {
  const context = { redis, prefix: o.prefix ?? '' };
  return {
    create: (runId: RunId, run: { limits: RunLimits; settings: RunSettings }) => create(context, runId, run),
    settings: (runId: RunId) => settings(context, runId),
    admit: (runId: RunId, links: readonly Link[], parent?: { key: UrlKey; url: string }) =>
      admit(context, runId, links, parent),
    discovered: (runId: RunId) => discovered(context, runId),
    renewDiscovery: (runId: RunId) => renewDiscovery(context, runId),
    begin: (session: SessionRef) => begin(context, session),
    step: (session: SessionRef, results: readonly StepResult[], want: number) => step(context, session, results, want),
    park: (session: SessionRef, forMs: number) => park(context, session, forMs),
    close: (session: SessionRef) => close(context, session),
    giveUp: (session: SessionRef, failure: Failure) => giveUp(context, session, failure),
    unrender: (runId: RunId, failure: Failure) => unrender(context, runId, failure),
    open: (runId: RunId, host: string) => open(context, runId, host),
    beginPages: (runId: RunId, exec: string, refs: readonly PageRef[]) => beginPages(context, runId, exec, refs),
    renewPages: (runId: RunId, exec: string, pages: readonly HeldPage[]) => renewPages(context, runId, exec, pages),
    settle: (runId: RunId, pages: readonly SettledPage[]) => settle(context, runId, pages),
    relinked: (runId: RunId, page: RelinkedPage) => relinked(context, runId, page),
    pause: (runId: RunId) => pause(context, runId),
    resume: (runId: RunId) => resume(context, runId),
    cancel: (runId: RunId) => cancel(context, runId),
    heal: (runId: RunId) => heal(context, runId),
    activeRuns: () => activeRuns(context),
    retire: (runId: RunId) => retire(context, runId),
    finish: (runId: RunId) => finish(context, runId),
    finishedUrls: (runId: RunId, outcome: PageOutcome) => finishedUrls(context, runId, outcome),
    remove: (runId: RunId) => remove(context, runId),
    progress: (runId: RunId) => progress(context, runId),
    why: (runId: RunId) => why(context, runId),
    errors: (runId: RunId, asked: ErrorsAsked) => errors(context, runId, asked),
  };
}
