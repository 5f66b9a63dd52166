/** Random calls, good and bad ones, on the scripts and on the model: same replies, same state, nothing broken, and every run ends. */
import { setTimeout } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { newRunId } from '@trawl/contracts';
import { testPrefix, testRedis } from '@trawl/testing';
import { expect, test } from 'vitest';
import type { RunLimits } from '../limits.ts';
import { call, type Reply, type StateContext, script } from '../script.ts';
import { RunModel } from './model.ts';
import { type Args, createRandomCalls, nextGoodCall, type RawCall, randomOf } from './raw-calls.ts';
import { readRun, violationOf } from './run-view.ts';

const SEQUENCES = 300;
const STEPS = 60;
/** Sequences under way at once: their round trips are each other's waiting time, in which leases run out. */
const AT_ONCE = 8;

const scripts = Object.fromEntries(
  (
    [
      ...['create', 'admit', 'discovered', 'begin', 'step', 'park', 'close', 'open', 'begin-pages', 'settle'],
      ...['relinked', 'give-up', 'unrender', 'pause', 'resume', 'cancel', 'heal', 'finish'],
    ] as (keyof Args)[]
  ).map((name) => [name, script(name)]),
) as Record<keyof Args, ReturnType<typeof script>>;

const context: StateContext = { redis: testRedis(), prefix: testPrefix() };

test(`${SEQUENCES} random sequences of calls do to Redis what they do to the model`, { timeout: 180_000 }, async () => {
  const saw = new Map<string, number>();
  let seed = Number(process.env.MODEL_SEED ?? 1);
  const end = seed + SEQUENCES;
  const lane = async () => {
    while (seed < end) {
      for (const event of await play(seed++)) saw.set(event, (saw.get(event) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  // A sequence that never came to these would prove nothing about them.
  expect([...saw.keys()]).toEqual(
    expect.arrayContaining([
      ...['session w healed', 'session a healed', 'session p healed', 'claim healed', 'page w healed', 'page a healed'],
      ...['parked dropped', 'held', 'hold lifted', 'relink', 'alias followed', 'REDIRECT_LOOP', 'LOST', 'dropped'],
      ...[
        'deferred relaxed',
        'deferred released',
        'quota dropped',
        'completed',
        'cancelled',
        'gave up',
        'unkept relinked',
        'endless leads on',
        'to be rendered',
        'unrendered',
        'RENDER_UNAVAILABLE',
      ],
    ]),
  );
});

const until = (time: number) => setTimeout(Math.max(0, time - Date.now()));

/** One run: random calls, then good workers until it ends. Returns what it came across. */
async function play(seed: number): Promise<ReadonlySet<string>> {
  const random = randomOf(seed);
  const limits = randomLimits(random);
  const runId = newRunId();
  const created = await call(context, scripts.create, runId, { meta: limits, settings: '{}' });
  const model = new RunModel(limits, Number(created.now));
  const calls = createRandomCalls(random, model);
  const log: string[] = [];
  for (let i = 0; i < STEPS; i++) {
    const next = calls.next();
    calls.learn(next, await applyBoth(next));
  }
  // Enough for every URL to be lost, retried and processed; a run that needs more hangs.
  for (let i = 0; model.isAlive && i < 500; i++) {
    const next = nextGoodCall(model, `good${seed}`);
    // Nothing but others' leases and retries: until the first of them is over there is nothing to do.
    if (next.fn === 'heal') await until(model.nextTime());
    await applyBoth(next);
  }
  if (model.isAlive) throw new Error(`seed ${seed}: the run does not end\n${log.slice(-40).join('\n')}`);
  return model.saw;

  async function applyBoth({ fn, args }: RawCall): Promise<Reply> {
    const reply = await call(context, scripts[fn], runId, args);
    log.push(`${reply.now} ${fn} ${JSON.stringify(args)} -> ${JSON.stringify(reply)}`);
    const expected = model.apply(fn, args as never, reply);
    const where = () =>
      `seed ${seed}, after ${log.length} calls, limits ${JSON.stringify(limits)}:\n${log.join('\n')}\n`;
    compare(comparable(reply), comparable(expected), where);
    const view = await readRun(context, runId);
    compare(view, model.view(), where);
    const violation = violationOf(view, limits);
    if (violation) throw new Error(`${where()}${violation}`);
    return reply;
  }
}

function randomLimits(random: () => number): RunLimits {
  const oneOf = <T>(...values: readonly [T, ...T[]]): T => values[Math.floor(random() * values.length)] ?? values[0];
  const [high, low] = oneOf<readonly [number, number]>([2, 1], [4, 2], [200, 100]);
  return {
    maxPages: oneOf(3, 8, 1000),
    maxUrls: oneOf(6, 15, 1000, 1000),
    maxDepth: oneOf(1, 3, 20),
    maxRetries: oneOf(0, 3),
    maxLost: oneOf(0, 1, 5),
    templateQuota: oneOf(1, 3, 1000),
    endlessQuota: oneOf(1, 1000),
    rendersAll: oneOf<0 | 1>(0, 0, 0, 1),
    ...{ high, low },
    leaseMs: oneOf(2, 30, 1000),
    parkMs: 2,
  };
}

function compare(actual: unknown, expected: unknown, where: () => string): void {
  // `expect` is slow, and only its report is wanted.
  if (!isDeepStrictEqual(actual, expected)) expect(actual, where()).toEqual(expected);
}

/** Lists in Redis's order are sorted; what only the caller wants is left out. */
function comparable(reply: Reply): Reply {
  const { now: _now, settings: _settings, first: _first, ageMs: _ageMs, ...rest } = reply;
  for (const [name, value] of Object.entries(rest)) {
    if (Array.isArray(value) && name !== 'claims') rest[name] = value.map((item) => stable(item)).sort();
  }
  return rest;
}

const stable = (item: unknown): string =>
  typeof item === 'object' && item !== null ? JSON.stringify(Object.entries(item).sort()) : String(item);
