/**
 * Brings one origin's robots.txt into the fleet's cache: takes the lease on asking, makes the requests, keeps the answer.
 * Requests to the caller's own host take the caller's turns; where a redirect leads to another host, that host's gate is asked.
 */
import type { RunConfig, SiteAccess } from '@trawl/contracts';
import type { FetchError, Fetcher, TextReply } from '@trawl/fetcher';
import type { HostLimits, HostRobots } from '@trawl/politeness';
import { hostKey } from '@trawl/url';
import { requestRobots } from './request-robots.ts';
import { type TurnDeps, takeTurn } from './take-turn.ts';

/** Leases are 8 s long. */
const RENEW_MS = 2500;

type Send = (onSent: () => void) => Promise<TextReply>;

export interface AskRobotsDeps extends TurnDeps {
  readonly fetcher: Pick<Fetcher, 'getText'>;
  readonly robots: HostRobots;
  readonly robotsMaxAgeMs: number;
  readonly config: RunConfig;
  readonly access: SiteAccess | null;
  readonly runAgeMs: number;
  /** The caller, and the host it asks on its own account. */
  readonly exec: string;
  readonly host: string;
  readonly limits: HostLimits;
  readonly signal: AbortSignal;
  /** One request to the caller's own host. */
  turn(send: Send): Promise<TextReply | null>;
}

export type Asked =
  | { readonly kind: 'known'; readonly headMs: number | null }
  | { readonly kind: 'failed'; readonly reason: string; readonly retryAfterMs: number | null; readonly headMs: null }
  /** Out of reach for longer than the run has patience. */
  | { readonly kind: 'unreachable'; readonly reason: string | null }
  /** Not by the proxy that the source goes through. */
  | { readonly kind: 'no-way'; readonly error: FetchError }
  /** Another is asking, or there was no turn. */
  | { readonly kind: 'busy' };

export async function askRobots(origin: string, deps: AskRobotsDeps): Promise<Asked> {
  const { robots, config } = deps;
  const asked = await robots.ask(origin);
  if (asked.kind === 'known') return { kind: 'known', headMs: null };
  if (asked.kind === 'busy') return asked;
  const { token } = asked;
  if (Math.min(asked.failingForMs, deps.runAgeMs) > config.maxHostDownSeconds * 1000) {
    await robots.keep(origin, token, { kind: 'dropped' });
    return { kind: 'unreachable', reason: asked.reason };
  }
  const renewal = setInterval(() => {
    robots.renew(origin, token).catch((error) => deps.logger.warn({ err: error }, 'robots.txt lease not renewed'));
  }, RENEW_MS);
  let headMs: number | null = null;
  try {
    const reply = await requestRobots(origin, {
      fetcher: deps.fetcher,
      userAgent: config.userAgent,
      access: deps.access,
      timeoutMs: config.timeoutSeconds * 1000,
      maxAgeMs: deps.robotsMaxAgeMs,
      signal: deps.signal,
      turn: async (url, send) => {
        const host = hostKey(url);
        const isOwn = host === deps.host;
        const foreign = {
          host,
          holder: `${deps.exec}-robots`,
          limits: deps.limits,
          patienceMs: 0,
          signal: deps.signal,
        };
        const text = await (isOwn ? deps.turn(send) : takeTurn(foreign, send, deps));
        if (isOwn && text !== null) headMs = text.headMs;
        return text;
      },
    });
    await robots.keep(origin, token, reply.kind === 'no-way' ? { kind: 'dropped' } : reply);
    if (reply.kind === 'found') return { kind: 'known', headMs };
    if (reply.kind === 'no-way') return reply;
    return reply.kind === 'failed' ? { ...reply, headMs: null } : { kind: 'busy' };
  } catch (error) {
    await robots.keep(origin, token, { kind: 'dropped' });
    throw error;
  } finally {
    clearInterval(renewal);
  }
}
