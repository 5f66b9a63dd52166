import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The whole-pipeline tests are two files, each run one by one. The long ones take longer than all tests of packages together, so they
 * begin first; the light ones come last, on the worker that is done with the packages by then. On a machine that has not run the tests
 * before, vitest would begin with the largest files, and come to these small ones late.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const turnOf = ({ moduleId }: TestSpecification): number =>
      moduleId.endsWith('/e2e/all.test.ts') ? 0 : moduleId.endsWith('/e2e/light.test.ts') ? 2 : 1;
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
