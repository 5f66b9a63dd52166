import { describe, expect, it, vi } from 'vitest';
import { Pacing } from './pacing.ts';

function at(start: number) {
  let now = start;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  return { pass: (ms: number) => (now += ms) };
}
const pacing = (delayMs: number) => new Pacing({ grantEnds: 10_000, nextStart: 0, delayMs });

describe('a request', () => {
  it('starts only within the grant', () => {
    const paced = pacing(0);
    expect([paced.mayStart(10_000), paced.mayStart(10_001)]).toEqual([true, false]);
  });

  it('waits for the delay since the last was really sent, not since it was wanted', () => {
    const { pass } = at(0);
    const paced = pacing(200);
    paced.started();
    pass(700);
    paced.started();
    expect([paced.mayStart(899), paced.mayStart(900)]).toEqual([false, true]);
  });

  it('waits for the delay since the host can have noticed the last one', () => {
    const { pass } = at(0);
    const paced = pacing(200);
    paced.started();
    pass(12);
    paced.answered(12);
    expect(paced.nextStart).toBe(212);
    expect(paced.sinceLastStart()).toBe(0);
  });

  it('waits a little longer for the first that is answered slowly, or never', () => {
    for (const headMs of [3000, null]) {
      const { pass } = at(0);
      const paced = pacing(200);
      paced.started();
      pass(3000);
      paced.answered(headMs);
      expect(paced.nextStart).toBe(450);
    }
  });

  it('does not wait longer for a host that always answers slowly', () => {
    const { pass } = at(0);
    const paced = pacing(200);
    paced.started();
    pass(3000);
    paced.answered(3000);
    paced.started();
    pass(3000);
    paced.answered(3000);
    expect(paced.nextStart).toBe(3250);
  });

  it('takes what an answer took longer than the quickest for time on the way', () => {
    const { pass } = at(0);
    const paced = pacing(200);
    paced.started();
    pass(5);
    paced.answered(5);
    pass(195);
    paced.started();
    pass(90);
    paced.answered(90);
    expect(paced.nextStart).toBe(490);
  });

  it('waits for nothing where there is no delay', () => {
    at(100);
    const paced = pacing(0);
    paced.started();
    expect(paced.mayStart(100)).toBe(true);
  });
});
