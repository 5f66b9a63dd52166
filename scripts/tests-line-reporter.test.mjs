import { describe, expect, it } from 'vitest';
import { countTests } from './tests-line-reporter.mjs';

/** The part of vitest's report that is counted. */
const file = ({ tests = [], errors = 0, suiteErrors = 0 }) => ({
  errors: () => Array.from({ length: errors }),
  children: {
    allSuites: () => [{ errors: () => Array.from({ length: suiteErrors }) }],
    allTests: () => tests.map((state) => ({ result: () => ({ state }) })),
  },
});

describe('the last line of a test run', () => {
  it('adds up the tests of all files by their outcome', () => {
    const files = [file({ tests: ['passed', 'passed', 'failed'] }), file({ tests: ['skipped', 'passed'] })];
    expect(countTests(files, [])).toEqual({ passed: 3, failed: 1, skipped: 1 });
  });

  it('counts what failed outside of a test, and tests that were never run, as failures', () => {
    const files = [file({ errors: 1 }), file({ tests: ['passed', 'pending'], suiteErrors: 1 })];
    expect(countTests(files, [new Error('unhandled')])).toEqual({ passed: 1, failed: 4, skipped: 0 });
  });
});
