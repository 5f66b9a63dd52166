/**
 * Crawls of one page that somebody waits for, in the order in which they came, never more at work than the queue's own global
 * concurrency, whatever number of processes asks and works. Does not know what a crawl is (its worker does), nor answer anybody.
 *
 *   ask ─▶ waiting ─▶ at work ─▶ done: the slot is free before anybody is told
 *             └ withdrawn (nobody waits any more): gone from the queue, or its worker is told to stop
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type CrawlOutcome, crawlOutcomeSchema } from '@trawl/contracts';
import { type Logger, redisNow } from '@trawl/runtime';
import { type Job, Queue, QueueEvents, UnrecoverableError, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { CRAWL_OPTIONS, CRAWL_WORKER_OPTIONS, JOBS, type JobData } from './catalog.ts';
import { queuePrefix } from './queues.ts';

const NAME = 'crawl';
const NOBODY = 'nobody waits for it any more';
/** Results are kept for so long, for whoever asked. */
const RESULT_TTL_MS = 60_000;
/** Events tell at once; this finds what they did not tell, as when Redis was away for a moment. */
const LOOK_MS = 2000;
/** How soon crawls go to a worker that has become better at them. */
const TURNS_MS = 1000;
/** A worker hears of a withdrawal at once, unless its connection was away: then by this. */
const WITHDRAWN_LOOK_MS = 1000;

export interface Crawls {
  /** Puts it in line. Rejects if Redis is away. */
  ask(crawl: Omit<JobData<'crawl'>, 'asker'>): Promise<Crawl>;
  close(): Promise<void>;
}

export interface Crawl {
  /** A worker has it, hence one of the slots. */
  readonly started: Promise<void>;
  /** It is over, and its slot is free. Rejects where its workers died, or when this is closed. */
  readonly outcome: Promise<CrawlOutcome>;
  /** Takes it out of the line, unless it is at work: then it goes on. True: it never was at work, and never will be. */
  leave(): Promise<boolean>;
  /** Nobody waits any more: the same, and what is at work is stopped. */
  withdraw(): Promise<boolean>;
}

/** Is there for as long as the process is which asked; so nothing waits, or works, for one that was killed. */
const askerKey = (prefix: string, asker: string): string => `${prefix}crawls:asker:${asker}`;
const ASKER_TTL_MS = 5000;
const ASKER_RENEW_MS = 1000;
/** Redis may have been away, and be back before its clients are: so often in a row it has to be missed. */
const ASKER_MISSES = 3;

const resultKey = (prefix: string, id: string): string => `${prefix}crawls:result:${id}`;
const withdrawnKey = (prefix: string, id: string): string => `${prefix}crawls:withdrawn:${id}`;
const withdrawnChannel = (prefix: string): string => `${prefix}crawls:withdrawn`;

interface Waiting {
  /** In line, or somewhere behind it: before, nothing of it is to be found. */
  isAdded: boolean;
  started(): void;
  ended(failure: string | null): void;
}

/** Uses `redis` and leaves closing it to its owner; listens on a connection of its own. */
export async function openCrawls(
  redis: Redis,
  o: { readonly prefix: string; readonly mostAtWork: number },
): Promise<Crawls> {
  const { prefix } = o;
  const options = { connection: redis, prefix: queuePrefix(prefix) };
  const queue = new Queue(NAME, {
    ...options,
    defaultJobOptions: CRAWL_OPTIONS,
    streams: { events: { maxLen: 10_000 } },
  });
  const listening = redis.duplicate({ maxRetriesPerRequest: null });
  const events = new QueueEvents(NAME, { ...options, connection: listening });
  // The connections' owners say once that Redis is away.
  queue.on('error', () => {});
  events.on('error', () => {});
  const waiting = new Map<string, Waiting>();
  events.on('active', ({ jobId }) => waiting.get(jobId)?.started());
  events.on('completed', ({ jobId }) => waiting.get(jobId)?.ended(null));
  events.on('failed', ({ jobId, failedReason }) => waiting.get(jobId)?.ended(failedReason));
  await events.waitUntilReady();
  const asker = crypto.randomUUID();
  const isThere = (): Promise<unknown> => redis.set(askerKey(prefix, asker), '1', 'PX', ASKER_TTL_MS);
  await isThere();
  // Redis is away: what waits for it waits as well.
  const sign = setInterval(() => void isThere().catch(() => {}), ASKER_RENEW_MS);

  const look = async (): Promise<void> => {
    for (const [id, one] of waiting) {
      if (!one.isAdded) continue;
      const job = (await queue.getJob(id)) as Job | undefined;
      const state = await job?.getState();
      if (state === 'active') one.started();
      else if (state === 'completed') one.ended(null);
      else if (state === 'failed') one.ended(job?.failedReason ?? 'it failed');
      else if (state === undefined) one.ended('it is gone from the queue');
    }
  };
  let looking = false;
  const timer = setInterval(() => {
    if (looking || waiting.size === 0) return;
    looking = true;
    // Redis is away: the next look tells.
    void look()
      .catch(() => {})
      .finally(() => {
        looking = false;
      });
  }, LOOK_MS);

  async function outcomeOf(id: string, failure: string | null): Promise<CrawlOutcome> {
    if (failure !== null) throw new Error(failure);
    const kept = await redis.getdel(resultKey(prefix, id));
    if (kept === null) throw new Error('its result was not kept');
    return crawlOutcomeSchema.parse(JSON.parse(kept));
  }

  return {
    async ask(crawl) {
      // Each time, since a Redis that came back empty has forgotten it.
      await queue.setGlobalConcurrency(o.mostAtWork);
      const start = Promise.withResolvers<void>();
      const end = Promise.withResolvers<CrawlOutcome>();
      // Heard of by whoever awaits it.
      end.promise.catch(() => {});
      const id = crypto.randomUUID();
      const entry: Waiting = {
        isAdded: false,
        started: () => start.resolve(),
        ended(failure) {
          if (!waiting.delete(id)) return;
          start.resolve();
          outcomeOf(id, failure).then(end.resolve, end.reject);
        },
      };
      waiting.set(id, entry);
      try {
        // By the clock that all processes share.
        await queue.add(NAME, { ...crawl, asker }, { jobId: id, timestamp: await redisNow(redis) });
        entry.isAdded = true;
      } catch (error) {
        waiting.delete(id);
        throw error;
      }
      const leave = async (): Promise<boolean> => {
        const one = waiting.get(id);
        // It is over, as its asker knows.
        if (one === undefined || (await queue.remove(id)) !== 1) return false;
        // A job that is done can be removed as well: its end may not have been told yet. Whatever was at work has left a result.
        const isDone = (await redis.exists(resultKey(prefix, id))) === 1;
        // Told meanwhile, and its result is with its asker.
        if (!waiting.has(id)) return false;
        if (isDone) one.ended(null);
        else waiting.delete(id);
        return !isDone;
      };
      return {
        started: start.promise,
        outcome: end.promise,
        leave,
        async withdraw() {
          if (await leave()) return true;
          // Told at once, and kept for a worker that does not hear it.
          await redis
            .multi()
            .set(withdrawnKey(prefix, id), '1', 'PX', RESULT_TTL_MS)
            .publish(withdrawnChannel(prefix), id)
            .exec();
          return false;
        },
      };
    },
    async close() {
      clearInterval(timer);
      clearInterval(sign);
      // Redis is away: it runs out by itself.
      await redis.del(askerKey(prefix, asker)).catch(() => {});
      for (const one of waiting.values()) one.ended('the process that waited for it stops');
      await events.close();
      listening.disconnect();
      await queue.close();
    },
  };
}

export interface CrawlConsumer {
  close(): Promise<void>;
}

/** `crawl` is told by its signal that nobody waits any more, or that the process stops; it never rejects but for that. */
export function consumeCrawls(
  crawl: (data: JobData<'crawl'>, signal: AbortSignal) => Promise<CrawlOutcome>,
  o: {
    readonly connection: Redis;
    readonly prefix: string;
    readonly concurrency: number;
    readonly logger: Logger;
    /** Others are better at it: nothing is taken for as long. */
    readonly givesWay?: () => Promise<boolean>;
  },
): CrawlConsumer {
  const { connection, prefix, logger } = o;
  const isGone = watchAskers(connection, prefix);
  const worker = new Worker(
    NAME,
    async (job, _lock, signal) => {
      const payload = JOBS.crawl.safeParse(job.data);
      if (!payload.success) throw new UnrecoverableError(`payload of crawl job ${job.id}: ${payload.error.message}`);
      const id = job.id ?? '';
      const { asker, patienceMs } = payload.data;
      const isLate = (await redisNow(connection)) - job.timestamp > patienceMs;
      if (isLate || (await isGone(asker))) throw new UnrecoverableError(NOBODY);
      let misses = 0;
      const look = setInterval(() => {
        Promise.all([connection.exists(withdrawnKey(prefix, id)), connection.exists(askerKey(prefix, asker))]).then(
          ([isWithdrawn, isThere]) => {
            misses = isThere ? 0 : misses + 1;
            if (isWithdrawn || misses >= ASKER_MISSES) worker.cancelJob(id, NOBODY);
          },
          // Redis is away: the next look tells.
          () => {},
        );
      }, WITHDRAWN_LOOK_MS);
      try {
        const outcome = await crawl(payload.data, signal ?? new AbortController().signal);
        // Before the job is over: whoever is told of that finds it.
        await connection.set(resultKey(prefix, id), JSON.stringify(outcome), 'PX', RESULT_TTL_MS);
      } finally {
        clearInterval(look);
      }
    },
    {
      ...CRAWL_WORKER_OPTIONS,
      ...{ removeOnComplete: CRAWL_OPTIONS.removeOnComplete, removeOnFail: CRAWL_OPTIONS.removeOnFail },
      ...{ connection, prefix: queuePrefix(prefix), concurrency: o.concurrency, autorun: false },
    },
  );
  const stopTakingTurns = takeTurns(worker, o.givesWay ?? (async () => false), logger);
  worker.on('error', (error) => {
    const isOutage = 'code' in error && String(error.code).startsWith('ECONN');
    logger[isOutage ? 'debug' : 'warn']({ err: error, queue: NAME }, 'queue worker');
  });
  const withdrawals = connection.duplicate();
  withdrawals.on('error', () => {});
  withdrawals.on('message', (_channel, id: string) => void worker.cancelJob(id, NOBODY));
  // Subscribed again by ioredis after every loss of the connection.
  withdrawals.subscribe(withdrawnChannel(prefix)).catch(() => {});
  return {
    async close() {
      stopTakingTurns();
      await worker.close();
      withdrawals.disconnect();
    },
  };
}

/** Says which askers are gone: missed at several looks, and once and for all. */
function watchAskers(redis: Redis, prefix: string): (asker: string) => Promise<boolean> {
  const gone = new Set<string>();
  return async (asker) => {
    for (let look = 1; !gone.has(asker); look++) {
      if ((await redis.exists(askerKey(prefix, asker))) === 1) return false;
      if (look === ASKER_MISSES) gone.add(asker);
      else await sleep(ASKER_RENEW_MS);
    }
    return true;
  };
}

/** Lets the worker work while it need not give way. */
function takeTurns(worker: Worker, givesWay: () => Promise<boolean>, logger: Logger): () => void {
  let isClosed = false;
  const look = async (): Promise<void> => {
    const mayWork = !(await givesWay());
    if (isClosed) return;
    // Ends its wait for a job as well, and resolves when it has none; meanwhile others look.
    if (!mayWork) return worker.pause();
    if (worker.isPaused()) return worker.resume();
    // Runs until it is closed.
    if (!worker.isRunning()) worker.run().catch((err: unknown) => logger.error({ err }, 'the queue of crawls broke'));
  };
  const tryLook = (): void =>
    void look().catch((err: unknown) => logger.warn({ err }, 'who takes crawls is not known'));
  tryLook();
  const timer = setInterval(tryLook, TURNS_MS);
  return () => {
    isClosed = true;
    clearInterval(timer);
  };
}
