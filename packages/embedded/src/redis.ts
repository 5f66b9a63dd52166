/** A private Redis on loopback. Does not find the program (redis-binary does) nor keep data when not asked to (`durable`). */
import { mkdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { onPort } from './ports.ts';
import { findRedis } from './redis-binary.ts';
import { type EmbeddedServer, startServer } from './server-process.ts';

export interface RedisOptions {
  /** Its files go to `<dataDir>/redis`; its pid to `<dataDir>/pids.json`. */
  readonly dataDir: string;
  /** A free one when 0 or absent. */
  readonly port?: number;
  /** Keep an append-only file, synced every second: a power cut costs at most that second. */
  readonly durable: boolean;
  /** Where a downloaded Redis is kept; `.cache/redis` of the repository unless given. */
  readonly cacheDir?: string;
  /** Told what takes longer than a person expects: the download of the first start. */
  readonly onNotice?: (sentence: string) => void;
}

export async function startRedis(options: RedisOptions): Promise<EmbeddedServer> {
  const binary = await findRedis({ cacheDir: options.cacheDir, onNotice: options.onNotice });
  const cwd = join(options.dataDir, 'redis');
  mkdirSync(cwd, { recursive: true });
  return onPort(options.port, { server: 'the embedded Redis', setting: 'REDIS_URL' }, (port) =>
    startServer({
      name: 'Redis',
      command: binary.command,
      args: redisArgs(port, options.durable),
      cwd,
      env: { ...process.env, ...binary.env },
      dataDir: options.dataDir,
      logFile: join(options.dataDir, 'redis.log'),
      url: `redis://127.0.0.1:${port}`,
      stopSignal: 'SIGTERM',
      // Long, because an append-only file of a large crawl is read before the first answer.
      startTimeoutMs: 120_000,
      answers: (pid) => answers(port, pid),
    }),
  );
}

function redisArgs(port: number, durable: boolean): string[] {
  const settings: Record<string, string> = {
    port: String(port),
    bind: '127.0.0.1',
    daemonize: 'no',
    // Delayed jobs and expiry are looked at this often a second; with the default of 10 they come up to 100 ms late.
    hz: '100',
    // A crawl's state is not a cache: better an error than a URL that was quietly forgotten.
    'maxmemory-policy': 'noeviction',
    save: '',
    appendonly: durable ? 'yes' : 'no',
    appendfsync: 'everysec',
  };
  return Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
}

/** True once the Redis on this port has loaded its data, and is the process we started and not another. */
function answers(port: number, pid: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', timeout: 1000 });
    let reply = '';
    const settle = (isOurs: boolean) => {
      socket.destroy();
      resolve(isOurs);
    };
    socket.setEncoding('utf8');
    socket.once('connect', () => socket.write('INFO server\r\nPING\r\n'));
    socket.on('data', (chunk: string) => {
      reply += chunk;
      if (reply.endsWith('+PONG\r\n')) settle(reply.includes(`process_id:${pid}\r\n`));
      else if (reply.includes('-LOADING')) settle(false);
    });
    // Refused or cut off: it is not up yet. Whether it ever will be is for the caller's time limit to say.
    for (const event of ['error', 'timeout', 'close'] as const) socket.once(event, () => settle(false));
  });
}
