/**
 * Schedules in the queue, one BullMQ job scheduler for each source: it keeps exactly one job for the next time, which carries
 * the source's id, and adds the one after it when that is taken. Which schedules there should be, the sources' rows say.
 */
import type { SourceId } from '@trawl/contracts';
import type { Queue } from 'bullmq';
import { TICK_OPTIONS } from './catalog.ts';

export interface Schedule {
  readonly sourceId: SourceId;
  /** Cron. */
  readonly pattern: string;
  /** IANA name. */
  readonly timezone: string;
}

export interface KnownSchedule {
  /** What `remove` takes. */
  readonly id: string;
  readonly pattern: string | undefined;
  readonly timezone: string | undefined;
  /** Its next time has passed and there is no job for it: by itself it would never come again. */
  readonly isBroken: boolean;
}

export interface Schedules {
  /** By the id of the source. */
  list(): Promise<ReadonlyMap<string, KnownSchedule>>;
  /** Adds it, or changes it: the next time is found anew. */
  set(schedule: Schedule): Promise<void>;
  /** A job whose time has come already is left: its consumer asks the source's row. */
  remove(id: string): Promise<void>;
}

/** Ids must not contain ':', which parts BullMQ's keys. */
const PREFIX = 'source-';

/** Well past the time a job that is due takes to be picked up by a queue that is alive; one that waits longer is looked up. */
const OVERDUE_MS = 10_000;

export function openSchedules(queue: Queue): Schedules {
  const hasNoJob = async (id: string, next: number | undefined): Promise<boolean> =>
    next === undefined || (next < Date.now() - OVERDUE_MS && !(await queue.getJob(`repeat:${id}:${next}`)));
  return {
    async list() {
      const found = await queue.getJobSchedulers();
      const described = found.map(async ({ key, pattern, tz, next }) => {
        const known = { id: key, pattern, timezone: tz, isBroken: await hasNoJob(key, next) };
        return [key.slice(PREFIX.length), known] as const;
      });
      return new Map(await Promise.all(described));
    },
    async set({ sourceId, pattern, timezone }) {
      await queue.upsertJobScheduler(
        `${PREFIX}${sourceId}`,
        { pattern, tz: timezone },
        { name: 'schedule', data: { sourceId }, opts: TICK_OPTIONS },
      );
    },
    async remove(id) {
      await queue.removeJobScheduler(id);
    },
  };
}
