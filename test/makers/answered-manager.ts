import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, vi } from 'vitest';
import * as z from 'zod/mini';
import { ADMINISTRATION_FAILURES, type AdministrationCode } from '#shared/administration/failures.ts';
import { DUTIES, type Operation } from '#shared/administration/operation.ts';
import { ADMINISTRATION_OPERATIONS } from '#shared/administration/operations.ts';
import { managerHere } from './manager.ts';

// Runs the command line against an API whose answers a script gives. A script has blocks. Each block begins with a
// command:
//
// - `$ keys list --partner 123`: the command.
//
// These lines say what the command meets:
//
// - `= list-keys {"keys":[{}, {}]}`: the answer of an operation. Fields that it leaves out get the schema's examples.
//   With several such lines for an operation, each call takes the next one, and the last one stays.
// - `= list-keys not_found There ...`: a failure, by its code and its sentence.
// - `= list-keys lost`: the connection breaks before the answer.
// - `? "y"`: an answer of the person at the terminal.
// - `< "..."`: standard input.
// - `w 80`: columns of the terminal.
//
// These lines follow when the block has run:
//
// - `> manager: GET /v1/keys?...`: a request, after the duty whose token it carries.
// - `| KEY  ENDS IN ...`: standard output.
// - `! ...`: standard error.
// - `exit 1`: the exit code, unless it is 0.

const URL = 'https://api.example/prod';
const EVENT = `evt_${'a'.repeat(32)}`;

const MOMENT = '2026-11-20T09:08:07Z';
const INDEX_KEY = 'idxKey_1';

/**
 * Lines of the local run's logs. Two calls of partner 123 with key a1B2c, the address of the first, and a line that is
 * no call. The others are calls of another key, another partner or another day.
 */
const CALL = { code: 'request_completed', timestamp: '2026-11-20T09:08:07.123Z', partner: 123, key: 'a1B2c' };
const GET_LEAD = { ...CALL, request_id: 'r-1', operation: 'get-lead', status: 200, lead: 123_456_789_012_345 };
const LOGS = [
  ...[{ request_id: 'r-1', status: '200', address: '198.51.100.7' }, GET_LEAD, { ...GET_LEAD, code: 'row_unreadable' }],
  ...[{ key: 'zZ9zZ' }, { partner: 124 }, { timestamp: '2026-11-19T08:00:00Z' }].map((changes) => ({
    ...CALL,
    ...changes,
  })),
  { ...CALL, timestamp: '2026-11-21T00:00:00Z', request_id: 'r-2', operation: 'list-leads', status: 200 },
];

/**
 * Example values by the name of the field. Any other text field has its own name as value, any other number the length
 * of its name.
 */
const EXAMPLES: Readonly<Record<string, unknown>> = {
  partner_id: 123,
  unit_id: 456,
  lead_id: 7001,
  analysis_id: 789,
  event_id: EVENT,
  events: EVENT,
  key_id: 'a1B2c',
  replaced: 'a1B2c',
  name: 'Imobiliária São João_2',
  url: 'https://hooks.parceiro.com.br/eventos',
  current_url: 'https://hooks.parceiro.com.br/antes',
  refusal: null,
  prefix: 'pmc_sandbox_',
  last_four: 'wXyZ',
  last_used_on: '2026-11-10',
  text: 'pmc_sandbox_text',
  secret: 'whsec_secret',
  who: 'arn:aws:sts::123456789012:assumed-role/partner-credit-manager/ana.lima',
  next_cursor: null,
  target: { key: 'a1B2c', created_at: '2026-11-20T10:00:00Z' },
  version: 1,
  versions: 1,
  waiting: 3,
  day: '2027-01-01',
  still_shown: '2026-11-20',
  used_from: '2026-11-21',
  refused_from: '2027-01-01',
};

/** The parts of a schema's definition that this file reads. */
interface Definition {
  readonly type: string;
  readonly values: readonly unknown[];
  readonly shape: Readonly<Record<string, z.core.$ZodType>>;
  readonly element: z.core.$ZodType;
  readonly entries: Readonly<Record<string, unknown>>;
  readonly options: readonly z.core.$ZodType[];
  readonly innerType?: z.core.$ZodType;
}

/**
 * Returns a value that fits a schema and can be recognised in the output. Fields that `given` names keep their values.
 */
function exampleOf(schema: z.core.$ZodType, name: string, given?: unknown): unknown {
  const definition = schema._zod.def as unknown as Definition;
  const { type, innerType } = definition;
  if (given === undefined && EXAMPLES[name] === null) return null;
  if (innerType && given !== null) return exampleOf(innerType, name, given);
  if (type === 'array') {
    // A preview with faults is a failure, so that no change would follow it.
    const items = (given as readonly unknown[] | undefined) ?? (name === 'faults' ? [] : [undefined]);
    return items.map((item) => exampleOf(definition.element, name, item));
  }
  if (type === 'object' && given !== null) {
    const fields = Object.entries(definition.shape).map(([field, fieldSchema]) => [
      field,
      exampleOf(fieldSchema, field, (given as Record<string, unknown> | undefined)?.[field]),
    ]);
    return { ...(given as object), ...Object.fromEntries(fields) };
  }
  if (given !== undefined) return given;
  if (type === 'literal') return definition.values[0];
  const known = [EXAMPLES[name], name, MOMENT, INDEX_KEY, name.length].find(
    (value) => z.safeParse(schema, value).success,
  );
  if (known !== undefined) return known;
  if (type === 'enum') return Object.values(definition.entries)[0];
  if (type === 'boolean') return true;
  if (type === 'union') return exampleOf(definition.options[0]!, name);
  throw new TypeError(`${name} has no example: ${type}`);
}

/** Returns the API's answer that `given` describes: a JSON object, or the code of a failure with its sentence. */
function answerOf({ answer, preview }: Operation, dry: boolean, given = '{}'): Response {
  const schema = dry ? preview! : answer;
  if (given.startsWith('{')) {
    const body = exampleOf(schema, '', JSON.parse(given));
    return Response.json(z.strictObject(schema.shape).parse(body));
  }
  const [code, ...messageWords] = given.split(' ') as [AdministrationCode, ...string[]];
  const { status, error } = ADMINISTRATION_FAILURES[code];
  return Response.json({ ok: false, error: messageWords.join(' ') || error, code, request_id: 'r-1' }, { status });
}

/**
 * Returns a function that runs each block of a script in this process. It returns the script with the requests and the
 * output that it sees.
 */
export function useAnsweredManager(): (script: string) => Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'partner-credit-answered-'));
  const manager = managerHere(join(folder, 'service.json'));
  beforeAll(() => {
    const tokens = Object.fromEntries(DUTIES.map((duty) => [duty, duty]));
    const logs = join(folder, 'logs');
    writeFileSync(join(folder, 'service.json'), JSON.stringify({ administration: { url: URL, tokens }, logs }));
    mkdirSync(logs);
    writeFileSync(join(logs, 'all.log'), LOGS.map((line) => `${JSON.stringify(line)}\n`).join(''));
  });
  afterAll(() => {
    vi.unstubAllGlobals();
    rmSync(folder, { recursive: true });
  });

  async function playBlock(lines: readonly string[]): Promise<string> {
    const inputLines = lines.filter((line) => /^[$=?<w] /.test(line));
    const linesMarked = (mark: string) => inputLines.filter((line) => line[0] === mark).map((line) => line.slice(2));
    const sent: string[] = [];
    let fault: unknown;
    const answersGiven = linesMarked('=').map((line) => /^(\S+) (.*)$/.exec(line)!.slice(1) as [string, string]);
    vi.stubGlobal('fetch', async (url: string | globalThis.URL, { method, headers, body }: RequestInit) => {
      const path = String(url).slice(URL.length);
      const duty = (headers as Record<string, string>)['authorization']!.slice('Bearer '.length);
      sent.push(`> ${duty}: ${method} ${path}${body === undefined ? '' : ` ${body}`}`);
      const called = ADMINISTRATION_OPERATIONS.find(
        (row) => row.method === method && new RegExp(`^${row.path.replace(/\{\w+\}/g, '[^/]+')}([?]|$)`).test(path),
      )!;
      const at = answersGiven.findIndex(([name]) => name === called.operation);
      const isLast = answersGiven.filter(([name]) => name === called.operation).length < 2;
      const answer = at < 0 || isLast ? answersGiven[at] : answersGiven.splice(at, 1)[0];
      if (answer?.[1] === 'lost') throw new TypeError('terminated');
      try {
        return answerOf(called, String(body).includes('"dry_run":true'), answer?.[1]);
      } catch (error) {
        fault = error;
        throw error;
      }
    });
    const words = [...linesMarked('$')[0]!.matchAll(/("[^"]*")|(\S+)/g)].map(
      ([, quoted, bare]) => bare ?? JSON.parse(quoted!),
    );
    const answers = linesMarked('?').map((text) => JSON.parse(text));
    const [input = '""', columns] = [linesMarked('<')[0], linesMarked('w')[0]];
    const { code, out, err } = await manager(words, {
      input: JSON.parse(input),
      ...(answers.length > 0 && { answers }),
      ...(columns && { columns: Number(columns) }),
      now: () => Date.parse('2026-11-23T12:00:00Z'),
    });
    if (fault !== undefined) throw fault;
    const marked = (mark: string, text: string) => text.replace(/\n$/, '').replace(/^/gm, `${mark} `);
    return [
      ...inputLines,
      ...sent,
      ...(out === '' ? [] : [marked('|', out)]),
      ...(err === '' ? [] : [marked('!', err)]),
      ...(code === 0 ? [] : [`exit ${code}`]),
    ]
      .join('\n')
      .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<uuid>')
      .replace(/[^\S\n]+$/gm, '');
  }

  return async (script) => {
    const texts: string[] = [];
    for (const block of script.split(/^(?=\$ )/m)) texts.push(await playBlock(block.split('\n')));
    return `${texts.join('\n\n')}\n`;
  };
}
