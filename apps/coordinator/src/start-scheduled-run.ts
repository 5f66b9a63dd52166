/**
 * A tick of a source's schedule: starts a run with the configuration that the source has now. One run per tick however often
 * its job is delivered, and none while another run of the source is not finished, unless the source wants them to overlap.
 */
import { createHash } from 'node:crypto';
import { assertNever, completeRunConfig, createRunSchema, newRunId, type SourceId } from '@trawl/contracts';
import { insertRun, readSourceInput } from '@trawl/db';
import { type CreateDeps, createFromRow } from './create-from-row.ts';

export interface ScheduleDeps extends CreateDeps {
  /** Of runs that name none. */
  readonly userAgent: string;
}

export interface Tick {
  readonly sourceId: SourceId;
  /** The job's id: made of its scheduler's id and its time, so it names the tick. */
  readonly id: string;
}

export async function startScheduledRun(tick: Tick, deps: ScheduleDeps): Promise<void> {
  const { db, logger } = deps;
  const { sourceId } = tick;
  const found = await readSourceInput(db, sourceId);
  // Deleted, or taken off its schedule, when its job was due already.
  if (found.kind === 'no-source' || (found.kind === 'found' && found.source.schedule === null)) return;
  if (found.kind === 'no-config') {
    logger.warn({ sourceId }, 'the schedule of a source without a configuration starts no run');
    return;
  }
  const input = createRunSchema.safeParse(found.input);
  if (!input.success) {
    const problems = input.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
    logger.error({ sourceId, problems }, 'the schedule starts no run: the configuration of its source is not valid');
    return;
  }
  const result = await insertRun(db, {
    id: newRunId(),
    sourceId,
    config: completeRunConfig(input.data, { userAgent: deps.userAgent }),
    idempotencyKey: createHash('sha256').update(`schedule ${tick.id}`).digest('base64url'),
  });
  switch (result.kind) {
    case 'inserted':
    case 'exists':
      // It exists where the job was delivered before: what that delivery may have died in is finished here.
      if (result.run.status === 'pending') await createFromRow(result.run, deps);
      logger.info({ sourceId, runId: result.run.id, tick: tick.id }, 'started by its schedule');
      return;
    case 'in-progress':
      logger.info(
        { sourceId, runId: result.runId, tick: tick.id },
        'the schedule starts no run: the last one is not finished',
      );
      return;
    case 'no-source':
      return;
    case 'key-reused':
      throw new Error(`the tick ${tick.id} of source ${sourceId} was taken for another request`);
    default:
      assertNever(result);
  }
}
