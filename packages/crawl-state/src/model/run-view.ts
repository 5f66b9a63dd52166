/** Test-only. Everything Redis holds of a run, as plain data, and what must be true of it at every moment. Changes nothing. */
import type { RunId } from '@trawl/contracts';
import { loadLua, runLua } from '@trawl/runtime';
import { type RunKey, runKeys, runPrefix } from '../keys.ts';
import type { RunLimits } from '../limits.ts';
import { list } from '../owed.ts';
import type { StateContext } from '../script.ts';

type Entries = Record<string, string>;
type Scores = Record<string, number>;

export interface RunView {
  readonly status: string;
  readonly final: string | null;
  readonly held: boolean;
  /** Deadlines; 0 = none. */
  readonly discovery: number;
  readonly finalLease: number;
  /** Of the deepest page that was processed. */
  readonly depth: number;
  readonly queued: readonly string[];
  readonly fetched: readonly string[];
  readonly processed: readonly string[];
  readonly failed: readonly string[];
  readonly skipped: readonly string[];
  readonly beyond: readonly string[];
  readonly dropped: readonly string[];
  readonly hosts: readonly string[];
  readonly prints: readonly string[];
  readonly deferred: readonly string[];
  readonly frontier: Readonly<Record<string, Scores>>;
  readonly delayed: Readonly<Record<string, Scores>>;
  /** Packed, as the scripts keep them. */
  readonly task: Entries;
  readonly inflight: Entries;
  readonly page: Entries;
  readonly relink: Entries;
  readonly sess: Entries;
  readonly alias: Entries;
  readonly hops: Entries;
  readonly templates: Entries;
  readonly parents: Entries;
  readonly refused: Entries;
  /** The code alone. */
  readonly errors: Entries;
  readonly render: Entries;
}

const lua = loadLua(new URL('./', import.meta.url), 'dump');

export async function readRun(context: StateContext, runId: RunId): Promise<RunView> {
  const names = runKeys('', runId).map((key) => key.slice(runPrefix('', runId).length));
  const dump = JSON.parse(String(await runLua(context.redis, lua, runKeys(context.prefix, runId), []))) as Dump;
  const flat = (name: RunKey) => list<string>(dump.keys[names.indexOf(name)]);
  const members = (name: RunKey) => [...flat(name)].sort();
  const entries = (name: RunKey) => Object.fromEntries(pairsOf(flat(name)));
  const scores = (zsets: Dump['frontier']): Record<string, Scores> =>
    Object.fromEntries(
      list<[string, unknown]>(zsets)
        .map(([host, zset]) => [host, pairsOf(list(zset)).map(([key, score]) => [key, Number(score)])] as const)
        .flatMap(([host, scored]) => (scored.length > 0 ? [[host, Object.fromEntries(scored)]] : [])),
    );
  const meta = entries('meta');
  return {
    status: meta.status ?? 'no-run',
    final: meta.final ?? null,
    held: meta.held === '1',
    discovery: Number(meta.discovery),
    finalLease: Number(meta.finalLease),
    depth: Number(meta.depth),
    queued: members('urls:queued'),
    fetched: members('urls:fetched'),
    processed: members('urls:processed'),
    failed: members('urls:failed'),
    skipped: members('urls:skipped'),
    beyond: members('beyond'),
    dropped: members('dropped'),
    hosts: members('hosts'),
    prints: members('prints'),
    deferred: members('deferred'),
    frontier: scores(dump.frontier),
    delayed: scores(dump.delayed),
    task: entries('task'),
    inflight: entries('inflight'),
    page: entries('page'),
    relink: entries('relink'),
    sess: entries('sess'),
    alias: entries('alias'),
    hops: entries('hops'),
    templates: entries('templates'),
    parents: entries('parents'),
    refused: entries('refused'),
    render: entries('render'),
    errors: Object.fromEntries(pairsOf(flat('errors')).map(([url, text]) => [url, codeOf(text)])),
  };
}

interface Dump {
  readonly keys: readonly unknown[];
  readonly frontier: unknown;
  readonly delayed: unknown;
}

function pairsOf(flat: readonly string[]): [string, string][] {
  const pairs: [string, string][] = [];
  for (let i = 0; i < flat.length; i += 2) pairs.push([flat[i] ?? '', flat[i + 1] ?? '']);
  return pairs;
}

export const codeOf = (failure: string): string => (JSON.parse(failure) as { error: { code: string } }).error.code;

/** The same without the times of leases, which a repeated call may prolong. */
export function withoutDeadlines(view: RunView): RunView {
  const drop = (entries: Entries, at: number) =>
    Object.fromEntries(Object.entries(entries).map(([k, v]) => [k, v.split(' ').toSpliced(at, 1).join(' ')]));
  return {
    ...view,
    discovery: Math.min(1, view.discovery),
    finalLease: 0,
    page: drop(view.page, 1),
    relink: drop(view.relink, 1),
    sess: drop(view.sess, 1),
  };
}

/** What is wrong with the state, or null. */
export function violationOf(view: RunView, limits: RunLimits): string | null {
  const where = new Map<string, string>();
  for (const state of ['queued', 'fetched', 'processed', 'failed', 'skipped', 'dropped'] as const) {
    for (const url of view[state]) {
      if (where.has(url)) return `${url} is in ${where.get(url)} and in ${state}`;
      where.set(url, state);
      if (!(url in view.task)) return `${url} is ${state} without a task`;
    }
  }
  const isAlive = view.status === 'running' || view.status === 'paused';
  const quotaDrops = Number(view.refused['template-quota'] ?? 0);
  const stateless = Object.keys(view.task).filter((url) => !where.has(url)).length;
  if (stateless !== quotaDrops) return `${stateless} admitted URLs are in no state, ${quotaDrops} left by a quota`;
  if (quotaDrops > 0 && isAlive) return 'a quota dropped URLs before the end';
  const admitted = where.size - view.dropped.length;
  if (admitted > limits.maxUrls) return `${admitted} URLs admitted, maxUrls ${limits.maxUrls}`;
  if (view.beyond.some((url) => url in view.task)) return 'a URL beyond the limit was admitted';
  const claimed = Object.keys(view.inflight);
  const spent = view.processed.length + claimed.length + Object.keys(view.page).length;
  if (spent > limits.maxPages) return `budget ${spent} spent, maxPages ${limits.maxPages}`;
  if (Object.keys(view.page).sort().join() !== view.fetched.join()) return 'fetched URLs and page leases differ';
  const hasLinks = (url: string) => where.get(url) === 'processed' || view.errors[url] === 'ROBOTS_NOINDEX';
  if (!Object.keys(view.relink).every(hasLinks)) return 'a page whose links were not let in is relinked';
  const waiting = [...waitingIn(view.frontier), ...waitingIn(view.delayed), ...view.deferred.map(keyOfDeferred)];
  const parts = [...waiting, ...claimed].sort();
  if (parts.join() !== view.queued.join()) return `queued is not what waits or is in flight: ${parts}`;
  if (Object.values(view.task).some((packed) => Number(packed.split(' ')[0]) > limits.maxDepth)) return 'too deep';
  if (!isAlive) {
    const left = view.queued.length + view.fetched.length + Object.keys(view.relink).length;
    return left + Object.keys(view.sess).length > 0 ? 'ended with work or sessions left' : null;
  }
  // Nobody would look after such a host until the next heal.
  const unattended = Object.keys(view.frontier).find((host) => !(host in view.sess));
  if (unattended && view.status === 'running' && !view.held) return `nobody looks after ${unattended}`;
  const isIdle = view.queued.length === view.deferred.length && view.fetched.length === 0 && view.discovery === 0;
  if (isIdle && Object.keys(view.relink).length === 0 && view.status === 'running') return 'done but not flipped';
  return null;
}

const waitingIn = (byHost: RunView['frontier']): string[] => Object.values(byHost).flatMap(Object.keys);

const keyOfDeferred = (member: string): string => member.slice(member.indexOf(' ') + 1);
