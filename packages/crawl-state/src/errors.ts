/**
 * What went wrong in a run so far, grouped by code and host. Only reads, in batches: never a whole hash at once, and no
 * script, since a list of failures need not be of one moment. Holds one entry per group in memory, and a number per URL.
 * A URL that a cancellation skipped has no failure of its own and is not in it; its row will say so.
 */
import { hash } from 'node:crypto';
import type { ErrorGroup, RunId, UrlKey } from '@trawl/contracts';
import { hostKey, unpackRequestUrl } from '@trawl/url';
import { runKey } from './keys.ts';
import type { StateContext } from './script.ts';
import type { Failure } from './step.ts';

/** How many URLs are read at a time. */
const BATCH = 1000;
const EXAMPLES = 3;

type Outcome = ErrorGroup['outcome'];

export interface ErrorsAsked {
  readonly outcomes: readonly Outcome[];
  /** Most groups that are listed; all are counted. */
  readonly limit: number;
}

export interface GroupedErrors {
  /** URLs of all groups, listed or not. */
  readonly total: number;
  /** Most frequent first, then by code, host and outcome. */
  readonly groups: readonly ErrorGroup[];
  readonly truncated: boolean;
}

interface Group extends Omit<ErrorGroup, 'examples'> {
  readonly examples: UrlKey[];
}

export async function errors(context: StateContext, runId: RunId, asked: ErrorsAsked): Promise<GroupedErrors> {
  const groups = new Map<string, Group>();
  let total = 0;
  for await (const batch of endedUrls(context, runId, asked.outcomes)) {
    total += batch.length;
    for (const url of batch) count(groups, url);
  }
  const listed = [...groups.values()].sort(mostFrequentFirst).slice(0, asked.limit);
  // Only what is shown is looked up: the request URLs of all would cost as much again as the walk.
  const urls = await requestUrls(
    context,
    runId,
    listed.flatMap((group) => group.examples),
  );
  return {
    total,
    groups: listed.map((group) => ({ ...group, examples: group.examples.map((key) => urls.get(key) ?? key) })),
    truncated: groups.size > listed.length,
  };
}

interface EndedUrl {
  readonly key: UrlKey;
  readonly outcome: Outcome;
  readonly failure: Failure;
}

/** Each URL once, with the set it ended in. */
async function* endedUrls(
  context: StateContext,
  runId: RunId,
  outcomes: readonly Outcome[],
): AsyncGenerator<EndedUrl[]> {
  const { redis, prefix } = context;
  const stream = redis.hscanStream(runKey(prefix, runId, 'errors'), { count: BATCH });
  const seen = new Set<number>();
  for await (const scanned of stream as AsyncIterable<string[]>) {
    const failures = new Map<UrlKey, string>();
    for (let i = 0; i + 1 < scanned.length; i += 2) failures.set(scanned[i] as UrlKey, scanned[i + 1] as string);
    // HSCAN may give a field twice.
    const keys = [...failures.keys()].filter((key) => isNew(seen, key));
    if (keys.length === 0) continue;
    const memberships = await Promise.all(
      outcomes.map((outcome) => redis.smismember(runKey(prefix, runId, `urls:${outcome}`), ...keys)),
    );
    yield keys.flatMap((key, i) => {
      const outcome = outcomes.find((_, set) => memberships[set]?.[i] === 1);
      return outcome ? [{ key, outcome, failure: JSON.parse(failures.get(key) ?? '') as Failure }] : [];
    });
  }
}

/**
 * By 52 bits of a hash, a third of what the URLs themselves would take. Among a million, the chance that one is mistaken
 * for another, and not counted, is one in ten thousand.
 */
function isNew(seen: Set<number>, key: UrlKey): boolean {
  const print = Number.parseInt(hash('sha1', key, 'hex').slice(0, 13), 16);
  const known = seen.has(print);
  seen.add(print);
  return !known;
}

function count(groups: Map<string, Group>, { key, outcome, failure }: EndedUrl): void {
  // The same as of the request URL: another spelling of a page is never on another host.
  const host = hostKey(key);
  const { code, message, retryable } = failure.error;
  const name = `${outcome} ${code} ${host}`;
  const group = groups.get(name);
  if (!group) {
    groups.set(name, { code, host, outcome, count: 1, retryable, message, examples: [key] });
    return;
  }
  group.count += 1;
  if (group.examples.length < EXAMPLES) group.examples.push(key);
}

/** The URLs that were asked for, which a task ends with: `finish.ts` reads the rest of it. */
async function requestUrls(
  context: StateContext,
  runId: RunId,
  keys: readonly UrlKey[],
): Promise<ReadonlyMap<UrlKey, string>> {
  if (keys.length === 0) return new Map();
  const tasks = await context.redis.hmget(runKey(context.prefix, runId, 'task'), ...keys);
  return new Map(keys.map((key, i) => [key, unpackRequestUrl(key, (tasks[i] ?? '').split(' ').slice(6).join(' '))]));
}

/** As `group-errors.ts` of the database orders them, which answers for the run afterwards. */
function mostFrequentFirst(a: Group, b: Group): number {
  return b.count - a.count || order(a.code, b.code) || order(a.host, b.host) || order(a.outcome, b.outcome);
}

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
