/** Settings of the fetch role. */
import { count } from '@trawl/runtime';
import { sessionEnv } from '@trawl/sessions';

export const fetchEnv = sessionEnv.extend({
  /** Sessions this process runs at a time. */
  FETCH_SESSIONS: count(1, 1000).default(64),
  /** Requests this process has under way at a time, over all sessions. */
  FETCH_REQUESTS: count(1, 10_000).default(128),
  /** Besides those, requests that wait for their answer for more than two seconds. */
  FETCH_SLOW_REQUESTS: count(0, 100_000).default(1024),
  /** Requests of one session at a time; a host's own limit may be lower. */
  SESSION_SLOTS: count(1, 256).default(16),
});
