import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { listenForInterrupts } from './interrupts.ts';

function signalsAt(...timesMs: number[]): { graceful: boolean; atOnce: boolean } {
  const source = new EventEmitter();
  let nowMs = 0;
  const interrupts = listenForInterrupts(source, () => nowMs);
  for (const timeMs of timesMs) {
    nowMs = timeMs;
    source.emit('SIGINT');
  }
  interrupts.close();
  return { graceful: interrupts.graceful.aborted, atOnce: interrupts.atOnce.aborted };
}

describe('interrupts', () => {
  it('ask for nothing before a signal', () => {
    expect(signalsAt()).toEqual({ graceful: false, atOnce: false });
  });

  it('ask for a graceful stop at the first signal', () => {
    expect(signalsAt(1000)).toEqual({ graceful: true, atOnce: false });
  });

  it('take copies of one Ctrl+C for one', () => {
    expect(signalsAt(1000, 1000, 1005, 1150)).toEqual({ graceful: true, atOnce: false });
  });

  it('ask for a stop at once when repeated within three seconds', () => {
    expect(signalsAt(1000, 1001, 3900)).toEqual({ graceful: true, atOnce: true });
  });

  it('count a later signal as a new first one', () => {
    expect(signalsAt(1000, 5000)).toEqual({ graceful: true, atOnce: false });
    expect(signalsAt(1000, 5000, 6000)).toEqual({ graceful: true, atOnce: true });
  });

  it('leave the signals alone once closed', () => {
    const source = new EventEmitter();
    const interrupts = listenForInterrupts(source);
    interrupts.close();
    expect(source.eventNames()).toEqual([]);
  });
});
