/**
 * Keeps the embedded servers there: one that ends unasked is started again on its port and its data, and the workers
 * reconnect by themselves. Does not start them the first time, nor decide when they stop.
 */
import { type EmbeddedServer, type EmbeddedServers, startPostgres, startRedis } from '@trawl/embedded';

export interface KeptServersOptions {
  readonly dataDir: string;
  readonly durable: boolean;
  readonly first: EmbeddedServers;
  readonly say: (line: string) => void;
}

export interface KeptServers extends EmbeddedServers {
  /** Resolves with a sentence when a server can't be brought back. */
  readonly broken: Promise<string>;
}

type StartAgain = (port: number) => Promise<EmbeddedServer>;

export function keepServers({ dataDir, durable, first, say }: KeptServersOptions): KeptServers {
  const current = { redis: first.redis, postgres: first.postgres };
  const restarts = new Set<Promise<void>>();
  let stopping = false;
  let reportBroken: (sentence: string) => void;
  const broken = new Promise<string>((resolve) => {
    reportBroken = resolve;
  });

  const watch = (name: 'redis' | 'postgres', label: string, startAgain: StartAgain): void => {
    const server = current[name];
    if (!server) return;
    void server.exited.then(({ code, signal }) => {
      if (stopping) return;
      const reason = signal ? `signal ${signal}` : `exit code ${code}`;
      say(`${label} (pid ${server.pid}) ended with ${reason}; starting it again.`);
      const restart = startAgain(Number(new URL(server.url).port))
        .then((next) => {
          current[name] = next;
          watch(name, label, startAgain);
        })
        .catch((error: Error) => reportBroken(`${label} did not come back: ${error.message}`))
        .finally(() => restarts.delete(restart));
      restarts.add(restart);
    });
  };
  watch('redis', 'Redis', (port) => startRedis({ dataDir, durable, port, onNotice: say }));
  watch('postgres', 'Postgres', (port) => startPostgres({ dataDir, durable, port, onNotice: say }));

  return {
    get redis() {
      return current.redis;
    },
    get postgres() {
      return current.postgres;
    },
    broken,
    stop: async () => {
      stopping = true;
      // One that is on its way up would stay behind.
      await Promise.all(restarts);
      await Promise.all([current.redis?.stop(), current.postgres?.stop()]);
    },
  };
}
