import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import config from '../../vitest.config.ts';
import { GuardTitles, guardsWithoutTest } from '../mutants/guard-titles.ts';
import { GUARDS, type Guard } from '../mutants/guards.ts';

const ROOT = join(import.meta.dirname, '../..');

it('GUARDS has each guard once', () => {
  expect(new Set(GUARDS.map((guard) => JSON.stringify(guard))).size).toBe(GUARDS.length);
});

it.each(GUARDS)('GUARDS names a text and a test file that exist: $file, $title', ({ file, text, becomes, test }) => {
  expect(readFileSync(join(ROOT, file), 'utf8').split(text)).toHaveLength(2);
  expect(becomes).not.toBe(text);
  expect(existsSync(join(ROOT, test))).toBe(true);
});

const GUARD: Guard = {
  file: 'shared/lease.ts',
  text: 'x',
  becomes: 'y',
  test: 'test/unit/lease.test.ts',
  title: 'the lease belongs to one run',
};

it('a guard has its test if its title is part of a title that ran in its own file', () => {
  const ran = { file: GUARD.test, title: `submitIfAbsent > ${GUARD.title}, and to no other` };
  expect(guardsWithoutTest([GUARD], [ran])).toEqual([]);
});

it('a guard lacks its test if the title was changed, or ran only in another file', () => {
  const renamed = { file: GUARD.test, title: 'the lease belongs to a single run' };
  const elsewhere = { file: 'test/unit/other.test.ts', title: GUARD.title };
  expect(guardsWithoutTest([GUARD], [renamed, elsewhere])).toEqual([GUARD]);
});

/** Returns the exit code of a run without a single test, and what the reporter says about it. */
function endOfEmptyRun(run: string | undefined) {
  const said = vi.spyOn(console, 'error').mockReturnValue();
  new GuardTitles(run).onTestRunEnd([]);
  const { exitCode } = process;
  process.exitCode = undefined;
  return { exitCode, said: said.mock.calls.flat().join('\n') };
}

afterEach(() => {
  vi.restoreAllMocks();
});

it('a complete run fails and names each guard whose test did not run', () => {
  const { exitCode, said } = endOfEmptyRun('all');
  expect(exitCode).toBe(1);
  expect(said).toContain(`ran for ${GUARDS.length} guards`);
  expect(said).toContain(`${GUARDS[0]?.test}: ${GUARDS[0]?.title}`);
});

it('a run of files that somebody chose by hand does not fail for the guards of other files', () => {
  const { exitCode, said } = endOfEmptyRun(undefined);
  expect(exitCode).toBeUndefined();
  expect(said).toBe('');
});

it('npm test and npm run test:nightly are complete runs, and every run has the reporter of the guards', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  expect(scripts['test']).toMatch(/ TESTS=daily vitest run$/);
  expect(scripts['test:nightly']).toMatch(/^TESTS=nightly .*vitest run /);
  expect(config.test?.reporters).toContainEqual(expect.any(GuardTitles));
});
