import { fileURLToPath } from 'node:url';
import { FLOORS } from './floors.ts';

const folder = process.env.MUTANTS_OF;

/**
 * Runs the mutants of one folder of `shared/` against the unit tests of the same folder only, so the score says what
 * those tests prove.
 */
export default {
  plugins: [fileURLToPath(import.meta.resolve('@stryker-mutator/vitest-runner'))],
  testRunner: 'vitest',
  vitest: { configFile: 'test/mutants/score/vitest.config.ts' },
  mutate: [`shared/${folder}/*.ts`],
  // Changed texts and lists are more than a third of all changes. Few of them change a rule.
  mutator: { excludedMutations: ['StringLiteral', 'ObjectLiteral', 'ArrayDeclaration'] },
  coverageAnalysis: 'perTest',
  // A module's constants are computed before the first test, so each mutant of a constant would need a process of its
  // own.
  ignoreStatic: true,
  concurrency: 2,
  ignorePatterns: ['cdk.out', '.local', '.git', 'test/mutants/score/node_modules'],
  // Stryker would write a comment at the head of each file to switch type checks off. Nobody checks the types of its
  // copy, and a build reads how files begin.
  disableTypeChecks: false,
  tempDirName: '.local/mutants',
  // Stryker would read this file through TypeScript's API for programs, which TypeScript 7 does not have.
  tsconfigFile: 'none',
  reporters: ['clear-text'],
  clearTextReporter: { reportTests: false, allowColor: false },
  thresholds: { high: 100, low: 90, break: FLOORS[folder] ?? null },
};
