import { configDefaults, defineConfig } from 'vitest/config';

/** The unit tests of one folder of `shared/`, whose name Stryker's configuration passes on. */
export default defineConfig({
  test: {
    include: [`test/unit/${process.env['MUTANTS_OF']}/**/*.test.ts`],
    // They play days of the poller's schedule and price a year of stored offers: seconds, for each mutant anew.
    exclude: [...configDefaults.exclude, '**/poll-simulation.test.ts', '**/offers-of-2026.test.ts'],
    setupFiles: ['test/quiet-about-people.ts', 'test/some-assertion.ts', 'test/mutants/score/same-cases.ts'],
    isolate: false,
    maxWorkers: 1,
    testTimeout: 60_000,
  },
});
