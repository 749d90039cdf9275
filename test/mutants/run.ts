/**
 * Takes every guard of guards.ts out of a copy of the repository and runs the tests that the guard names. Ends with 1
 * unless a test fails without each guard. Words on the command line choose the guards whose file, test file or text
 * contains one of them. Several copies share the guards, and each copy lacks one guard at a time.
 */
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { GUARDS, type Guard } from './guards.ts';
import { type GuardReport, MutationRun } from './mutation-run.ts';

/** At most so many copies of the repository are tested at the same time. Each needs a processor core and 2 GB. */
const COPIES = 4;

const words = process.argv.slice(2);

function isChosen({ file, test, text }: Guard): boolean {
  return words.length === 0 || words.some((word) => [file, test, text].some((part) => part.includes(word)));
}

function line({ guard, fate, detail, milliseconds }: GuardReport): string {
  const seconds = `${(milliseconds / 1000).toFixed(1)} s`.padStart(7);
  return `${fate.padEnd(8)} ${seconds}  ${guard.file}  ${guard.text.trim().split('\n')[0]}\n         ${detail}`;
}

const chosen = GUARDS.filter(isChosen);
const root = join(import.meta.dirname, '../..');
const copies = Math.min(COPIES, availableParallelism(), chosen.length);
const runs = await Promise.all(Array.from({ length: copies }, () => MutationRun.open(root)));

/** Runs every named test with all guards in place: each copy runs its share of the files. */
async function refuseFailingTests(): Promise<void> {
  const files = [...new Set(chosen.map(({ test }) => test))];
  const shares = runs.map((run, number) => {
    const share = files.filter((_, index) => index % runs.length === number);
    return run.failuresWithAll(chosen.filter(({ test }) => share.includes(test)));
  });
  const failing = (await Promise.all(shares)).flat();
  if (failing.length > 0) throw new Error(`these fail with every guard in place:\n${failing.join('\n')}`);
}

const reports: GuardReport[] = [];
/** The copies take their next guard from the same iterator. */
const waiting = chosen.values();

async function takeOutGuards(run: MutationRun): Promise<void> {
  for (const guard of waiting) {
    const report = await run.without(guard);
    reports.push(report);
    console.log(line(report));
  }
}

try {
  await refuseFailingTests();
  await Promise.all(runs.map(takeOutGuards));
} finally {
  await Promise.all(runs.map((run) => run.close()));
}
const killed = reports.filter(({ fate }) => fate === 'killed').length;
console.log(`${killed} of ${reports.length} guards make a test fail when they are taken out`);
process.exit(reports.length > 0 && killed === reports.length ? 0 : 1);
