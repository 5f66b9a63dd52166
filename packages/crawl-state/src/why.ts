/** Why a run is not finished: what waits, what is held, and by whom. */
import type { RunId, RunStatus } from '@trawl/contracts';
import { hostOfLane, isRenderLane } from './lanes.ts';
import { list } from './owed.ts';
import { call, type StateContext, script } from './script.ts';

const lua = script('why');

/** More hosts than this are counted, not named. */
const MAX_HOSTS = 100;

/** Of one lane: a host may come twice. */
export interface HostWhy {
  readonly host: string;
  /** What waits here waits for a worker with a browser. */
  readonly renders: boolean;
  readonly waiting: number;
  readonly delayed: number;
  readonly leased: number;
  readonly session: 'waiting' | 'active' | 'parked' | 'none';
}

export interface RunWhy {
  readonly status: RunStatus;
  readonly discovering: boolean;
  /** Claims wait until pages are processed, or budget comes back. */
  readonly held: boolean;
  readonly waiting: number;
  /** Waiting for the time of their retry. */
  readonly delayed: number;
  readonly leased: number;
  readonly unprocessed: number;
  readonly relinking: number;
  readonly deferred: number;
  readonly hosts: readonly HostWhy[];
}

export async function why(context: StateContext, runId: RunId): Promise<RunWhy | null> {
  const r = await call(context, lua, runId, { hosts: MAX_HOSTS });
  if ('over' in r) return null;
  return {
    status: r.status as RunStatus,
    discovering: r.discovering === true,
    held: r.held === true,
    waiting: Number(r.waiting),
    delayed: Number(r.delayed),
    leased: Number(r.leased),
    unprocessed: Number(r.unprocessed),
    relinking: Number(r.relinking),
    deferred: Number(r.deferred),
    hosts: list<Omit<HostWhy, 'renders'>>(r.hosts).map((lane) => ({
      ...lane,
      host: hostOfLane(lane.host),
      renders: isRenderLane(lane.host),
    })),
  };
}
