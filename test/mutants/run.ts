/**
 * Takes every guard of guards.ts out of a copy of the repository, one at a time, and runs the test that the guard
 * names. Ends with 1 unless every test fails without its guard. Words on the command line choose the guards whose
 * title, file or text contains one of them.
 */
import { join } from 'node:path';
import { GUARDS, type Guard } from './guards.ts';
import { type GuardReport, MutationRun } from './mutation-run.ts';

const words = process.argv.slice(2);

function isChosen({ title, file, text }: Guard): boolean {
  return words.length === 0 || words.some((word) => [title, file, text].some((part) => part.includes(word)));
}

function line({ guard, fate, detail, milliseconds }: GuardReport): string {
  const seconds = `${(milliseconds / 1000).toFixed(1)} s`.padStart(7);
  return `${fate.padEnd(8)} ${seconds}  ${guard.file}  ${guard.title}\n         ${detail}`;
}

const chosen = GUARDS.filter(isChosen);
const run = await MutationRun.open(join(import.meta.dirname, '../..'));
const reports: GuardReport[] = [];
try {
  const files = new Set(chosen.map(({ test }) => test));
  const failing = await run.failuresWithAll([...files]);
  if (failing.length > 0) throw new Error(`these fail with every guard in place:\n${failing.join('\n')}`);
  for (const guard of chosen) {
    const report = await run.without(guard);
    reports.push(report);
    console.log(line(report));
  }
} finally {
  await run.close();
}
const killed = reports.filter(({ fate }) => fate === 'killed').length;
console.log(`${killed} of ${reports.length} guards fail their tests when they are taken out`);
process.exit(reports.length > 0 && killed === reports.length ? 0 : 1);
