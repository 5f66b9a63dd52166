/** The robots.txt of a site that is asked for something outside of sessions, from the fleet's cache or asked for at its turn; and which scheme a bare host name speaks. */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { carriedTo, type RunConfig, type SiteAccess } from '@trawl/contracts';
import type { FetchError, Fetcher, TextReply } from '@trawl/fetcher';
import { type HostRobots, MAX_ROBOTS_BYTES, type RobotsCache, type RobotsTxt } from '@trawl/politeness';
import { hostKey } from '@trawl/url';
import { askRobots } from './ask-robots.ts';
import { hostLimits } from './host-limits.ts';
import { type TurnDeps, takeTurn } from './take-turn.ts';

export interface SiteDeps extends TurnDeps {
  readonly fetcher: Fetcher;
  readonly robots: RobotsCache;
  readonly robotsMaxAgeMs: number;
  readonly config: RunConfig;
  readonly access: SiteAccess | null;
  /** Somebody waits for what comes of it: a failure is told, and not waited out. */
  readonly isUrgent?: boolean;
  /** When the run is over or the process stops. */
  readonly signal: AbortSignal;
}

export interface SiteRobots {
  readonly host: HostRobots;
  /** Null: out of reach for as long as the run has patience; a run that does not respect it has none. */
  readonly file: RobotsTxt | null;
  /** Why it is out of reach, as a code, where that is known. */
  readonly reason?: string | null;
  /** What is wrong with the source's proxy, where that is why. */
  readonly noWay?: FetchError;
}

/** Another is asking, or a redirect leads to a host that has no turn: looked at again after this, and ever later. */
const BUSY_MS = 200;
const LONGEST_BUSY_MS = 10_000;

export const newHolder = (): string => randomBytes(8).toString('hex');

export async function siteRobots(origin: string, deps: SiteDeps): Promise<SiteRobots> {
  const { config, signal } = deps;
  const hostName = hostKey(origin);
  const startedAt = performance.now();
  for (let busyMs = BUSY_MS; ; ) {
    signal.throwIfAborted();
    const host = await deps.robots.read(hostName);
    const file = host.of(origin);
    if (file !== null) return { host, file };
    const limits = { ...hostLimits(config, config.respectRobots ? host : null), parallel: 1 };
    const exec = newHolder();
    const runAgeMs = performance.now() - startedAt;
    const patienceMs = config.maxHostDownSeconds * 1000 - runAgeMs;
    if (patienceMs <= 0) return { host, file: null };
    let hadTurn = true;
    const turn = async (send: (onSent: () => void) => Promise<TextReply>): Promise<TextReply | null> => {
      const reply = await takeTurn({ host: hostName, holder: exec, limits, patienceMs, signal }, send, deps);
      hadTurn = reply !== null;
      return reply;
    };
    const asked = await askRobots(origin, { ...deps, robots: host, runAgeMs, exec, host: hostName, limits, turn });
    if (asked.kind === 'no-way') return { host, file: null, noWay: asked.error };
    if (asked.kind === 'unreachable') return { host, file: null, reason: asked.reason };
    const isInHaste = deps.isUrgent || !config.respectRobots;
    if (asked.kind === 'failed' && isInHaste) return { host, file: null, reason: asked.reason };
    if (!hadTurn && deps.isUrgent) return { host, file: null, reason: 'HOST_UNAVAILABLE' };
    // A failure has blocked the host: the next turn comes when that is over.
    if (asked.kind !== 'busy') continue;
    await sleep(busyMs, undefined, { signal });
    busyMs = Math.min(2 * busyMs, LONGEST_BUSY_MS);
  }
}

/** Codes that say: nobody speaks https here. */
const NO_TLS = /^(TLS_|CONNECTION_FAILED|TIMEOUT_CONNECT)/;

/** `https://site` unless only http is spoken there. */
export async function originOf(site: string, deps: SiteDeps): Promise<string> {
  const { config, signal } = deps;
  const origin = new URL(`https://${site}/`).origin;
  const host = hostKey(origin);
  const limits = { ...hostLimits(config, null), parallel: 1 };
  const request = { host, holder: newHolder(), limits, patienceMs: config.maxHostDownSeconds * 1000, signal };
  const reply = await takeTurn(
    request,
    async (onSent) => {
      const answer = await deps.fetcher.getText({
        url: `${origin}/robots.txt`,
        userAgent: config.userAgent,
        timeoutMs: config.timeoutSeconds * 1000,
        maxBytes: MAX_ROBOTS_BYTES,
        ...carriedTo(origin, deps.access),
        signal,
        onSent,
      });
      // A port that is closed is no failure of the host here: it may be the answer.
      return answer.kind === 'failed' && NO_TLS.test(answer.error.code)
        ? { ...answer, error: { ...answer.error, retryable: false } }
        : answer;
    },
    deps,
  );
  return reply?.kind === 'failed' && NO_TLS.test(reply.error.code)
    ? `http://${new URL(`http://${site}/`).host}`
    : origin;
}
