/** The end of a run's state: what finalization reads of it, and the step after which its keys may go. */
import type { PageOutcome, RunId, UrlKey } from '@trawl/contracts';
import { unpackRequestUrl } from '@trawl/url';
import { activeRunsKey, runKey, runKeys, runPrefix } from './keys.ts';
import { call, type StateContext, script } from './script.ts';
import type { Failure } from './step.ts';

const lua = script('finish');

/** Progress is asked for most in the minutes after the end; Postgres answers the same afterwards. */
const KEEP_MS = 3600_000;

/** How many URLs are read at a time. */
const BATCH = 1000;

/** What the run knows of a URL at its end. */
export interface FinishedUrl {
  readonly key: UrlKey;
  readonly url: string;
  readonly depth: number;
  readonly parentUrl: string | null;
  readonly failure: Failure | null;
  /** Where a redirected URL led in the end. */
  readonly target: string | null;
}

export async function finish(context: StateContext, runId: RunId): Promise<void> {
  await call(context, lua, runId, { keepMs: KEEP_MS });
}

/** The URLs of one outcome with what is known of each, in batches. Only read after the flip, when no set changes any more. */
export async function* finishedUrls(
  context: StateContext,
  runId: RunId,
  outcome: PageOutcome,
): AsyncGenerator<FinishedUrl[]> {
  const { redis, prefix } = context;
  const stream = redis.sscanStream(runKey(prefix, runId, `urls:${outcome}`), { count: BATCH });
  const seen = new Set<string>();
  for await (const scanned of stream as AsyncIterable<UrlKey[]>) {
    // SSCAN may give a member twice.
    const keys = scanned.filter((key) => !seen.has(key));
    for (const key of keys) seen.add(key);
    if (keys.length > 0) yield describe(context, runId, keys, outcome !== 'processed');
  }
}

async function describe(
  context: StateContext,
  runId: RunId,
  keys: UrlKey[],
  withFailures: boolean,
): Promise<FinishedUrl[]> {
  const { redis, prefix } = context;
  const tasks = await redis.hmget(runKey(prefix, runId, 'task'), ...keys);
  const failures = withFailures ? await redis.hmget(runKey(prefix, runId, 'errors'), ...keys) : [];
  const rows = keys.map((key, i) => ({ key, ...readTask(tasks[i] ?? ''), failure: readFailure(failures[i]) }));
  const parents = await fetchFields(
    context,
    runKey(prefix, runId, 'parents'),
    rows.map((r) => r.parent).filter((p) => p !== '-'),
  );
  const redirected = rows.filter((r) => r.failure?.error.code === 'REDIRECTED').map((r) => r.key);
  const targets = await followAliases(context, runId, redirected);
  return rows.map(({ key, depth, parent, packedUrl, failure }) => ({
    key,
    url: unpackRequestUrl(key, packedUrl),
    depth,
    parentUrl: parents.get(parent) ?? null,
    failure,
    target: targets.get(key) ?? null,
  }));
}

/** As `task.lua` writes it: "depth attempts lost rank template parent requestUrl". */
function readTask(packed: string): { depth: number; parent: string; packedUrl: string } {
  const [depth = '0', , , , , parent = '-', ...url] = packed.split(' ');
  return { depth: Number(depth), parent, packedUrl: url.join(' ') };
}

const readFailure = (text: string | null | undefined): Failure | null => (text ? (JSON.parse(text) as Failure) : null);

async function fetchFields(
  context: StateContext,
  hash: string,
  fields: readonly string[],
): Promise<Map<string, string>> {
  const distinct = [...new Set(fields)];
  if (distinct.length === 0) return new Map();
  const values = await context.redis.hmget(hash, ...distinct);
  return new Map(distinct.flatMap((field, i) => (values[i] ? [[field, values[i]] as const] : [])));
}

/** Each redirected URL's last known target, hop by hop for all of them together. */
async function followAliases(
  context: StateContext,
  runId: RunId,
  keys: readonly UrlKey[],
): Promise<Map<UrlKey, string>> {
  const { prefix } = context;
  const at = new Map<UrlKey, UrlKey>(keys.map((key) => [key, key]));
  let moving = [...keys];
  for (let hop = 0; hop < 20 && moving.length > 0; hop++) {
    const next = await fetchFields(
      context,
      runKey(prefix, runId, 'alias'),
      moving.map((key) => at.get(key) ?? key),
    );
    moving = moving.filter((key) => {
      const target = next.get(at.get(key) ?? key) as UrlKey | undefined;
      if (target) at.set(key, target);
      return target !== undefined;
    });
  }
  const targets = [...new Set(at.values())];
  const tasks = await fetchFields(context, runKey(prefix, runId, 'task'), targets);
  const result = new Map<UrlKey, string>();
  for (const [key, target] of at) {
    // A target that the run did not admit has no task: the redirect's own answer says where it led.
    const packed = tasks.get(target);
    if (target !== key && packed !== undefined) result.set(key, unpackRequestUrl(target, readTask(packed).packedUrl));
  }
  return result;
}

/** Takes a run out of Redis. Walks its known key names and scans for the per-host ones; never `KEYS`. */
export async function remove(context: StateContext, runId: RunId): Promise<void> {
  const { redis, prefix } = context;
  await redis.srem(activeRunsKey(prefix), runId);
  await redis.unlink(runKeys(prefix, runId));
  const pattern = `${escapeGlob(runPrefix(prefix, runId))}*`;
  for await (const keys of redis.scanStream({ match: pattern, count: 1000 }) as AsyncIterable<string[]>) {
    if (keys.length > 0) await redis.unlink(keys);
  }
}

const escapeGlob = (text: string): string => text.replace(/[\\*?[\]]/g, '\\$&');
