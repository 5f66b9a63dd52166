/**
 * Tells a process at once that a host was blocked, by whomever. A convenience: who hears nothing learns of it when it renews its
 * slots, within half a grant.
 */
import type { Redis } from 'ioredis';

export interface BlockListener {
  /** From here on nothing is missed while Redis is there. */
  readonly ready: Promise<void>;
  close(): void;
}

/** Opens a connection of its own, since one that listens can do nothing else. */
export function listenForBlocks(
  redis: Redis,
  o: { prefix?: string; onBlocked: (host: string) => void },
): BlockListener {
  const listener = redis.duplicate();
  // The owner of the connection it was made from says that Redis is away; this one comes back by itself.
  listener.on('error', () => {});
  listener.on('message', (_channel, host) => o.onBlocked(host));
  const ready = listener.subscribe(`${o.prefix ?? ''}blocked`).then(
    () => {},
    // Closed before it was connected: then nobody listens any more.
    () => {},
  );
  return { ready, close: () => listener.disconnect() };
}
