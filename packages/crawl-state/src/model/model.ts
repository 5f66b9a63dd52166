/**
 * Test-only. The run's functions once more, as plainly as TypeScript allows: no packing, no shortcuts. The model test
 * applies the same calls to this and to the scripts and compares replies and states.
 * Takes the time, and the names of new tokens and sessions (whose order is Redis's business), from the script's reply.
 */
import type { Reply } from '../script.ts';
import { into, ModelState, type Task } from './model-state.ts';
import type { Args, RawResult, RawSettled } from './raw-calls.ts';
import { codeOf } from './run-view.ts';

const MAX_HOPS = 10;

export class RunModel extends ModelState {
  /** Does what the script of that name does, and returns what it should have replied. */
  apply<F extends keyof Args>(fn: F, args: Args[F], reply: Reply): Record<string, unknown> {
    this.now = Number(reply.now);
    this.reply = reply;
    this.taken = new Set();
    this.out = {};
    (this[fn] as (args: Args[F]) => void).call(this, args);
    return this.out;
  }

  create(): void {
    this.out.created = false;
  }
  admit({ links, parent }: Args['admit']): void {
    this.whileAlive(() => {
      const t = parent && this.task.get(parent.key);
      this.metNew = false;
      if (!parent) this.admitLinks(links, 0, null);
      else if (t) this.admitLinks(links, t.depth + 1, this.parentOf(parent.url));
      this.tellFull();
    });
  }
  discovered({ done }: Args['discovered']): void {
    this.whileAlive(() => {
      if (done) this.discovery = 0;
      else if (this.discovery) this.discovery = this.now + this.limits.leaseMs;
    });
  }
  begin({ host, sid, exec }: Args['begin']): void {
    const s = this.sess.get(host);
    this.out.ok = this.isAlive && s?.sid === sid && (s.state === 'w' || s.exec === exec);
    if (this.out.ok) this.hold(host, sid, exec);
  }
  step({ host, sid, exec, results, want }: Args['step']): void {
    this.whileAlive(() => {
      for (const r of results) {
        if (this.inflight.get(r.key)?.token !== r.token) continue;
        this.inflight.delete(r.key);
        this.settleFetch(r, this.taskOf(r.key));
      }
      this.out.discovering = this.discovery !== 0;
      this.tellRendering();
      const isMine = this.holds(host, sid, exec);
      if (isMine) this.hold(host, sid, exec);
      if (!isMine) this.out.why = 'lost';
      else if (this.status !== 'running') this.out.why = this.status;
      else if (want > 0) this.claimUrls(host, exec, want);
    });
  }
  park({ host, sid, exec, forMs }: Args['park']): void {
    this.whileAlive(() => {
      if (!this.holds(host, sid, exec)) this.out.lost = true;
      else this.sess.set(host, { sid, exec, deadline: this.now + forMs + this.limits.parkMs, state: 'p', rejobs: 0 });
    });
  }
  close({ host, sid, exec }: Args['close']): void {
    this.whileAlive(() => {
      if (this.holds(host, sid, exec)) this.sess.delete(host);
      if (this.openHost(host)) return;
      const times = [...(this.delayed.get(host)?.values() ?? [])];
      if (times.length > 0) this.out.laterMs = Math.max(1, Math.min(...times) - this.now);
    });
  }
  'give-up'({ host, sid, exec, most, failure }: Args['give-up']): void {
    this.whileAlive(() => {
      this.out.gaveUp = 0;
      this.out.more = false;
      if (!this.holds(host, sid, exec)) {
        this.out.lost = true;
        return;
      }
      let gaveUp = 0;
      for (const waiting of [into(this.frontier, host), into(this.delayed, host)]) {
        const first = [...waiting].sort(([a, m], [b, n]) => m - n || (a < b ? -1 : 1)).slice(0, most - gaveUp);
        for (const [key] of first) {
          waiting.delete(key);
          this.end(key, this.queued, this.failed, failure.error.code);
        }
        gaveUp += first.length;
        if (waiting.size > 0) this.out.more = true;
      }
      this.out.gaveUp = gaveUp;
      if (gaveUp > 0) this.saw.add('gave up');
    });
  }
  open({ host }: Args['open']): void {
    this.out.idle = true;
    if (this.status !== 'running') return;
    this.dropParked(host);
    this.out.idle = !this.openHost(host);
    this.tail();
  }
  'begin-pages'({ exec, pages }: Args['begin-pages']): void {
    if (!this.isAlive) {
      this.over();
      return;
    }
    for (const { key, token } of pages) {
      const p = this.page.get(key);
      if (p?.token !== token || !(p.state === 'w' || p.exec === exec)) continue;
      Object.assign(p, { state: 'a', exec, deadline: this.now + this.limits.leaseMs, rejobs: 0 });
      const { depth, attempts, url, parent } = this.taskOf(key);
      const from = parent === '-' ? {} : { parent: this.parents[Number(parent)] };
      this.owe('pages', { key, token, depth, attempts, url, body: p.body, info: p.info, ...from });
    }
    this.tellRendering();
  }
  unrender({ failure }: Args['unrender']): void {
    this.whileAlive(() => {
      let [unrendered, failed] = [0, 0];
      for (const lane of [...this.hosts].filter((host) => host.endsWith('#render'))) {
        for (const waiting of [into(this.frontier, lane), into(this.delayed, lane)]) {
          for (const key of [...waiting.keys()]) {
            waiting.delete(key);
            if (this.limits.rendersAll) {
              failed++;
              this.end(key, this.queued, this.failed, failure.error.code);
            } else {
              unrendered++;
              this.saw.add('unrendered');
              this.taskOf(key).renders = false;
              this.openHost(this.toFrontier(key));
            }
          }
        }
        if (this.sess.has(lane) && this.sess.get(lane)?.state !== 'a') this.sess.delete(lane);
      }
      Object.assign(this.out, { unrendered, failed, more: false });
    });
  }
  settle({ pages }: Args['settle']): void {
    this.whileAlive(() => {
      for (const r of pages) if (this.page.get(r.key)?.token === r.token) this.settlePage(r, this.taskOf(r.key));
    });
  }
  relinked({ key, token, depth, url, links, last }: Args['relinked']): void {
    this.whileAlive(() => {
      const e = this.relink.get(key);
      if (e?.token !== token) return;
      const t = this.taskOf(key);
      this.admitLinks(links, t.depth + 1, this.parentOf(url));
      if (!last) {
        e.deadline = this.now + this.limits.leaseMs;
        return;
      }
      this.relink.delete(key);
      if (t.depth < depth) this.toRelink(key);
    });
  }
  pause(): void {
    if (this.control(this.status === 'running')) this.status = 'paused';
  }
  resume(): void {
    if (!this.control(this.status === 'paused')) return;
    this.status = 'running';
    this.held = false;
    for (const host of this.hosts) this.dropParked(host);
    this.openAll();
    this.tail();
  }
  cancel(): void {
    if (!this.control(this.isAlive)) return;
    for (const url of [...this.queued, ...this.fetched]) this.skipped.add(url);
    for (const part of [this.queued, this.fetched, this.inflight, this.page, this.relink]) part.clear();
    for (const part of [this.frontier, this.delayed, this.deferred]) part.clear();
    this.flip('cancelled');
  }
  finish(): void {
    this.out.changed = this.status === 'finalizing';
    if (this.out.changed) this.status = String(this.final);
    this.out.status = this.status;
  }

  heal(): void {
    let healed = 0;
    const { leaseMs, maxLost } = this.limits;
    const now = this.now;
    const isOver = (deadline: number) => deadline <= now && ++healed > 0;
    const patience = (rejobs: number) => Math.min(leaseMs * 2 ** rejobs, Math.max(60_000, leaseMs));
    if (this.status === 'finalizing' && isOver(this.finalLease)) {
      this.finalLease = now + leaseMs;
      this.out.finalize = true;
    }
    this.out.healed = healed;
    if (!this.isAlive) return;
    if ([...this.sess.keys()].some((host) => host.endsWith('#render'))) this.out.renders = true;
    for (const [host, s] of this.sess) {
      if (!isOver(s.deadline)) continue;
      this.saw.add(`session ${s.state} healed`);
      if (s.state === 'w' && this.status === 'running') {
        s.rejobs++;
        s.deadline = now + patience(s.rejobs);
        this.owe('fetch', { host, sid: s.sid });
      } else this.sess.delete(host);
    }
    for (const [key, { exec, host }] of this.inflight) {
      if (this.sess.get(host)?.exec === exec) continue;
      this.inflight.delete(key);
      healed++;
      this.saw.add('claim healed');
      if (++this.taskOf(key).lost <= maxLost) this.toFrontier(key);
      else this.end(key, this.queued, this.failed, 'LOST');
    }
    for (const [key, p] of this.page) {
      if (!isOver(p.deadline)) continue;
      this.saw.add(`page ${p.state} healed`);
      if (p.state === 'a' && ++this.taskOf(key).lost > maxLost) {
        this.page.delete(key);
        this.end(key, this.fetched, this.failed, 'LOST');
        continue;
      }
      if (p.state === 'a') Object.assign(p, { token: this.name('process', key), rejobs: 0 });
      else p.rejobs++;
      Object.assign(p, { state: 'w', exec: '-', deadline: now + patience(p.rejobs) });
      this.owe('process', { key, token: p.token, body: p.body });
    }
    for (const [key, e] of this.relink) if (isOver(e.deadline)) this.toRelink(key);
    if (this.discovery && isOver(this.discovery)) {
      this.discovery = now + leaseMs;
      this.out.discover = true;
    }
    this.out.healed = healed;
    this.openAll();
    this.tail();
  }

  private settleFetch(r: RawResult, t: Task): void {
    switch (r.kind) {
      case 'unused':
        this.openHost(this.toFrontier(r.key));
        break;
      case 'ok': {
        this.queued.delete(r.key);
        this.fetched.add(r.key);
        const { token, body, info } = r;
        this.page.set(r.key, {
          ...{ token, body, info },
          deadline: this.now + this.limits.leaseMs,
          state: 'w',
          rejobs: 0,
          exec: '-',
        });
        this.owe('process', { key: r.key, token, body });
        break;
      }
      case 'retry':
        if (++t.attempts >= this.limits.maxRetries) this.end(r.key, this.queued, this.failed, codeOf(r.failure));
        else into(this.delayed, this.laneOf(r.key)).set(r.key, this.now + r.afterMs);
        break;
      case 'render':
        t.renders = true;
        this.openHost(this.toFrontier(r.key));
        break;
      case 'rank':
        t.rank = r.rank;
        this.openHost(this.toFrontier(r.key));
        break;
      case 'later':
        into(this.delayed, this.laneOf(r.key)).set(r.key, this.now + r.afterMs);
        break;
      case 'moved': {
        const hops = (this.hops.get(r.key) ?? 0) + 1;
        this.hops.set(r.key, hops);
        if (hops > MAX_HOPS || r.url === t.url) this.end(r.key, this.queued, this.failed, 'REDIRECT_LOOP');
        else {
          t.url = r.url;
          this.openHost(this.toFrontier(r.key));
        }
        break;
      }
      case 'redirect': {
        const target = r.target[0];
        const hops = (this.hops.get(r.key) ?? 0) + 1;
        if (hops > MAX_HOPS || this.leadsBack(target, r.key)) {
          this.end(r.key, this.queued, this.failed, 'REDIRECT_LOOP');
          break;
        }
        this.end(r.key, this.queued, this.skipped, codeOf(r.failure));
        this.alias.set(r.key, target);
        if (!this.task.has(target)) this.hops.set(target, hops);
        this.admitLinks([r.target], t.depth, t.parent === '-' ? null : () => t.parent);
        break;
      }
      default:
        this.end(r.key, this.queued, r.kind === 'skip' ? this.skipped : this.failed, codeOf(r.failure));
    }
  }
  private leadsBack(from: string, to: string): boolean {
    for (let at: string | undefined = from; at !== undefined; at = this.alias.get(at)) if (at === to) return true;
    return false;
  }

  private claimUrls(host: string, exec: string, want: number): void {
    this.promote(host);
    const waiting = into(this.frontier, host);
    const space = this.page.size >= this.limits.high ? 0 : Math.max(0, this.budget());
    if (waiting.size > 0 && space === 0) {
      this.held = true;
      this.saw.add('held');
    }
    const first = [...waiting].sort(([a, m], [b, n]) => m - n || (a < b ? -1 : 1)).slice(0, Math.min(want, space));
    for (const [key] of first) {
      const token = this.name('claims', key);
      waiting.delete(key);
      this.inflight.set(key, { token, exec, host });
      const { url, depth, attempts, rank } = this.taskOf(key);
      this.owe('claims', { key, token, url, depth, attempts, rank });
    }
    if (first.length === 0) this.out.why = waiting.size > 0 ? 'held' : 'dry';
  }

  private settlePage(r: RawSettled, t: Task): void {
    this.found = 0;
    if (r.kind === 'ok') this.admitLinks(r.links, t.depth + 1, this.parentOf(r.url));
    this.page.delete(r.key);
    if (r.kind === 'failed') this.end(r.key, this.fetched, this.failed, codeOf(r.failure));
    else if (r.kind === 'gone') this.fetchAgain(r.key, t);
    else if (r.kind === 'render') this.toRenderer(r, t);
    else this.toProcessed(r, t);
  }
  private toRenderer({ key, template }: RawSettled & { kind: 'render' }, t: Task): void {
    this.saw.add('to be rendered');
    this.learnRender(template, 'shell');
    t.renders = true;
    this.fetched.delete(key);
    this.queued.add(key);
    this.openHost(this.toFrontier(key));
    this.owe('done', key);
  }
  private fetchAgain(key: string, t: Task): void {
    if (++t.lost > this.limits.maxLost) {
      this.end(key, this.fetched, this.failed, 'LOST');
      return;
    }
    this.fetched.delete(key);
    this.queued.add(key);
    this.openHost(this.toFrontier(key));
  }
  private toProcessed(r: RawSettled & { kind: 'ok' }, t: Task): void {
    for (const [reason, n] of Object.entries(r.refused)) this.refused.set(reason, (this.refused.get(reason) ?? 0) + n);
    this.fetched.delete(r.key);
    if (r.skipped) this.end(r.key, this.fetched, this.skipped, codeOf(r.skipped));
    else this.processed.add(r.key);
    if (r.render) this.learnRender(r.render.template, r.render.as);
    if (this.isNew(r, t)) this.growTemplate(t.template);
    if (t.depth < r.depth) this.toRelink(r.key);
    this.depth = Math.max(this.depth, t.depth);
    this.owe('done', r.key);
  }
  private isNew(r: RawSettled & { kind: 'ok' }, t: Task): boolean {
    if (t.template === '-') return false;
    const isNewText = !this.prints.has(r.print);
    this.prints.add(r.print);
    if (!this.templateOf(t.template).endless) return isNewText;
    const unseen = new Set(r.sample.filter((phrase) => !this.prints.has(`~${phrase}`)));
    for (const phrase of unseen) this.prints.add(`~${phrase}`);
    if (this.found > 0) this.saw.add('endless leads on');
    return this.found > 0 || (isNewText && unseen.size * 2 > r.sample.length);
  }
  private growTemplate(template: string): void {
    let { admitted, quota, endless } = this.templateOf(template);
    quota += 2;
    const mine = [...this.deferred].filter(([, of]) => of === template).map(([key]) => key);
    for (const key of mine.sort().slice(0, Math.max(0, quota - admitted))) {
      this.saw.add('deferred released');
      this.deferred.delete(key);
      this.openHost(this.toFrontier(key));
      admitted++;
    }
    this.templates.set(template, { admitted, quota, endless });
  }
}
