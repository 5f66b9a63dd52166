import { waitFor } from '@trawl/testing';
import { expect, it } from 'vitest';
import { createRequestBudget } from './request-budget.ts';

it('gives no more than its limit, and tells one who waits when there is room', () => {
  const budget = createRequestBudget({ requests: 2, slow: 0 });
  const [first, second, third] = [budget.take(), budget.take(), budget.take()];
  expect(third).toBeNull();
  const told: string[] = [];
  budget.onRoom(() => told.push('first'));
  budget.onRoom(() => told.push('second'));
  first?.leave();
  expect(told).toEqual(['first']);
  expect(budget.take()).not.toBeNull();
  second?.leave();
  expect(told).toEqual(['first', 'second']);
});

it('gives the place of a request that takes long to another, up to a limit of its own', async () => {
  const budget = createRequestBudget({ requests: 2, slow: 1, slowAfterMs: 5 });
  const places = [budget.take(), budget.take()];
  const told: string[] = [];
  budget.onRoom(() => told.push('room'));
  await waitFor(() => told.length === 1);
  const third = budget.take();
  expect(third).not.toBeNull();
  // The second of the slow ones finds no room among them and keeps its place.
  expect(budget.take()).toBeNull();
  for (const place of [...places, third]) place?.leave();
  expect([budget.take(), budget.take(), budget.take()].map((place) => place !== null)).toEqual([true, true, false]);
});
