import { describe, expect, it } from 'vitest';
import { formatLogLine } from './log-lines.ts';

describe('a log line of a worker', () => {
  it.each([
    [
      '{"level":40,"time":1,"pid":7,"hostname":"h","role":"fetch","msg":"host blocked","host":"a.test","forMs":3000}',
      'fetch:1 | warn host blocked host=a.test forMs=3000',
    ],
    ['{"level":"error","msg":"lost"}', 'fetch:1 | error lost'],
    [
      '{"level":50,"msg":"job failed","err":{"type":"Error","message":"no route","stack":"…"}}',
      'fetch:1 | error job failed err="no route"',
    ],
    ['plain words', 'fetch:1 | plain words'],
    ['{"level":40,"msg":"cut o', 'fetch:1 | {"level":40,"msg":"cut o'],
    ['{"no":"level"}', 'fetch:1 | {"no":"level"}'],
  ])('%s', (line, expected) => {
    expect(formatLogLine('fetch:1', line)).toBe(expected);
  });
});
