import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import * as z from 'zod/mini';
import { IN_DOUBT } from '#shared/administration/failures.ts';
import type { Operation } from '#shared/administration/operation.ts';
import {
  ADMINISTRATION_OPERATIONS,
  type AdministrationOperation,
  operationNamed,
} from '#shared/administration/operations.ts';
import { AdministrationRefusal } from './administration-client.ts';
import { answerText, titleOf } from './answer-text.ts';
import { command, example } from './command.ts';
import { CommandError, UsageError, verdict } from './errors.ts';
import { CARRIED, COLUMNS, FAILURES, HARMLESS, LOOKS, type Look, NOUNS, VERBS } from './exceptions.ts';
import {
  addField,
  checkFields,
  type Fields,
  fieldsOf,
  flagOf,
  isFields,
  picked,
  refuseFaults,
  type TypedField,
  typedFields,
} from './options.ts';
import { type Asked, listIn, wholeAnswer } from './pages.ts';
import type { Session } from './session.ts';
import { type Shape, shapeOf } from './shape.ts';

export type TypedOperation = Operation<AdministrationOperation>;

/** Called instead of the operation if no lead is named. */
export type ByCpf = (operation: TypedOperation, given: Fields, isDry: boolean) => Promise<void>;

const nounOf = ({ noun }: Operation) => NOUNS[noun] ?? noun;
const singular = (word: string) =>
  word
    .replace(/yses$/, 'ysis')
    .replace(/ies$/, 'y')
    .replace(/(?<!si)s$/, '');

/** Leaves out the words of the noun. */
export function verbName(operation: Operation): string {
  const own = nounOf(operation).split('-').concat('rows');
  const words = operation.operation
    .split('-')
    .filter((word) => !own.some((one) => word === one || word === singular(one)));
  return VERBS[operation.operation] ?? words.join('-');
}

const COMMANDS = new Map(
  ADMINISTRATION_OPERATIONS.filter(({ english }) => english !== undefined).map((operation) => [
    operation.operation.toString(),
    `${nounOf(operation)} ${verbName(operation)}`,
  ]),
);

/** Returns a text of the API with commands in place of operations. */
export const inCommands = (text: string): string =>
  text.replace(/`?\b([a-z]+(?:-[a-z]+)+)\b`?/g, (words, name: string) => COMMANDS.get(name) ?? words);

/**
 * Returns what LOOKS names. Else returns the noun's `show` operation without an id, if the change needs a confirmation
 * and has no preview. Undefined if there is none.
 */
export function lookFor(operation: TypedOperation): Look | undefined {
  const { operation: name, confirm, preview, body } = operation;
  const own = LOOKS[name];
  if (own !== undefined || confirm === undefined || preview !== undefined) return own;
  const from = ADMINISTRATION_OPERATIONS.find(
    (one) => nounOf(one) === nounOf(operation) && one.operation.startsWith('show-') && one.params === undefined,
  );
  if (from === undefined) return undefined;
  const { fields } = shapeOf(from.answer);
  const shown = Array.from(fields).flatMap(([field, part]) => [field].concat(Array.from(part.fields.keys())));
  return { from: from.operation, gives: Object.keys(body?.shape ?? {}).filter((field) => shown.includes(field)) };
}

/** Adds the nouns and verbs of all operations. `byCpf` has the operations that a person may call without a lead. */
export function operationVerbs(root: Command, session: Session, byCpf: ReadonlyMap<string, ByCpf>): void {
  for (const operation of ADMINISTRATION_OPERATIONS) {
    if (operation.english === undefined) continue;
    const name = nounOf(operation);
    const noun = root.commands.find((one) => one.name() === name);
    addVerb(noun ?? command(root, name, '', `${name} --help`), operation, session, byCpf.get(operation.operation));
  }
}

function addVerb(noun: Command, operation: TypedOperation, session: Session, byCpf: ByCpf | undefined): void {
  const { english = '', dryRun, method } = operation;
  const taken = lookFor(operation)?.gives ?? [];
  const fields = typedFields(operation).map((field) => ({
    ...field,
    shape: { ...field.shape, description: field.shape.description && inCommands(field.shape.description) },
    isNeeded: field.isNeeded && !taken.includes(field.name) && byCpf === undefined,
  }));
  const answer = shapeOf(operation.answer);
  const isChosen = method === 'GET' && (listIn(answer) !== undefined || answer.fields.has('lines'));
  const everywhere = byCpf ? '; without --lead: everywhere that the CPF on standard input is known' : '';
  const verb = noun.command(verbName(operation)).description(english + everywhere);
  for (const field of fields) addField(verb, field);
  if (dryRun) verb.option('--dry-run', 'only show what would be done');
  if (isChosen)
    verb.option(
      '--where <field=text>',
      'only rows whose field contains the text; may be repeated',
      (text, before: string[] = []) => before.concat(text),
    );
  verb.addHelpText(
    'after',
    () =>
      inputHelp(verb, fields) +
      answerHelp(verb, answer) +
      example(exampleOf([noun.name(), verb.name()], operation, fields)),
  );
  verb.action(async (...words: unknown[]) => {
    const { dryRun: isDry, where, ...options } = verb.opts<Fields>();
    if (operation.audited && (!isDry || operation.notedPreview)) session.needsReason();
    const given = fields.filter(({ isArgument }) => isArgument).map((field, at) => [field.name, words[at]] as const);
    const typed = { ...options, ...Object.fromEntries(given) };
    await asOptions(() =>
      act(operation, fields, typed, { isDry: isDry === true, where: whereIn(where) }, session, byCpf),
    );
  });
}

interface How {
  readonly isDry: boolean;
  readonly where: readonly Condition[];
}

async function act(
  operation: TypedOperation,
  fields: readonly TypedField[],
  typed: Fields,
  how: How,
  session: Session,
  byCpf: ByCpf | undefined,
): Promise<void> {
  const { rows, page } = wantedRows(typed['limit'], operation);
  const given = fieldsOf({ ...typed, limit: page }, fields, session.clock);
  if (byCpf && given['lead_id'] === undefined) return byCpf(operation, given, how.isDry);
  const call = await withSecrets(operation, fields, given, session);
  await run(operation, call, { ...how, wanted: rows }, session);
}

/** Runs a call. Throws a UsageError that names the options if the API refuses fields. */
async function asOptions(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof AdministrationRefusal) refuseFaults(error.answer?.fields ?? []);
    throw error;
  }
}

/** A page's limit is never above the default. All rows are wanted if the operation has no limit. */
function wantedRows(typed: unknown, { query, paged }: TypedOperation) {
  const field = paged ? query?.shape['limit'] : undefined;
  if (field === undefined) return { rows: undefined, page: typed };
  const usual = Number(z.safeParse(field, undefined).data);
  const rows = Number(typed ?? usual);
  return { rows, page: Number.isInteger(rows) ? String(Math.min(rows, usual)) : typed };
}

async function withSecrets(
  operation: TypedOperation,
  fields: readonly TypedField[],
  given: Fields,
  session: Session,
): Promise<Fields> {
  const secrets = fields.filter(({ shape }) => shape.isSecret);
  const later = secrets.map(({ name }) => name).concat(lookFor(operation)?.gives ?? []);
  checkFields(operation, given, later);
  const flags = secrets.map(({ name }) => flagOf(name)).join(' or ');
  const [first, second] = secrets.filter(({ name, isNeeded }) => isNeeded || given[name] === true);
  if (second) throw new UsageError(`standard input holds one value: ${flags}`);
  if (first) {
    const text = await session.secretInput(`${first.name.replace('_', ' ')} (not shown): `);
    const call = { ...given, [first.name]: text };
    checkFields(operation, call, later.slice(secrets.length));
    return call;
  }
  const { terminal } = session;
  if (secrets.length > 0 && !terminal.interactive && (await terminal.input()).trim() !== '')
    throw new UsageError(`standard input has a text that no option reads: add ${flags}`);
  return given;
}

type Condition = readonly [field: string, text: string];

function whereIn(typed: unknown): readonly Condition[] {
  const texts = Array.isArray(typed) ? typed.map(String) : [];
  return texts.map((text) => {
    const [, field = '', wanted = ''] = /^(\w+)=(.+)$/s.exec(text) ?? [];
    if (field === '') throw new UsageError('--where has a field of the rows and a text: --where who=ana.lima');
    return [field, wanted.toLowerCase()];
  });
}

/** Returns a page with the rows that a person looks for. Throws a UsageError for a field that no row has. */
function chosen(page: Fields, shape: Shape, where: readonly Condition[]): Fields {
  if (where.length === 0) return page;
  const isChosen = (row: Fields) =>
    where.every(([field, text]) => {
      if (!(field in row)) throw new UsageError(`--where names one of ${Object.keys(row).join(', ')}`);
      return JSON.stringify(row[field]).toLowerCase().includes(text);
    });
  const { lines } = page;
  if (typeof lines === 'string')
    return { ...page, lines: lines.replace(/.*\n/g, (line) => (isChosen(JSON.parse(line)) ? line : '')) };
  const list = listIn(shape) ?? '';
  const rows = page[list];
  return { ...page, [list]: Array.isArray(rows) ? rows.filter(isChosen) : rows };
}

async function run(
  operation: TypedOperation,
  given: Fields,
  { isDry, where, wanted }: How & { readonly wanted: number | undefined },
  session: Session,
): Promise<void> {
  const { operation: name, answer, preview } = operation;
  if (isDry) {
    const seen = await wholeAnswer(name, given, session, { isDry });
    show(operation, seen, shapeOf(preview), given, session);
    return failIfNotDone(seen);
  }
  const fields = { ...given, ...(await agreedOn(operation, given, session)) };
  const body = await once(operation, fields, session, {
    wanted,
    chosen: (page, shape) => chosen(page, shape, where),
  });
  show(operation, body, shapeOf(answer), given, session);
  failIfNotDone(body);
}

/**
 * Makes a call for all pages. If the answer is lost, or the call breaks off after its first page, the error names the
 * token, or the state that the change replaces: the same command with this value makes the change at most once.
 */
export async function once(operation: TypedOperation, fields: Fields, session: Session, asked: Asked): Promise<Fields> {
  const { operation: name, body } = operation;
  // A token that must be given is a secret.
  const hasToken = body?.shape['token']?._zod.optin === 'optional';
  const { token = randomUUID() } = fields;
  const sent: Fields = hasToken ? { ...fields, token } : fields;
  const [guard] = hasToken
    ? ['token']
    : (lookFor(operation)?.gives ?? []).filter((given) => given in (body?.shape ?? {}));
  if (guard === undefined) return wholeAnswer(name, sent, session, asked);
  let hasBegun = false;
  const begun = () => {
    hasBegun = true;
  };
  try {
    return await wholeAnswer(name, sent, session, { ...asked, begun });
  } catch (error) {
    const isInDoubt = error instanceof AdministrationRefusal && IN_DOUBT.has(error.code);
    if (!isInDoubt && !hasBegun) throw error;
    const repeated = `the same command with ${flagOf(guard)} ${sent[guard]}`;
    const shown = hasToken ? ', and shows the result' : '';
    throw new CommandError(`${verdict(error).line}; ${repeated} makes the change at most once${shown}`, {
      cause: error,
    });
  }
}

/**
 * Asks the person before a change that has a preview or needs a confirmation. Returns the fields that the change takes
 * from what the person has seen.
 */
async function agreedOn(operation: TypedOperation, given: Fields, session: Session): Promise<Fields> {
  const { operation: name, english, confirm, preview, notedPreview } = operation;
  const isPreviewed = preview !== undefined && !notedPreview;
  let asks = confirm !== undefined && !confirm.sometimes;
  let taken: Fields = {};
  let count = '';
  if (isPreviewed) {
    const seen = await wholeAnswer(name, given, session, { isDry: true });
    session.note(textOf(operation, seen, shapeOf(preview), given, session).trimEnd());
    failIfNotDone(seen);
    const list = listIn(shapeOf(preview)) ?? '';
    const rows = seen[list];
    if (Array.isArray(rows)) count = `: ${rows.length} ${titleOf(list)}`;
    if (Array.isArray(rows) && rows.length === 0) throw new CommandError('nothing to do: see above');
    asks = HARMLESS[name]?.(seen) !== true;
    taken = carried(operation, given, seen);
  } else taken = await looked(operation, given, asks, session);
  if (asks) await session.confirm(`${english}${factsOf(operation, { ...given, ...taken })}${count}`);
  return taken;
}

/** Returns the fields that a change takes from its preview. Leaves out a null that the change does not accept. */
function carried(operation: TypedOperation, given: Fields, seen: Fields): Fields {
  const { fields } = shapeOf(operation.body, 'input');
  const values = Object.entries(CARRIED[operation.operation] ?? {}).map(
    ([from, to]) => [to, to in given ? given[to] : seen[from]] as const,
  );
  return Object.fromEntries(values.filter(([to, value]) => value !== null || fields.get(to)?.isNullable));
}

/** ` (key a1B2c, partner 123)` */
function factsOf(operation: TypedOperation, given: Fields): string {
  const facts = typedFields(operation)
    .filter(({ name, shape }) => name in given && !shape.isSecret && name !== 'token')
    .map(({ name }) => `${flagOf(name).slice(2)} ${given[name]}`);
  return facts.length === 0 ? '' : ` (${facts.join(', ')})`;
}

/**
 * Shows the thing that a change is about, if the person is asked. Returns the fields that the change takes from this
 * thing.
 */
async function looked(operation: TypedOperation, given: Fields, asks: boolean, session: Session): Promise<Fields> {
  const look = lookFor(operation);
  if (look === undefined) return {};
  const from = operationNamed(look.from);
  const body: Fields = await session.ask(look.from, picked(given, { ...from.params?.shape, ...from.query?.shape }));
  const [list = '', by = ''] = look.row ?? [];
  const rows: unknown = body[list];
  const found = Array.isArray(rows) ? rows.filter((row: Fields) => row[by] === given[by]) : undefined;
  if (found?.length === 0) throw new CommandError(`there is no ${singular(list)} ${given[by]}`);
  const seen = found ? { ...body, [list]: found } : body;
  if (asks) session.note(textOf(from, seen, shapeOf(from.answer), given, session).trimEnd());
  const missing = look.gives?.filter((name) => given[name] === undefined) ?? [];
  return Object.fromEntries(missing.map((name) => [name, valueIn(found?.[0] ?? body, name)]));
}

const valueIn = (body: Fields, name: string): unknown =>
  [body, ...Object.values(body)].find((part): part is Fields => isFields(part) && name in part)?.[name];

function failIfNotDone(body: Fields): void {
  for (const [name, { is, says }] of Object.entries(FAILURES))
    if (name in body && is(body[name])) throw new CommandError(String(body['refusal'] ?? says));
}

export const textOf = ({ operation }: TypedOperation, body: Fields, shape: Shape, given: Fields, session: Session) =>
  answerText(body, shape, {
    given: Object.keys(given),
    columns: COLUMNS[operation],
    width: session.terminal.columns,
  });

/**
 * Shows the answer. Says of a key or a secret that it is shown only now, and of a moment when the next command is due.
 */
function show(operation: TypedOperation, body: Fields, shape: Shape, given: Fields, session: Session): void {
  session.print(body, () => textOf(operation, body, shape, given, session));
  for (const [name, { isShownOnce, isNextStep, description = '' }] of shape.fields) {
    if (isShownOnce && body[name]) session.note(description);
    if (isNextStep && Date.parse(String(body[name])) > session.clock())
      session.note(`${titleOf(name)}: ${inCommands(description)}`);
  }
}

const section = (title: string, lines: readonly string[]) =>
  lines.length === 0 ? '' : `\n${title}\n${lines.join('\n').replace(/^/gm, '  ')}\n`;

/** Lists the secrets that are read as input. They have no option, because they must be given. */
function inputHelp(verb: Command, fields: readonly TypedField[]): string {
  const read = fields.filter(({ isNeeded, shape }) => isNeeded && shape.isSecret);
  const lines = read.map(({ name, shape: { description = '' } }) =>
    verb.createHelp().boxWrap(`${name}: ${description}`, 76),
  );
  return section('Read from standard input, or asked for at a terminal:', lines);
}

function answerHelp(verb: Command, answer: Shape): string {
  const help = verb.createHelp();
  const lines = ({ fields, items }: Shape): string[] =>
    Array.from(items?.fields ?? fields).flatMap(([name, part]) => {
      const own = part.description === undefined ? [] : [help.boxWrap(`${name}: ${inCommands(part.description)}`, 76)];
      return ['ok', 'next_cursor', 'total'].includes(name) ? [] : own.concat(lines(part));
    });
  return section('Answer:', lines(answer));
}

const EXAMPLES: Readonly<Record<string, string>> = {
  environment: 'sandbox',
  key_id: 'a1B2c',
  event_id: 'evt_mzxw6ytboi4dsmrqgaydcmjsgaydcmjs',
  approval_id: `apr_${'7c1d'.repeat(8)}`,
  operation: 'create-key',
  month: '2026-11',
  withdrawn_at: '2h',
  channel: 'e-mail',
  url: 'https://hooks.parceiro.com.br/eventos',
  seen: '2026-11-20',
  from: '2026-12-01',
  value: '13.49',
  source: '"Itaú, página do banco"',
};

/** Options of the help's example of one operation, in addition to the fields that each call needs. */
const ALSO: Readonly<Partial<Record<AdministrationOperation, string>>> = {
  'list-audit': '--partner 123',
  'show-analysis': '--partner 123',
  'present-unit': '--creci "12.345-J SP"',
  'replay-deliveries': '--partner 123 --environment sandbox --since 3d',
  'discard-dead-letters': '--event evt_mzxw6ytboi4dsmrqgaydcmjsgaydcmjs',
  'publish-bank-rate': '--page https://www.itau.com.br/taxas',
  'confirm-bank-rate': '--page https://www.itau.com.br/taxas',
  'correct-lead': '--cpf',
};
const FROM_INPUT: readonly AdministrationOperation[] = ['export-lead', 'erase-lead', 'correct-lead'];

function exampleOf(words: readonly string[], operation: TypedOperation, fields: readonly TypedField[]): string {
  const exampleValue = ({ name, shape }: TypedField) =>
    EXAMPLES[name] ?? shape.choices[0] ?? (name.endsWith('_id') || shape.type === 'integer' ? '123' : '"..."');
  const given = fields.filter(({ isNeeded, shape }) => isNeeded && !shape.isSecret);
  const typed = given.map((field) =>
    field.isArgument ? exampleValue(field) : `${flagOf(field.name)} ${exampleValue(field)}`,
  );
  const { operation: name } = operation;
  const isRead = FROM_INPUT.includes(name) || fields.some(({ isNeeded, shape }) => isNeeded && shape.isSecret);
  const secret = isRead ? ['< secret.txt'] : [];
  const reason = operation.audited ? ['--reason "INC-42"'] : [];
  return words.concat(typed, ALSO[name] ?? [], reason, '--local', secret).join(' ');
}
