/** The producing side of the queues: adds jobs, typed by the catalog. Does not decide when (the protocol's wake-ups do). */
import { type ConnectionOptions, Queue } from 'bullmq';
import { JOB_OPTIONS, JOBS, type JobData, type JobName } from './catalog.ts';
import { openSchedules, type Schedules } from './schedules.ts';

export interface Queues {
  add<N extends JobName>(name: N, data: JobData<N>): Promise<void>;
  addMany<N extends JobName>(name: N, data: readonly JobData<N>[]): Promise<void>;
  /** Later. With an id, a job that waits under the same id already is enough. */
  addDelayed<N extends JobName>(name: N, data: JobData<N>, delayMs: number, id?: string): Promise<void>;
  /** When sources are to be crawled. */
  readonly schedules: Schedules;
  /** Jobs that no worker has taken yet. */
  waiting(name: JobName): Promise<number>;
  close(): Promise<void>;
}

/** BullMQ's own prefix; a `keyPrefix` of ioredis would break it. */
export const queuePrefix = (prefix: string): string => `${prefix}queue`;

export function openQueues(connection: ConnectionOptions, o: { prefix?: string } = {}): Queues {
  const names = Object.keys(JOBS) as JobName[];
  const queues = Object.fromEntries(
    names.map((name) => [
      name,
      new Queue(name, {
        connection,
        prefix: queuePrefix(o.prefix ?? ''),
        defaultJobOptions: JOB_OPTIONS,
        streams: { events: { maxLen: 100 } },
      }),
    ]),
  ) as Record<JobName, Queue>;
  // The connection's owner says once that Redis is away; without a listener BullMQ would print every retry.
  for (const queue of Object.values(queues)) queue.on('error', () => {});
  return {
    async add(name, data) {
      await queues[name].add(name, data);
    },
    async addMany(name, data) {
      const [first, ...more] = data;
      if (first === undefined) return;
      if (more.length === 0) await queues[name].add(name, first);
      else await queues[name].addBulk(data.map((d) => ({ name, data: d })));
    },
    async addDelayed(name, data, delayMs, id) {
      // A jobId must not contain ':' (an IPv6 host does).
      const jobId = id === undefined ? {} : { jobId: id.replaceAll(':', '_') };
      await queues[name].add(name, data, { delay: Math.max(1, Math.ceil(delayMs)), ...jobId });
    },
    schedules: openSchedules(queues.schedule),
    waiting: (name) => queues[name].getWaitingCount(),
    async close() {
      await Promise.all(names.map((name) => queues[name].close()));
    },
  };
}
