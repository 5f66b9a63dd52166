import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** On a machine that has not run the tests before, vitest begins with the largest files, and would come to small ones that take long late. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const turnOf = ({ moduleId }: TestSpecification): number => (moduleId.includes('/e2e/') ? 0 : 1);
    return sorted.toSorted((a, b) => turnOf(a) - turnOf(b));
  }
}

const common = { testTimeout: 20_000, hookTimeout: 60_000 };
const small = ['{apps,packages}/*/src/**/*.test.ts', 'bench/src/**/*.test.ts', 'scripts/**/*.test.mjs'];
const measuring = 'e2e/measuring.test.ts';
/** Pages that keep a machine busy on purpose are no company for tests that measure. */
const withBrowsers = 'packages/renderer/src/**/*.test.ts';

/**
 * First what measures, beside small tests only; then what starts many processes and mostly waits for them: three files at a time use two
 * cores better than two.
 */
export default defineConfig({
  test: {
    globalSetup: ['packages/testing/src/global-setup.ts'],
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          ...common,
          name: 'first',
          include: [...small, measuring],
          exclude: [withBrowsers, '**/node_modules/**'],
          sequence: { groupOrder: 0 },
          maxWorkers: 2,
        },
      },
      {
        test: {
          ...common,
          name: 'then',
          include: ['e2e/*.test.ts', withBrowsers],
          exclude: [measuring],
          sequence: { groupOrder: 1 },
          maxWorkers: 3,
        },
      },
    ],
  },
});
