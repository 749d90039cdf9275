import { configDefaults, defineConfig } from 'vitest/config';

const folder = process.env['MUTANTS_OF']!;
/**
 * Test files of other folders that also prove this folder. For example, tests of the operator prove that personal data
 * is masked, and tests of the table prove an erasure.
 */
const OTHER_TESTS: Readonly<Record<string, string>> = {
  'domain/values':
    'unit/{operator/{bank-text,sandbox-operator,statuses},webhook/send,{contract,administration}/fields}',
  'domain/leads': 'table/{erasures,lead-retention}',
};
const otherTests = OTHER_TESTS[folder];

/** The unit tests of one folder of `shared/`. Stryker's configuration passes the folder's name on. */
export default defineConfig({
  test: {
    include: [`test/unit/${folder}/**/*.test.ts`, ...(otherTests ? [`test/${otherTests}.test.ts`] : [])],
    globalSetup: otherTests?.startsWith('table/') ? ['test/assembly.ts'] : [],
    // These files simulate days of polling and price the stored offers of a year. They take seconds, and would run
    // again for each mutant.
    exclude: [...configDefaults.exclude, '**/poll-simulation.test.ts', '**/offers-of-2026.test.ts'],
    setupFiles: ['test/quiet-about-people.ts', 'test/some-assertion.ts', 'test/mutants/score/same-cases.ts'],
    isolate: false,
    maxWorkers: 1,
    testTimeout: 60_000,
  },
});
