/** A vitest reporter that ends the output with `Tests: N passed, N failed, N skipped`, whatever else is printed. */
import { writeSync } from 'node:fs';

export default class TestsLineReporter {
  // A run that never comes to its end has failed, also when no test did.
  #counts = { passed: 0, failed: 1, skipped: 0 };

  onInit() {
    // At the exit, since the servers' teardown comes after the last report.
    process.once('exit', () => {
      const { passed, failed, skipped } = this.#counts;
      writeSync(1, `Tests: ${passed} passed, ${failed} failed, ${skipped} skipped\n`);
    });
  }

  onTestRunEnd(modules, unhandledErrors) {
    this.#counts = countTests(modules, unhandledErrors);
  }
}

/** A file that does not load, a hook that throws and an error outside of any test each count as one failure. */
export function countTests(modules, unhandledErrors) {
  const counts = { passed: 0, failed: unhandledErrors.length, skipped: 0 };
  for (const module of modules) {
    counts.failed += module.errors().length;
    for (const suite of module.children.allSuites()) counts.failed += suite.errors().length;
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      // Pending at the end: the run was broken off before this test.
      counts[state === 'pending' ? 'failed' : state] += 1;
    }
  }
  return counts;
}
