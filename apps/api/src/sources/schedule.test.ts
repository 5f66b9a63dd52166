import { describe, expect, it } from 'vitest';
import { nextRunAt, scheduleProblem } from './schedule.ts';

describe('a cron line', () => {
  it.each(['0 3 * * *', '*/5 * * * *', '* * * * * *', '0 0 L * *', '0 9 * * MON-FRI', '0 0 * MAR THU', '0 0 * * 1#1'])(
    'is fine: %s',
    (line) => {
      expect(scheduleProblem(line)).toBeNull();
    },
  );

  it.each([
    '61 * * * *',
    '* 24 * * *',
    'a b c d e',
    '0 0 31 2 *',
    '0 0 0 * *',
    '*/0 * * * *',
    '5-1 * * * *',
    ', * * * *',
    '* * * * * 9',
    '0 0 * * 1#9',
  ])('is refused: %s', (line) => {
    expect(scheduleProblem(line)).toMatch(/^is not a cron line that ever comes: ./);
  });

  it.each(['H * * * *', 'H/5 * * * *', '0 H(1-5) * * *'])('is refused since it means no one time: %s', (line) => {
    expect(scheduleProblem(line)).toContain('must not use H');
  });
});

describe('the next run', () => {
  const after = new Date('2026-03-28T12:00:00.000Z');

  it('is the next time the schedule names, in its zone', () => {
    expect(nextRunAt({ schedule: '0 3 * * *', timezone: 'UTC' }, after)).toBe('2026-03-29T03:00:00.000Z');
    expect(nextRunAt({ schedule: '0 3 * * *', timezone: 'Asia/Tokyo' }, after)).toBe('2026-03-28T18:00:00.000Z');
    expect(nextRunAt({ schedule: '0 12 * * *', timezone: 'UTC' }, after)).toBe('2026-03-29T12:00:00.000Z');
  });

  it('keeps its hour when summer time begins', () => {
    expect(nextRunAt({ schedule: '0 4 * * *', timezone: 'Europe/Berlin' }, after)).toBe('2026-03-29T02:00:00.000Z');
    const before = new Date('2026-03-27T12:00:00.000Z');
    expect(nextRunAt({ schedule: '0 4 * * *', timezone: 'Europe/Berlin' }, before)).toBe('2026-03-28T03:00:00.000Z');
  });

  it('is none without a schedule', () => {
    expect(nextRunAt({ schedule: null, timezone: 'UTC' })).toBeNull();
  });
});
