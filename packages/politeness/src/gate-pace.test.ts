/** How many requests at a time: fewer while a host answers much slower than it usually does, more again little by little. */
import { setTimeout as pass } from 'node:timers/promises';
import { testPrefix, testRedis } from '@trawl/testing';
import { expect, it } from 'vitest';
import { createGate } from './gate.ts';

const HOST = 'slow.test';
const limits = { parallel: 8, delayMs: 0 };
const redis = testRedis();

function host() {
  const gate = createGate(redis, { prefix: testPrefix(), settings: { paceDownMs: 1, paceUpMs: 2, grantMs: 60_000 } });
  const holder = 'h';
  return {
    gate,
    reserve: (name = holder, want = 8) => gate.reserve(HOST, { runId: `run-${name}`, holder: name, want, limits }),
    async answers(meanMs: number, o: { times?: number; underWay?: number } = {}) {
      let slots = 0;
      for (let i = 0; i < (o.times ?? 1); i++) {
        await pass(3);
        const { underWay = 0 } = o;
        const responses = { count: 8, meanMs };
        const news = { holder, keep: 8, want: 8, underWay, sinceLastStartMs: null, outcomes: [], limits, responses };
        slots = (await gate.renew(HOST, news)).slots;
      }
      return slots;
    },
    cap: async () => (await gate.describe([HOST]))[0]?.cap ?? null,
  };
}

it('has no cap while a host answers as it usually does, slow or quick', async () => {
  for (const usual of [2, 40, 3000]) {
    const { reserve, answers, cap } = host();
    await reserve();
    expect(await answers(usual, { times: 10 })).toBe(8);
    expect(await answers(usual * 2, { times: 5 })).toBe(8);
    expect(await cap()).toBeNull();
  }
});

it('takes no notice of a quick host that takes some milliseconds longer', async () => {
  const { reserve, answers, cap } = host();
  await reserve();
  await answers(2, { times: 5 });
  expect(await answers(100, { times: 20 })).toBe(8);
  expect(await cap()).toBeNull();
});

it('gives fewer at a time when a host gets much slower, down to one, and never takes what is under way', async () => {
  const { reserve, answers } = host();
  await reserve();
  await answers(50, { times: 5 });
  const falling: number[] = [];
  for (let i = 0; i < 6; i++) falling.push(await answers(2000));
  expect(falling).toEqual([...falling].sort((a, b) => b - a));
  expect(falling.at(-1)).toBe(1);

  const other = host();
  await other.reserve();
  await other.answers(50, { times: 5 });
  expect(await other.answers(2000, { times: 6, underWay: 5 })).toBe(5);
});

it('holds for every run on the host', async () => {
  const { reserve, answers, gate } = host();
  await reserve();
  await answers(50, { times: 5 });
  await answers(2000, { times: 10 });
  await gate.release(HOST, { holder: 'h', sinceLastStartMs: null, outcomes: [], limits });
  expect((await reserve('b')).slots).toBe(1);
  expect((await reserve('c')).slots).toBe(0);
});

it('comes back by one at a time when the host does', async () => {
  const { reserve, answers, cap } = host();
  await reserve();
  await answers(50, { times: 5 });
  await answers(2000, { times: 6 });
  const rising: number[] = [];
  for (let i = 0; i < 40 && (await cap()) !== null; i++) rising.push(await answers(50));
  expect(rising.at(-1)).toBe(8);
  expect(rising).toEqual([...rising].sort((a, b) => a - b));
  expect(new Set(rising).size).toBeGreaterThanOrEqual(6);
});

it('takes a host that stays slow as it is, in the end', async () => {
  const { reserve, answers, cap } = host();
  await reserve();
  await answers(50, { times: 5 });
  await answers(600, { times: 10 });
  expect(await cap()).toBe(1);
  await answers(600, { times: 80 });
  expect(await cap()).toBeNull();
});
