/** The coordinator's part in schedules: rounds that make the queue follow the rows, and a consumer of what the queue then says. */
import { consume, type Queues } from '@trawl/queues';
import { startRounds } from './rounds.ts';
import { reconcileSchedules } from './schedules.ts';
import { type ScheduleDeps, startScheduledRun } from './start-scheduled-run.ts';

/** At most so long after a change of its row a source's schedule holds. */
const TICK_MS = 3000;
/** Runs that are being started at a time. */
export const SCHEDULED_STARTS = 2;

export interface StartSchedulesOptions {
  readonly connection: Parameters<typeof consume>[2]['connection'];
  readonly prefix: string;
  readonly tickMs?: number;
}

export function startSchedules(
  deps: ScheduleDeps & { readonly queues: Pick<Queues, 'schedules'> },
  o: StartSchedulesOptions,
): { stop(): Promise<void> } {
  const { db, logger, queues } = deps;
  const starter = consume('schedule', ({ sourceId }, { id }) => startScheduledRun({ sourceId, id }, deps), {
    connection: o.connection,
    prefix: o.prefix,
    concurrency: SCHEDULED_STARTS,
    logger,
  });
  const rounds = startRounds(
    () => reconcileSchedules({ db, schedules: queues.schedules, logger }),
    o.tickMs ?? TICK_MS,
    logger,
  );
  return {
    async stop() {
      await Promise.all([rounds.stop(), starter.close()]);
    },
  };
}
