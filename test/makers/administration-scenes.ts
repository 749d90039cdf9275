import type { SecretStore } from '#infra/local/aws/secrets.ts';
import type { AdministrationOperation } from '#shared/administration/operations.ts';
import type { Analysis } from '#shared/domain/analyses/analysis.ts';
import { rateFor, tableFor } from '#shared/domain/simulations/pricing/tables/in-force.ts';
import { addDays, dayInSaoPaulo } from '#shared/domain/values/clock.ts';
import type { LeadId } from '#shared/domain/values/ids.ts';
import { newWebhookSecret } from '#shared/domain/webhooks/secret.ts';
import { SqsDeliveryQueue } from '#shared/queue/deliveries.ts';
import { TableErasureLedger } from '#shared/table/leads/erasure-ledger.ts';
import { disableWebhook, setWebhook } from '#shared/table/webhooks/webhook-endpoints.ts';
import * as wiring from '#shared/wiring.ts';
import { type AdministrationCall, administration, because } from './administration.ts';
import { api } from './api.ts';
import { bookAnalysis, bookDeliveries, bookDelivery, CLOSABLE, moveToState, newDelivery } from './booked.ts';
import { type MadePartner, makePartner } from './peers.ts';
import { analysisBody, cpfFrom, leadBody } from './people.ts';
import { clearLedger, clearTable } from './rows.ts';
import { setServiceKeys, withIndexKey, withSealingKey } from './service-keys.ts';

/**
 * Makes what an operation needs, such as a partner or an analysis, and returns the call. Each time it makes new rows.
 */
export type AdministrationScene = () => Promise<AdministrationCall>;

let momentsGiven = 0;
/** Returns a different moment each time, so that no two ids drawn here are equal. */
const nextMoment = () => Date.now() + ++momentsGiven;

/** Makes a partner, with the path parameters of the operations on one partner. */
async function newPartner(): Promise<MadePartner & { readonly params: { readonly partner_id: number } }> {
  const partner = await makePartner();
  return { ...partner, params: { partner_id: partner.partnerId } };
}

const ITAU = { params: { bank: 'itau' } };
const PAGE = 'https://www.itau.com.br/emprestimos-financiamentos';

/** Returns a call that publishes an ordinary rate from tomorrow on, a little below the rate in use. */
export async function rateToPublish() {
  const today = dayInSaoPaulo(Date.now());
  const inUse = rateFor(tableFor('itau', today, await wiring.bankRates().tables()), 'padrao', 'SAC');
  const value = (Number(inUse?.rate.value) - 0.01).toFixed(2);
  const evidence = { segment: 'padrao', seen: today, page: PAGE };
  return {
    ...ITAU,
    body: { ...evidence, from: addDays(today, 1), value, source: 'Itaú, página do banco', ...because },
  };
}

/** Publishes a rate of last month, and returns a call that confirms it. */
export async function rateToConfirm() {
  const today = dayInSaoPaulo(Date.now());
  const rate = { value: '13.49', date: addDays(today, -30), source: 'Itaú, página do banco' };
  const rates = wiring.bankRates();
  await rates.write(await rates.read(), [{ bank: 'itau', segment: 'padrao', from: today, rate }]);
  return { ...ITAU, body: { segment: 'padrao', seen: today, page: PAGE, ...because } };
}

async function keyToEnd() {
  const { partnerId: partner_id } = await makePartner();
  const [{ key_id }] = (await administration('list-keys', { query: { partner_id } })).body.keys;
  return { params: { key_id }, body: { partner_id, confirm: key_id, ...because } };
}

/**
 * Makes a partner with a webhook to `url` in production. With `suspended` deliveries that are kept for it, the webhook
 * is disabled. `webhook` has the path parameters of the operations on this webhook.
 */
async function partnerWithWebhook(url: string, suspended = 0) {
  const partner = await newPartner();
  const { partnerId } = partner;
  const owner = { partnerId, environment: 'producao' } as const;
  await setWebhook(owner, url, newWebhookSecret(), Date.now());
  if (suspended > 0) await disableWebhook(owner, 'failing', Date.now());
  for (const booked of await bookDeliveries(Array.from({ length: suspended }, () => newDelivery(owner, { dueAt: 0 }))))
    await moveToState('suspensa', booked, Date.now());
  const webhook = { partner_id: partnerId, environment: owner.environment };
  return { ...partner, webhook, confirm: String(partnerId) };
}

/** Makes a delivery that was given up, with its dead letter. The partner's webhook is enabled. */
async function newDeadLetter(url: string) {
  const { partnerId } = await partnerWithWebhook(url);
  const { eventId, dueAt } = await bookDelivery(partnerId, { state: 'esgotada', attempts: 12 });
  await new SqsDeliveryQueue().giveUp({ eventId, partnerId, attempt: 13, dueAt });
  return { partner_id: partnerId, event_id: eventId };
}

/** Makes a person in a sandbox with two opportunities, and submits an analysis at each of two banks. */
async function newPerson() {
  const { partnerId, unitId, keys } = await makePartner();
  const cpf = cpfFrom(nextMoment());
  const call = { key: keys.sandbox };
  const { lead_id } = (await api('createLead', { ...call, body: leadBody({ cpf }) })).body;
  for (const valor_imovel of [400_000, 500_000])
    await api('createSimulation', { ...call, body: { lead_id, valor_imovel, bancos: [1, 2] } });
  for (const bank of ['itau', 'inter'])
    await api('submitAnalyses', { ...call, once: bank, body: analysisBody(lead_id, { cpf, bancos: [bank] }) });
  const place = { partner_id: partnerId, unit_id: unitId, environment: 'sandbox', lead_id } as const;
  return { cpf, place, keys };
}

/** Makes a person who has only a lead. No analysis delays the erasure. */
async function newLead() {
  const { partnerId, unitId } = await makePartner();
  const tenancy = { unitId, environment: 'producao' } as const;
  const draft = { name: 'Marina Duarte Alves', cpf: cpfFrom(nextMoment()) as never };
  const created = await wiring.leads().createOrReuse(tenancy, draft, (id) => ({ status: 201, body: String(id) }));
  const lead_id = Number('done' in created && created.done.body) as LeadId;
  return { partner_id: partnerId, unit_id: unitId, environment: 'producao', lead_id } as const;
}

async function pendingAnalysis(changes: Partial<Analysis> = {}) {
  const { partnerId, unitId } = await makePartner();
  const environment = 'sandbox';
  const analysis = await bookAnalysis({ partnerId, unitId, environment, queryNumber: 'SB-1', ...changes });
  return { params: { analysis_id: analysis.id }, place: { unit_id: unitId, environment }, partnerId };
}

/** Makes a table that holds a partner with a lead, under new service keys. */
async function sealedRows(secrets: Pick<SecretStore, 'put' | 'current'>) {
  await clearTable();
  const keys = setServiceKeys(secrets);
  await newLead();
  return keys;
}

/**
 * Makes the rows of `sealedRows`, then changes the keys so long ago that all functions know the new ones. Returns the
 * version of the new sealing key. With `rewritten`, no row needs an old key any more.
 */
async function changedKeys(secrets: Pick<SecretStore, 'put' | 'current'>, { rewritten }: { rewritten: boolean }) {
  const keys = withSealingKey(withIndexKey(await sealedRows(secrets), 1));
  aDayAgo(() => setServiceKeys(secrets, { keys }));
  if (rewritten) await administration('rewrite-rows', { body: because });
  return keys.sealing.current;
}

/** Runs `work` while Date.now shows the time a day ago. */
function aDayAgo(work: () => void): void {
  const now = Date.now;
  Date.now = () => now() - 86_400_000;
  try {
    work();
  } finally {
    Date.now = now;
  }
}

/** Makes a request for approval by another person. Returns the call that approves or refuses it. */
export async function requestedApproval() {
  const { partnerId: about } = await makePartner();
  const environment = 'producao';
  const wish = {
    operation: 'create-key',
    about,
    target: { environment },
    fields: [{ field: 'environment', value: environment }],
    askedBy: 'x/bia',
    person: 'bia',
    ...because,
  };
  const { approval } = await wiring.approvals().useOrAsk(wish, { mark: 'the call', isMade: false }, Date.now());
  return { params: { operation: 'create-key', approval_id: approval.id }, body: because };
}

/**
 * Returns a scene for each operation. A scene makes enough rows that the operation does everything it can do in one
 * page. `url` must be a receiver that answers 200.
 */
export function administrationScenes(secrets: Pick<SecretStore, 'put' | 'current' | 'make'>, url: string) {
  const onePartner = async () => ({ params: (await newPartner()).params });
  const filteredByPartner = async () => ({ query: (await newPartner()).params });
  return {
    'list-partners': async () => (await newPartner()) && {},
    'create-partner': async () => ({ body: { name: 'Casa Nova', ...because } }),
    'show-partner': onePartner,
    'set-incident-contact': async () => ({
      ...(await onePartner()),
      body: { contact: 'seguranca@parceiro.example', ...because },
    }),
    'show-sandbox-checklist': async () => ({ params: { partner_id: (await newPerson()).place.partner_id } }),
    'validate-partner': async () => ({
      params: { partner_id: (await newPerson()).place.partner_id },
      body: { incomplete: true, ...because },
    }),
    'list-units': filteredByPartner,
    'create-unit': async () => ({ body: { ...(await newPartner()).params, name: 'Centro', ...because } }),
    'present-unit': async () => {
      const { params, unitId } = await newPartner();
      return { params: { unit_id: unitId }, body: { ...params, creci: '12345-J', ...because } };
    },
    'list-refusals': async () => {
      const { partnerId, unitId, keys } = await makePartner();
      await api('getLead', { key: keys.sandbox, id: 1 });
      return { query: { partner_id: partnerId, unit_id: unitId } };
    },
    'list-keys': filteredByPartner,
    'create-key': async () => {
      const { partnerId, unitId } = await makePartner();
      return { body: { partner_id: partnerId, unit_id: unitId, environment: 'sandbox', ...because } };
    },
    'rotate-key': keyToEnd,
    'revoke-key': keyToEnd,
    'set-rate': async () => ({ ...(await onePartner()), body: { environment: 'sandbox', limit: 60, ...because } }),
    'list-failing-webhooks': async () => (await partnerWithWebhook(url, 3)) && {},
    'show-webhook': async () => ({ params: (await partnerWithWebhook(url, 3)).params }),
    'set-webhook': async () => {
      const { webhook, confirm } = await partnerWithWebhook(url, 3);
      return { params: webhook, body: { url: `${url}/2`, confirm, ...because } };
    },
    'rotate-webhook-secret': async () => {
      const { webhook, confirm } = await partnerWithWebhook(url);
      return { params: webhook, body: { confirm, ...because } };
    },
    'ping-webhook': async () => ({ params: (await partnerWithWebhook(url)).webhook, body: because }),
    'enable-webhook': async () => {
      const { webhook } = await partnerWithWebhook(url, 3);
      return { params: webhook, body: because };
    },
    'disable-webhook': async () => {
      const { webhook, confirm } = await partnerWithWebhook(url);
      return { params: webhook, body: { confirm, ...because } };
    },
    'list-deliveries': async () => ({ query: (await partnerWithWebhook(url, 3)).params }),
    'show-delivery': async () => ({
      params: { event_id: (await bookDelivery((await makePartner()).partnerId)).eventId },
    }),
    'replay-deliveries': async () => {
      const { webhook, partnerId } = await partnerWithWebhook(url);
      const exhausted = { state: 'esgotada', attempts: 12, createdAt: Date.now() - 5_000 } as const;
      await bookDeliveries([newDelivery(partnerId, exhausted), newDelivery(partnerId, exhausted)]);
      return { body: { ...webhook, since: new Date(Date.now() - 60_000).toISOString(), ...because } };
    },
    'list-dead-letters': async () => (await newDeadLetter(url)) && {},
    'redrive-dead-letters': async () => ({ body: { event_id: (await newDeadLetter(url)).event_id, ...because } }),
    'discard-dead-letters': async () => {
      const { event_id } = await newDeadLetter(url);
      return { body: { event_id, confirm: event_id, ...because } };
    },
    'find-leads': async () => {
      const { cpf, place } = await newPerson();
      return { body: { cpf, partner_id: place.partner_id, ...because } };
    },
    'export-lead': async () => ({ body: { ...(await newPerson()).place, ...because } }),
    'correct-lead': async () => ({ body: { ...(await newLead()), birth_date: '1980-02-29', ...because } }),
    'withdraw-lead-consent': async () => {
      const place = await newLead();
      const told = { withdrawn_at: '2026-11-20T09:00:00-03:00', channel: 'e-mail' };
      return { body: { ...place, ...told, confirm: String(place.lead_id), ...because } };
    },
    'erase-lead': async () => {
      const place = await newLead();
      return { body: { ...place, confirm: String(place.lead_id), ...because } };
    },
    'apply-erasure-ledger': async () => {
      await clearLedger();
      const { lead_id: leadId, partner_id: partnerId, unit_id: unitId, environment } = await newLead();
      await new TableErasureLedger().add({ partnerId, unitId, environment, leadId }, Date.now());
      return { body: { confirm: 'ledger', ...because } };
    },
    'list-pending-analyses': async () => (await pendingAnalysis()) && {},
    'show-analysis': async () => {
      const { params, partnerId } = await pendingAnalysis();
      return { params, query: { partner_id: partnerId } };
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
      body: { token: `the-operator-token-${nextMoment()}`, confirm: 'operator-token', ...because },
    }),
    'set-probe-key': async () => ({ body: { key: (await makePartner()).keys.sandbox, ...because } }),
    'show-service-keys': async () => ({}),
    'count-rows': async () => (await sealedRows(secrets)) && {},
    'init-service-keys': async () => {
      const name = `partner-credit-empty/${nextMoment()}`;
      secrets.make([{ name, arn: `arn:aws:secretsmanager:sa-east-1:000000000000:secret:${name}-local0` }]);
      process.env['KEYS_SECRET'] = name;
      return { body: because };
    },
    'change-service-keys': async () => {
      const { current } = (await sealedRows(secrets)).sealing;
      return { body: { current, confirm: String(current), ...because } };
    },
    'rewrite-rows': async () => {
      await changedKeys(secrets, { rewritten: false });
      return { body: { units_per_second: 40_000, ...because } };
    },
    'retire-service-keys': async () => {
      const current = await changedKeys(secrets, { rewritten: true });
      return { body: { current, confirm: String(current), ...because } };
    },
    'list-bank-rates': async () => ({}),
    'publish-bank-rate': rateToPublish,
    'confirm-bank-rate': rateToConfirm,
    'list-approvals': async () => (await requestedApproval()) && {},
    'approve-approval': requestedApproval,
    'refuse-approval': requestedApproval,
    'list-audit': filteredByPartner,
    'export-audit': async () => (await newPartner()) && { query: { month: dayInSaoPaulo(Date.now()).slice(0, 7) } },
    'show-openapi': async () => ({}),
  } satisfies Readonly<Record<AdministrationOperation, AdministrationScene>>;
}
