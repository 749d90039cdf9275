import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { administrationPermission } from '#infra/administration-stack.ts';
import { ADMINISTRATION_FUNCTIONS, administrationFunction, PANEL } from '#infra/functions.ts';
import { allowed } from '#infra/local/aws/iam.ts';
import { ACCOUNT, REGION } from '#infra/local/template.ts';
import { APPROVABLE } from '#shared/administration/approvals.ts';
import { ADMINISTRATION_OPERATIONS, type AdministrationOperation } from '#shared/administration/operations.ts';
import { dayInSaoPaulo } from '#shared/domain/values/clock.ts';
import type { LeadId } from '#shared/domain/values/ids.ts';
import { cursorOf } from '#shared/http/administration/cursor.ts';
import { TableErasureLedger } from '#shared/table/leads/erasure-ledger.ts';
import { putRow } from '#shared/table/rows/client.ts';
import { TableDeliveries } from '#shared/table/webhooks/deliveries.ts';
import { type AdministrationCall, administrationEvent, because } from '../makers/administration.ts';
import { rateToConfirm, rateToPublish, requestedApproval } from '../makers/administration-scenes.ts';
import { bookAnalysis, bookDelivery, CLOSABLE } from '../makers/booked.ts';
import {
  accessesOfFunction,
  idleKinds,
  idleReads,
  type RoleStatement,
  rolesOf,
  unusedPermissions,
} from '../makers/iam.ts';
import { eventually } from '../makers/local-service.ts';
import { makePartner } from '../makers/peers.ts';
import { leadBody } from '../makers/people.ts';
import { rowsOf } from '../makers/rows.ts';
import type { KeysText } from '../makers/service-keys.ts';
import { ageAnalysis, Walk } from '../makers/walk.ts';
import { startWholeService, type WholeService } from '../makers/whole-service.ts';

let service: WholeService;
let roles: Map<string, RoleStatement[]>;

/** Calls the deployed bundle of an operation without the gateway. Returns the body of its answer. */
async function ask(operation: AdministrationOperation, call: AdministrationCall = {}, code?: string) {
  const result = (await service.run(administrationFunction(operation), administrationEvent(operation, call))) as {
    statusCode: number;
    body: string;
  };
  const body = JSON.parse(result.body);
  expect(body.code, operation).toBe(code);
  expect(body.error, operation).toEqual(code && expect.any(String));
  return body;
}

/** Calls every operation, in each variant that makes other calls to AWS. */
async function everything(walk: Walk): Promise<void> {
  const environment = 'producao';
  const created = await ask('create-partner', { body: { name: 'Casa Nova', ...because } });
  const { partner_id } = created.partner;
  const { unit_id } = (await ask('create-unit', { body: { partner_id, name: 'Centro', ...because } })).unit;
  const params = { partner_id };
  await ask('list-partners');
  await ask('list-partners', { query: { unit_id } });
  await ask('list-partners', { query: { name: 'casa' } });
  await ask('list-units', { query: { partner_id } });
  await ask('present-unit', { params: { unit_id }, body: { partner_id, creci: '12345-J', ...because } });
  await walk.call('POST', '/v1/leads', { key: walk.partner.keys.sandbox, body: leadBody() });
  const known = { partner_id: walk.partner.partnerId };
  await ask('list-refusals', { query: { ...known, unit_id: walk.partner.unitId } });
  await ask('show-sandbox-checklist', { params: known });
  await ask('validate-partner', { params: known, body: because }, 'refused');
  await ask('validate-partner', { params: known, body: { incomplete: true, ...because } });
  await ask('set-incident-contact', { params, body: { contact: 'seguranca@parceiro.example', ...because } });
  await ask('set-rate', { params, body: { environment: 'sandbox', limit: 60, ...because } });

  const token = '6f1e0b52-7c1d-4e0a-9d5b-3a9f2c8e4b17';
  const wish = { partner_id, unit_id, environment: 'sandbox', token };
  const { key_id } = await ask('create-key', { body: { ...wish, ...because } });
  await ask('list-keys', { query: { partner_id } });
  await ask('show-partner', { params });
  const rotate = { params: { key_id }, body: { partner_id, confirm: key_id, token, ...because } };
  const { key_id: next } = await ask('rotate-key', rotate);
  await ask('revoke-key', { params: { key_id: next }, body: { partner_id, confirm: next, ...because } });

  const approval = await requestedApproval();
  await ask('approve-approval', approval);
  await ask('refuse-approval', approval);
  await ask('list-approvals');
  await ask('list-bank-rates');
  await ask('publish-bank-rate', await rateToPublish());
  await ask('confirm-bank-rate', await rateToConfirm());

  const url = service.inbox.url;
  const confirm = String(partner_id);
  const webhook = { partner_id, environment };
  const { secret } = await ask('set-webhook', { params: webhook, body: { url, ...because } });
  service.inbox.expect(secret);
  await keysWithWebhook(params, unit_id);
  await ask('set-webhook', { params: webhook, body: { url, dry_run: true } });
  await ask('set-webhook', { params: webhook, body: { url: `${url}/2`, ...because } });
  await ask('ping-webhook', { params: webhook, body: because });
  await ask('rotate-webhook-secret', { params: webhook, body: { confirm, ...because } });
  await ask('disable-webhook', { params: webhook, body: { confirm, ...because } });
  const suspended = { ...(await bookDelivery(partner_id)), attempts: 1 };
  await new TableDeliveries().record(suspended, undefined, { state: 'suspensa' }, Date.now());
  await ask('replay-deliveries', { body: { event_id: suspended.eventId, ...because } });
  await ask('show-webhook', { params });
  const { next_cursor: cursor } = await ask('list-failing-webhooks');
  await ask('list-failing-webhooks', { query: { cursor } });
  expect(await ask('enable-webhook', { params: webhook, body: because })).toMatchObject({ released: 1 });

  const { eventId, analysisId, unitId: unit } = await bookDelivery(partner_id, { state: 'entregue', attempts: 1 });
  await ask('list-deliveries');
  await ask('list-deliveries', { query: { partner_id } });
  await ask('show-delivery', { params: { event_id: eventId } });
  await ask('replay-deliveries', { body: { event_id: eventId, ...because } });
  await ask('replay-deliveries', { body: { ...webhook, analysis_id: analysisId, unit_id: unit, ...because } });
  await ask('replay-deliveries', { body: { ...webhook, since: '2026-01-01T00:00:00Z', dry_run: true } });
  await deadLetters();

  const lead = await walk.call('POST', '/v1/leads', { body: { nome: 'Ana Lima', cpf: '900.000.001-75' } });
  const lead_id = lead.body.lead_id;
  const { partnerId, unitId } = walk.partner;
  const place = { partner_id: partnerId, unit_id: unitId, environment, lead_id };
  await walk.call('POST', '/v1/simulacoes', { body: { lead_id, valor_imovel: 500_000, bancos: ['itau'] } });
  await ask('find-leads', { body: { cpf: '90000000175', ...because } });
  await ask('export-lead', { body: { ...place, ...because } });
  const submitted = await walk.submit('exported and erased');
  const other = { ...place, lead_id: submitted.lead };
  await ask('export-lead', { body: { ...other, ...because } });
  await ask('correct-lead', { body: { ...place, cpf: '90000000256', ...because } });
  await ask('correct-lead', { body: { ...other, birth_date: '1980-02-29', ...because } }, 'refused');
  const withdrawn = { withdrawn_at: '2026-11-20T09:00:00-03:00', channel: 'e-mail', confirm: String(lead_id) };
  // The second call records nothing.
  for (const _ of ['first', 'second'])
    await ask('withdraw-lead-consent', { body: { ...place, ...withdrawn, ...because } });
  const erase = () => ask('erase-lead', { body: { ...place, confirm: String(lead_id), ...because } });
  await erase();
  await walk.secondPassFallsDue(lead_id);
  expect((await erase()).erasure.passes).toHaveLength(2);
  await restored(walk);

  const analysis_id = submitted.answer.body.analises[0].analise_id;
  await ageAnalysis(analysis_id, 60_000);
  await ask('list-pending-analyses');
  await ask('show-analysis', { params: { analysis_id }, query: { partner_id: partnerId } });
  // The text may name a person, so the service opens the form to compare.
  expect(service.operator.control.decide(`producao-${unitId}-${analysis_id}`, 'Aprovado por Beltrana')).toBe(true);
  await ask('poll-analysis', { params: { analysis_id }, body: { unit_id: unitId, environment, ...because } });
  const { id } = await bookAnalysis({ partnerId, unitId, ...CLOSABLE });
  const closing = { unit_id: unitId, environment, situation: 'cancelado', confirm: String(id), ...because };
  await ask('close-analysis', { params: { analysis_id: id }, body: closing });
  await lost(walk);
  await pushed(walk, 'pushed');
  await ask('erase-lead', { body: { ...other, confirm: String(submitted.lead), ...because } });

  await ask('show-operator');
  const operatorToken = { token: 'the-operator-token', confirm: 'operator-token' };
  await ask('set-operator-token', { body: { ...operatorToken, ...because } });
  const probe = { key: walk.partner.keys.sandbox };
  await ask('set-probe-key', { body: { ...probe, ...because } });
  await ask('init-service-keys', { body: because }, 'refused');
  await serviceKeys();
  expect(await ask('show-openapi')).toMatchObject({ openapi: '3.1.0' });
  await ask('list-audit', { query: { service: 'true' } });
  await ask('export-audit', { query: { month: dayInSaoPaulo(Date.now()).slice(0, 7) } });
}

/** Makes, rotates and revokes a sandbox key of a partner with a webhook, which is told of each change. */
async function keysWithWebhook(params: { readonly partner_id: number }, unit_id: number): Promise<void> {
  const { partner_id } = params;
  const environment = 'sandbox';
  const url = service.inbox.url;
  const { secret } = await ask('set-webhook', { params: { partner_id, environment }, body: { url, ...because } });
  service.inbox.expect(secret);
  const { key_id } = await ask('create-key', { body: { partner_id, unit_id, environment, ...because } });
  const rotate = { params: { key_id }, body: { partner_id, confirm: key_id, ...because } };
  const { key_id: next } = await ask('rotate-key', rotate);
  await ask('revoke-key', { params: { key_id: next }, body: { partner_id, confirm: next, ...because } });
}

/** Polls an analysis that the operator has never received: only the scheduled poller sends it. */
async function lost(walk: Walk): Promise<void> {
  service.operator.control.fault({ kind: 'lost_before', operation: 'submit', times: 1 });
  const [{ analise_id: analysis_id }] = (await walk.submit('lost')).answer.body.analises;
  await ageAnalysis(analysis_id, 120_000);
  const place = { unit_id: walk.partner.unitId, environment: 'producao', ...because };
  expect(await ask('poll-analysis', { params: { analysis_id }, body: place })).toMatchObject({ outcome: 'no_news' });
}

/** Applies the erasure ledger to a person who is erased by the ledger but still in the table, as after a restore. */
async function restored(walk: Walk): Promise<void> {
  const { partnerId, unitId } = walk.partner;
  const leadId = (await pushed(walk, 'restored')) as LeadId;
  await walk.call('POST', '/v1/simulacoes', { body: { lead_id: leadId, valor_imovel: 500_000, bancos: ['itau'] } });
  await new TableErasureLedger().add({ partnerId, unitId, environment: 'producao', leadId }, Date.now());
  for (const passes of [[expect.anything()], [expect.anything(), expect.anything()]]) {
    const { erasures } = await ask('apply-erasure-ledger', { body: { confirm: 'ledger', ...because } });
    expect(erasures).toContainEqual(expect.objectContaining({ lead_id: leadId, state: 'apagado', passes }));
    await walk.secondPassFallsDue(leadId);
  }
}

/** Pushes an outcome as the operator does. Returns the lead. */
async function pushed(walk: Walk, key: string): Promise<number> {
  const { lead, answer } = await walk.submit(key);
  const [analysis] = answer.body.analises;
  const reference = `producao-${walk.partner.unitId}-${analysis.analise_id}`;
  const outcome = { reference, bank: 'itau', queryNumber: analysis.num_consulta, status: 'Aprovado' };
  // A text that may name a person is compared with the form.
  const submissions = [{ ...outcome, status: 'Em análise com Beltrana' }, outcome];
  const { results } = await ask('record-outcomes', { body: { submissions } });
  expect(results).toEqual(submissions.map(() => ({ result: 'recorded', reason: null })));
  return lead;
}

/**
 * Changes the service's keys completely. The walk begins with two index keys, and the newer is in force.
 */
async function serviceKeys(): Promise<void> {
  const { current: replaced, index } = await ask('show-service-keys');
  const { current } = await ask('change-service-keys', {
    body: { current: replaced, confirm: String(replaced), ...because },
  });
  writtenLongAgo();
  const copied = (await rowsOf('LEAD#')).find(({ sealed }) => sealed !== undefined);
  await ask('rewrite-rows', { body: { units_per_second: 40_000, ...because } });
  await ask('count-rows');
  // A call with a cursor must also read the stored place at which the page before it ended.
  const cursor = cursorOf('kept in the table');
  const retirement = { current, confirm: String(current), cursor, ...because };
  const { retired, retired_index } = await ask('retire-service-keys', { body: retirement });
  expect(retired).toEqual([replaced]);
  expect(retired_index).toContain(index[0].name);
  // A restored copy brings a row of the retired key back.
  await putRow({ Item: copied! });
  const again = await ask('rewrite-rows', { body: { units_per_second: 40_000, ...because } });
  expect(again).toMatchObject({ resealed: 1, broken_count: 0 });
}

/** Stores the service's keys as if they had been written a day ago, so that no container can still have other keys. */
function writtenLongAgo(): void {
  const { secrets } = service.peers;
  const SecretId = process.env['KEYS_SECRET']!;
  const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now() - 86_400_000);
  const keys: KeysText = JSON.parse(secrets.current(SecretId));
  const index = keys.index.map((one) => ({ ...one, from: Math.min(one.from, Date.now()) }));
  secrets.put({ SecretId, SecretString: JSON.stringify({ ...keys, index }) });
  clock.mockRestore();
}

/** Makes a dead letter of an event and a foreign one, and calls the operations on dead letters. */
async function deadLetters(): Promise<void> {
  const { partnerId } = await makePartner();
  const params = { partner_id: partnerId, environment: 'producao' };
  await ask('set-webhook', { params, body: { url: 'http://127.0.0.1:9/', ...because } });
  const last = await bookDelivery(partnerId, { dueAt: Date.now() - 300_000, attempts: 11 });
  await service.run('sweep-deliveries');
  await eventually('a dead letter', async () =>
    (await rowsOf('DELIVERY#')).some((row) => row['eventId'] === last.eventId && row['state'] === 'esgotada')
      ? true
      : undefined,
  );
  await ask('list-dead-letters');
  const another = (await makePartner()).partnerId;
  expect(await ask('redrive-dead-letters', { body: { partner_id: another, ...because } })).toMatchObject({
    redriven: 0,
  });
  expect(await ask('redrive-dead-letters', { body: because })).toMatchObject({ redriven: 1 });
  const [queue] = service.peers.blueprint.queues.filter(({ name }) => name.endsWith('-dead'));
  const QueueUrl = `${process.env['AWS_ENDPOINT_URL_SQS']}/${ACCOUNT}/${queue!.name}`;
  await new SQSClient({ region: REGION }).send(new SendMessageCommand({ QueueUrl, MessageBody: 'not ours' }));
  await ask('discard-dead-letters', { body: { foreign: true, confirm: 'foreign', ...because } });
  await ask('discard-dead-letters', { body: { event_id: last.eventId, confirm: last.eventId, ...because } });
}

beforeAll(async () => {
  service = await startWholeService();
  await everything(await Walk.begin(service));
  roles = rolesOf(service.template, service.peers.blueprint);
});
afterAll(() => service.close());

/** The key of the topic of tickets. A key of the table or of the secrets would be used. */
const TICKETS_KEY = /^kms:(Decrypt|GenerateDataKey) on /;
const SERVICE_KEYS = /^secretsmanager:GetSecretValue on .*\/keys-local/;

/**
 * What a role allows and this walk cannot use. `init-service-keys` makes the keys only if there are none, and every
 * other operation needs them.
 */
const ELSEWHERE: Readonly<Partial<Record<AdministrationOperation, readonly RegExp[]>>> = {
  // The stage of this walk asks for no approval, so no request is announced.
  ...Object.fromEntries(APPROVABLE.map(({ operation }) => [operation, [/^sns:Publish on .*-ticket$/, TICKETS_KEY]])),
  // These use the keys only for the request of an approval.
  ...Object.fromEntries(
    ['present-unit', 'enable-webhook', 'publish-bank-rate', 'confirm-bank-rate'].map((name) => [
      name,
      [/^sns:Publish on .*-ticket$/, TICKETS_KEY, SERVICE_KEYS],
    ]),
  ),
  'init-service-keys': [/^dynamodb:/, /^kms:/, /^secretsmanager:PutSecretValue/],
};

/**
 * Kinds of rows that an operation writes only in situations that this walk does not make: approvals are asked for on
 * stages with two people, and an operation counts what it seals only from time to time.
 */
const SELDOM_WRITTEN = ['ENCRYPTIONS'];
/** Kinds of rows that a function deletes only in situations that this walk does not make. */
const DELETED_ELSEWHERE: Readonly<Partial<Record<AdministrationOperation, readonly string[]>>> = {
  'erase-lead': ['LEADS', 'IDEMPOTENCY'],
  'apply-erasure-ledger': ['LEADS'],
};
const WRITTEN_ELSEWHERE: Readonly<Partial<Record<AdministrationOperation, readonly string[]>>> = {
  'create-key': ['APPROVAL'],
  'rotate-key': ['APPROVAL'],
  'export-lead': ['APPROVAL'],
  'validate-partner': ['APPROVAL'],
  'set-webhook': ['APPROVAL'],
  'rotate-webhook-secret': ['APPROVAL'],
  // The partner of this walk has no webhook yet when its unit gets other texts.
  'present-unit': ['DELIVERY', 'APPROVAL'],
  'enable-webhook': ['APPROVAL'],
  'publish-bank-rate': ['APPROVAL'],
  'confirm-bank-rate': ['APPROVAL'],
  // Nobody is erased who is the spouse of another lead, or whose data is in the sandbox or in answers.
  'erase-lead': ['LEADS', 'IDEMPOTENCY'],
  // No earlier lead of the corrected person was erased.
  'correct-lead': ['CUTOFF'],
  'apply-erasure-ledger': ['LEADS'],
  'init-service-keys': ['AUDIT'],
  // Two kinds have the same statement as the others, but no row here that an older key has sealed.
  'rewrite-rows': ['OPPORTUNITY'],
};

/**
 * Kinds of rows that an operation reads only in situations that this walk does not make. test/service/administration
 * and test/flows make them in their own process, where `underRole` compares each call with the role.
 */
const READ_ELSEWHERE: Readonly<Partial<Record<AdministrationOperation, readonly string[]>>> = {
  // The events of a sandbox, if the list of deliveries shows none.
  'show-sandbox-checklist': ['DELIVERY'],
  'validate-partner': ['DELIVERY'],
  // A call that names an event.
  'redrive-dead-letters': ['DELIVERY'],
  // A call that names a CPF, or a spouse.
  'export-lead': ['CPF'],
  'erase-lead': ['CPF', 'SPOUSE'],
  // Nobody withdraws a consent while an analysis is pending.
  'withdraw-lead-consent': ['ANALYSIS'],
  // The keys are there.
  'init-service-keys': ['INDEXED'],
};

it('each role of the administration belongs to exactly one function', () => {
  const own = [...roles.keys()].filter((name) => name.startsWith('administration-'));
  const rows = [...ADMINISTRATION_FUNCTIONS, PANEL];
  expect(own.sort()).toEqual(rows.map(({ operation }) => operation).sort());
});

it.each(ADMINISTRATION_OPERATIONS.map(({ operation }) => operation))(
  'the administration’s role of %s allows exactly what its function asks for',
  (operation) => {
    const role = roles.get(administrationFunction(operation))!;
    const asked = accessesOfFunction(service, administrationFunction(operation));
    const refused = asked.filter((access) => !allowed(role, access));
    expect(refused.map(({ action, resource }) => `${action} on ${resource}`)).toEqual([]);
    // The callers of this walk have roles with a session's name. Only the hosted panel has people of a user pool.
    const idle = unusedPermissions(role, asked).filter((access) => !access.startsWith('cognito-idp:ListUsers'));
    const elsewhere = ELSEWHERE[operation] ?? [];
    expect(idle.filter((access) => !elsewhere.some((one) => one.test(access)))).toEqual([]);
    for (const one of elsewhere) expect(idle).toContainEqual(expect.stringMatching(one));
    const wanted = ADMINISTRATION_OPERATIONS.find((one) => one.operation === operation)!;
    const { reads, writes, deletes = [] } = administrationPermission(wanted);
    expect(idleKinds(deletes, asked, /:DeleteItem$/)).toEqual(DELETED_ELSEWHERE[operation] ?? []);
    expect(idleReads(reads, asked)).toEqual(READ_ELSEWHERE[operation] ?? []);
    const idleWrites = idleKinds(writes, asked).filter((kind) => !SELDOM_WRITTEN.includes(kind));
    expect(idleWrites).toEqual(WRITTEN_ELSEWHERE[operation] ?? []);
  },
);

it('the administration’s role of rewrite-rows may change only the ciphertext of a consent', () => {
  const role = roles.get(administrationFunction('rewrite-rows'))!;
  const update = service.accesses.find(
    ({ caller, action, leadingKeys: [row] }) =>
      caller === administrationFunction('rewrite-rows') &&
      action === 'dynamodb:UpdateItem' &&
      row?.startsWith('CONSENT#'),
  )!;
  expect(update.attributes).toEqual(['pk', 'sk', 'sealed']);
  expect(allowed(role, update)).toBe(true);
  for (const changed of ['expiresAt', 'leadId'])
    expect(allowed(role, { ...update, attributes: ['pk', 'sk', 'sealed', changed] }), changed).toBe(false);
  for (const action of ['dynamodb:PutItem', 'dynamodb:DeleteItem'])
    expect(allowed(role, { ...update, action }), action).toBe(false);
});
