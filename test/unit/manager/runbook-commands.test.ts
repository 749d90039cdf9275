import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { readRunbook, runbookText } from '#infra/runbook.ts';
import { DUTIES } from '#shared/administration/operation.ts';
import { ADMINISTRATION_OPERATIONS } from '#shared/administration/operations.ts';
import { makeApiKey } from '#shared/domain/partners/api-key.ts';
import type { PartnerId } from '#shared/domain/values/ids.ts';
import { useAnsweredManager } from '#test/makers/answered-manager.ts';

const run = useAnsweredManager();
const text = runbookText();
/** The manager's commands in the runbook, as printed. */
const printed = [...text.matchAll(/`npm run manager -- ([^`]+)`/g)].map(([, command]) => command!);
const COMMANDS = [...new Set(printed)].filter((command) => !command.startsWith('<command>'));

const folder = mkdtempSync(join(tmpdir(), 'partner-credit-runbook-'));
afterAll(() => rmSync(folder, { recursive: true }));
writeFileSync(join(folder, 'averages.json'), '{"value":[]}');
/** For a file that a command of the runbook names: the file that this test uses instead. */
const FILES: Readonly<Record<string, string>> = {
  'averages.json': join(folder, 'averages.json'),
  'itau-2026-12.ts': 'shared/domain/simulations/pricing/tables/itau-2026-11.ts',
};
/** The content of each file that a command reads from standard input. */
const INPUTS: Readonly<Record<string, string>> = {
  'token.txt': 'the-operator-token',
  'cpf.txt': '900.000.001-75',
  'key.txt': makeApiKey(123 as PartnerId, 'sandbox').text,
};
const VALUES: Readonly<Record<string, string>> = {
  partner: '123',
  unit: '456',
  analysis: '789',
  lead: '7001',
  key: 'a1B2c',
  start: 'pmc_00000001za1B2c',
  event: `evt_${'a'.repeat(32)}`,
  moment: '2026-11-20T09:08:07Z',
  approval: `apr_${'0'.repeat(32)}`,
  bank: 'itau',
  segment: 'padrao',
  percent: '13.60',
  day: '2026-12-05',
  url: 'https://www.itau.com.br/taxas',
};

/** Returns the script of a printed command: its placeholders are filled in, and its questions answered. */
function scriptOf(command: string): string {
  const filled = command
    .replace(/ --stage prod.*$/, '')
    .replace(/--(partner|unit) <id>/g, (_, option: string) => `--${option} ${VALUES[option]}`)
    .replace(/\S+\.(json|ts)$/, (name) => FILES[name]!)
    .replace('https://...', 'https://hooks.parceiro.com.br/')
    .replace(/<(\w+)>/g, (_, name: string) => VALUES[name] ?? `no ${name} here`);
  const file = /< ([\w.]+)$/.exec(command)?.[1];
  return `$ ${filled}\n${file === undefined ? '? "y"' : `< ${JSON.stringify(INPUTS[file])}`}\n`;
}

it.each(COMMANDS)('the manager accepts the command that the runbook prints: %s', async (command) => {
  expect(await run(scriptOf(command))).not.toMatch(/^exit 2|unexpected/m);
});

/** The commands after which the runbook names duties, each with these: `service-keys init` (duty `security`). */
const WITH_DUTIES = [...text.matchAll(/`npm run manager -- ([^`]+)` \(duty ((?:`\w+`(?:, | or )?)+)/g)].map(
  ([, command, duties]) => [command!, [...duties!.matchAll(/\w{3,}/g)].map(([duty]) => duty)] as const,
);

/** Returns the operations whose routes a script has called. */
const operationsIn = (played: string) =>
  [...played.matchAll(/^> \w+: (\w+) ([^? \n]+)/gm)].map(
    ([, method, path]) =>
      ADMINISTRATION_OPERATIONS.find(
        (row) => row.method === method && new RegExp(`^${row.path.replace(/\{\w+\}/g, '[^/]+')}$`).test(path!),
      )!,
  );

it.each(WITH_DUTIES)('the runbook names exactly the duties that may give the command: %s', async (command, named) => {
  const operations = operationsIn(await run(scriptOf(command)));
  expect(operations).not.toEqual([]);
  const may = DUTIES.filter((duty) => operations.every(({ duties }) => duties.some((allowed) => allowed === duty)));
  expect(named.toSorted()).toEqual(may.toSorted());
});

it('the runbook names the duties of at least ten commands', () => {
  expect(WITH_DUTIES.length).toBeGreaterThanOrEqual(10);
});

it('every other command of the runbook is marked "AWS only", or has a test of its own', () => {
  const unmarked = [...readRunbook(text).values()].flatMap(({ name, parts }) =>
    Object.entries(parts).flatMap(([part, body]) =>
      [...body.matchAll(/`((?:aws|curl|npx|dig|openssl) [^`]*)`/g)]
        .filter(() => !body.includes('AWS only'))
        .map(([, command]) => `${name}, ${part}: ${command}`),
    ),
  );
  expect(unmarked).toEqual([]);
  const programs = [...text.matchAll(/`npm run (?!manager)([\w-]+)/g)].map(([, program]) => program!);
  // These are run by test/flows/smoke.test.ts and test/flows/rehearse-restore.test.ts.
  expect([...new Set(programs)].sort()).toEqual(['rehearse-restore', 'smoke']);
});
