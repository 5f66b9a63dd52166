/** Settings of the discover role. */
import { count, requestEnv } from '@trawl/runtime';

export const discoverEnv = requestEnv.extend({
  /** Runs whose discovery this process has under way at a time. */
  DISCOVERIES: count(1, 1000).default(8),
});
