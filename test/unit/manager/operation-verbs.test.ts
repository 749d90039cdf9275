import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import * as exceptions from '#bin/manager/exceptions.ts';
import { lookFor, verbName } from '#bin/manager/operation-verb.ts';
import { flagOf, refuseFaults, type TypedField, typedFields } from '#bin/manager/options.ts';
import { managerProgram } from '#bin/manager/program.ts';
import { Session } from '#bin/manager/session.ts';
import { type Shape, shapeOf } from '#bin/manager/shape.ts';
import { processTerminal } from '#bin/manager/terminal.ts';
import { ADMINISTRATION_OPERATIONS, operationNamed } from '#shared/administration/operations.ts';
import { makeApiKey } from '#shared/domain/partners/api-key.ts';
import type { PartnerId } from '#shared/domain/values/ids.ts';
import { useAnsweredManager } from '#test/makers/answered-manager.ts';

// golden/ holds what commands send and print, in the form that makers/answered-manager.ts describes. To add a rule, add
// its `$` line to rules.txt. `npx vitest run test/unit/manager/operation-verbs.test.ts --update` writes the rest. Read
// each changed line before you keep it.

const golden = (file: string) => join(import.meta.dirname, 'golden', file);
const run = useAnsweredManager();
const OPERATIONS = ADMINISTRATION_OPERATIONS.filter(({ english }) => english !== undefined);

const withVerbs = (command: Command): Command[] => [command, ...command.commands.flatMap(withVerbs)];
const ROOT = managerProgram(new Session({ ...processTerminal(), columns: 80 }));
const COMMANDS = withVerbs(ROOT);
const nounOf = (noun: string) => exceptions.NOUNS[noun] ?? noun;
const commandOf = (operation: (typeof OPERATIONS)[number]) =>
  ROOT.commands
    .find((noun) => noun.name() === nounOf(operation.noun))
    ?.commands.find((verb) => verb.name() === verbName(operation));

function helpOf(command: Command): string {
  const parts: string[] = [];
  command.configureOutput({ writeOut: (part) => void parts.push(part) }).outputHelp();
  return parts.join('');
}

/** Text that a person types for a field, by the name of the field. */
const TYPED: Readonly<Record<string, string>> = {
  key_id: 'a1B2c',
  event_id: `evt_${'a'.repeat(32)}`,
  approval_id: `apr_${'0'.repeat(32)}`,
  partner_id: '123',
  unit_id: '456',
  lead_id: '7001',
  analysis_id: '789',
  month: '2026-11',
  withdrawn_at: '2h',
  channel: 'e-mail',
  name: 'idxKey_1',
  url: 'https://hooks.parceiro.com.br/e',
  cpf: '900.000.001-75',
  token: 'the-operator-token',
  seen: '2026-11-20',
  from: '2026-11-21',
  value: '13.49',
  key: makeApiKey(123 as PartnerId, 'sandbox').text,
};

const textFor = ({ name, shape }: TypedField) =>
  TYPED[name] ?? shape.choices[0] ?? (shape.type === 'integer' ? '1' : 'x');

/** Returns a script with the shortest command of an operation. */
function scriptOf(operation: (typeof OPERATIONS)[number], reason = '--reason INC-42'): string {
  const fields = typedFields(operation);
  const given = fields.filter(({ name, isNeeded, shape }) => isNeeded && !shape.isSecret && name !== 'operation');
  const words = given.map((field) => (field.isArgument ? textFor(field) : `${flagOf(field.name)} ${textFor(field)}`));
  const secret = fields.find(({ isNeeded, shape }) => isNeeded && shape.isSecret);
  const call = ['$', nounOf(operation.noun), verbName(operation), ...words];
  if (operation.audited) call.push(reason, '--yes');
  const approvals = `{"approvals":[{"approval_id":"${TYPED['approval_id']}","operation":"create-key"}]}`;
  return `${call.join(' ').trim()}\nw 80\n= list-approvals ${approvals}${secret ? `\n< ${JSON.stringify(textFor(secret))}` : ''}`;
}

describe('operationVerbs', () => {
  it('each operation but those of machines has a verb of its own', () => {
    const unheard = ADMINISTRATION_OPERATIONS.filter(({ english }) => english === undefined);
    expect(unheard.map(({ operation }) => operation)).toEqual(['record-outcomes', 'show-openapi']);
    expect(OPERATIONS.filter((operation) => commandOf(operation) === undefined)).toEqual([]);
    expect(new Set(OPERATIONS.map(commandOf)).size).toBe(OPERATIONS.length);
  });

  it.each(OPERATIONS)('the verb of $operation takes each field of the operation', (operation) => {
    const verb = commandOf(operation)!;
    const taken = [
      ...verb.options.map((one) => one.attributeName()),
      ...verb.registeredArguments.map((one) => one.name()),
    ];
    const missing = typedFields(operation).filter(
      ({ name, isArgument, isNeeded, shape }) =>
        !(shape.isSecret && isNeeded) && !taken.includes(isArgument ? flagOf(name).slice(2) : name),
    );
    expect(missing).toEqual([]);
  });

  it.each(OPERATIONS)('the verb of $operation calls the route of the operation', async (operation) => {
    const calls = (await run(scriptOf(operation))).split('\n').filter((line) => line.startsWith('> '));
    const [, method, address = ''] = calls.at(-1)?.slice(2).split(' ') ?? [];
    expect(method).toBe(operation.method);
    expect(address).toMatch(new RegExp(`^${operation.path.replace(/\{\w+\}/g, '[^/]+')}([?]|$)`));
    const lastBody = calls.at(-1)?.split(address)[1] ?? '';
    expect(lastBody.includes('"reason":"INC-42"')).toBe(operation.audited);
  });

  it('the rules of the command line hold as golden/rules.txt shows them', async () => {
    const played = await run(readFileSync(golden('rules.txt'), 'utf8'));
    expect(played.match(/unknown (command|option) .*/g)).toEqual([
      "unknown command 'moons'",
      "unknown option '--cursor'",
    ]);
    await expect(played).toMatchFileSnapshot(golden('rules.txt'));
  });

  it.each(OPERATIONS.filter(({ audited }) => audited))(
    'the verb of $operation asks for a reason before it asks for anything else',
    async (operation) => {
      const [call = ''] = scriptOf(operation, '').split('\n');
      expect(await run(call)).toContain('! manager: say why, for the audit: --reason "..."\nexit 2');
    },
  );

  it.each(OPERATIONS.filter((operation) => typedFields(operation).some(({ shape }) => shape.isSecret)))(
    'the verb of $operation shows no secret that it reads, also if the answer is lost',
    async (operation) => {
      const secret = typedFields(operation).find(({ shape }) => shape.isSecret)!;
      const flag = secret.isNeeded ? '' : ` ${flagOf(secret.name)}`;
      const script = scriptOf(operation)
        .replace(/ --reason/, `${flag} --reason`)
        .replace(/\n< .*/, '');
      const played = await run(`${script}\n< ${JSON.stringify(textFor(secret))}\n= ${operation.operation} lost`);
      expect(played).toContain(textFor(secret));
      expect(played.replace(/^[<>] .*$/gm, '')).not.toContain(textFor(secret));
    },
  );

  it('leads erase --dry-run erases nobody, also if no lead is named', async () => {
    const script = '$ leads erase --dry-run --reason LGPD-1 --yes\n< "900.000.001-75"';
    const erasing = (await run(script)).split('\n').filter((line) => line.includes('/v1/leads/erase'));
    expect(erasing.length).toBe(1);
    expect(erasing[0]).toContain('"dry_run":true');
  });

  it('each person who may make a change may see what it is about', () => {
    for (const operation of OPERATIONS) {
      const from = lookFor(operation)?.from;
      if (from) expect(operationNamed(from).duties).toEqual(expect.arrayContaining([...operation.duties]));
    }
  });

  it.each(OPERATIONS)('the example in the help of $operation is a call that the API takes', async (operation) => {
    const help = helpOf(commandOf(operation)!);
    const [, example = ''] = help.split('Example:\n  npm run manager -- ');
    const [call, input] = example.replace(/\\\n +/g, '').split(' < ');
    const secret = typedFields(operation).find(({ shape }) => shape.isSecret);
    const approvals = `{"approvals":[{"approval_id":"apr_${'7c1d'.repeat(8)}"}]}`;
    const typed = `$ ${call!.trim()} --yes\n= list-approvals ${approvals}`;
    const played = await run(input && secret ? `${typed}\n< ${JSON.stringify(textFor(secret))}` : typed);
    expect(played).not.toContain('exit 2');
  });

  it('each help names commands and options, not operations and fields', () => {
    const operations = OPERATIONS.map(({ operation }) => operation).join('|');
    const choices = /\(choices: [^)]*\)|--operation [\w-]+/g;
    for (const command of COMMANDS) {
      const [options = ''] = helpOf(command).replaceAll(choices, '').split('\nAnswer:');
      expect(options).not.toMatch(/\w_id\b/);
      expect(helpOf(command).replaceAll(choices, '')).not.toMatch(new RegExp(`\\b(${operations})\\b`));
    }
  });

  it('each help says what is read from standard input', () => {
    for (const operation of OPERATIONS) {
      const isRead = typedFields(operation).some(({ shape }) => shape.isSecret);
      expect(/standard input/.test(helpOf(commandOf(operation)!)), operation.operation).toBe(isRead);
    }
  });

  it('each help fits 80 columns and has an example', () => {
    for (const command of COMMANDS) {
      const help = helpOf(command);
      expect(help).toMatch(/Example:\n {2}npm run manager -- \w+/);
      for (const line of help.split('\n')) expect(line.length, line).toBeLessThanOrEqual(80);
    }
  });
});

it('refuseFaults names options, and sets off a reason that is a command', () => {
  const faults = [{ field: 'event_id', reason: 'name exactly one of event_id, partner_id and foreign' }];
  expect(() => refuseFaults(faults)).toThrow('--event: name exactly one of --event, --partner and foreign');
});

describe('exceptions.ts', () => {
  const { CARRIED, COLUMNS, EMPTY, FAILURES, HARMLESS, LINES, LOOKS, VERBS } = exceptions;
  const namesIn = (shape: Shape): string[] =>
    [...(shape.items?.fields ?? shape.fields)].flatMap(([name, part]) => [name, ...namesIn(part)]);
  const answered = new Set(
    ADMINISTRATION_OPERATIONS.flatMap(({ answer, preview }) => [
      ...namesIn(shapeOf(answer)),
      ...namesIn(shapeOf(preview)),
    ]),
  );

  it('has at most 130 lines: what can follow from a schema is in the schema', () => {
    const text = readFileSync(join(import.meta.dirname, '../../../bin/manager/exceptions.ts'), 'utf8');
    expect(text.split('\n').length).toBeLessThanOrEqual(131);
  });

  it('names only operations and fields that exist', () => {
    const operations: readonly string[] = ADMINISTRATION_OPERATIONS.map(({ operation }) => operation);
    const named = [VERBS, COLUMNS, CARRIED, HARMLESS, LOOKS].flatMap((part) => Object.keys(part));
    expect(named.filter((name) => !operations.includes(name))).toEqual([]);
    const fields = [EMPTY, FAILURES, LINES].flatMap((part) => Object.keys(part));
    expect(fields.filter((name) => !answered.has(name))).toEqual([]);
  });

  it.each(Object.entries(COLUMNS))('the columns of %s are fields of its list', (name, columns) => {
    const operation = ADMINISTRATION_OPERATIONS.find((one) => one.operation === name)!;
    const fields = namesIn(shapeOf(operation.preview ?? operation.answer));
    expect(columns.split(/:\w+| /).filter((column) => column !== '' && !fields.includes(column))).toEqual([]);
  });
});

it.each(ADMINISTRATION_OPERATIONS.filter(({ paged }) => paged))(
  'each number of $operation that is about one page is marked, so that pages are added up',
  ({ answer }) => {
    const unmarked = [...shapeOf(answer).fields].filter(
      ([, { type, isOfPage, description }]) => type === 'integer' && !isOfPage && /\bpage\b/.test(description ?? ''),
    );
    expect(unmarked.map(([name]) => name)).toEqual([]);
  },
);

/** Words and endings of Portuguese sentences. Names that the texts mention are left out before. */
const PORTUGUESE =
  /\b(não|nao|você|uma|está|estão|para|pela|pelo|sem|com|foi|são|nesta|aprovação)\b|\p{L}*(ção|ções|ã|õ)\b/iu;
const NAMES = /Imobiliária|São Paulo|São João|com\.br|\.com\b/g;

it('no text of the command line is Portuguese', () => {
  const folder = join(import.meta.dirname, '../../../bin/manager');
  const sources = readdirSync(folder).filter((file) => file.endsWith('.ts'));
  expect(sources.length).toBeGreaterThan(20);
  const lines = sources.flatMap((file) => readFileSync(join(folder, file), 'utf8').split('\n'));
  expect(lines.filter((line) => PORTUGUESE.test(line.replace(NAMES, '')))).toEqual([]);
  expect('O painel está aberto só nesta máquina.').toMatch(PORTUGUESE);
});
