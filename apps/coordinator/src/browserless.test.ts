import { expect, it } from 'vitest';
import { watchBrowserless } from './browserless.ts';

it('counts from when none was first seen, not from the start and not from when one was last there', async () => {
  let [isThere, now] = [false, 0];
  const browserlessMs = watchBrowserless(
    async () => isThere,
    () => now,
  );
  now = 600_000;
  // As with a worker that restarts: nobody has looked for a while, and just now there is none.
  expect(await browserlessMs()).toBe(0);
  now += 2000;
  expect(await browserlessMs()).toBe(2000);
  isThere = true;
  expect(await browserlessMs()).toBe(0);
  now += 600_000;
  isThere = false;
  expect(await browserlessMs()).toBe(0);
});
