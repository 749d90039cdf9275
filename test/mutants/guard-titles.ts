import type { Reporter, TestModule } from 'vitest/node';
import { leftOut } from '../nightly.ts';
import { GUARDS, type Guard } from './guards.ts';

/** A test that ran to its end, whether it passed or failed. */
export interface RanTest {
  readonly file: string;
  /** Titles of the describes around the test and its own title, joined as Vitest joins them. */
  readonly title: string;
}

/** Returns the guards whose title is not in the title of any test that ran in their file. */
export function guardsWithoutTest(guards: readonly Guard[], ran: readonly RanTest[]): readonly Guard[] {
  return guards.filter((guard) => !ran.some(({ file, title }) => file === guard.test && title.includes(guard.title)));
}

/**
 * A reporter that fails a complete run if the test that a guard names did not run, because a guard without its test
 * protects nothing. `npm test` and `npm run test:nightly` are complete runs. They set TESTS. Only guards whose test
 * files belong to the run are checked.
 */
export class GuardTitles implements Reporter {
  readonly #expected: readonly Guard[];

  /** `run` is the value of TESTS. Undefined if somebody chose a few tests by hand: then no test is expected. */
  constructor(run: string | undefined) {
    const absent = leftOut(run ?? 'all');
    this.#expected = run === undefined ? [] : GUARDS.filter(({ test }) => !absent.includes(test));
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const missing = guardsWithoutTest(this.#expected, modules.flatMap(testsOf));
    if (missing.length === 0) return;
    const lines = missing.map(({ test, title, file }) => `  ${test}: ${title}  (guards ${file})`);
    console.error(
      `No test of this title ran for ${missing.length} guards of test/mutants/guards.ts:\n${lines.join('\n')}`,
    );
    process.exitCode = 1;
  }
}

function testsOf(module: TestModule): RanTest[] {
  const tests = [...module.children.allTests()].filter((test) => test.result().state !== 'skipped');
  return tests.map(({ fullName }) => ({ file: module.relativeModuleId, title: fullName }));
}
