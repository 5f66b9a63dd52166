/**
 * The wake-ups a function of the run returns. Paying them is never part of the function, so each may be lost:
 * behind each stands a lease that `heal` finds.
 */
import type { UrlKey } from '@trawl/contracts';

/** A fetched page by reference: what a process job carries. */
export interface PageRef {
  readonly key: UrlKey;
  readonly token: string;
  /** Where its body is: the name of a body in Redis, or a reference of the blob store. */
  readonly body: string;
}

export interface FetchOwed {
  readonly host: string;
  readonly sid: string;
}

export interface RelinkOwed {
  readonly key: UrlKey;
  readonly token: string;
  readonly depth: number;
}

export interface Owed {
  readonly fetch: readonly FetchOwed[];
  readonly process: readonly PageRef[];
  readonly relink: readonly RelinkOwed[];
  readonly discover: boolean;
  readonly finalize: boolean;
}

export const NOTHING_OWED: Owed = { fetch: [], process: [], relink: [], discover: false, finalize: false };

/** Lua has one kind of table, so an empty list arrives as `{}`. */
export const list = <T>(value: unknown): readonly T[] => (Array.isArray(value) ? value : []);

export function owedOf(reply: Record<string, unknown>): Owed {
  return {
    fetch: list<FetchOwed>(reply.fetch),
    process: list<PageRef>(reply.process),
    relink: list<RelinkOwed>(reply.relink),
    discover: reply.discover === true,
    finalize: reply.finalize === true,
  };
}
