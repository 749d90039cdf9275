import type { SecretStore } from '#infra/local/aws/secrets.ts';
import type { AdministrationOperation } from '#shared/administration/operations.ts';
import type { Analysis } from '#shared/domain/analyses/analysis.ts';
import type { LeadId } from '#shared/domain/values/ids.ts';
import { newWebhookSecret } from '#shared/domain/webhooks/secret.ts';
import { SqsDeliveryQueue } from '#shared/queue/deliveries.ts';
import { TableErasureLedger } from '#shared/table/leads/erasure-ledger.ts';
import { disableWebhook, setWebhook } from '#shared/table/webhooks/webhook-endpoints.ts';
import * as wiring from '#shared/wiring.ts';
import { type AdministrationCall, administration, because } from './administration.ts';
import { api } from './api.ts';
import { bookAnalysis, bookMany, bookOne, CLOSABLE, newDelivery } from './booked.ts';
import { type MadePartner, makePartner } from './peers.ts';
import { analysisBody, cpfFrom, leadBody } from './people.ts';
import { clearLedger, clearTable } from './rows.ts';
import { newKeys, nextIndexFrom, setServiceKeys } from './service-keys.ts';

/**
 * Makes what an operation needs, such as a partner or an analysis, and returns the call. Each time it makes new rows.
 */
export type AdministrationScene = () => Promise<AdministrationCall>;

let drawn = 0;
/** Returns a different moment each time, so that no two ids drawn here are equal. */
const moment = () => Date.now() + ++drawn;

/** Makes a partner, with the path parameters of the operations on one partner. */
async function partner(): Promise<MadePartner & { readonly params: { readonly partner_id: number } }> {
  const made = await makePartner();
  return { ...made, params: { partner_id: made.partnerId } };
}

async function key() {
  const { partnerId: partner_id } = await makePartner();
  const [{ key_id }] = (await administration('list-keys', { query: { partner_id } })).body.keys;
  return { params: { key_id }, body: { partner_id, confirm: key_id, ...because } };
}

/** Makes a partner with a webhook to `url` and `kept` suspended deliveries. */
async function withWebhook(url: string, kept = 0) {
  const made = await partner();
  await setWebhook(made.partnerId, url, newWebhookSecret(), Date.now());
  for (const delivery of await bookMany(Array.from({ length: kept }, () => newDelivery(made.partnerId))))
    await wiring.deliveries().record({ ...delivery, attempts: 1 }, undefined, { state: 'suspensa' }, Date.now());
  return { ...made, confirm: String(made.partnerId) };
}

/** Makes a delivery that was given up, with its dead letter. The partner's webhook is enabled. */
async function deadLetter(url: string) {
  const { partnerId } = await withWebhook(url);
  const { eventId, dueAt } = await bookOne(partnerId, { state: 'esgotada', attempts: 12 });
  await new SqsDeliveryQueue().giveUp({ eventId, partnerId, attempt: 13, dueAt });
  return { partner_id: partnerId, event_id: eventId };
}

/** Makes a person in a sandbox with two opportunities, and submits an analysis at each of two banks. */
async function person() {
  const { partnerId, unitId, keys } = await makePartner();
  const cpf = cpfFrom(moment());
  const call = { key: keys.sandbox };
  const { lead_id } = (await api('createLead', { ...call, body: leadBody({ cpf }) })).body;
  for (const valor_imovel of [400_000, 500_000])
    await api('createSimulation', { ...call, body: { lead_id, valor_imovel, bancos: [1, 2] } });
  for (const once of ['itau', 'inter'])
    await api('submitAnalyses', { ...call, once, body: analysisBody(lead_id, { cpf, bancos: [once] }) });
  const place = { partner_id: partnerId, unit_id: unitId, environment: 'sandbox', lead_id } as const;
  return { cpf, place, keys };
}

/** Makes a person who has only a lead. No analysis delays the erasure. */
async function lead() {
  const { partnerId, unitId } = await makePartner();
  const tenancy = { unitId, environment: 'producao' } as const;
  const draft = { name: 'Marina Duarte Alves', cpf: cpfFrom(moment()) as never };
  const once = await wiring.leads().createOrReuse(tenancy, draft, (id) => ({ status: 201, body: String(id) }));
  const lead_id = Number('done' in once && once.done.body) as LeadId;
  return { partner_id: partnerId, unit_id: unitId, environment: 'producao', lead_id } as const;
}

async function pendingAnalysis(changes: Partial<Analysis> = {}) {
  const { partnerId, unitId } = await makePartner();
  const environment = 'sandbox';
  const analysis = await bookAnalysis({ partnerId, unitId, environment, queryNumber: 'SB-1', ...changes });
  return { params: { analysis_id: analysis.id }, place: { unit_id: unitId, environment } };
}

/** Makes a table that holds a partner with a lead, under new service keys. */
async function sealedRows(secrets: Pick<SecretStore, 'put' | 'current'>, index: 'one' | 'rotated' = 'one') {
  await clearTable();
  const keys = setServiceKeys(secrets, { index });
  await lead();
  return keys;
}

/**
 * Makes the same rows, then rotates the sealing key so long ago that all functions know the new one. Returns the
 * version of the older key. With `moved`, no row needs the older key any more.
 */
async function rotatedKeys(secrets: Pick<SecretStore, 'put' | 'current'>, moved: boolean) {
  const { sealing, ...rest } = await sealedRows(secrets);
  const { keys: more } = newKeys().sealing;
  const current = sealing.current + 1;
  const keys = { ...rest, sealing: { current, keys: { ...sealing.keys, [current]: Object.values(more)[0]! } } };
  longAgo(() => setServiceKeys(secrets, { keys }));
  if (moved) await administration('reencrypt-rows', { body: because });
  return sealing.current;
}

/** Runs `work` while Date.now shows an hour ago. */
function longAgo(work: () => void): void {
  const now = Date.now;
  Date.now = () => now() - 3_600_000;
  try {
    work();
  } finally {
    Date.now = now;
  }
}

/**
 * Makes a table with two index keys that all functions know. Returns the name of the older key. With `moved`, no row
 * lies under the older key.
 */
async function rotatedIndex(secrets: Pick<SecretStore, 'put' | 'current'>, moved: boolean): Promise<string> {
  await clearTable();
  const keys = setServiceKeys(secrets);
  const { name } = await wiring.serviceKeys().indexing();
  if (!moved) await lead();
  longAgo(() => setServiceKeys(secrets, { keys: { ...keys, nextIndex: nextIndexFrom(0) } }));
  return name;
}

/** Makes an approval that another person has asked for. Returns the call that approves or refuses it. */
export async function asked() {
  const { partnerId: about } = await makePartner();
  const wish = { operation: 'create-key', about, target: { environment: 'producao' }, askedBy: 'x/bia', person: 'bia' };
  const { id } = await wiring.approvals().useOrAsk(`apr_${'0'.repeat(32)}`, { ...wish, ...because }, Date.now());
  return { params: { operation: 'create-key', approval_id: id }, body: because };
}

/**
 * Returns a scene for each operation. A scene makes enough rows that the operation does everything it can do in one
 * page. `url` must be a receiver that answers 200.
 */
export function administrationScenes(secrets: Pick<SecretStore, 'put' | 'current' | 'make'>, url: string) {
  const named = async () => ({ params: (await partner()).params });
  const listed = async () => ({ query: (await partner()).params });
  return {
    'list-partners': async () => (await partner()) && {},
    'create-partner': async () => ({ body: { name: 'Casa Nova', ...because } }),
    'show-partner': named,
    'show-sandbox-checklist': async () => ({ params: { partner_id: (await person()).place.partner_id } }),
    'validate-partner': async () => ({
      params: { partner_id: (await person()).place.partner_id },
      body: { incomplete: true, ...because },
    }),
    'list-units': listed,
    'create-unit': async () => ({ body: { ...(await partner()).params, name: 'Centro', ...because } }),
    'present-unit': async () => {
      const { params, unitId } = await partner();
      return { params: { unit_id: unitId }, body: { ...params, creci: '12345-J', ...because } };
    },
    'list-keys': listed,
    'create-key': async () => {
      const { partnerId, unitId } = await makePartner();
      return { body: { partner_id: partnerId, unit_id: unitId, environment: 'sandbox', ...because } };
    },
    'rotate-key': key,
    'revoke-key': key,
    'set-rate': async () => ({ ...(await named()), body: { environment: 'sandbox', limit: 60, ...because } }),
    'show-webhook': async () => ({ params: (await withWebhook(url, 3)).params }),
    'set-webhook': async () => {
      const { params, confirm } = await withWebhook(url, 3);
      return { params, body: { url: `${url}/2`, confirm, ...because } };
    },
    'rotate-webhook-secret': async () => {
      const { params, confirm } = await withWebhook(url);
      return { params, body: { confirm, ...because } };
    },
    'ping-webhook': async () => ({ params: (await withWebhook(url)).params, body: because }),
    'enable-webhook': async () => {
      const { params, partnerId } = await withWebhook(url, 3);
      await disableWebhook(partnerId, 'failing', Date.now());
      return { params, body: because };
    },
    'disable-webhook': async () => {
      const { params, confirm } = await withWebhook(url);
      return { params, body: { confirm, ...because } };
    },
    'list-deliveries': async () => ({ query: (await withWebhook(url, 3)).params }),
    'show-delivery': async () => ({ params: { event_id: (await bookOne((await makePartner()).partnerId)).eventId } }),
    'replay-deliveries': async () => {
      const { params, partnerId } = await withWebhook(url);
      const ended = { state: 'esgotada', attempts: 12, createdAt: Date.now() - 5_000 } as const;
      await bookMany([newDelivery(partnerId, ended), newDelivery(partnerId, ended)]);
      return { body: { ...params, since: new Date(Date.now() - 60_000).toISOString(), ...because } };
    },
    'list-dead-letters': async () => (await deadLetter(url)) && {},
    'redrive-dead-letters': async () => ({ body: { event_id: (await deadLetter(url)).event_id, ...because } }),
    'discard-dead-letters': async () => {
      const { event_id } = await deadLetter(url);
      return { body: { event_id, confirm: event_id, ...because } };
    },
    'find-leads': async () => {
      const { cpf, place } = await person();
      return { body: { cpf, partner_id: place.partner_id, ...because } };
    },
    'export-lead': async () => ({ body: { ...(await person()).place, ...because } }),
    'correct-lead': async () => ({ body: { ...(await lead()), birth_date: '1980-02-29', ...because } }),
    'erase-lead': async () => {
      const place = await lead();
      return { body: { ...place, confirm: String(place.lead_id), ...because } };
    },
    'apply-erasure-ledger': async () => {
      await clearLedger();
      const { lead_id: leadId, partner_id: partnerId, unit_id: unitId, environment } = await lead();
      await new TableErasureLedger().add({ partnerId, unitId, environment, leadId }, Date.now());
      return { body: { confirm: 'ledger', ...because } };
    },
    'list-pending-analyses': async () => (await pendingAnalysis()) && {},
    'show-analysis': async () => {
      const { params, place } = await pendingAnalysis();
      return { params, query: place };
    },
    'poll-analysis': async () => {
      const { params, place } = await pendingAnalysis();
      return { params, body: { ...place, ...because } };
    },
    'close-analysis': async () => {
      const { params, place } = await pendingAnalysis(CLOSABLE);
      const body = { ...place, situation: 'cancelado', confirm: String(params.analysis_id), ...because };
      return { params, body };
    },
    'record-outcomes': async () => ({ body: { submissions: [{ reference: 'producao-1-1' }] } }),
    'show-operator': async () => ({}),
    'set-operator-token': async () => ({
      body: { token: `the-operator-token-${moment()}`, confirm: 'operator-token', ...because },
    }),
    'set-probe-key': async () => ({ body: { key: (await makePartner()).keys.sandbox, ...because } }),
    'show-sealing-keys': async () => ({}),
    'count-sealed-rows': async () => (await sealedRows(secrets)) && {},
    'init-service-keys': async () => {
      const name = `partner-credit-empty/${moment()}`;
      secrets.make([{ name, arn: `arn:aws:secretsmanager:sa-east-1:000000000000:secret:${name}-local0` }]);
      process.env['KEYS_SECRET'] = name;
      return { body: because };
    },
    'rotate-sealing-key': async () => {
      const { current } = (await sealedRows(secrets)).sealing;
      return { body: { current, confirm: String(current), ...because } };
    },
    'reencrypt-rows': async () => {
      await rotatedKeys(secrets, false);
      return { body: { units_per_second: 40_000, ...because } };
    },
    'retire-sealing-key': async () => {
      const version = await rotatedKeys(secrets, true);
      return { body: { version, confirm: String(version), ...because } };
    },
    'count-older-rows': async () => {
      await rotatedIndex(secrets, false);
      return {};
    },
    'rotate-index-key': async () => {
      await sealedRows(secrets);
      const { name } = await wiring.serviceKeys().indexing();
      return { body: { name, confirm: name, ...because } };
    },
    'reindex-rows': async () => {
      await rotatedIndex(secrets, false);
      return { body: { units_per_second: 40_000, ...because } };
    },
    'retire-index-key': async () => {
      const name = await rotatedIndex(secrets, true);
      return { body: { name, confirm: name, ...because } };
    },
    'list-approvals': async () => (await asked()) && {},
    'approve-approval': asked,
    'refuse-approval': asked,
    'list-audit': listed,
    'export-audit': async () => (await partner()) && { query: { month: new Date().toISOString().slice(0, 7) } },
    'show-openapi': async () => ({}),
  } satisfies Readonly<Record<AdministrationOperation, AdministrationScene>>;
}
