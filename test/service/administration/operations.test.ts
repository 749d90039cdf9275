/**
 * What every operation of the administration must do: refuse a wrong call before it reads the table, be noted in the
 * audit, and let the panel wait for at most two rounds of reads. Reads of the table that run at the same time are one
 * round; a read that begins after another has ended begins the next round. Not counted are the operation's own writes,
 * the two writes of the audit, queues, secrets and receivers.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type * as z from 'zod/mini';
import { PANEL_OPERATIONS } from '#bin/manager/panel/forward.ts';
import { AUDIT_TARGET } from '#bin/manager/panel/page/words.ts';
import type { Operation } from '#shared/administration/operation.ts';
import { ADMINISTRATION_OPERATIONS, type AdministrationOperation } from '#shared/administration/operations.ts';
import { type AdministrationCall, administration, CALLER } from '#test/makers/administration.ts';
import { administrationScenes } from '#test/makers/administration-scenes.ts';
import type { CallAnswer } from '#test/makers/call.ts';
import { intercepted, interceptTable } from '#test/makers/intercepted.ts';
import { usePeers } from '#test/makers/peers.ts';
import { type Receiver, startPlainReceiver } from '#test/makers/receiver.ts';
import { clearTable, rowsOf } from '#test/makers/rows.ts';
import { setServiceKeys } from '#test/makers/service-keys.ts';

const BUDGET = 2;

const TOLD = 'the address that receives the account event is read right before the change is written';

/**
 * Operations that take more rounds than BUDGET in their scenes: how many, and why they cannot take fewer. Operations
 * that grow with the data work page by page and show their progress.
 */
const ABOVE: Readonly<Partial<Record<string, { readonly rounds: number; readonly reason: string }>>> = {
  'show-sandbox-checklist': {
    rounds: 6,
    reason: 'while a step is missing, it reads the units, their leads, what each lead has, and the newest events',
  },
  'validate-partner': { rounds: 7, reason: `the same checklist decides; ${TOLD}` },
  'set-webhook': { rounds: 3, reason: `the events that wait are counted for the confirmation; ${TOLD}` },
  'find-leads': { rounds: 3, reason: 'partner, then its units, then the CPF in each; all partners page by page' },
  'export-lead': {
    rounds: 5,
    reason:
      'the audit notes the call before the person is read; then lists, rows, what the rows name, and the cutoff of consents',
  },
  'correct-lead': {
    rounds: 3,
    reason: 'the analyses are read after the lead, whose uses show the analyses that were made since',
  },
  'withdraw-lead-consent': {
    rounds: 3,
    reason: 'the lead is read after the unit, and its analyses after the lead',
  },
  'erase-lead': { rounds: 11, reason: 'each step reads what the step before it has left' },
  'export-audit': { rounds: 5, reason: 'it reads the register of partners, once a month, page by page' },
};

const peers = usePeers();
let receiver: Receiver;
let keysSecret: string;
let scenes: ReturnType<typeof administrationScenes>;
beforeAll(async () => {
  process.env['LOCAL_WEBHOOK_TARGETS'] = 'true';
  keysSecret = process.env['KEYS_SECRET']!;
  interceptTable();
  receiver = await startPlainReceiver((_, response) => response.writeHead(200).end());
  scenes = administrationScenes(peers.secrets, `http://127.0.0.1:${receiver.port}/eventos`);
});
afterAll(() => receiver.stop());
beforeEach(async () => {
  process.env['KEYS_SECRET'] = keysSecret;
  // Operations that go through all partners must find only those of their own scene.
  await clearTable();
  setServiceKeys(peers.secrets);
});

const READ = /^table (Get|BatchGet|Query|Scan|TransactGet)/;
/** Turns of the event loop without a call of the table, after which a round has ended. */
const QUIET = 20;

/**
 * Returns the answer to a call, its number of read rounds, and each read with its round. A read returns only when no
 * other call of its round is running any more, so that it does not matter how fast the table answers each of them.
 */
async function counted(operation: AdministrationOperation, call: AdministrationCall) {
  let rounds = 0;
  let underWay = 0;
  let untold = 0;
  let waiting: (() => void)[] = [];
  const reads: string[] = [];
  async function endRound(): Promise<void> {
    for (let turn = 0; turn < QUIET; turn++) {
      await new Promise((resolve) => setImmediate(resolve));
      if (underWay > 0) return;
    }
    const all = waiting;
    waiting = [];
    untold = 0;
    for (const goOn of all) goOn();
  }
  const counting = {
    async around<T>(name: string, made: () => Promise<T>): Promise<T> {
      const isRead = READ.test(name);
      if (isRead && untold === 0) rounds += 1;
      if (isRead) reads.push(`${rounds} ${name}`);
      underWay += 1;
      untold += isRead ? 1 : 0;
      const answer = made().finally(() => {
        underWay -= 1;
        if (underWay === 0) void endRound();
      });
      if (!isRead) return answer;
      const [result] = await Promise.allSettled([answer, new Promise<void>((goOn) => waiting.push(goOn))]);
      if (result.status === 'rejected') throw result.reason;
      return result.value;
    },
  };
  const answer = await intercepted(counting, () => administration(operation, call));
  return { answer, rounds, reads };
}

type Fields = Readonly<Record<string, unknown>>;
type Refusal = readonly [AdministrationCall, status: number, code: string, field?: string];

/**
 * Values that no field takes, in a query and in a body. Only the fields in TAKES_ALL take them: any text, or a list of
 * anything.
 */
const BAD = { query: '§', body: [[]] } as const;
const TAKES_ALL = ['name', 'submissions'];
const isOptional = (schema: z.core.$ZodType) => ['optional', 'default'].includes(schema._zod.def.type);

/** Returns the wrong calls that must be refused, made from a good call. */
function refusalsOf(
  { method, audited, confirm, query, body, operation }: Operation,
  call: AdministrationCall,
): Refusal[] {
  const caller: Refusal = [{ ...call, caller: null }, 403, 'caller_unknown'];
  // Only show-openapi, which returns the document of the API, takes no fields at all.
  if (operation === 'show-openapi') return [caller];
  const part = method === 'GET' ? 'query' : 'body';
  const sent = (call[part] ?? {}) as Fields;
  const withField = (field: string, value: unknown) => ({ ...call, [part]: { ...sent, [field]: value } });
  const without = (field: string) => {
    const { [field]: _, ...rest } = sent;
    return { ...call, [part]: rest };
  };
  const own = Object.entries((part === 'query' ? query : body)?.shape ?? {});
  return [
    caller,
    [withField('no_such', '1'), 400, 'field_unknown', 'no_such'],
    ...own.flatMap(([field, schema]): Refusal[] => [
      ...(isOptional(schema) ? [] : [[without(field), 400, 'field_required', field] as const]),
      ...(TAKES_ALL.includes(field) ? [] : [[withField(field, BAD[part]), 400, 'field_invalid', field] as const]),
    ]),
    ...(audited ? [[without('reason'), 400, 'field_required', 'reason'] as const] : []),
    ...(confirm && !confirm.sometimes ? [[without('confirm'), 422, 'confirmation_missing', 'confirm'] as const] : []),
  ];
}

const auditOf = async (operation: string) => (await rowsOf('AUDIT#')).filter(({ action }) => action === operation);

/** The facts that the audit adds at the end of a change, made from the answer. */
const RESULTS: Readonly<Partial<Record<string, (answer: CallAnswer['body']) => Fields>>> = {
  'create-key': ({ key_id }) => ({ key: key_id }),
  'rotate-key': ({ key_id }) => ({ key: key_id }),
  'enable-webhook': ({ released }) => ({ released }),
  'ping-webhook': ({ delivered }) => ({ delivered }),
  'poll-analysis': ({ outcome }) => ({ outcome }),
  'replay-deliveries': ({ sent, skipped }) => ({ sent, skipped }),
  'redrive-dead-letters': ({ redriven }) => ({ redriven }),
  'discard-dead-letters': ({ discarded }) => ({ discarded }),
  'find-leads': ({ found }) => ({
    found: found.length,
    leads: found.map(({ lead_id }: { lead_id: number }) => lead_id).join(','),
  }),
  'correct-lead': ({ corrected }) => ({ corrected: corrected.join(',') }),
  'withdraw-lead-consent': ({ withdrawal_id }) => ({ withdrawal: withdrawal_id }),
  'apply-erasure-ledger': ({ entries, erasures }) => ({ entries, leads: erasures.length }),
  'change-service-keys': ({ current, index_changed }) => ({ version: current, index_changed }),
  'rewrite-rows': ({ seen, resealed, moved, removed, broken_count }) => ({
    seen,
    resealed,
    moved,
    removed,
    broken: broken_count,
  }),
  'retire-service-keys': ({ seen, retired, retired_index }) => ({
    seen,
    retired: retired.join(', '),
    retired_index: retired_index.join(', '),
  }),
};

let run = 0;

it.each(ADMINISTRATION_OPERATIONS)(
  '$operation refuses before it reads, has one audit row in words if it is audited, and keeps its budget of reads',
  async (operation) => {
    const name = operation.operation;
    const scene: AdministrationCall = await scenes[name]();
    const reason = `RUN-${++run}`;
    const call = operation.audited ? { ...scene, body: { ...(scene.body as Fields), reason } } : scene;
    const before = await auditOf(name);

    for (const [wrong, status, code, field] of refusalsOf(operation, call)) {
      const { answer, reads } = await counted(name, wrong);
      const named = answer.body.fields?.map((one: { field: string }) => one.field.split('.')[0]);
      const told = [code, field, answer.status, answer.body.code, reads];
      expect(told).toEqual([code, field, status, code, []]);
      if (field !== undefined) expect(named).toContain(field);
    }
    expect(await auditOf(name)).toEqual(before);
    if (operation.dryRun) {
      const { reason: _, confirm, ...rest } = call.body as Fields;
      const why = operation.notedPreview ? { reason } : {};
      const { status, body } = await administration(name, { ...call, body: { ...rest, ...why, dry_run: true } });
      expect(status).toBe(200);
      expect(body.dry_run).toBe(true);
      const row = { who: CALLER, outcome: 'done', reason, target: expect.objectContaining({ dry_run: true }) };
      const previewed = operation.notedPreview ? [expect.objectContaining(row)] : [];
      expect((await auditOf(name)).slice(before.length)).toEqual(previewed);
      before.push(...(await auditOf(name)).slice(before.length));
    }

    const { answer, rounds, reads } = await counted(name, call);
    expect(answer.status, answer.text).toBe(200);
    const noted = (await auditOf(name)).slice(before.length);
    const wanted = operation.audited ? [expect.objectContaining({ who: CALLER, outcome: 'done', reason })] : [];
    expect(noted).toEqual(wanted);
    for (const row of noted) {
      const added = RESULTS[name]?.(answer.body) ?? {};
      expect(row['result'] ?? {}).toMatchObject(added);
      const facts = Object.keys({ ...(row['target'] as Fields), ...((row['result'] ?? {}) as Fields) });
      expect(facts.filter((fact) => !Object.hasOwn(AUDIT_TARGET, fact))).toEqual([]);
    }
    const { cpf, key, token } = (call.body ?? {}) as Fields;
    for (const kept of [cpf, key, token, answer.body.secret, answer.body.text])
      if (kept) expect(JSON.stringify(noted)).not.toContain(kept);
    const above = ABOVE[name]?.rounds;
    if (above !== undefined) expect(rounds, reads.join(', ')).toBe(above);
    else if (PANEL_OPERATIONS.some((one) => one === name)) expect(rounds, reads.join(', ')).toBeLessThanOrEqual(BUDGET);
  },
);

it('RESULTS has every operation whose plan adds facts of its answer to the audit', () => {
  const folder = join(import.meta.dirname, '../../../functions/administration');
  const adding = ADMINISTRATION_OPERATIONS.filter(({ noun, operation }) =>
    /^ +result: /m.test(readFileSync(join(folder, noun, `${operation}.ts`), 'utf8')),
  );
  expect(adding.map(({ operation }) => operation).sort()).toEqual(Object.keys(RESULTS).sort());
});

it('each operation with an exception from the budget needs it', () => {
  for (const one of Object.values(ABOVE)) expect(one?.rounds).toBeGreaterThan(BUDGET);
});

const EVENT = `evt_${'a'.repeat(32)}`;
/** Operations that answer with nothing if a partner is unknown. */
const QUIET_ONES: readonly AdministrationOperation[] = ['list-audit', 'replay-deliveries'];
const ids = { partner_id: 4_000_000_001, analysis_id: 1, event_id: EVENT } as const;
const named = ADMINISTRATION_OPERATIONS.filter(
  ({ path, params, query, body, operation }) =>
    !QUIET_ONES.includes(operation) &&
    !path.startsWith('/v1/dead-letters') &&
    !['list-pending-analyses', 'export-audit'].includes(operation) &&
    Object.keys(ids).some((id) => id in { ...params?.shape, ...query?.shape, ...body?.shape }),
);
it.each(named)('$operation answers 404 for an unknown id, and the audit notes nothing', async (operation) => {
  const scene: AdministrationCall = await scenes[operation.operation]();
  const before = await auditOf(operation.operation);
  const unknown = (fields: Fields = {}) =>
    Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [name, name in ids ? ids[name as keyof typeof ids] : value]),
    );
  const { params, query, body } = scene;
  const told = {
    params: unknown(params),
    query: unknown(query),
    body: unknown(body as Fields),
  } as AdministrationCall;
  const known = { ...params, ...(body as Fields) };
  const sure = told.body as Record<string, unknown>;
  const confirmed = Object.entries(ids).find(([name]) => String(known[name]) === sure['confirm']);
  if (confirmed) sure['confirm'] = String(confirmed[1]);
  const answer = await administration(operation.operation, told);
  expect(answer.status).toBe(404);
  expect(answer.body.code).toBe('not_found');
  expect(await auditOf(operation.operation)).toEqual(before);
});
