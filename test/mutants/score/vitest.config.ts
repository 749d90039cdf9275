import { configDefaults, defineConfig } from 'vitest/config';

const folder = process.env['MUTANTS_OF']!;
/** Tests of other folders that prove one: people are taken out of texts where these are read, and erased on the table. */
const BESIDE: Readonly<Record<string, string>> = {
  'domain/values':
    'unit/{operator/{bank-text,sandbox-operator,statuses},webhook/send,{contract,administration}/fields}',
  'domain/leads': 'table/{erasures,lead-retention}',
};
const beside = BESIDE[folder];

/** The unit tests of one folder of `shared/`, whose name Stryker's configuration passes on. */
export default defineConfig({
  test: {
    include: [`test/unit/${folder}/**/*.test.ts`, ...(beside ? [`test/${beside}.test.ts`] : [])],
    globalSetup: beside?.startsWith('table/') ? ['test/assembly.ts'] : [],
    // They play days of the poller's schedule and price a year of stored offers: seconds, for each mutant anew.
    exclude: [...configDefaults.exclude, '**/poll-simulation.test.ts', '**/offers-of-2026.test.ts'],
    setupFiles: ['test/quiet-about-people.ts', 'test/some-assertion.ts', 'test/mutants/score/same-cases.ts'],
    isolate: false,
    maxWorkers: 1,
    testTimeout: 60_000,
  },
});
