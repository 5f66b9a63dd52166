/** The fetch role: sessions of HTTP requests, and the wake-ups that open hosts again. */
import { setTimeout as sleep } from 'node:timers/promises';
import { consume, type JobData } from '@trawl/queues';
import { createSessionWorker, type SessionWorkerDeps } from '@trawl/sessions';

/** BullMQ's timers and Redis' clock differ by less than this. */
const SOON_MS = 1000;

export type FetchWorkerDeps = Omit<SessionWorkerDeps, 'queue' | 'browse'>;

export interface FetchWorker {
  close(): Promise<void>;
}

export function createFetchWorker(deps: FetchWorkerDeps): FetchWorker {
  const { state, gate, wakeups, logger } = deps;
  const wake = async (job: JobData<'wake'>): Promise<void> => {
    if ('runId' in job) return wakeups.pay(job.runId, (await state.open(job.runId, job.host)).owed);
    let reply = await gate.peek(job.host);
    // A job that came a little early owes a wake with its own id, which BullMQ would ignore while it is active.
    while (reply.wakeInMs !== null && reply.wakeInMs < SOON_MS) {
      await sleep(reply.wakeInMs);
      reply = await gate.peek(job.host);
    }
    await wakeups.honour(job.host, reply);
  };
  const sessions = createSessionWorker({ ...deps, queue: 'fetch' });
  const wakes = consume('wake', wake, { connection: deps.redis, prefix: deps.prefix, logger, concurrency: 4 });
  return {
    async close() {
      await Promise.all([sessions.close(), wakes.close()]);
    },
  };
}
