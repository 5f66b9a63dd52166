import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The whole-pipeline tests are one file, run one by one, and take longer than all others together: they begin first. On a machine that has not
 * run the tests before, vitest would begin with the largest files, and come to this small one last.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification): boolean => moduleId.includes('/e2e/');
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

export default defineConfig({
  test: {
    include: [
      '{apps,packages}/*/src/**/*.test.ts',
      'bench/src/**/*.test.ts',
      'e2e/all.test.ts',
      'scripts/**/*.test.mjs',
    ],
    globalSetup: ['packages/testing/src/global-setup.ts'],
    maxWorkers: 2,
    testTimeout: 20_000,
    hookTimeout: 60_000,
    sequence: { sequencer: LongestFirst },
  },
});
