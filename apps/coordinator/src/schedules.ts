/**
 * Makes the queue's schedules equal to what the sources' rows say, which is all the API writes. Any number of coordinators do
 * it at once, and a Redis that came back empty is put right by the next round.
 */
import { type Db, type ScheduledSource, scheduledSources } from '@trawl/db';
import type { KnownSchedule, Schedules } from '@trawl/queues';
import type { Logger } from '@trawl/runtime';

export interface SchedulesDeps {
  readonly db: Db;
  readonly schedules: Schedules;
  readonly logger: Logger;
}

export async function reconcileSchedules({ db, schedules, logger }: SchedulesDeps): Promise<void> {
  // The queue first: whatever it has by now, a row stood behind. The other way round, a schedule that another coordinator
  // has just added would look like one whose source is gone.
  const known = await schedules.list();
  const wanted = new Map((await scheduledSources(db)).map((source) => [source.id as string, source]));

  for (const { id: sourceId, schedule: pattern, timezone } of wanted.values()) {
    const present = known.get(sourceId);
    if (present && isSame(present, { schedule: pattern, timezone })) continue;
    // One that the queue refuses (two jobs for one moment, while it is being changed) must not keep the others waiting.
    try {
      await schedules.set({ sourceId, pattern, timezone });
      logger.info({ sourceId, pattern, timezone }, 'scheduled');
    } catch (error) {
      logger.error({ err: error, sourceId, pattern, timezone }, "can't be scheduled; the next round tries again");
    }
  }
  for (const [sourceId, { id }] of known) {
    if (wanted.has(sourceId)) continue;
    await schedules.remove(id);
    logger.info({ sourceId }, 'no longer scheduled');
  }
}

/** Setting one that is the same would push its next time on, and a round comes more often than some schedules. */
const isSame = (present: KnownSchedule, wanted: Pick<ScheduledSource, 'schedule' | 'timezone'>): boolean =>
  !present.isBroken && present.pattern === wanted.schedule && present.timezone === wanted.timezone;
