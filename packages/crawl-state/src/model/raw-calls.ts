/** Test-only. The arguments of each script as they travel, and random sequences of calls that make sense often enough to get far. */
import type { Reply } from '../script.ts';
import type { RunModel } from './model.ts';

export type RawLink = readonly [key: string, url: string, template: string, rank: string, endless: '0' | '1'];
interface Held {
  readonly key: string;
  readonly token: string;
}
interface SessionArgs {
  readonly host: string;
  readonly sid: string;
  readonly exec: string;
}
export type RawResult = Held &
  (
    | { readonly kind: 'ok'; readonly body: string; readonly info: string }
    | { readonly kind: 'retry'; readonly afterMs: number; readonly failure: string }
    | { readonly kind: 'fail' | 'skip'; readonly failure: string }
    | { readonly kind: 'redirect'; readonly target: RawLink; readonly failure: string }
    | { readonly kind: 'moved'; readonly url: string }
    | { readonly kind: 'unused' | 'render' }
    | { readonly kind: 'later'; readonly afterMs: number }
    | { readonly kind: 'rank'; readonly rank: string }
  );
export type RawSettled = Held &
  (
    | {
        readonly kind: 'ok';
        readonly url: string;
        readonly depth: number;
        readonly links: readonly RawLink[];
        readonly refused: Readonly<Record<string, number>>;
        readonly print: string;
        readonly sample: readonly string[];
        readonly skipped?: string;
        readonly render?: { readonly template: string; readonly as: 'gain' | 'idle' | 'static' };
      }
    | { readonly kind: 'render'; readonly template: string }
    | { readonly kind: 'gone' }
    | { readonly kind: 'failed'; readonly failure: string }
  );

type NoArgs = Readonly<Record<string, never>>;
/** By the scripts' names. */
export interface Args {
  create: { readonly meta: object; readonly settings: string };
  admit: { readonly links: readonly RawLink[]; readonly parent?: { readonly key: string; readonly url: string } };
  discovered: { readonly done: boolean };
  begin: SessionArgs;
  step: SessionArgs & { readonly results: readonly RawResult[]; readonly want: number };
  park: SessionArgs & { readonly forMs: number };
  close: SessionArgs;
  'give-up': SessionArgs & {
    readonly most: number;
    readonly failure: { readonly error: { readonly code: string; readonly attempts: number }; readonly at: number };
  };
  open: { readonly host: string };
  unrender: {
    readonly most: number;
    readonly failure: { readonly error: { readonly code: string; readonly attempts: number }; readonly at: number };
  };
  'begin-pages': { readonly exec: string; readonly pages: readonly Held[] };
  settle: { readonly pages: readonly RawSettled[] };
  relinked: Held & {
    readonly depth: number;
    readonly url: string;
    readonly links: readonly RawLink[];
    readonly last: boolean;
  };
  pause: NoArgs;
  resume: NoArgs;
  cancel: NoArgs;
  heal: { readonly ttlMs: number };
  finish: { readonly keepMs: number };
}
export type RawCall = { [F in keyof Args]: { readonly fn: F; readonly args: Args[F] } }[keyof Args];

const rawFailure = (code: string): string => JSON.stringify({ error: { code }, at: 0 });
const HEAL: RawCall = { fn: 'heal', args: { ttlMs: 60_000 } };

const HOSTS = ['a.test', 'b.test', 'c.test'];
const URLS: readonly RawLink[] = Array.from({ length: 36 }, (_, i) => [
  `https://${HOSTS[i % 3]}/p${i}`,
  i % 2 ? '' : 'h',
  i % 13 === 5 ? '-' : `t${i % 4}`,
  String([1, 0, 2, 0, 3][i % 5]),
  i % 4 === 3 ? '1' : '0',
]);

/** mulberry32: the same numbers for the same seed. */
export function randomOf(seed: number): () => number {
  let a = Math.imul(seed, 2654435761) >>> 0;
  return () => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** The workers of one run, dead and alive: mostly they act on what is theirs now, at times on what was theirs once. */
export function createRandomCalls(random: () => number, model: RunModel) {
  const int = (n: number) => Math.floor(random() * n);
  const pick = <T>(list: readonly T[]): T | undefined => list[int(list.length)];
  const link = (): RawLink => URLS[int(URLS.length)] ?? ['', '', '', '0', '0'];
  const links = (most: number) => Array.from({ length: int(most + 1) }, link);
  /** Few, so that most URLs are found below them first and as a start page later, if ever. */
  const startLinks = () => {
    const isUnkept = (key: string) => model.errors.get(key) === 'ROBOTS_NOINDEX';
    const special = URLS.filter(([key]) => model.alias.has(key) || model.deferred.has(key) || isUnkept(key));
    if (special.length > 0 && random() < 0.4) return special;
    return random() < 0.7 ? URLS.slice(0, 1 + int(4)) : links(2);
  };

  const offered: { host: string; sid: string }[] = [];
  const sessions: SessionArgs[] = [];
  const claims: Held[] = [];
  const pages: (Held & { depth?: number })[] = [];
  const relinks: (Held & { depth: number })[] = [];
  let execs = 0;
  let last: RawCall | null = null;

  const now = <T>(current: readonly T[], past: readonly T[]): T | undefined =>
    current.length > 0 && random() < 0.85 ? pick(current) : pick(past);
  const some = <T>(most: number, one: () => T | undefined): T[] =>
    Array.from({ length: 1 + int(most) }, one).filter((item) => item !== undefined);

  const offer = () => {
    const waiting = [...model.sess].filter(([, s]) => s.state === 'w').map(([host, { sid }]) => ({ host, sid }));
    return now(waiting, offered);
  };
  const session = (): SessionArgs | undefined => {
    const held = [...model.sess].filter(([, s]) => s.state !== 'w');
    const current = held.map(([host, { sid, exec }]) => ({ host, sid, exec }));
    return now(current, sessions);
  };
  const claim = () =>
    now(
      [...model.inflight].map(([key, { token }]) => ({ key, token })),
      claims,
    );
  const page = (): (Held & { depth?: number }) | undefined =>
    now(
      [...model.page].map(([key, { token }]) => ({ key, token, depth: int(4) })),
      pages,
    );
  const relink = () =>
    now(
      [...model.relink].map(([key, { token }]) => ({ key, token, depth: int(4) })),
      relinks,
    );
  const result = (claim: Held): RawResult => {
    const { key, token } = claim;
    const x = random();
    if (x < 0.5) return { key, token, kind: 'ok', body: `redis:${token}`, info: '{"httpStatus": 200}' };
    if (x < 0.62) return { key, token, kind: 'retry', afterMs: int(60), failure: rawFailure('HTTP_503') };
    if (x < 0.66) return { key, token, kind: 'fail', failure: rawFailure('HTTP_404') };
    if (x < 0.7) return { key, token, kind: 'skip', failure: rawFailure('UNSUPPORTED_TYPE') };
    if (x < 0.73) return { key, token, kind: 'render' };
    if (x < 0.86) return { key, token, kind: 'redirect', target: link(), failure: rawFailure('REDIRECTED') };
    if (x < 0.88) return { key, token, kind: 'later', afterMs: int(40) };
    if (x < 0.9) return { key, token, kind: 'rank', rank: pick(['4', '5']) ?? '4' };
    return x < 0.94 ? { key, token, kind: 'moved', url: pick(['', 'h', 't']) ?? '' } : { key, token, kind: 'unused' };
  };
  const settled = (page: Held & { depth?: number }): RawSettled => {
    const { key, token } = page;
    const x = random();
    if (x < 0.12) return { key, token, kind: 'gone' };
    if (x < 0.18) return { key, token, kind: 'failed', failure: rawFailure('PROCESS_FAILED') };
    const template = `t${int(4)}`;
    if (x < 0.24) return { key, token, kind: 'render', template };
    const render =
      random() < 0.2 ? { render: { template, as: pick(['gain', 'idle', 'static'] as const) ?? 'gain' } } : {};
    const refused: Record<string, number> = random() < 0.2 ? { asset: 2 } : {};
    const depth = page.depth ?? int(4);
    const sample = some(3, () => `phrase${int(20)}`);
    const skipped = random() < 0.35 ? { skipped: rawFailure('ROBOTS_NOINDEX') } : {};
    return {
      key,
      token,
      kind: 'ok',
      url: key,
      depth,
      links: links(8),
      refused,
      print: `print${int(12)}`,
      sample,
      ...skipped,
      ...render,
    };
  };

  const choices: readonly (readonly [weight: number, make: () => RawCall | null])[] = [
    [5, () => ({ fn: 'admit', args: { links: startLinks() } })],
    [3, () => ({ fn: 'admit', args: { links: links(4), parent: { key: link()[0], url: 'https://a.test/parent' } } })],
    [1, () => ({ fn: 'discovered', args: { done: random() < 0.3 } })],
    [
      14,
      () => {
        const offered = offer();
        const exec = random() < 0.85 ? `e${++execs}` : `e${execs}`;
        return offered ? { fn: 'begin', args: { ...offered, exec } } : null;
      },
    ],
    [
      30,
      () => {
        const at = session();
        return at ? { fn: 'step', args: { ...at, results: some(5, claim).map(result), want: int(5) } } : null;
      },
    ],
    [
      3,
      () => {
        const at = session();
        return at ? { fn: 'park', args: { ...at, forMs: int(20) } } : null;
      },
    ],
    [
      3,
      () => {
        const at = session();
        return at ? { fn: 'close', args: at } : null;
      },
    ],
    [
      0.5,
      () => {
        const at = session();
        const failure = { error: { code: 'HOST_UNAVAILABLE', attempts: 0 }, at: 0 };
        return at ? { fn: 'give-up', args: { ...at, most: 1 + int(4), failure } } : null;
      },
    ],
    [3, () => ({ fn: 'open', args: { host: `${pick(HOSTS) ?? ''}${random() < 0.4 ? '#render' : ''}` } })],
    [
      0.5,
      () => {
        const failure = { error: { code: 'RENDER_UNAVAILABLE', attempts: 0 }, at: 0 };
        return { fn: 'unrender', args: { most: 1000, failure } };
      },
    ],
    [9, () => ({ fn: 'begin-pages', args: { exec: `p${int(3)}`, pages: some(3, page) } })],
    [18, () => ({ fn: 'settle', args: { pages: some(3, page).map(settled) } })],
    [
      7,
      () => {
        const page = relink();
        return page
          ? { fn: 'relinked', args: { ...page, url: page.key, links: links(6), last: random() < 0.7 } }
          : null;
      },
    ],
    [0.8, () => ({ fn: 'pause', args: {} })],
    [3, () => ({ fn: 'resume', args: {} })],
    [0.2, () => ({ fn: 'cancel', args: {} })],
    [7, () => HEAL],
    [0.7, () => ({ fn: 'finish', args: { keepMs: 60_000 } })],
    [0.3, () => ({ fn: 'create', args: { meta: model.limits, settings: '{}' } })],
    [5, () => last],
  ];
  const dice = choices.flatMap(([weight, make]) => Array.from({ length: weight * 10 }, () => make));

  return {
    next(): RawCall {
      if (!last) {
        last = { fn: 'admit', args: { links: URLS.slice(0, 2 + int(4)) } };
        return last;
      }
      for (;;) {
        const call = pick(dice)?.();
        // Null: there is nothing yet to call it with.
        if (call) {
          last = call;
          return call;
        }
      }
    },
    /** What the script told its caller, which may act on it later, or never. */
    learn(call: RawCall, reply: Reply): void {
      offered.push(...listOf<{ host: string; sid: string }>(reply.fetch));
      claims.push(...listOf<Held>(reply.claims));
      pages.push(...listOf<Held>(reply.process), ...listOf<Held & { depth: number }>(reply.pages));
      relinks.push(...listOf<Held & { depth: number }>(reply.relink));
      if (call.fn === 'begin') sessions.push(call.args);
    },
  };
}

const listOf = <T>(value: unknown): T[] => (Array.isArray(value) ? (value as T[]) : []);

/** What good workers would do next: whatever the state is, following this ends the run. */
export function nextGoodCall(model: RunModel, exec: string): RawCall {
  if (model.status === 'paused') return { fn: 'resume', args: {} };
  if (model.discovery) return { fn: 'discovered', args: { done: true } };
  for (const [key, { token }] of model.relink) {
    return { fn: 'relinked', args: { key, token, depth: 0, url: key, links: [], last: true } };
  }
  for (const [key, { token }] of model.page) {
    const page: RawSettled = {
      key,
      token,
      kind: 'ok',
      url: key,
      depth: 0,
      links: [],
      refused: {},
      sample: [],
      print: 'good',
    };
    return { fn: 'settle', args: { pages: [page] } };
  }
  for (const [host, s] of model.sess) {
    if (s.state === 'w') return { fn: 'begin', args: { host, sid: s.sid, exec } };
    if (s.state === 'p') return { fn: 'open', args: { host } };
    const mine = [...model.inflight].filter(([, claim]) => claim.exec === s.exec && claim.host === host);
    const results = mine.map(([key, { token }]): RawResult => ({ key, token, kind: 'ok', body: 'b', info: '{}' }));
    const isDry = results.length === 0 && (model.held || !model.frontier.get(host)?.size);
    if (isDry) return { fn: 'close', args: { host, sid: s.sid, exec: s.exec } };
    return { fn: 'step', args: { host, sid: s.sid, exec: s.exec, results, want: 5 } };
  }
  return HEAL;
}
