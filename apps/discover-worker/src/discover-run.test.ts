import { newRunId } from '@trawl/contracts';
import { expect, it } from 'vitest';
import { createPatience } from './discover-run.ts';

it('a discovery that breaks is healed some times, each run for itself, and then given up', () => {
  const isHopeless = createPatience(3);
  const [one, other] = [newRunId(), newRunId()];
  expect([one, one, other, one, other, other].map(isHopeless)).toEqual([false, false, false, true, false, true]);
});
