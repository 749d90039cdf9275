import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { managerProgram } from '#bin/manager/program.ts';
import { Session } from '#bin/manager/session.ts';
import { processTerminal } from '#bin/manager/terminal.ts';
import { isRunbookSection } from '#infra/runbook.ts';
import { APPROVABLE } from '#shared/administration/approvals.ts';
import type { Operation } from '#shared/administration/operation.ts';
import { ADMINISTRATION_OPERATIONS } from '#shared/administration/operations.ts';
import document from '#shared/partner/openapi/openapi.json' with { type: 'json' };

const ROOT = join(import.meta.dirname, '../../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const PAPERS = readdirSync(join(ROOT, 'infra/security')).map((name) => read(join('infra/security', name)));
const terms = (text: string) => [...text.matchAll(/^\| `([a-z_.]+)` \|/gm)].map(([, term]) => term!);

it('the security papers name only files that exist', () => {
  const named = PAPERS.flatMap((text) => [...text.matchAll(/`([\w./-]+\.(?:ts|md))`/g)].map(([, path]) => path!));
  expect(named.length).toBeGreaterThan(40);
  expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

it('PRIVACY.md lists each personal field that a partner may send', () => {
  const { LeadNovo, LeadAlteracao, SimulacaoNova, SegundoProponente, AnaliseNova, RevogacaoNova } =
    document.components.schemas;
  const sent = [LeadNovo, LeadAlteracao, SimulacaoNova, AnaliseNova, RevogacaoNova]
    .flatMap(({ properties }) => Object.keys(properties))
    .concat(Object.keys(SegundoProponente.properties).map((field) => `segundo_proponente.${field}`));
  const parts = read('shared/contract/GLOSSARY.md').split(/^## /m);
  const personal = terms(parts.find((part) => part.startsWith('People'))!);
  const people = sent.filter((field) => personal.includes(field.split('.').at(-1)!));
  const listed = terms(read('infra/security/PRIVACY.md'));
  expect(people.length).toBeGreaterThan(20);
  expect(people.filter((term) => !listed.includes(term))).toEqual([]);
});

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

it('THREATS.md says how many operations may read the derivation keys and the retired keys', () => {
  const readers = (secret: 'derivationKeys' | 'retiredKeys') =>
    ADMINISTRATION_OPERATIONS.filter(({ permission: { secrets = [] } }: Operation) => secrets.includes(secret)).length;
  const words = ['one', 'two', 'three', 'four', 'five', 'six'];
  const threats = read('infra/security/THREATS.md');
  expect(threats).toContain(`keys that ${words[readers('derivationKeys') - 1]} operations of the administration`);
  expect(threats).toContain(`${words[readers('retiredKeys') - 1]} functions of the administration may`);
});

it('THREATS.md names each operation that another person must approve', () => {
  const row = read('infra/security/THREATS.md')
    .split('\n')
    .find((line) => line.includes('in prod another person approves each'));
  const named = [...(row ?? '').matchAll(/`([a-z]+(?:-[a-z]+)+)`/g)].map(([, name]) => name!);
  expect(named.sort()).toEqual(APPROVABLE.map(({ operation }) => operation).sort());
});
