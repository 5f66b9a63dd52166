import { testPrefix, testRedis, waitFor } from '@trawl/testing';
import { expect, it, onTestFinished } from 'vitest';
import { listenForBlocks } from './blocks.ts';
import { createGate } from './gate.ts';

const redis = testRedis();
const limits = { parallel: 4, delayMs: 0 };

it('tells every process once when a block begins, and not while it lasts', async () => {
  const prefix = testPrefix();
  const gate = createGate(redis, { prefix });
  const heard: string[] = [];
  const other: string[] = [];
  for (const [list, of] of [[heard, prefix] as const, [other, testPrefix()] as const]) {
    const listener = listenForBlocks(redis, { prefix: of, onBlocked: (host) => list.push(host) });
    await listener.ready;
    onTestFinished(() => listener.close());
  }
  const fail = (host: string, epoch: number) =>
    gate.renew(host, { holder: 'a', keep: 1, sinceLastStartMs: null, outcomes: [{ ok: false, epoch }], limits });
  const { epoch } = await fail('a.test', 0);
  await fail('a.test', epoch);
  await gate.renew('a.test', { holder: 'a', keep: 1, sinceLastStartMs: null, outcomes: [{ ok: true }], limits });
  await fail('[::1]', 0);
  await waitFor(() => heard.length === 2);
  expect(heard).toEqual(['a.test', '[::1]']);
  expect(other).toEqual([]);
});
