/**
 * Test-only. The state of a run in maps and sets instead of keys, and what all its functions share: admission, opening of
 * sessions, the tail. Not the functions themselves (see model.ts).
 */
import { hostKey } from '@trawl/url';
import type { RunLimits } from '../limits.ts';
import type { Reply } from '../script.ts';
import type { RawLink } from './raw-calls.ts';
import type { RunView } from './run-view.ts';

export interface Task {
  depth: number;
  attempts: number;
  lost: number;
  rank: string;
  renders: boolean;
  template: string;
  parent: string;
  url: string;
}
interface Lease {
  deadline: number;
  state: 'w' | 'a' | 'p';
  rejobs: number;
  exec: string;
}
type Session = Lease & { sid: string };
type Page = Lease & { token: string; body: string; info: string };
type ByHost = Map<string, Map<string, number>>;
interface Template {
  readonly admitted: number;
  readonly quota: number;
  readonly endless: boolean;
}
/** What a rank adds to a URL's depth. */
const RANKS: Readonly<Record<string, number>> = { 0: 0, 1: -10_000_000, 2: -0.5, 3: 2.5, 4: 1_000_000, 5: 2_000_000 };

export class ModelState {
  status = 'running';
  final: string | null = null;
  held = false;
  discovery: number;
  finalLease = 0;
  depth = 0;
  readonly queued = new Set<string>();
  readonly fetched = new Set<string>();
  readonly processed = new Set<string>();
  readonly failed = new Set<string>();
  readonly skipped = new Set<string>();
  readonly beyond = new Set<string>();
  readonly dropped = new Set<string>();
  readonly hosts = new Set<string>();
  readonly prints = new Set<string>();
  /** key → template */
  readonly deferred = new Map<string, string>();
  readonly frontier: ByHost = new Map();
  readonly delayed: ByHost = new Map();
  readonly task = new Map<string, Task>();
  readonly inflight = new Map<string, { token: string; exec: string; host: string }>();
  readonly page = new Map<string, Page>();
  readonly relink = new Map<string, { token: string; deadline: number }>();
  readonly sess = new Map<string, Session>();
  readonly alias = new Map<string, string>();
  readonly hops = new Map<string, number>();
  readonly templates = new Map<string, Template>();
  /** New URLs of this call that are of no endless kind, and whether it met a new one at all. */
  protected found = 0;
  protected metNew = false;
  readonly parents: string[] = [];
  readonly refused = new Map<string, number>();
  readonly errors = new Map<string, string>();
  /** By template: shells, gains, idles, statics. */
  readonly rendering = new Map<string, number[]>();
  /** What happened at least once: a test that never saw a thing proved nothing about it. */
  readonly saw = new Set<string>();

  readonly limits: RunLimits;
  protected now: number;
  protected reply: Reply = {};
  protected taken = new Set<unknown>();
  private readonly given = new Set<string>();
  protected out: Record<string, unknown> = {};

  constructor(limits: RunLimits, now: number) {
    this.limits = limits;
    this.now = now;
    this.discovery = now + limits.leaseMs;
  }

  get isAlive(): boolean {
    return this.status === 'running' || this.status === 'paused';
  }

  /** When the first lease ends or the first retry is due; now if there is none. */
  nextTime(): number {
    const leases = [...this.sess.values(), ...this.page.values(), ...this.relink.values()].map((e) => e.deadline);
    const retries = [...this.delayed.values()].flatMap((byKey) => [...byKey.values()]);
    return leases.length + retries.length > 0 ? Math.min(...leases, ...retries) : this.now;
  }

  view(): RunView {
    const names = (set: ReadonlySet<string>) => [...set].sort();
    const pack = <T>(map: ReadonlyMap<string, T>, as: (value: T) => string) =>
      Object.fromEntries([...map].map(([k, v]) => [k, as(v)]));
    const byHost = (map: ByHost) =>
      Object.fromEntries([...map].filter(([, m]) => m.size > 0).map(([host, m]) => [host, Object.fromEntries(m)]));
    const lease = (l: Lease) => `${l.deadline} ${l.state} ${l.rejobs} ${l.exec}`;
    const { status, final, held, discovery, finalLease, depth } = this;
    return {
      ...{ status, final, held, discovery, finalLease, depth },
      queued: names(this.queued),
      fetched: names(this.fetched),
      processed: names(this.processed),
      failed: names(this.failed),
      skipped: names(this.skipped),
      beyond: names(this.beyond),
      dropped: names(this.dropped),
      hosts: names(this.hosts),
      prints: names(this.prints),
      deferred: [...this.deferred].map(([key, template]) => `${template} ${key}`).sort(),
      frontier: byHost(this.frontier),
      delayed: byHost(this.delayed),
      task: pack(this.task, (t) =>
        [t.depth, t.attempts, t.lost, t.rank + (t.renders ? 'r' : ''), t.template, t.parent, t.url]
          .map(String)
          .join(' '),
      ),
      inflight: pack(this.inflight, (c) => `${c.token} ${c.exec} ${c.host}`),
      page: pack(this.page, (p) => `${p.token} ${lease(p)} ${p.body} ${p.info}`),
      relink: pack(this.relink, (e) => `${e.token} ${e.deadline}`),
      sess: pack(this.sess, (s) => `${s.sid} ${lease(s)}`),
      alias: pack(this.alias, String),
      hops: pack(this.hops, String),
      templates: pack(this.templates, (t) => `${t.admitted} ${t.quota}${t.endless ? ' e' : ''}`),
      parents: Object.fromEntries(this.parents.entries()),
      refused: pack(this.refused, String),
      errors: pack(this.errors, String),
      render: pack(this.rendering, (counts) => counts.join(' ')),
    };
  }

  protected whileAlive(change: () => void): void {
    if (!this.isAlive) {
      this.over();
      return;
    }
    change();
    this.tail();
  }
  protected over(): void {
    this.out.over = this.status;
  }
  protected control(fits: boolean): boolean {
    this.out.status = this.status;
    this.out.changed = fits;
    return fits;
  }
  protected owe(kind: string, what: unknown): void {
    this.out[kind] = [...((this.out[kind] as unknown[]) ?? []), what];
  }
  /** The token or session id that the script gave out for this: a new one each time. */
  protected name(kind: 'fetch' | 'claims' | 'process' | 'relink', id: string): string {
    const list = this.reply[kind];
    for (const item of Array.isArray(list) ? (list as Record<string, string>[]) : []) {
      if (this.taken.has(item) || (item.key ?? item.host) !== id) continue;
      this.taken.add(item);
      const name = String(item.token ?? item.sid);
      if (this.given.has(name)) return `not ${name}: it was given before`;
      this.given.add(name);
      return name;
    }
    return 'not given';
  }
  protected taskOf(key: string): Task {
    const t = this.task.get(key);
    if (!t) throw new Error(`${key} was never admitted`);
    return t;
  }
  protected holds(host: string, sid: string, exec: string): boolean {
    const s = this.sess.get(host);
    return s?.sid === sid && s.exec === exec;
  }
  protected hold(host: string, sid: string, exec: string): void {
    this.sess.set(host, { sid, exec, deadline: this.now + this.limits.leaseMs, state: 'a', rejobs: 0 });
  }
  protected dropParked(host: string): void {
    if (this.sess.get(host)?.state !== 'p') return;
    this.saw.add('parked dropped');
    this.sess.delete(host);
  }
  protected budget(): number {
    return this.limits.maxPages - this.processed.size - this.inflight.size - this.page.size;
  }
  protected laneOf(key: string): string {
    return this.limits.rendersAll || this.taskOf(key).renders ? `${hostKey(key)}#render` : hostKey(key);
  }
  protected learnRender(template: string, word: 'shell' | 'gain' | 'idle' | 'static'): void {
    const counts = this.rendering.get(template) ?? [0, 0, 0, 0];
    const at = ['shell', 'gain', 'idle', 'static'].indexOf(word);
    this.rendering.set(
      template,
      counts.map((n, i) => (i === at ? n + 1 : n)),
    );
  }
  protected tellRendering(): void {
    if (this.rendering.size > 0)
      this.out.rendering = [...this.rendering].flatMap(([template, counts]) => [template, counts.join(' ')]);
  }
  protected toFrontier(key: string): string {
    const host = this.laneOf(key);
    const t = this.taskOf(key);
    this.hosts.add(host);
    into(this.frontier, host).set(key, t.depth + (RANKS[t.rank] ?? 0));
    return host;
  }
  protected promote(host: string): void {
    for (const [key, notBefore] of this.delayed.get(host) ?? []) {
      if (notBefore > this.now) continue;
      this.delayed.get(host)?.delete(key);
      this.toFrontier(key);
    }
  }
  protected openHost(host: string): boolean {
    if (this.status !== 'running' || this.held) return false;
    this.promote(host);
    if (!this.frontier.get(host)?.size || this.sess.has(host)) return false;
    const sid = this.name('fetch', host);
    this.sess.set(host, { sid, deadline: this.now + this.limits.leaseMs, state: 'w', rejobs: 0, exec: '-' });
    this.owe('fetch', { host, sid });
    return true;
  }
  protected openAll(): void {
    for (const host of this.hosts) this.openHost(host);
  }
  protected end(key: string, from: Set<string>, to: Set<string>, code: string): void {
    from.delete(key);
    to.add(key);
    this.errors.set(key, code);
    this.saw.add(code);
  }
  protected toRelink(key: string): void {
    const token = this.name('relink', key);
    this.saw.add('relink');
    this.relink.set(key, { token, deadline: this.now + this.limits.leaseMs });
    this.owe('relink', { key, token, depth: this.taskOf(key).depth });
  }
  protected parentOf(url: string): () => string {
    let index: number | null = null;
    return () => {
      index ??= this.parents.push(url) - 1;
      return String(index);
    };
  }
  protected templateOf(template: string, endless = false): Template {
    const quota = endless ? this.limits.endlessQuota : this.limits.templateQuota;
    return this.templates.get(template) ?? { admitted: 0, quota, endless };
  }
  private isFull(): boolean {
    const total = this.queued.size + this.fetched.size + this.processed.size + this.failed.size + this.skipped.size;
    return total >= this.limits.maxUrls || this.processed.size >= this.limits.maxPages;
  }

  protected admitLinks(links: readonly RawLink[], depth: number, parent: (() => string) | null): void {
    const work: { key: string; link: RawLink | null }[] = links.map((link) => ({ key: link[0], link }));
    const opened = new Set<string>();
    if (depth > this.limits.maxDepth) return;
    for (const { key, link } of work) {
      const known = this.task.get(key);
      if (known) {
        if (depth < known.depth) this.relax(key, depth, (target) => work.push({ key: target, link: null }));
        if (link?.[2] === '-' && this.deferred.delete(key)) {
          known.template = '-';
          opened.add(this.toFrontier(key));
        }
        continue;
      }
      this.metNew ||= link !== null;
      if (!link || this.isFull()) {
        this.beyond.add(key);
        continue;
      }
      const [, url, template, rank, isEndless] = link;
      this.task.set(key, {
        depth,
        attempts: 0,
        lost: 0,
        rank,
        renders: false,
        template,
        parent: parent?.() ?? '-',
        url,
      });
      this.queued.add(key);
      const { admitted, quota, endless } = this.templateOf(template, isEndless === '1');
      if (!endless) this.found++;
      if (template === '-') opened.add(this.toFrontier(key));
      else if (admitted >= quota) this.deferred.set(key, template);
      else {
        this.templates.set(template, { admitted: admitted + 1, quota, endless });
        opened.add(this.toFrontier(key));
      }
    }
    for (const host of opened) this.openHost(host);
  }
  /** Whether the links of a call used up the last room for new URLs, or found none. */
  protected tellFull(): void {
    this.out.full = this.metNew && this.isFull();
  }
  protected relax(key: string, depth: number, follow: (target: string) => void): void {
    this.taskOf(key).depth = depth;
    if (this.frontier.get(this.laneOf(key))?.has(key)) this.toFrontier(key);
    if (this.deferred.has(key)) this.saw.add('deferred relaxed');
    const target = this.alias.get(key);
    if (target) {
      this.saw.add('alias followed');
      follow(target);
    }
    const isUnkept = this.skipped.has(key) && this.errors.get(key) === 'ROBOTS_NOINDEX';
    if (isUnkept) this.saw.add('unkept relinked');
    if (this.processed.has(key) || isUnkept) this.toRelink(key);
  }

  protected tail(): void {
    if (!this.isAlive) return;
    if (this.queued.size > 0 && this.processed.size >= this.limits.maxPages) {
      this.saw.add('dropped');
      for (const url of this.queued) this.dropped.add(url);
      for (const part of [this.queued, this.frontier, this.delayed, this.deferred]) part.clear();
    }
    if (this.status !== 'running') return;
    if (this.held && this.page.size <= this.limits.low && this.budget() > 0) {
      this.held = false;
      this.saw.add('hold lifted');
      this.openAll();
    }
    if (this.discovery || this.fetched.size > 0 || this.relink.size > 0) return;
    if (this.queued.size > this.deferred.size) return;
    if (this.deferred.size > 0) {
      this.saw.add('quota dropped');
      this.refused.set('template-quota', (this.refused.get('template-quota') ?? 0) + this.deferred.size);
    }
    this.queued.clear();
    this.deferred.clear();
    this.flip('completed');
  }
  protected flip(final: string): void {
    this.saw.add(final);
    Object.assign(this, { status: 'finalizing', final, held: false, discovery: 0 });
    this.finalLease = this.now + this.limits.leaseMs;
    this.sess.clear();
    this.out.finalize = true;
  }
}

export function into(map: ByHost, host: string): Map<string, number> {
  const known = map.get(host) ?? new Map<string, number>();
  map.set(host, known);
  return known;
}
