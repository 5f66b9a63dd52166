/**
 * Pays the wake-ups that run and gate functions return: adds the jobs they owe. Each may come twice or be lost;
 * behind each stands a lease. Does not decide anything: the scripts have.
 */
import type { RunId } from '@trawl/contracts';
import { type CrawlState, isRenderLane, type Owed, runAndLaneOf } from '@trawl/crawl-state';
import type { Gate, GateReply } from '@trawl/politeness';
import { PAGES_PER_JOB, type Queues } from '@trawl/queues';

export interface Wakeups {
  /** What a function of the run owes. */
  pay(runId: RunId, owed: Owed): Promise<void>;
  /** What a function of a host's gate owes: the first in line is opened; who has nothing to open leaves, and the next is tried. */
  honour(host: string, reply: GateReply): Promise<void>;
  /** Another worker is to go on with a run's discovery. */
  discover(runId: RunId): Promise<void>;
  /** A retry is due in this lane later. */
  wakeLater(runId: RunId, lane: string, delayMs: number): Promise<void>;
}

export function createWakeups(o: {
  queues: Queues;
  state: Pick<CrawlState, 'open'>;
  gate: Pick<Gate, 'leave'>;
}): Wakeups {
  const { queues, state, gate } = o;

  async function pay(runId: RunId, owed: Owed): Promise<void> {
    const adds: Promise<void>[] = [];
    if (owed.finalize) adds.push(queues.add('finalize', { runId }));
    if (owed.discover) adds.push(queues.add('discover', { runId }));
    for (const [queue, isMine] of [
      ['fetch', (lane: string) => !isRenderLane(lane)],
      ['render', isRenderLane],
    ] as const) {
      const sessions = owed.fetch.filter(({ host }) => isMine(host));
      if (sessions.length > 0)
        adds.push(
          queues.addMany(
            queue,
            sessions.map(({ host, sid }) => ({ runId, host, sid })),
          ),
        );
    }
    const pages = [...owed.process];
    while (pages.length > 0) adds.push(queues.add('process', { runId, pages: pages.splice(0, PAGES_PER_JOB) }));
    if (owed.relink.length > 0)
      adds.push(
        queues.addMany(
          'process',
          owed.relink.map((relink) => ({ runId, relink })),
        ),
      );
    await Promise.all(adds);
  }

  async function honour(host: string, reply: GateReply): Promise<void> {
    let at = reply;
    for (;;) {
      if (at.wakeInMs !== null) await queues.addDelayed('wake', { host }, at.wakeInMs, `${host}@${at.wakeAt}`);
      if (!at.wake) return;
      const { runId, lane } = runAndLaneOf(at.wake.runId, host);
      const { owed, idle } = await state.open(runId, lane);
      await pay(runId, owed);
      if (!idle) return;
      at = await gate.leave(host, at.wake);
    }
  }

  return {
    pay,
    honour,
    discover: (runId) => queues.add('discover', { runId }),
    wakeLater: (runId, lane, delayMs) => queues.addDelayed('wake', { host: lane, runId }, delayMs),
  };
}
