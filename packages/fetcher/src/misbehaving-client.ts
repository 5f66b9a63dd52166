/**
 * A process of its own that gets many URLs at once and tells what came of each and what it cost in memory, so that
 * neither the servers nor the test runner count. URLs come as a message from the parent; the report goes back as one.
 */
import { createFetcher } from './fetcher.ts';

export interface ClientTask {
  /** Of a well-behaved server: asked first, so that what every first request costs is not counted. */
  readonly warmUpUrl: string;
  readonly urls: readonly string[];
  readonly timeoutMs: number;
  readonly maxBodyBytes: number;
}

export interface ClientReport {
  /** An error code, the kind of reply, or what `get` threw; as the URLs are ordered. */
  readonly outcomes: readonly string[];
  readonly elapsedMs: readonly number[];
  /** The most that the resident set grew to, above what it was before the first of the URLs. */
  readonly grownBytes: number;
}

const SAMPLE_MS = 50;

process.once('message', (task: ClientTask) => void run(task).then((report) => process.send?.(report)));

async function run({ warmUpUrl, urls, timeoutMs, maxBodyBytes }: ClientTask): Promise<ClientReport> {
  const fetcher = createFetcher({ allowPrivateNetworks: true });
  const request = { userAgent: 'Trawl-test/1', timeoutMs, maxBodyBytes };
  for (let i = 0; i < 20; i++) await fetcher.get({ ...request, url: warmUpUrl });
  const before = process.memoryUsage.rss();
  let most = before;
  const sample = () => {
    most = Math.max(most, process.memoryUsage.rss());
  };
  const sampler = setInterval(sample, SAMPLE_MS);
  const ended = await Promise.all(
    urls.map(async (url) => {
      const startedAt = performance.now();
      const outcome = await fetcher.get({ ...request, url }).then(
        (reply) => (reply.kind === 'failed' ? reply.error.code : reply.kind),
        (error: unknown) => `threw ${error}`,
      );
      return { outcome, elapsedMs: performance.now() - startedAt };
    }),
  );
  sample();
  clearInterval(sampler);
  await fetcher.close();
  return {
    outcomes: ended.map(({ outcome }) => outcome),
    elapsedMs: ended.map(({ elapsedMs }) => elapsedMs),
    grownBytes: most - before,
  };
}
