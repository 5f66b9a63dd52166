/**
 * Brings one origin's robots.txt into the fleet's cache: takes the lease on asking, makes the requests, keeps the answer.
 * Requests to the session's own host take the session's turns; where a redirect leads to another host, that host's gate is asked.
 */
import type { RunConfig, RunId } from '@trawl/contracts';
import type { SessionRef } from '@trawl/crawl-state';
import type { Fetcher, TextReply } from '@trawl/fetcher';
import type { Gate, HostLimits, HostRobots } from '@trawl/politeness';
import type { Logger } from '@trawl/runtime';
import { hostKey } from '@trawl/url';
import type { Wakeups } from '@trawl/wakeups';
import { requestRobots } from './request-robots.ts';

/** Leases are 8 s long. */
const RENEW_MS = 2500;

type Send = (onSent: () => void) => Promise<TextReply>;

export interface AskRobotsDeps {
  readonly fetcher: Fetcher;
  readonly gate: Gate;
  readonly wakeups: Wakeups;
  readonly logger: Logger;
  readonly robots: HostRobots;
  readonly robotsMaxAgeMs: number;
  readonly config: RunConfig;
  readonly runId: RunId;
  readonly runAgeMs: number;
  readonly session: SessionRef;
  readonly limits: HostLimits;
  readonly signal: AbortSignal;
  /** One request to the session's own host. */
  turn(send: Send): Promise<TextReply | null>;
}

export type Asked =
  | { readonly kind: 'known'; readonly headMs: number | null }
  | { readonly kind: 'failed'; readonly reason: string; readonly retryAfterMs: number | null; readonly headMs: null }
  /** Out of reach for longer than the run has patience. */
  | { readonly kind: 'unreachable'; readonly reason: string | null }
  /** Another session is asking, or there was no turn. */
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
      timeoutMs: config.timeoutSeconds * 1000,
      maxAgeMs: deps.robotsMaxAgeMs,
      signal: deps.signal,
      turn: async (url, send) => {
        const isOwn = hostKey(url) === deps.session.host;
        const text = await (isOwn ? deps.turn(send) : foreignTurn(hostKey(url), send, deps));
        if (isOwn && text !== null) headMs = text.headMs;
        return text;
      },
    });
    await robots.keep(origin, token, reply);
    if (reply.kind === 'found') return { kind: 'known', headMs };
    return reply.kind === 'failed' ? { ...reply, headMs: null } : { kind: 'busy' };
  } catch (error) {
    await robots.keep(origin, token, { kind: 'dropped' });
    throw error;
  } finally {
    clearInterval(renewal);
  }
}

/** One request to a host that is not the session's: one slot at its gate, if there is one now. */
async function foreignTurn(host: string, send: Send, deps: AskRobotsDeps): Promise<TextReply | null> {
  const { gate, wakeups, limits } = deps;
  const holder = `${deps.session.exec}-robots`;
  const grant = await gate.reserve(host, { runId: deps.runId, holder, want: 1, limits });
  await wakeups.honour(host, grant);
  if (grant.slots === 0) return null;
  let startedAt: number | null = null;
  const started = (): void => {
    startedAt = performance.now();
  };
  let hasFailed = false;
  try {
    // It can only be started within the grant; a longer wait is not worth a slot.
    if (grant.startInMs >= grant.grantMs) return null;
    if (grant.startInMs > 0) await new Promise((resolve) => setTimeout(resolve, grant.startInMs));
    started();
    const reply = await send(started);
    hasFailed = reply.kind === 'failed' && reply.error.retryable;
    return reply;
  } finally {
    const outcomes = hasFailed ? [{ ok: false as const, epoch: grant.epoch, reason: 'robots.txt' }] : [];
    const sinceLastStartMs = startedAt === null ? null : performance.now() - startedAt;
    await wakeups.honour(host, await gate.release(host, { holder, sinceLastStartMs, outcomes, limits }));
  }
}
