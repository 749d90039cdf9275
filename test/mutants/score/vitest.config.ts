import { configDefaults, defineConfig } from 'vitest/config';

const folder = process.env['MUTANTS_OF']!;
/** Tests of other folders that prove one: people are taken out of texts of others where these are read. */
const BESIDE = '{operator/{bank-text,sandbox-operator,statuses},webhook/send,{contract,administration}/fields}.test.ts';

/** The unit tests of one folder of `shared/`, whose name Stryker's configuration passes on. */
export default defineConfig({
  test: {
    include: [`test/unit/${folder}/**/*.test.ts`, ...(folder === 'domain/values' ? [`test/unit/${BESIDE}`] : [])],
    // They play days of the poller's schedule and price a year of stored offers: seconds, for each mutant anew.
    exclude: [...configDefaults.exclude, '**/poll-simulation.test.ts', '**/offers-of-2026.test.ts'],
    setupFiles: ['test/quiet-about-people.ts', 'test/some-assertion.ts', 'test/mutants/score/same-cases.ts'],
    isolate: false,
    maxWorkers: 1,
    testTimeout: 60_000,
  },
});
