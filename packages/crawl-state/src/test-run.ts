/** Test-only. Runs with small numbers, and the calls of well-behaved workers in one line each. */
import {
  completeRunConfig,
  createRunSchema,
  newRunId,
  newSourceId,
  type RunId,
  type UrlErrorCode,
  type UrlKey,
} from '@trawl/contracts';
import { testPrefix, testRedis } from '@trawl/testing';
import type { Link } from './admit.ts';
import type { SessionRef } from './begin.ts';
import { type CrawlState, createCrawlState } from './crawl-state.ts';
import type { RunLimits } from './limits.ts';
import { type RunView, readRun, violationOf } from './model/run-view.ts';
import type { Owed, PageRef } from './owed.ts';
import type { RunSettings } from './settings.ts';
import type { SettledPage } from './settle.ts';
import type { Claim, Failure, PageInfo, StepResult } from './step.ts';

/** Long leases: nothing runs out unless a test says so. */
export const LIMITS: RunLimits = {
  maxPages: 1000,
  maxUrls: 10_000,
  maxDepth: 5,
  maxRetries: 2,
  maxLost: 2,
  templateQuota: 1000,
  endlessQuota: 1000,
  high: 200,
  low: 100,
  leaseMs: 60_000,
  parkMs: 5000,
  rendersAll: 0,
};

export const SETTINGS: RunSettings = {
  sourceId: newSourceId(),
  config: completeRunConfig(createRunSchema.parse({ url: 'https://a.test/' }), { userAgent: 'test' }),
  hasPast: false,
  access: null,
};

export const INFO: PageInfo = { httpStatus: 200, contentType: 'text/html', bytes: 4, elapsedMs: 1, crawledAt: 0 };

/** `a/1` is `https://a.test/1`. */
export const keyOf = (name: string): UrlKey => `https://${name.replace('/', '.test/')}` as UrlKey;

export const link = (name: string, o: Partial<Link> = {}): Link => ({
  key: keyOf(name),
  url: keyOf(name),
  template: 'template',
  boosted: false,
  rank: 'ordinary',
  endless: false,
  ...o,
});

export const failureOf = (code: UrlErrorCode): Failure => ({
  error: { code, message: code, retryable: false, attempts: 1 },
  at: 0,
});

/** A worker's view of the package, and a test's. Call it in a file's body. */
export function testCrawl() {
  const redis = testRedis();
  const context = { redis, prefix: testPrefix() };
  const state = createCrawlState(redis, context);
  return {
    context,
    state,
    /** A run whose discovery is done with these start pages, without sessions begun. */
    async start(names: readonly string[], limits: Partial<RunLimits> = {}): Promise<TestRun> {
      const runId = newRunId();
      await state.create(runId, { limits: { ...LIMITS, ...limits }, settings: SETTINGS });
      const admitted = await state.admit(
        runId,
        names.map((name) => link(name)),
      );
      if (names.length > 0) await state.discovered(runId);
      const view = async (): Promise<RunView> => {
        const seen = await readRun(context, runId);
        const violation = violationOf(seen, { ...LIMITS, ...limits });
        if (violation) throw new Error(violation);
        return seen;
      };
      return { runId, state, view, owed: owedBy(admitted) };
    },
  };
}

export interface TestRun {
  readonly runId: RunId;
  readonly state: CrawlState;
  /** What its start pages owed. */
  readonly owed: Owed;
  /** Fails if the state breaks a rule. */
  view(): Promise<RunView>;
}

export function owedBy(result: { readonly owed: Owed } | { readonly kind: string }): Owed {
  if (!('owed' in result)) throw new Error(`owes nothing: ${JSON.stringify(result)}`);
  return result.owed;
}

let execs = 0;

/** Begins the session that was owed for the host. */
export async function beginOn(run: TestRun, host: string, owed: Owed = run.owed): Promise<SessionRef> {
  const offered = owed.fetch.find((f) => f.host === `${host}.test`);
  if (!offered) throw new Error(`no session owed on ${host}: ${JSON.stringify(owed)}`);
  const session = { runId: run.runId, ...offered, exec: `exec${++execs}` };
  const begun = await run.state.begin(session);
  if (begun.kind !== 'begun') throw new Error('the session is gone');
  return session;
}

/** Claims up to `want` URLs; fails if it gets none. */
export async function claim(run: TestRun, session: SessionRef, want = 10): Promise<readonly Claim[]> {
  const reply = await run.state.step(session, [], want);
  if (reply.kind === 'over' || reply.claims.length === 0) throw new Error(`no claims: ${JSON.stringify(reply)}`);
  return reply.claims;
}

export const ok = ({ key, token }: Claim): StepResult => ({
  key,
  token,
  kind: 'ok',
  body: { bytes: Buffer.from('body') },
  info: INFO,
});

export const ended = ({ key, token }: Claim, kind: 'fail' | 'skip', code: UrlErrorCode): StepResult => ({
  key,
  token,
  kind,
  failure: failureOf(code),
});

/** Claims what waits on the host and fetches it. */
export async function fetchOn(run: TestRun, session: SessionRef, want = 10): Promise<readonly PageRef[]> {
  const claims = await claim(run, session, want);
  return owedBy(await run.state.step(session, claims.map(ok), 0)).process;
}

export const processed = (page: PageRef, names: readonly string[] = [], depth = 0, print = 'same'): SettledPage => ({
  key: page.key,
  token: page.token,
  kind: 'ok',
  url: page.key,
  depth,
  links: names.map((name) => link(name)),
  refused: {},
  print,
});

/** One step of a session with its answers; fails if the run is over. */
export async function stepOf(run: TestRun, session: SessionRef, results: readonly StepResult[], want = 0) {
  const reply = await run.state.step(session, results, want);
  if (reply.kind === 'over') throw new Error('the run is over');
  return reply;
}

/** The session's `at`th claim, of a frontier with at least that many. */
export function at<T>(list: readonly T[], i = 0): T {
  const item = list[i];
  if (item === undefined) throw new Error(`only ${list.length} of them`);
  return item;
}

export async function collect<T>(generator: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const one of generator) all.push(one);
  return all;
}
