/**
 * One request at its turn: a slot of the host's gate, waited for if need be, held for as long as the answer takes, and given back with
 * what it says of the host. Whoever waits here asks again and again: it stands in line, so that holders make room, but is not woken.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { isProxyFault } from '@trawl/contracts';
import type { Gate, Grant, HostLimits, Outcome } from '@trawl/politeness';
import type { Logger } from '@trawl/runtime';
import type { Wakeups } from '@trawl/wakeups';

export interface TurnRequest {
  readonly host: string;
  /** Fresh for each request. */
  readonly holder: string;
  readonly limits: HostLimits;
  /** How long a slot is waited for. 0: now, or not at all. */
  readonly patienceMs: number;
  readonly signal?: AbortSignal;
}

export interface TurnDeps {
  readonly gate: Gate;
  readonly wakeups: Wakeups;
  readonly logger: Logger;
}

/** A reply of the fetcher's, as far as the gate wants to hear of it. */
export type Answered = { readonly headMs: number | null } & (
  | { readonly kind: 'page' | 'unchanged' | 'text' | 'streamed' | 'redirect' }
  | {
      readonly kind: 'failed';
      readonly error: { readonly code: string; readonly retryable: boolean };
      readonly retryAfterMs: number | null;
      readonly mayBeProxys?: true;
    }
);

/** A slot may be free for some milliseconds only. */
const ASK_AGAIN_MS = 30;
/** A blocked host is looked at this often. */
const LONGEST_PAUSE_MS = 1000;
/** Half a grant. */
const RENEW_MS = 1000;

/** Null: there was no turn within the request's patience. Rejects where `send` does, and when the signal is aborted. */
export async function takeTurn<Reply extends Answered>(
  request: TurnRequest,
  send: (onSent: () => void) => Promise<Reply>,
  deps: TurnDeps,
): Promise<Reply | null> {
  const until = performance.now() + request.patienceMs;
  for (;;) {
    const granted = await slotUntil(until, request, deps);
    if (granted === null) return null;
    const taken = await useSlot(granted, request, send, deps);
    // Its time was over before it could start: the slot may be another's by now.
    if (taken !== 'late') return taken;
  }
}

interface Granted {
  readonly grant: Grant;
  /** Until when requests may start, by the clock of `performance`. */
  endsAt: number;
}

async function useSlot<Reply extends Answered>(
  granted: Granted,
  { host, holder, limits, signal }: TurnRequest,
  send: (onSent: () => void) => Promise<Reply>,
  deps: TurnDeps,
): Promise<Reply | 'late'> {
  const { grant } = granted;
  let startedAt: number | null = null;
  const started = (): void => {
    startedAt = performance.now();
  };
  const news = (outcomes: readonly Outcome[] = [], headMs: number | null = null) => ({
    holder,
    sinceLastStartMs: startedAt === null ? null : performance.now() - startedAt,
    outcomes,
    limits,
    ...(headMs !== null && { responses: { count: 1, meanMs: headMs } }),
  });
  let said = news;
  const renew = async (): Promise<void> => {
    const sentAt = performance.now();
    const reply = await gate(deps, host, deps.gate.renew(host, { ...news(), keep: 1, underWay: 1 }));
    granted.endsAt = reply.slots === 0 ? 0 : sentAt + reply.grantMs;
  };
  const renewal = setInterval(() => {
    renew().catch((error) => deps.logger.warn({ err: error, host }, 'a slot was not renewed'));
  }, RENEW_MS);
  try {
    if (grant.startInMs > 0) await sleep(grant.startInMs, undefined, { ...(signal && { signal }) });
    signal?.throwIfAborted();
    if (performance.now() > granted.endsAt) return 'late';
    started();
    const reply = await send(started);
    said = () => news(outcomesOf(reply, grant), reply.headMs);
    return reply;
  } finally {
    clearInterval(renewal);
    await gate(deps, host, deps.gate.release(host, said()));
  }
}

async function slotUntil(until: number, request: TurnRequest, deps: TurnDeps): Promise<Granted | null> {
  const { host, holder, limits, signal } = request;
  for (;;) {
    signal?.throwIfAborted();
    const sentAt = performance.now();
    const grant = await gate(deps, host, deps.gate.reserve(host, { runId: `turn-${holder}`, holder, want: 1, limits }));
    // It can only be started within its grant.
    if (grant.slots > 0 && grant.startInMs < grant.grantMs) return { grant, endsAt: sentAt + grant.grantMs };
    if (grant.slots > 0)
      await gate(deps, host, deps.gate.release(host, { holder, sinceLastStartMs: null, outcomes: [], limits }));
    const soonestMs = Math.max(grant.refusedForMs, grant.startInMs, ASK_AGAIN_MS);
    if (performance.now() + soonestMs > until) return null;
    await sleep(Math.min(soonestMs, LONGEST_PAUSE_MS), undefined, { ...(signal && { signal }) });
  }
}

/** Every reply of a gate may owe a wake-up. */
async function gate<T extends Parameters<Wakeups['honour']>[1]>(
  deps: TurnDeps,
  host: string,
  call: Promise<T>,
): Promise<T> {
  const reply = await call;
  await deps.wakeups.honour(host, reply);
  return reply;
}

function outcomesOf(reply: Answered, { epoch, probing }: Grant): Outcome[] {
  if (reply.kind === 'failed' && (reply.mayBeProxys || isProxyFault(reply.error.code))) return [];
  if (reply.kind !== 'failed' || !reply.error.retryable) return probing ? [{ ok: true }] : [];
  const retryAfter = reply.retryAfterMs === null ? {} : { retryAfterMs: reply.retryAfterMs };
  return [{ ok: false, epoch, reason: reply.error.code, ...retryAfter }];
}
