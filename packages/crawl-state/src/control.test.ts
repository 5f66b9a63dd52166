import { newRunId } from '@trawl/contracts';
import { describe, expect, test } from 'vitest';
import { at, beginOn, claim, fetchOn, keyOf, link, processed, testCrawl } from './test-run.ts';

const { state, start } = testCrawl();

test('pause, resume and cancel know nothing of a run that never was', async () => {
  for (const control of [state.pause, state.resume, state.cancel])
    expect(await control(newRunId())).toEqual({ kind: 'no-run' });
});

describe('pause', () => {
  test('stops new sessions but not admission, and is refused when repeated', async () => {
    const run = await start(['a/1']);
    expect(await state.pause(run.runId)).toMatchObject({ kind: 'changed' });
    expect(await state.admit(run.runId, [link('b/1')])).toMatchObject({ kind: 'admitted', owed: { fetch: [] } });
    const before = await run.view();
    expect(await state.pause(run.runId)).toEqual({ kind: 'refused', status: 'paused' });
    expect(await run.view()).toEqual(before);
  });

  test('holds completion back until the run goes on', async () => {
    const run = await start(['a/1']);
    const page = at(await fetchOn(run, await beginOn(run, 'a')));
    await state.pause(run.runId);
    expect(await state.settle(run.runId, [processed(page)])).toMatchObject({ owed: { finalize: false } });
    expect(await state.heal(run.runId)).toMatchObject({ owed: { finalize: false } });
    expect(await state.resume(run.runId)).toMatchObject({ kind: 'changed', owed: { finalize: true } });
  });
});

describe('resume', () => {
  test('opens every host with work, in place of parked sessions, and is refused when repeated', async () => {
    const run = await start(['a/1', 'b/1']);
    await state.park(await beginOn(run, 'a'), 60_000);
    await state.pause(run.runId);
    await state.admit(run.runId, [link('c/1')]);
    await state.close(await beginOn(run, 'b'));
    const resumed = await state.resume(run.runId);
    expect(resumed.kind === 'changed' && resumed.owed.fetch.map((f) => f.host).sort()).toEqual([
      'a.test',
      'b.test',
      'c.test',
    ]);
    const before = await run.view();
    expect(await state.resume(run.runId)).toEqual({ kind: 'refused', status: 'running' });
    expect(await run.view()).toEqual(before);
  });
});

describe('cancel', () => {
  test('skips what is not done, whatever state it is in, and owes the finalization once', async () => {
    const run = await start(['a/1', 'a/2', 'b/1', 'c/waits'], { templateQuota: 4 });
    await state.admit(run.runId, [link('c/deferred')]);
    const page = at(await fetchOn(run, await beginOn(run, 'b')));
    await state.settle(run.runId, [processed(page, [], 3)]);
    const session = await beginOn(run, 'a');
    await fetchOn(run, session, 1);
    await claim(run, session, 1);
    expect(Object.keys((await run.view()).relink)).toHaveLength(1);
    expect(await state.cancel(run.runId)).toMatchObject({ kind: 'changed', owed: { finalize: true } });
    const view = await run.view();
    expect(view).toMatchObject({ status: 'finalizing', final: 'cancelled', processed: [keyOf('b/1')] });
    expect(view.skipped).toEqual(['a/1', 'a/2', 'c/deferred', 'c/waits'].map(keyOf));
    expect(await state.cancel(run.runId)).toEqual({ kind: 'refused', status: 'finalizing' });
    expect(await run.view()).toEqual(view);
  });

  test('ends a paused run too', async () => {
    const run = await start(['a/1']);
    await state.pause(run.runId);
    expect(await state.cancel(run.runId)).toMatchObject({ kind: 'changed', owed: { finalize: true } });
  });
});
