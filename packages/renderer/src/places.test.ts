import { expect, it } from 'vitest';
import { createPlaces } from './places.ts';

it('gives a place to one at a time, in the order they asked', async () => {
  const places = createPlaces(2);
  expect([await places.take(), await places.take()].sort()).toEqual([0, 1]);
  const order: string[] = [];
  const waiting = ['a', 'b'].map((name) => places.take().then((place) => order.push(`${name}${place}`)));
  places.release(1);
  places.release(0);
  await Promise.all(waiting);
  expect(order).toEqual(['a1', 'b0']);
});

it('gives none to who no longer waits', async () => {
  const places = createPlaces(1);
  await places.take();
  const controller = new AbortController();
  const gone = places.take(controller.signal);
  const next = places.take();
  controller.abort(new Error('too late'));
  await expect(gone).rejects.toThrow('too late');
  places.release(0);
  expect(await next).toBe(0);
  await expect(places.take(controller.signal)).rejects.toThrow('too late');
});

it('turns away who waits when it is closed, and is closed once every place is free', async () => {
  const places = createPlaces(2);
  await places.take();
  await places.take();
  const waiting = places.take();
  let isClosed = false;
  const closing = places.close().then(() => {
    isClosed = true;
  });
  await expect(waiting).rejects.toThrow('closed');
  await expect(places.take()).rejects.toThrow('closed');
  places.release(0);
  expect(isClosed).toBe(false);
  places.release(1);
  await closing;
});
