import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createVitest, type TestModule, type Vitest } from 'vitest/node';
import type { Guard } from './guards.ts';

/** Time after which a hanging test counts as failed, in milliseconds. Without its guard, code may wait for ever. */
const TEST_TIMEOUT = 60_000;

/**
 * Result of taking a guard out.
 * - `killed`: a test that the guard names failed without it.
 * - `survived`: all these tests passed without it.
 * - `gone`: the guard's text is not in its file exactly once.
 * - `untested`: there is no such test, or its file could not be loaded.
 */
export type Fate = 'killed' | 'survived' | 'gone' | 'untested';

export interface GuardReport {
  readonly guard: Guard;
  readonly fate: Fate;
  /** Reason for the fate. If the guard was killed, the failed test and its message. */
  readonly detail: string;
  readonly milliseconds: number;
}

/** Copies the repository's files into a new folder and links its packages. Returns the folder. */
function copyRepository(root: string): string {
  const copy = mkdtempSync(join(tmpdir(), 'partner-credit-mutants-'));
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root });
  for (const file of String(listed).split('\0').filter(Boolean)) cpSync(join(root, file), join(copy, file));
  for (const packages of ['node_modules', 'shared/partner/client/node_modules']) {
    symlinkSync(join(root, packages), join(copy, packages));
  }
  return copy;
}

/**
 * Runs tests in a copy of the repository while one guard at a time is taken out. One Vitest process serves all guards.
 */
export class MutationRun {
  readonly #copy: string;
  readonly #vitest: Vitest;

  private constructor(copy: string, vitest: Vitest) {
    this.#copy = copy;
    this.#vitest = vitest;
  }

  static async open(root: string): Promise<MutationRun> {
    const copy = copyRepository(root);
    const settings = { watch: false, maxWorkers: 1, bail: 1, silent: true, testTimeout: TEST_TIMEOUT } as const;
    process.env['TESTS'] = 'all';
    const vitest = await createVitest('test', { ...settings, root: copy, reporters: [{}] });
    await vitest.standalone();
    return new MutationRun(copy, vitest);
  }

  async close(): Promise<void> {
    await this.#vitest.close();
    rmSync(this.#copy, { recursive: true, force: true });
  }

  /** Takes a guard out, runs the tests that it names, and puts the guard back. */
  async without(guard: Guard): Promise<GuardReport> {
    const started = performance.now();
    const file = join(this.#copy, guard.file);
    const original = readFileSync(file, 'utf8');
    const parts = original.split(guard.text);
    let [fate, detail]: [Fate, string] = ['gone', `its text is ${parts.length - 1} times in the file`];
    if (parts.length === 2) {
      writeFileSync(file, parts.join(guard.becomes));
      this.#vitest.invalidateFile(file);
      try {
        [fate, detail] = await this.#fateOf(guard);
      } finally {
        writeFileSync(file, original);
        this.#vitest.invalidateFile(file);
      }
    }
    return { guard, fate, detail, milliseconds: performance.now() - started };
  }

  /** Runs the tests that guards name, with every guard in place. Returns the failures. */
  async failuresWithAll(guards: readonly Guard[]): Promise<readonly string[]> {
    const failures: string[] = [];
    for (const [file, named] of Map.groupBy(guards, ({ test }) => test)) {
      const module = await this.#run(file, named);
      if (!module?.ok()) failures.push(`${file}: ${faultsOf(module)}`);
    }
    return failures;
  }

  async #fateOf(guard: Guard): Promise<[Fate, string]> {
    const module = await this.#run(guard.test, [guard]);
    const tests = [...(module?.children.allTests() ?? [])];
    const failed = tests.find((testCase) => testCase.result().state === 'failed');
    if (failed) return ['killed', `${failed.name}: ${failed.result().errors?.[0]?.message.split('\n')[0]}`];
    if (tests.some((testCase) => testCase.result().state === 'passed')) return ['survived', `passes: ${guard.test}`];
    return ['untested', `${guard.test}: ${faultsOf(module)}`];
  }

  /** Runs the tests of one file that guards name. Returns undefined if there is no such file. */
  async #run(file: string, guards: readonly Guard[]): Promise<TestModule | undefined> {
    const wanted = guards.map(({ title = '' }) => escaped(title)).join('|');
    this.#vitest.setGlobalTestNamePattern(RegExp(wanted));
    const specifications = this.#vitest.getModuleSpecifications(join(this.#copy, file));
    const { testModules } = await this.#vitest.runTestSpecifications(specifications);
    // `testModules` also holds the modules of earlier runs.
    return testModules.find(({ moduleId }) => moduleId === specifications[0]?.moduleId);
  }
}

/** Returns a pattern that matches exactly this text. */
const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

function faultsOf(module: TestModule | undefined): string {
  const failed = [...(module?.children.allTests('failed') ?? [])].map((test) => test.fullName);
  const errors = module?.errors().map(({ message }) => message) ?? [];
  return failed.concat(errors).join('; ') || 'none of its tests ran';
}
