/**
 * The host gate: may this host be asked for something now, by anyone? Counts slots across all runs and workers, keeps the
 * delay between starts, blocks a failing host, and keeps the line of runs that wait. One script per call, one round trip.
 * Does not start requests (the session does, within its grant) nor wake anybody: each reply says whom its caller owes a
 * wake-up, and a lost one is named again in the next reply.
 */
import type { Redis } from 'ioredis';
import { describeHosts } from './describe.ts';
import { leave } from './leave.ts';
import { peek } from './peek.ts';
import { release } from './release.ts';
import { renew } from './renew.ts';
import { reserve } from './reserve.ts';
import { completeGateSettings, type GateSettings } from './settings.ts';
import type { Gate } from './types.ts';

export interface GateOptions {
  /** In front of every key, so that tests can share a Redis. */
  readonly prefix?: string;
  readonly settings?: Partial<GateSettings>;
}

/** Uses `redis` and leaves closing it to its owner. */
export function createGate(redis: Redis, options: GateOptions = {}): Gate {
  const context = { redis, prefix: options.prefix ?? '', settings: completeGateSettings(options.settings ?? {}) };
  return {
    reserve: (host, request) => reserve(context, host, request),
    renew: (host, request) => renew(context, host, request),
    release: (host, request) => release(context, host, request),
    leave: (host, place) => leave(context, host, place),
    peek: (host) => peek(context, host),
    describe: (hosts) => describeHosts(context, hosts),
  };
}
