import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The whole-pipeline tests are three files, in each of which they run one by one. The long ones take as long as all tests of packages
 * together, so they begin first; the others come last, one on each worker. On a machine that has not run the tests before, vitest would
 * begin with the largest files, and come to these small ones late.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const turnOf = ({ moduleId }: TestSpecification): number => {
      if (moduleId.endsWith('/e2e/all.test.ts')) return 0;
      if (moduleId.endsWith('/e2e/light.test.ts')) return 2;
      // Pages that keep a machine busy on purpose are no company for tests that measure.
      return moduleId.includes('/e2e/') || moduleId.includes('/packages/renderer/') ? 3 : 1;
    };
    return sorted.toSorted((a, b) => turnOf(a) - turnOf(b));
  }
}

export default defineConfig({
  test: {
    include: ['{apps,packages}/*/src/**/*.test.ts', 'bench/src/**/*.test.ts', 'e2e/*.test.ts', 'scripts/**/*.test.mjs'],
    globalSetup: ['packages/testing/src/global-setup.ts'],
    maxWorkers: 2,
    testTimeout: 20_000,
    hookTimeout: 60_000,
    sequence: { sequencer: LongestFirst },
  },
});
