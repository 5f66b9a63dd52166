/**
 * What a session has claimed and not started: looked up in what its source knows, sorted by robots.txt and by age. What needs no
 * request is a result at once. Does not start requests, nor ask for a robots.txt (the session does both).
 */
import type { UrlKey } from '@trawl/contracts';
import { type Claim, isKnownToRender, type Rendering, type StepReply, type StepResult } from '@trawl/crawl-state';
import type { KnownPage } from '@trawl/db';
import type { HostRobots } from '@trawl/politeness';
import { decideByAge } from './age.ts';
import type { RunRequests } from './fetch-url.ts';
import type { Past } from './past.ts';
import { decideByRobots } from './robots-verdict.ts';

export class ClaimDesk {
  readonly #run: RunRequests;
  readonly #robots: HostRobots | null;
  readonly #past: Past | null;
  /** To be started. */
  readonly ready: Claim[] = [];
  /** The robots.txt of their origin is not known yet. */
  readonly unasked: Claim[] = [];
  readonly #known = new Map<UrlKey, KnownPage>();
  /** Sitemaps are still being read: what they say of a page may be yet to come. */
  #isDiscovering = false;

  readonly #hasBrowser: boolean;
  /** What the run has learned of rendering. */
  rendering: Rendering = new Map();

  constructor(run: RunRequests, robots: HostRobots | null, past: Past | null, o: { readonly hasBrowser: boolean }) {
    this.#run = run;
    this.#hasBrowser = o.hasBrowser;
    this.#robots = robots;
    this.#past = past;
  }

  get size(): number {
    return this.ready.length + this.unasked.length;
  }

  /** What a step claimed. */
  async take({ claims, discovering, rendering }: StepReply & { kind: 'stepped' }): Promise<StepResult[]> {
    this.#isDiscovering = discovering;
    this.rendering = rendering;
    if (this.#past !== null && claims.length > 0)
      for (const [key, known] of await this.#past.knownOf(claims)) {
        // Nothing tells whether it is the same: it is read anew.
        if (known.bodyHash !== null) this.#known.set(key, known);
      }
    return this.#sort(claims);
  }

  /** A robots.txt more is known. */
  sortUnasked(): StepResult[] {
    return this.#sort(this.unasked.splice(0));
  }

  /** What waits for the robots.txt of this origin is settled without it. */
  settleUnasked(origin: string, result: (claim: Claim) => StepResult): StepResult[] {
    const mine = this.unasked.filter((claim) => new URL(claim.url).origin === origin);
    const others = this.unasked.filter((claim) => !mine.includes(claim));
    this.unasked.splice(0, this.unasked.length, ...others);
    return mine.map((claim) => this.#settled(claim, result(claim)));
  }

  /** All of it, unstarted. */
  giveBack(): StepResult[] {
    const all = [...this.ready.splice(0), ...this.unasked.splice(0)];
    return all.map((claim) => this.#settled(claim, { key: claim.key, token: claim.token, kind: 'unused' }));
  }

  /** What the source knows of a claim that is started now. */
  handOut(claim: Claim): KnownPage | undefined {
    const known = this.#known.get(claim.key);
    this.#known.delete(claim.key);
    return known;
  }

  #sort(claims: readonly Claim[]): StepResult[] {
    return claims.flatMap((claim) => {
      const decision = decideByRobots(claim, this.#run.config, this.#robots);
      if (decision.kind === 'disallowed') return [this.#settled(claim, decision.result)];
      if (decision.kind === 'unknown') {
        this.unasked.push(claim);
        return [];
      }
      const known = this.#known.get(claim.key);
      const result = known ? decideByAge(claim, known, this.#run, this.#isDiscovering) : null;
      if (result !== null) return [this.#settled(claim, result)];
      if (this.#wantsBrowser(claim, known))
        return [this.#settled(claim, { key: claim.key, token: claim.token, kind: 'render' })];
      this.ready.push(claim);
      return [];
    });
  }

  /** An empty shell as far as is known: by what it was before, or by what pages like it are. */
  #wantsBrowser(claim: Claim, known: KnownPage | undefined): boolean {
    if (this.#hasBrowser || this.#run.config.render === 'never' || !this.#run.canRender) return false;
    if (known?.rendered) return true;
    if (this.rendering.size === 0) return false;
    const verdict = this.#run.rules.check(claim.url, claim.url);
    return verdict.kind === 'accepted' && isKnownToRender(this.rendering, verdict.link.template);
  }

  #settled(claim: Claim, result: StepResult): StepResult {
    this.#known.delete(claim.key);
    return result;
  }
}
