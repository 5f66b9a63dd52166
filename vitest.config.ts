import { defineConfig } from 'vitest/config';

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
  },
});
