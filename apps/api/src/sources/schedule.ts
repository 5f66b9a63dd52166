/**
 * Cron lines, read by the very reader that the queue's scheduler uses. Nothing is scheduled here: a source's row says when,
 * and coordinators make the queue follow.
 */
import { CronExpressionParser } from 'cron-parser';

/** Why the queue could not follow `line`, or null. That it has 5 or 6 fields is checked by its schema. */
export function scheduleProblem(line: string): string | null {
  // `H` is a random value, drawn anew whenever the line is read. Names such as THU hold one, too.
  if (line.replace(/[a-z]{3}/gi, '').includes('H')) return 'must not use H, which means another time at each reading';
  try {
    nextTime(line, 'UTC', new Date());
    return null;
  } catch (error) {
    // It throws for what it can't read and for what never comes, such as a 31st of February.
    return `is not a cron line that ever comes: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** ISO 8601; null without a schedule. */
export function nextRunAt(
  source: { readonly schedule: string | null; readonly timezone: string },
  after = new Date(),
): string | null {
  return source.schedule === null ? null : nextTime(source.schedule, source.timezone, after).toISOString();
}

const nextTime = (line: string, tz: string, after: Date): Date =>
  CronExpressionParser.parse(line, { tz, currentDate: after }).next().toDate();
