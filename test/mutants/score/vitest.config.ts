import { configDefaults, defineConfig } from 'vitest/config';

/** The unit tests of one folder of `shared/`, whose name Stryker's configuration passes on. */
export default defineConfig({
  test: {
    include: [`test/unit/${process.env['MUTANTS_OF']}/**/*.test.ts`],
    // It plays days of the poller's schedule: seconds, for each mutant anew.
    exclude: [...configDefaults.exclude, '**/poll-simulation.test.ts'],
    setupFiles: ['test/quiet-about-people.ts', 'test/some-assertion.ts'],
    isolate: false,
    maxWorkers: 1,
    testTimeout: 60_000,
  },
});
