/**
 * A session: one run on one host, or rather on one of its lanes. Takes slots at the host's gate, then works through the frontier (session-loop.ts) until
 * there is nothing left to claim, the host is blocked, or others wait and its time slice is over.
 *
 *   begin ─▶ reserve ─▶ loop ─▶ release ─▶ close
 *               └ refused ─▶ park ─▶ reserve once more ─▶ refused ─▶ end (whoever frees the gate opens the host again)
 *
 * A host whose robots.txt is not known is taken alone first: one slot, one request for the file.
 */
import { randomBytes } from 'node:crypto';
import type { RunConfig, RunId } from '@trawl/contracts';
import { type Failure, hostOfLane, placeOf, type SessionRef } from '@trawl/crawl-state';
import type { Grant, HostLimits, HostRobots } from '@trawl/politeness';
import { accessOf, openAccess } from '@trawl/runtime';
import { hostLimits } from '@trawl/turns';
import type { SessionDeps } from './session-deps.ts';
import { SessionLoop } from './session-loop.ts';

export async function runSession(job: { runId: RunId; host: string; sid: string }, deps: SessionDeps): Promise<void> {
  const { state, gate, wakeups } = deps;
  const { runId, host: lane } = job;
  const host = hostOfLane(lane);
  const session: SessionRef = { ...job, exec: randomBytes(8).toString('hex') };
  const begun = await state.begin(session);
  if (begun.kind === 'gone') {
    // It may have been woken from the line: hand the wake-up on.
    await wakeups.honour(host, await gate.peek(host));
    return;
  }
  const { config } = begun.settings;
  const robots = config.respectRobots ? await deps.robots.read(host) : null;
  const limits = firstLimits(config, robots, begun.firstUrl);
  const reserve = async (): Promise<{ grant: Grant; sentAt: number }> => {
    const sentAt = performance.now();
    const want = Math.min(deps.sessionSlots, limits.parallel);
    const grant = await gate.reserve(host, { runId: placeOf(runId, lane), holder: session.exec, want, limits });
    await wakeups.honour(host, grant);
    return { grant, sentAt };
  };
  let reserved = await reserve();
  if (reserved.grant.slots === 0) {
    // Counted from the run's own start at the earliest: a run finds out for itself that a host is down.
    const failingForMs = Math.min(reserved.grant.failingForMs, begun.runAgeMs);
    if (failingForMs > config.maxHostDownSeconds * 1000) {
      await giveUpHost(session, host, failingForMs, deps);
      return;
    }
    const parked = await state.park(session, reserved.grant.refusedForMs);
    if (parked.kind === 'lost') return;
    await wakeups.pay(runId, parked.owed);
    // A slot may have come free between the refusal and the parking.
    reserved = await reserve();
    if (reserved.grant.slots === 0) return;
  }
  const canRender = config.render === 'auto' && (await deps.canRender());
  const { sourceId, access: sealed } = begun.settings;
  const access = openAccess(deps.vault, sealed, accessOf(sourceId));
  const run = { runId, config, access, rules: deps.rulesOf(runId, config), canRender, ageMs: begun.runAgeMs };
  const past = deps.pastOf(begun.settings);
  // Without the access nothing is asked for, robots.txt included: each page is told so at once.
  const about = { robots: access.kind === 'open' ? robots : null, past };
  await new SessionLoop(session, run, about, limits, reserved, deps).run();
}

function firstLimits(config: RunConfig, robots: HostRobots | null, firstUrl: string | null): HostLimits {
  const limits = hostLimits(config, robots);
  const isKnown = robots === null || firstUrl === null || robots.of(new URL(firstUrl).origin) !== null;
  // Alone, so that all runs that find a host unknown ask for its file one after the other, and hence once.
  return isKnown ? limits : { ...limits, parallel: 1 };
}

async function giveUpHost(session: SessionRef, host: string, failingForMs: number, deps: SessionDeps): Promise<void> {
  const { state, gate, wakeups } = deps;
  const [facts] = await gate.describe([host]);
  const why = facts?.reason ? ` (last: ${facts.reason})` : '';
  const message = `The host has answered nothing but errors for ${Math.round(failingForMs / 1000)} s${why}.`;
  const failure: Failure = {
    error: { code: 'HOST_UNAVAILABLE', message, retryable: true, attempts: 0 },
    at: Date.now(),
  };
  for await (const owed of state.giveUp(session, failure)) await wakeups.pay(session.runId, owed);
  await wakeups.pay(session.runId, (await state.close(session)).owed);
}
