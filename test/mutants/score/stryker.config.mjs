import { fileURLToPath } from 'node:url';

const folder = process.env.MUTANTS_OF;

/** Mutants of one folder of `shared/`, against the unit tests of the same folder alone: it says what those prove. */
export default {
  plugins: [fileURLToPath(import.meta.resolve('@stryker-mutator/vitest-runner'))],
  testRunner: 'vitest',
  vitest: { configFile: 'test/mutants/score/vitest.config.ts' },
  mutate: [`shared/${folder}/**/*.ts`],
  coverageAnalysis: 'perTest',
  // A constant of a module is made before the first test: each such mutant would take a process of its own.
  ignoreStatic: true,
  concurrency: 2,
  ignorePatterns: ['cdk.out', '.local', '.git', 'test/mutants/score/node_modules'],
  // Nobody checks the types of its copy, and a build reads what files begin with.
  disableTypeChecks: false,
  tempDirName: '.local/mutants',
  // TypeScript 7 has no interface for programs, by which Stryker would read it.
  tsconfigFile: 'none',
  reporters: ['clear-text'],
  clearTextReporter: { reportTests: false, allowColor: false },
  thresholds: { high: 100, low: 90, break: 90 },
};
