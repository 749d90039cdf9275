import type { AdministrationOperation } from '#shared/administration/operations.ts';
import { days, minutes } from '#shared/domain/values/time.ts';
import { type AdministrationCall, administration, because } from '../makers/administration.ts';
import { withPagesOfOne } from '../makers/pages-of-one.ts';
import { leadBody, simulationBody } from '../makers/people.ts';
import { everyRow } from '../makers/rows.ts';
import type { Scene } from '../makers/scene.ts';
import { approvedKey, CONSENTED_AT, placeOf, type Submission } from './acts.ts';
import {
  attempts,
  change,
  erasure,
  manage,
  OTHER,
  onlyStatus,
  type Planned,
  part,
  partner,
  refusal,
  whole,
} from './planned.ts';
import type { Step } from './step.ts';
import type { Story } from './story.ts';

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
  ];
  const planned: Planned[] = [];
  for (const [name, query, limit] of lists) {
    const first = { query: { ...query, ...(limit && { limit }) } };
    const { next_cursor: cursor } = (await withPagesOfOne(() => administration(name, first))).body;
    if (cursor === null) throw new Error(`${name} has only one page`);
    planned.push(whole(manage(name, { query: { ...query, cursor } })));
  }
  // The later pages of this list show the disabled webhooks.
  let { next_cursor } = (await administration('list-failing-webhooks')).body;
  while (next_cursor !== null) {
    const next = { query: { cursor: next_cursor } };
    planned.push(whole(manage('list-failing-webhooks', next)));
    ({ next_cursor } = (await administration('list-failing-webhooks', next)).body);
  }
  return planned;
}

/**
 * Returns the steps of a record. They read every row, repeat earlier calls, look at every sealed row, and make changes;
 * then time passes, and the pollers find what waits. Changes give new ids and moments, so that of most of them only the
 * status is recorded.
 */
export async function stepsOf(scene: Scene, story: Story): Promise<Planned[]> {
  const everySealedRow = part(change('rewrite-rows', { body: { units_per_second: 40_000 } }), 'broken', 'broken_count');
  return [
    ...(await continuedReads(scene)),
    ...reads(scene, story).map(whole),
    ...story.variants,
    ...repetitions(scene, story),
    ...refusals(scene, story),
    everySealedRow,
    ...changes(scene, story),
    ...(await deliveries(scene, story)),
    ...passages(scene, story),
  ];
}

/** Fields that name a person to the administration, without the confirmation of an erasure. */
function place(scene: Scene, { person }: Submission) {
  const { confirm: _, ...named } = placeOf(scene, person);
  return named;
}

/** Reads of the administration that note nothing before they answer come first, since others add rows to the audit. */
function reads(scene: Scene, story: Story): Step[] {
  const { couple, pending, withdrawn, concluded, sandboxLead, spouseCpf } = story;
  const { key } = scene;
  const { partnerId: partner_id, unitId: unit_id, keys } = scene.partner;
  const people = [couple, pending, withdrawn, concluded];
  const analyses = people.flatMap((submission) => submission.analyses);
  return [
    partner('getAccount', { key }),
    partner('getAccount', { key: keys.sandbox }),
    ...people.map(({ person: { lead } }) => partner('getLead', { key, id: lead })),
    partner('getLead', { id: sandboxLead, key: keys.sandbox }),
    partner('getLead', { id: sandboxLead, key: story.scopedKey.text }),
    partner('getLead', { id: couple.person.lead, headers: { authorization: `Bearer ${key}` } }),
    ...story.simulations.flatMap((id) => [
      partner('getSimulation', { key, id }),
      partner('getSimulationInstalments', { key, id }),
    ]),
    ...analyses.map((id) => partner('getAnalysisStatus', { key, id })),
    ...people.flatMap(({ person: { lead: id } }) => [
      partner('listLeadAnalyses', { key, id }),
      partner('listLeadConsents', { key, id }),
    ]),
    partner('listAnalyses', { key }),
    partner('getWebhook', { key }),
    partner('listOwnDeliveries', { key }),
    partner('listRefusedCalls', { key: keys.sandbox }),
    manage('list-audit', { query: { partner_id } }),
    manage('list-audit', { query: { service: 'true' } }),
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
    manage('list-deliveries'),
    ...story.events.map((event_id) => manage('show-delivery', { params: { event_id } })),
    manage('list-pending-analyses', { query: { partner_id } }),
    ...analyses.map((analysis_id) => manage('show-analysis', { params: { analysis_id }, query: { partner_id } })),
    change('find-leads', { body: { cpf: couple.person.cpf } }),
    change('find-leads', { body: { cpf: spouseCpf } }),
    ...people.map((one) => change('export-lead', { body: { ...place(scene, one), raw: true } })),
    change('export-lead', { body: { ...place(scene, couple), role: 'spouse', cpf: spouseCpf } }),
    manage('show-service-keys'),
  ];
}

/** Calls that were made before, and must have the same answer. */
function repetitions({ key }: Scene, { couple, withdrawal, scopedKey }: Story): Planned[] {
  return [
    whole(partner('submitAnalyses', { key, body: couple.body, once: couple.once })),
    whole(partner('withdrawConsent', withdrawal)),
    part(change('create-key', { body: scopedKey.wish }), 'text', 'key_id'),
  ];
}

/** Calls about people who are erased, and calls that a key may not make. */
function refusals({ key }: Scene, { erased, scopedKey }: Story): Planned[] {
  return [
    refusal(partner('getLead', { key, id: erased.lead })),
    refusal(partner('createSimulation', { key, body: simulationBody(erased.lead) })),
    refusal(partner('getWebhook', { key: scopedKey.text })),
  ];
}

function changes(scene: Scene, story: Story): Planned[] {
  const { couple, concluded, pending, erasing, erased, withdrawn } = story;
  const { key } = scene;
  const { partnerId: partner_id, keys } = scene.partner;
  const { person } = couple;
  const approve = { params: { operation: 'create-key', approval_id: story.approval }, body: because, caller: OTHER };
  const approved = { body: { ...approvedKey(scene), ...because } };
  const withdraw = { withdrawn_at: CONSENTED_AT, channel: 'e-mail' };
  return [
    onlyStatus(partner('getSimulationPdf', { key, id: story.simulations[0] })),
    onlyStatus(partner('getSimulationComparison', { key, id: story.simulations[0] })),
    part(partner('createLead', { key, body: leadBody({ cpf: person.cpf }) }), 'lead_id', 'reaproveitado'),
    onlyStatus(partner('updateLead', { key, id: person.lead, body: { renda: 21_000 } })),
    onlyStatus(partner('createSimulation', { key, body: simulationBody(person.lead) })),
    part(change('withdraw-lead-consent', { body: { ...placeOf(scene, person), ...withdraw } }), 'is_new', 'analyses'),
    onlyStatus(
      partner('submitAnalyses', { key, body: { ...concluded.body, bancos: ['santander'] }, once: 'after the record' }),
    ),
    onlyStatus(partner('resendDelivery', { key, id: story.events[1] })),
    onlyStatus(partner('testWebhook', { key })),
    whole(manage('record-outcomes', { body: { submissions: story.outcomes } })),
    onlyStatus(manage('approve-approval', approve)),
    onlyStatus({ administration: 'create-key', call: approved, twoPeople: true }),
    onlyStatus(
      change('rotate-key', {
        params: { key_id: story.scopedKey.id },
        body: { partner_id, confirm: story.scopedKey.id },
      }),
    ),
    refusal(partner('getLead', { key: story.scopedKey.text, id: story.sandboxLead })),
    onlyStatus(change('set-rate', { params: { partner_id }, body: { environment: 'sandbox', limit: 60 } })),
    onlyStatus(
      change('rotate-webhook-secret', {
        params: { partner_id, environment: 'producao' },
        body: { confirm: String(partner_id) },
      }),
    ),
    part(change('apply-erasure-ledger', { body: { confirm: 'ledger' } }), 'entries', 'unreadable', 'failed'),
    erasure(change('erase-lead', { body: placeOf(scene, erased) })),
    erasure(change('erase-lead', { body: placeOf(scene, erasing.person) })),
    erasure(change('erase-lead', { body: placeOf(scene, pending.person) })),
    refusal(partner('getLead', { key, id: pending.person.lead })),
    erasure(change('erase-lead', { body: placeOf(scene, withdrawn.person) })),
    onlyStatus(partner('createLead', { key: keys.sandbox, body: leadBody({ cpf: '900.000.003-37' }) })),
  ];
}

/** The events that wait, each with the attempt that its message asks for. The webhook of production is enabled before. */
async function deliveries({ partner: { partnerId: partner_id } }: Scene, { events }: Story): Promise<Planned[]> {
  const waiting = (await everyRow()).filter(
    ({ pk, state }) => String(pk).startsWith('DELIVERY#') && state === 'pendente',
  );
  const messages = waiting.map(({ eventId, partnerId, dueAttempt, dueAt }) =>
    JSON.stringify({ eventId, partnerId, attempt: dueAttempt, dueAt }),
  );
  const ids = Array.from(new Set(events.concat(waiting.map(({ eventId }) => String(eventId)))));
  return [
    onlyStatus(change('enable-webhook', { params: { partner_id, environment: 'producao' } })),
    whole({ tick: 'sweep-deliveries' }),
    ...messages.map((message) => whole({ message })),
    ...ids.map((event_id) => attempts(manage('show-delivery', { params: { event_id } }))),
  ];
}

/** Returns the steps in which time passes and the pollers look for rows that are due. */
function passages(scene: Scene, { erasing, pending }: Story): Planned[] {
  const sandbox = scene.partner.keys.sandbox;
  return [
    onlyStatus({ tick: 'poll-bank-outcomes' }),
    onlyStatus({ later: minutes(30) }),
    whole({ tick: 'sweep-deliveries' }),
    whole({ tick: 'sweep-erasures' }),
    // A call would continue an erasure that the sweeper has not found. A preview only shows it.
    erasure(change('erase-lead', { body: { ...placeOf(scene, pending.person), dry_run: true } })),
    erasure(change('erase-lead', { body: { ...placeOf(scene, erasing.person), dry_run: true } })),
    // A lead of the sandbox is announced to end 30 days before its 90 days are over.
    onlyStatus({ later: days(61) }),
    whole({ tick: 'sweep-erasures' }),
    onlyStatus(partner('resetSandbox', { key: sandbox })),
    refusal(partner('resetSandbox', { key: sandbox })),
  ];
}
