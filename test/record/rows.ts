import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { handler as poll } from '#functions/pollers/poll-bank-outcomes.ts';
import { handler as sweepDeliveries } from '#functions/pollers/sweep-deliveries.ts';
import { handler as sweepErasures } from '#functions/pollers/sweep-erasures.ts';
import type { AdministrationOperation } from '#shared/administration/operations.ts';
import { timestamp } from '#shared/domain/values/clock.ts';
import { tableName } from '#shared/runtime/env.ts';
import { type Item, tableClient } from '#shared/table/rows/client.ts';
import { forgetDerivationKeys } from '#shared/table/rows/derivation-keys.ts';
import { forgetServiceKeys } from '#shared/table/rows/encryption.ts';
import { type AdministrationCall, administration, because, CALLER } from '../makers/administration.ts';
import { api, type Operation } from '../makers/api.ts';
import { type CallAnswer, type CallOptions, lambdaContext } from '../makers/call.ts';
import { withPagesOfOne } from '../makers/pages-of-one.ts';
import { leadBody, simulationBody } from '../makers/people.ts';
import { clearLedger, clearTable, everyRow, writeLedger, writeRows } from '../makers/rows.ts';
import type { Scene } from '../makers/scene.ts';
import { withWrongClock } from '../makers/test-clock.ts';
import { CONSENTED_AT, placeOf, type Story } from './story.ts';

/** A call of a partner, a call to the administration, or a tick of a poller or sweeper. */
type Step =
  | { readonly partner: Operation; readonly call: CallOptions }
  | { readonly administration: AdministrationOperation; readonly call: AdministrationCall }
  | { readonly tick: keyof typeof TICKS };

/** A step with the release's own answer. */
interface Played {
  readonly step: Step;
  readonly status: number;
  /** What the answer must contain. */
  readonly body: unknown;
}

/** Rows that a release has written, the secrets that open them, and what the release answered from them. */
export interface RowsRecord {
  /** When the release gave the answers, in milliseconds since 1970. */
  readonly at: number;
  /** Name of the table, which is bound into the sealed parts. */
  readonly table: string;
  /** Secrets by the last part of their name. They are of this record only. */
  readonly secrets: Readonly<Record<string, string>>;
  readonly rows: readonly Item[];
  readonly ledger: readonly Item[];
  readonly played: readonly Played[];
}

const tick = () => ({ time: timestamp(Date.now()) });
const TICKS = {
  'poll-bank-outcomes': () => poll({ ...tick(), shard: 0, shards: 1 }, lambdaContext(55_000)),
  'sweep-deliveries': () => sweepDeliveries(tick(), lambdaContext(55_000)),
  'sweep-erasures': () => sweepErasures(tick(), lambdaContext(55_000)),
};

/** Secrets that rows and keys depend on. */
const SECRETS = ['keys', 'derivation-keys'] as const;
const secretName = ({ blueprint }: Scene['peers'], end: string): string => {
  const found = blueprint.secrets.find(({ name }) => name.endsWith(`/${end}`));
  if (!found) throw new Error(`the template has no secret whose name ends with /${end}`);
  return found.name;
};

/** Records the rows that a story has left behind, and plays the steps on them. The steps change the rows. */
export async function recordRows(scene: Scene, story: Story): Promise<RowsRecord> {
  const at = Date.now();
  const { Items: ledger = [] } = await tableClient().send(
    new ScanCommand({ TableName: process.env['ERASURE_LEDGER_NAME']! }),
  );
  const { secrets } = scene.peers;
  const rows = await everyRow();
  const before = {
    ...{ at, table: tableName(), rows, ledger },
    secrets: Object.fromEntries(SECRETS.map((end) => [end, secrets.current(secretName(scene.peers, end))])),
  };
  const played: Played[] = [];
  const continued = await continuedReads(scene);
  for (const { step, kept } of continued.concat(stepsOf(scene, story))) {
    const { status, body } = await take(step);
    if (status >= 400) throw new Error(`${nameOf(step)} answered ${status} ${JSON.stringify(body)}`);
    played.push({ step, status, body: kept(body) });
  }
  return { ...before, played };
}

/**
 * Puts the rows of a record into the tables, and plays the recorded steps with today's code at the recorded time.
 * Returns a sentence for each step whose answer is another one. Answers may have more fields than the recorded ones.
 */
export async function replayRows({ peers }: Scene, record: RowsRecord): Promise<readonly string[]> {
  if (tableName() !== record.table) throw new Error(`the rows are bound to the table ${record.table}`);
  await clearTable();
  await clearLedger();
  for (const [end, SecretString] of Object.entries(record.secrets)) {
    peers.secrets.put({ SecretId: secretName(peers, end), SecretString });
  }
  forgetServiceKeys();
  forgetDerivationKeys();
  await writeRows(record.rows);
  await writeLedger(record.ledger);
  const sentences: string[] = [];
  await withWrongClock(record.at - Date.now(), async () => {
    for (const { step, status, body } of record.played) {
      const answer = await take(step).catch((error: unknown) => ({ status: 500, body: String(error) }));
      if (answer.status !== status) {
        const text = JSON.stringify(answer.body).slice(0, 300);
        sentences.push(`${nameOf(step)} answered ${status}, and now answers ${answer.status} ${text}`);
      } else {
        for (const place of differing(body, answer.body, '')) sentences.push(`${nameOf(step)}: ${place}`);
      }
    }
  });
  return sentences;
}

async function take(step: Step): Promise<Pick<CallAnswer, 'status' | 'body'>> {
  if ('tick' in step) {
    await TICKS[step.tick]();
    return { status: 200, body: {} };
  }
  if ('administration' in step) return administration(step.administration, step.call);
  const { status, body = {} } = await api(step.partner, step.call);
  return { status, body };
}

const nameOf = (step: Step): string => {
  if ('tick' in step) return step.tick;
  return 'partner' in step ? step.partner : step.administration;
};

/** Yields a sentence for each place at which an answer lacks what an earlier answer had. */
function* differing(before: unknown, now: unknown, place: string): Generator<string, void> {
  if (typeof before !== 'object' || before === null || typeof now !== 'object' || now === null) {
    if (before !== now) yield `${place} was ${JSON.stringify(before)}, and is now ${JSON.stringify(now)}`;
    return;
  }
  const values = new Map(Object.entries(now));
  for (const [name, value] of Object.entries(before)) yield* differing(value, values.get(name), `${place}.${name}`);
}

/** Fields that depend on when the rows were put into this table. */
const FLEETING: ReadonlySet<string> = new Set(['auth_item_bytes', 'settled_at']);

/** Returns a body without its fleeting fields. */
const lasting = (body: unknown): unknown =>
  JSON.parse(JSON.stringify(body, (name, value: unknown) => (FLEETING.has(name) ? undefined : value)));

/**
 * Returns the second page of each list of the administration. A client may continue a list after a deployment, with the
 * cursor of the release before.
 */
async function continuedReads({ partner }: Scene): Promise<Planned[]> {
  const { partnerId: partner_id } = partner;
  const lists: readonly (readonly [AdministrationOperation, NonNullable<AdministrationCall['query']>, limit?: 1])[] = [
    ['list-audit', { partner_id }, 1],
    ['list-deliveries', { partner_id }, 1],
    ['list-partners', {}, 1],
    ['list-failing-webhooks', {}],
  ];
  const planned: Planned[] = [];
  for (const [name, query, limit] of lists) {
    const first = { query: { ...query, ...(limit && { limit }) } };
    const { next_cursor: cursor } = (await withPagesOfOne(() => administration(name, first))).body;
    if (cursor === null) throw new Error(`${name} has only one page`);
    planned.push({ step: { administration: name, call: { query: { ...query, cursor } } }, kept: lasting });
  }
  return planned;
}

/** A step, and what of its answer is recorded. */
interface Planned {
  readonly step: Step;
  readonly kept: (body: CallAnswer['body']) => unknown;
}

/**
 * The steps of a record: reads of every row, calls that repeat earlier ones, a look at every sealed row, and then
 * changes. Changes give new ids and moments, so that only their status is recorded.
 */
function stepsOf(scene: Scene, story: Story): Planned[] {
  const { couple, pending, withdrawn, erasing, sandboxLead, spouseCpf } = story;
  const { partnerId: partner_id, unitId: unit_id, keys } = scene.partner;
  const partner = (name: Operation, call: CallOptions = {}): Step => ({
    partner: name,
    call: { key: scene.key, ...call },
  });
  const manage = (name: AdministrationOperation, call: AdministrationCall = {}): Step => ({
    administration: name,
    call,
  });
  const changed = (name: AdministrationOperation, { body, ...call }: AdministrationCall = {}): Step =>
    manage(name, { ...call, body: { ...(body as object), ...because } });
  const place = (submission: Story['couple']) => {
    const { confirm: _, ...named } = placeOf(scene, submission.person);
    return named;
  };
  const people = [couple, pending, withdrawn];
  const analyses = people.flatMap((submission) => submission.analyses);
  const { person } = couple;

  const reads: Step[] = [
    partner('getAccount'),
    partner('getAccount', { key: keys.sandbox }),
    ...people.map(({ person: { lead } }) => partner('getLead', { id: lead })),
    partner('getLead', { id: sandboxLead, key: keys.sandbox }),
    ...story.simulations.flatMap((id) => [
      partner('getSimulation', { id }),
      partner('getSimulationInstalments', { id }),
    ]),
    ...analyses.map((id) => partner('getAnalysisStatus', { id })),
    ...people.flatMap(({ person: { lead: id } }) => [
      partner('listLeadAnalyses', { id }),
      partner('listLeadConsents', { id }),
    ]),
    partner('getWebhook'),
    partner('listOwnDeliveries'),
    partner('listRefusedCalls', { key: keys.sandbox }),
    manage('list-audit', { query: { partner_id } }),
    manage('list-approvals'),
    manage('list-partners'),
    manage('show-partner', { params: { partner_id } }),
    manage('list-units', { query: { partner_id } }),
    manage('list-keys', { query: { partner_id } }),
    manage('show-sandbox-checklist', { params: { partner_id } }),
    manage('list-refusals', { query: { partner_id, unit_id } }),
    manage('show-webhook', { params: { partner_id } }),
    manage('list-failing-webhooks'),
    manage('list-deliveries', { query: { partner_id } }),
    ...story.events.map((event_id) => manage('show-delivery', { params: { event_id } })),
    manage('list-pending-analyses', { query: { partner_id } }),
    ...analyses.map((analysis_id) => manage('show-analysis', { params: { analysis_id }, query: { partner_id } })),
    changed('find-leads', { body: { cpf: person.cpf } }),
    changed('find-leads', { body: { cpf: spouseCpf } }),
    ...people.map((one) => changed('export-lead', { body: { ...place(one), raw: true } })),
    changed('export-lead', { body: { ...place(couple), role: 'spouse', cpf: spouseCpf } }),
    manage('show-sealing-keys'),
  ];
  const repeated: Step[] = [
    partner('submitAnalyses', { body: couple.body, once: couple.once }),
    partner('withdrawConsent', story.withdrawal),
  ];
  const changes: Step[] = [
    partner('getSimulationPdf', { id: story.simulations[0]! }),
    partner('getSimulationComparison', { id: story.simulations[0]! }),
    partner('createLead', { body: leadBody({ cpf: person.cpf }) }),
    partner('updateLead', { id: person.lead, body: { renda: 21_000 } }),
    partner('createSimulation', { body: simulationBody(person.lead) }),
    partner('submitAnalyses', { body: { ...couple.body, bancos: ['santander'] }, once: 'after the record' }),
    partner('resendDelivery', { id: story.events[1]! }),
    partner('createLead', { key: keys.sandbox, body: leadBody({ cpf: '900.000.003-37' }) }),
    partner('resetSandbox', { key: keys.sandbox }),
    manage('record-outcomes', { body: { submissions: story.outcomes } }),
    {
      administration: 'approve-approval',
      call: { params: { operation: 'create-key', approval_id: story.approval }, body: because, caller: OTHER },
    },
    changed('rotate-key', {
      params: { key_id: story.sandboxKeyId },
      body: { partner_id, confirm: story.sandboxKeyId },
    }),
    changed('set-rate', { params: { partner_id }, body: { environment: 'sandbox', limit: 60 } }),
    changed('rotate-webhook-secret', {
      params: { partner_id, environment: 'producao' },
      body: { confirm: String(partner_id) },
    }),
    changed('withdraw-lead-consent', {
      body: { ...placeOf(scene, pending.person), withdrawn_at: CONSENTED_AT, channel: 'e-mail' },
    }),
    changed('erase-lead', { body: placeOf(scene, couple.person) }),
    changed('erase-lead', { body: placeOf(scene, erasing.person) }),
    { tick: 'poll-bank-outcomes' },
    { tick: 'sweep-deliveries' },
    { tick: 'sweep-erasures' },
  ];
  const everySealedRow = changed('reencrypt-rows', { body: { units_per_second: 40_000 } });
  return [
    ...reads.concat(repeated).map((step) => ({ step, kept: lasting })),
    { step: everySealedRow, kept: ({ broken, broken_count }) => ({ broken, broken_count }) },
    ...changes.map((step) => ({ step, kept: () => ({}) })),
  ];
}

/** Another person than the one who makes the other calls. */
const OTHER = CALLER.replace('ana.lima', 'bia.reis');
