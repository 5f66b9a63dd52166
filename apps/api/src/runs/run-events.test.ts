import { newRunId, type PageSummary } from '@trawl/contracts';
import { testRedis, waitFor } from '@trawl/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApi } from '../api.ts';
import { startTestApi, type TestApi } from '../test-api.ts';

interface Event {
  readonly event: string;
  readonly id: string | undefined;
  readonly data: Record<string, unknown>;
  readonly atMs: number;
}

const redis = testRedis();
let api: TestApi;
beforeAll(async () => {
  api = await startTestApi(redis);
});
afterAll(() => api.close());

/** Events as they come; ends with the stream. */
async function* eventsOf(answer: Response): AsyncGenerator<Event> {
  if (answer.body === null) throw new Error('no stream');
  let text = '';
  const decoder = new TextDecoder();
  for await (const part of answer.body) {
    text += decoder.decode(part, { stream: true });
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks.filter((b) => !b.startsWith(':'))) {
      const fields = new Map(
        block.split('\n').map((line): [string, string] => {
          const colon = line.indexOf(': ');
          return [line.slice(0, colon), line.slice(colon + 2)];
        }),
      );
      yield {
        event: fields.get('event') ?? '',
        id: fields.get('id'),
        data: JSON.parse(fields.get('data') ?? 'null'),
        atMs: Date.now(),
      };
    }
  }
}

async function all(events: AsyncIterable<Event>): Promise<Event[]> {
  const list: Event[] = [];
  for await (const event of events) list.push(event);
  return list;
}

const open = (id: string, headers: Record<string, string> = {}) => api.get(`/v1/runs/${id}/events`, headers);
const pagesIn = (events: readonly Event[]) =>
  events.filter((e) => e.event === 'page').map((e) => new URL((e.data as unknown as PageSummary).url).pathname);

describe('GET /v1/runs/:id/events', () => {
  it('tells a finished run from its first page to its final status, and ends', async () => {
    const id = await api.startRun();
    await api.savePages(id, ['/1', '/2', '/3']);
    await api.finalize(id, 'completed', 3);
    const answer = await open(id);
    expect(answer.headers.get('content-type')).toContain('text/event-stream');
    const events = await all(eventsOf(answer));
    expect(events.map((e) => e.event)).toEqual(['page', 'page', 'page', 'progress', 'status']);
    expect(pagesIn(events).sort()).toEqual(['/1', '/2', '/3']);
    expect(events.at(-1)?.data).toEqual({ runId: id, status: 'completed' });
    expect(events.at(-2)?.data).toMatchObject({ processed: 3, percentComplete: 100 });
  });

  it('follows a run to its end, each page once', async () => {
    const id = await api.startRun();
    await api.discover(id, ['/1', '/2']);
    const following = all(eventsOf(await open(id)));
    for (let i = 0; i < 10; i++) await api.savePages(id, [`/live/${i}`, `/live/${i}/more`]);
    await api.discover(id, ['/3', '/4', '/5']);
    await api.app.request(`/v1/runs/${id}/pause`, { method: 'POST' });
    await api.app.request(`/v1/runs/${id}/cancel`, { method: 'POST' });
    await api.savePages(id, ['/live/last']);
    await api.finalize(id, 'cancelled', 21);
    const events = await following;
    expect(pagesIn(events)).toHaveLength(21);
    expect(new Set(pagesIn(events)).size).toBe(21);
    const ids = events.filter((e) => e.event === 'page').map((e) => Number(e.id?.replace('page_', '')));
    expect(ids).toEqual([...ids].sort((a, b) => a - b));
    expect(events[0]).toMatchObject({ event: 'status', data: { status: 'running' } });
    expect(events.at(-1)).toMatchObject({ event: 'status', data: { status: 'cancelled' } });
  });

  it('sends progress at most twice a second, however often the numbers change', async () => {
    const id = await api.startRun();
    const seen: number[] = [];
    let changes = 0;
    for await (const event of eventsOf(await open(id))) {
      if (event.event === 'progress') seen.push(event.atMs);
      if (seen.length === 5) break;
      for (let i = 0; i < 3; i++) await api.discover(id, [`/change/${changes++}`]);
    }
    expect(seen).toHaveLength(5);
    // Five events are four gaps of half a second; timers may fire a little early.
    expect((seen[4] ?? 0) - (seen[0] ?? 0)).toBeGreaterThanOrEqual(1900);
  });

  it('sends pages while the run is alive, in the order of their rows though a later row was committed first', async () => {
    const id = await api.startRun();
    await api.savePages(id, ['/template']);
    const commit = Promise.withResolvers<void>();
    const inserted = Promise.withResolvers<void>();
    // Takes its number now and is visible only after a row with a larger one.
    const slow = api.database.sql.begin(async (tx) => {
      await tx`
        INSERT INTO run_pages (run_id, key, key_hash, url, depth, outcome, crawled_at)
        SELECT run_id, key || 'slow', gen_random_uuid(), 'https://example.com/slow', depth, outcome, crawled_at
        FROM run_pages WHERE run_id = ${id}`;
      inserted.resolve();
      await commit.promise;
    });
    await inserted.promise;
    await api.savePages(id, ['/fast']);
    const got: Event[] = [];
    for await (const event of eventsOf(await open(id))) {
      got.push(event);
      // Progress ends the first look, which has seen /fast and not /slow.
      if (event.event === 'progress') commit.resolve();
      if (pagesIn(got).length === 3) break;
    }
    await slow;
    expect(pagesIn(got)).toEqual(['/template', '/slow', '/fast']);
    expect(await api.state.progress(id)).toMatchObject({ status: 'running' });
  });

  it('goes on after Last-Event-ID', async () => {
    const id = await api.startRun();
    await api.savePages(id, ['/1', '/2', '/3', '/4']);
    await api.finalize(id, 'completed', 4);
    const whole = await all(eventsOf(await open(id)));
    const second = whole.filter((e) => e.event === 'page')[1];
    const rest = await all(eventsOf(await open(id, { 'last-event-id': second?.id ?? '' })));
    expect(pagesIn(rest)).toEqual(pagesIn(whole).slice(2));
    expect(rest.at(-1)?.event).toBe('status');
  });

  it('ends when the run is deleted', async () => {
    const id = await api.startRun();
    const events = eventsOf(await open(id));
    const first = await events.next();
    expect(first.value).toMatchObject({ event: 'status', data: { status: 'discovering' } });
    expect((await api.app.request(`/v1/runs/${id}`, { method: 'DELETE' })).status).toBe(204);
    expect(pagesIn(await all(events))).toEqual([]);
  });

  it('ends when the process stops, since the server could not close otherwise', async () => {
    const other = await startTestApi(redis);
    const following = all(eventsOf(await other.get(`/v1/runs/${await other.startRun()}/events`)));
    other.stopping.abort();
    expect((await following).every((e) => e.event !== 'page')).toBe(true);
    await other.close();
  });

  it('stops looking when the client goes away', async () => {
    const id = await api.startRun();
    const follow = async () => {
      const looks = { count: 0 };
      const progress: TestApi['state']['progress'] = (runId) => {
        looks.count++;
        return api.state.progress(runId);
      };
      const counting = createApi({ ...api.deps, state: { ...api.deps.state, progress } });
      const reader = (await counting.request(`/v1/runs/${id}/events`)).body?.getReader();
      // Reads until the stream ends or is cancelled.
      const read = async (): Promise<void> => {
        while ((await reader?.read())?.done === false);
      };
      return { looks, leave: () => reader?.cancel(), ended: read() };
    };
    const gone = await follow();
    const staying = await follow();
    await waitFor(() => gone.looks.count >= 3);
    await gone.leave();
    const before = { gone: gone.looks.count, staying: staying.looks.count };
    await waitFor(() => staying.looks.count >= before.staying + 3);
    // One look may have been under way.
    expect(gone.looks.count).toBeLessThanOrEqual(before.gone + 1);
    await staying.leave();
    await Promise.all([gone.ended, staying.ended]);
  });

  it('answers HEAD with the headers alone', async () => {
    const answer = await api.app.request(`/v1/runs/${await api.startRun()}/events`, { method: 'HEAD' });
    expect([answer.status, answer.body]).toEqual([200, null]);
  });

  it.each(['x', '-1', '7', 'page_1.5', `page_${'9'.repeat(30)}`])(
    'refuses the Last-Event-ID %j',
    async (lastEventId) => {
      const answer = await open(await api.startRun(), { 'last-event-id': lastEventId });
      expect([answer.status, await answer.json()]).toMatchObject([400, { errors: [{ path: 'last-event-id' }] }]);
    },
  );

  it('is not found for a run that does not exist', async () => {
    expect((await open(newRunId())).status).toBe(404);
  });
});
