import { defineConfig } from 'vitest/config';

/** The unit tests of one folder of `shared/`, whose name Stryker's configuration passes on. */
export default defineConfig({
  test: {
    include: [`test/unit/${process.env['MUTANTS_OF']}/**/*.test.ts`],
    setupFiles: ['test/quiet-about-people.ts', 'test/some-assertion.ts', 'test/mutants/score/no-shrinking.ts'],
    isolate: false,
    maxWorkers: 1,
  },
});
