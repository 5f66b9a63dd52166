import { expect, it } from 'vitest';
import { createRequestBudget } from './request-budget.ts';

it('gives no more than its limit, and tells one who waits when there is room', () => {
  const budget = createRequestBudget(2);
  expect([budget.take(), budget.take(), budget.take()]).toEqual([true, true, false]);
  const told: string[] = [];
  budget.onRoom(() => told.push('first'));
  budget.onRoom(() => told.push('second'));
  budget.give();
  expect(told).toEqual(['first']);
  expect(budget.take()).toBe(true);
  budget.give();
  expect(told).toEqual(['first', 'second']);
});
