/**
 * The whole of Trawl as `npm start` runs it, each role a process of its own over a durable Redis and Postgres. Started
 * once; each crawl is a new run of a new source.
 */
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ROLE_NODE_ARGS, type Role } from '@trawl/contracts';
import { migrate } from '@trawl/db';
import { type EmbeddedServer, startServers } from '@trawl/embedded';
import { Redis } from 'ioredis';
import { type CrawlTimes, openApi } from './api.ts';
import { nodeArgs } from './node-args.ts';
import type { Processes } from './processes.ts';
import { type RedisCounts, readRedisCounts } from './redis-scripts.ts';
import { freePort } from './web-server.ts';

export interface Pipeline {
  /** Every process it consists of, by name. */
  readonly pids: ReadonlyMap<string, number>;
  readonly apiUrl: string;
  crawl(start: string): Promise<CrawlTimes>;
  processedUrls(runId: string): Promise<string[]>;
  redisCounts(): Promise<RedisCounts>;
  /** Ends Redis and Postgres. Their roles belong to `processes`, and have to be ended before. */
  stop(): Promise<void>;
}

export interface PipelineOptions {
  readonly dataDir: string;
  readonly processes: Processes;
  readonly profileDir: string | null;
  readonly env?: NodeJS.ProcessEnv;
  readonly onNotice: (sentence: string) => void;
}

export async function startPipeline(options: PipelineOptions): Promise<Pipeline> {
  const { dataDir, processes, profileDir, onNotice } = options;
  const servers = await startServers({ dataDir, redis: { durable: true }, postgres: { durable: true }, onNotice });
  try {
    const redisServer = running(servers.redis);
    const postgres = running(servers.postgres);
    await migrate(postgres.url);
    const port = await freePort();
    const env = {
      ...process.env,
      REDIS_URL: redisServer.url,
      DATABASE_URL: postgres.url,
      BLOB_URL: pathToFileURL(join(dataDir, 'blobs')).href,
      HOST: '127.0.0.1',
      PORT: String(port),
      ALLOW_PRIVATE_NETWORKS: 'true',
      LOG_LEVEL: 'warn',
      ...options.env,
    };
    const pids = new Map<string, number>();
    for (const { name, role, folder } of roles()) {
      const entry = fileURLToPath(new URL(`../../apps/${folder}/src/main.ts`, import.meta.url));
      const args = [...ROLE_NODE_ARGS[role], ...nodeArgs(entry, name, profileDir)];
      pids.set(name, processes.start({ name, command: process.execPath, args, env, ipc: true }).pid);
    }
    pids.set('redis', redisServer.pid);
    pids.set('postgres', postgres.pid);
    const apiUrl = `http://127.0.0.1:${port}`;
    const api = openApi(apiUrl);
    await Promise.race([processes.died, api.untilReady()]);
    const redis = new Redis(redisServer.url);
    return {
      pids,
      apiUrl,
      crawl: (start) => Promise.race([processes.died, api.crawl(start)]),
      processedUrls: (runId) => api.processedUrls(runId),
      redisCounts: () => readRedisCounts(redis),
      stop: async () => {
        redis.disconnect();
        await api.close();
        await servers.stop();
      },
    };
  } catch (error) {
    await servers.stop();
    throw error;
  }
}

/** One of each, and as many process workers as cores: the numbers `npm start` takes. */
function roles(): { name: string; role: Role; folder: string }[] {
  return [
    { name: 'api', role: 'api', folder: 'api' },
    { name: 'coordinator', role: 'coordinator', folder: 'coordinator' },
    { name: 'discover', role: 'discover', folder: 'discover-worker' },
    { name: 'fetch', role: 'fetch', folder: 'fetch-worker' },
    { name: 'render', role: 'render', folder: 'render-worker' },
    ...Array.from({ length: availableParallelism() }, (_, index) => ({
      name: `process:${index + 1}`,
      role: 'process' as const,
      folder: 'process-worker',
    })),
  ];
}

function running(server: EmbeddedServer | null): EmbeddedServer {
  if (!server) throw new Error('an embedded server was asked for and not started');
  return server;
}
