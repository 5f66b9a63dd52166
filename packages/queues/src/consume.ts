/** The consuming side: one worker on one queue, whose payloads are checked before its handler sees them. */
import type { Logger } from '@trawl/runtime';
import { type ConnectionOptions, UnrecoverableError, Worker } from 'bullmq';
import { JOBS, type JobData, type JobName, WORKER_OPTIONS } from './catalog.ts';
import { queuePrefix } from './queues.ts';

export interface Consumer {
  /** Takes no new job and waits for those under way. */
  close(): Promise<void>;
}

export interface JobInfo {
  /** The same each time the job is delivered. */
  readonly id: string;
}

export function consume<N extends JobName>(
  name: N,
  handle: (data: JobData<N>, job: JobInfo) => Promise<void>,
  o: { connection: ConnectionOptions; prefix: string; concurrency: number; logger: Logger },
): Consumer {
  const schema = JOBS[name];
  const worker = new Worker(
    name,
    async (job) => {
      const payload = schema.safeParse(job.data);
      if (!payload.success) {
        throw new UnrecoverableError(
          `payload of ${name} job ${job.id} is not what it should be: ${payload.error.message}`,
        );
      }
      if (job.id === undefined) throw new UnrecoverableError(`a ${name} job came without an id`);
      await handle(payload.data as JobData<N>, { id: job.id });
    },
    { ...WORKER_OPTIONS, connection: o.connection, prefix: queuePrefix(o.prefix), concurrency: o.concurrency },
  );
  // A failed job loses nothing: the lease behind it runs out and is healed.
  worker.on('failed', (job, error) => o.logger.error({ err: error, job: job?.id, queue: name }, 'job failed'));
  // Redis away is said once by the connection's owner, not at every retry of every worker.
  worker.on('error', (error) => {
    const isOutage = 'code' in error && String(error.code).startsWith('ECONN');
    o.logger[isOutage ? 'debug' : 'warn']({ err: error, queue: name }, 'queue worker');
  });
  return { close: () => worker.close() };
}
