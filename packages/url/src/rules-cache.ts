/** The compiled rules of the runs a process works on: compiling takes longer than many a page. */
import type { RunConfig, RunId } from '@trawl/contracts';
import { compileRules, type UrlRules } from './rules.ts';

const MAX_RUNS = 100;

export function createRulesCache(): (runId: RunId, config: RunConfig) => UrlRules {
  const byRun = new Map<RunId, UrlRules>();
  return (runId, config) => {
    let rules = byRun.get(runId);
    if (!rules) {
      // The oldest goes; a run that is still at work is compiled again.
      const [oldest] = byRun.keys();
      if (byRun.size >= MAX_RUNS && oldest !== undefined) byRun.delete(oldest);
      rules = compileRules(config);
      byRun.set(runId, rules);
    }
    return rules;
  };
}
