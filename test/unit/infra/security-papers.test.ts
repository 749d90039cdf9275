import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { managerProgram } from '#bin/manager/program.ts';
import { Session } from '#bin/manager/session.ts';
import { processTerminal } from '#bin/manager/terminal.ts';
import { isRunbookSection } from '#infra/runbook.ts';

const ROOT = join(import.meta.dirname, '../../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const PAPERS = readdirSync(join(ROOT, 'infra/security')).map((name) => read(join('infra/security', name)));

it('each row of THREATS.md names a test, or a risk that is accepted', () => {
  const rows = read('infra/security/THREATS.md').match(/^\| [STRIDE] \|.*$/gm) ?? [];
  expect(rows.length).toBeGreaterThan(50);
  expect(rows.filter((row) => !/`test\/[\w./-]+\.ts`|\*accepted\*/i.test(row))).toEqual([]);
});

const program = managerProgram(new Session(processTerminal()));
/** Code in the papers that begins with a noun of the manager's command line: `keys revoke`, `audit list --who <name>`. */
const COMMANDS = [...PAPERS.join('\n').matchAll(/`(?:npm run manager -- )?([a-z]+(?: [^`]+)?)`/g)]
  .map(([, code]) => code!.split(' '))
  .filter(([noun, verb]) => program.commands.some((one) => one.name() === noun && (verb || one.commands.length === 0)));

it('each command of the manager that the security papers name exists, with its options', () => {
  expect(COMMANDS.length).toBeGreaterThan(20);
  const unknown = COMMANDS.filter(([noun, verb, ...rest]) => {
    const command = program.commands.find((one) => one.name() === noun)!;
    const called = command.commands.length === 0 ? command : command.commands.find((one) => one.name() === verb);
    const options = [called, program].flatMap((one) => one?.options.map(({ long }) => long) ?? []);
    return !called || rest.some((word) => word.startsWith('--') && !options.includes(word));
  });
  expect(unknown.map((words) => words.join(' '))).toEqual([]);
});

it('each section of the runbook that the security papers name exists', () => {
  const named = [...PAPERS.join('\n').matchAll(/RUNBOOK, ([a-z-]+(?:(?:, | and )[a-z-]+)*)/g)].flatMap(([, list]) =>
    list!.split(/, | and /),
  );
  expect(named.length).toBeGreaterThan(8);
  expect(named.filter((name) => !isRunbookSection(name))).toEqual([]);
});
