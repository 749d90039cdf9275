import type { Environment } from '#shared/domain/values/tenancy.ts';
import { confirmIndexKeys } from '#shared/table/rows/index-keys.ts';
import { disableWebhook, TableWebhookEndpoints } from '#shared/table/webhooks/webhook-endpoints.ts';
import { administration, because } from '../makers/administration.ts';
import { rateToPublish } from '../makers/administration-scenes.ts';
import { api } from '../makers/api.ts';
import { moveToState } from '../makers/booked.ts';
import type { CallOptions } from '../makers/call.ts';
import { finishErasures } from '../makers/erasure.ts';
import { cpfFrom } from '../makers/people.ts';
import type { Person, Scene } from '../makers/scene.ts';
import {
  approvedKey,
  decide,
  manage,
  placeOf,
  STORY_AT,
  type Submission,
  simulate,
  submit,
  withTwoPeople,
} from './acts.ts';
import type { Planned } from './planned.ts';
import { playOlderKeys, playVariants } from './variants.ts';

/** Ids, people and calls of the story that the steps of the record use. */
export interface Story {
  readonly couple: Submission;
  readonly pending: Submission;
  readonly withdrawn: Submission;
  readonly concluded: Submission;
  readonly erasing: Submission;
  readonly simulations: readonly string[];
  readonly events: readonly string[];
  readonly sandboxLead: number;
  readonly spouseCpf: string;
  readonly approval: string;
  /** A key of the sandbox with one scope, and the wish that makes it again. */
  readonly scopedKey: { readonly id: string; readonly text: string; readonly wish: object };
  /** Its erasure has ended. */
  readonly erased: Person;
  /** The call by which a person has withdrawn a consent. */
  readonly withdrawal: CallOptions;
  /** Reads of rows in further states. */
  readonly variants: readonly Planned[];
  /** Outcomes that the operator may report about pending analyses. */
  readonly outcomes: readonly object[];
}

const ADDRESS = 'http://127.0.0.1:9/eventos';
const SPOUSE_CPF = cpfFrom(401);
const SPOUSE = {
  estado_civil: 'casado',
  conjuge_nome: 'Caio Prado Dias',
  conjuge_cpf: SPOUSE_CPF,
  conjuge_data_nascimento: '1986-02-03',
};

/**
 * Plays a history with a row of each kind in rows/keys.ts: a partner with both environments, people at every point of an
 * analysis, of a withdrawal and of an erasure, and events in every state.
 */
export async function playStory(scene: Scene): Promise<Story> {
  const older = await playOlderKeys(scene);
  const scopedKey = await playPartner(scene);
  const sandboxLead = await playSandbox(scene.partner.keys.sandbox);

  const couple = await submit(scene, ['itau', 'inter', 'brb'], SPOUSE);
  const simulations = await simulate(scene, couple.person);
  const concluded = await submit(scene, ['itau', 'inter', 'brb', 'bradesco']);
  const pending = await submit(scene, ['itau']);
  const withdrawn = await submit(scene, ['inter']);
  const erasing = await submit(scene, ['brb']);
  // This submission does not reach its bank.
  scene.operator.control.fault({ kind: 'lost_before', operation: 'submit', times: 1 });
  await submit(scene, ['santander']);

  const [first, ...undecided] = couple.analyses;
  for (const { analyses } of [pending, withdrawn, erasing, { analyses: undecided }])
    decide(scene, analyses, 'Em análise');
  const approved = concluded.analyses.concat(first!);
  decide(scene, approved, 'Aprovado');
  // On a busy machine a bank may answer late, and the poller finds the analysis at a later tick.
  for (let minute = 0; minute < 5 && (await scene.events(approved)).length < approved.length; minute++)
    await scene.tick();

  const variants = older.concat(await playVariants(scene));
  const withdrawal = await playWithdrawal(scene, withdrawn);
  const erased = await playErasures(scene, erasing);
  const events = await playDeliveries(scene, approved);
  const approval = await askForApproval(scene);
  await manage('rewrite-rows', { body: { units_per_second: 40_000, ...because } });
  await confirmIndexKeys();
  return {
    ...{ couple, pending, withdrawn, erasing, simulations, events, sandboxLead, approval, scopedKey, withdrawal },
    ...{ outcomes: await outcomesOf(scene, pending), spouseCpf: SPOUSE_CPF, concluded, erased, variants },
  };
}

/** Makes what the administration makes for the partner. Returns a key of the sandbox. */
async function playPartner({ partner }: Scene): Promise<Story['scopedKey']> {
  const { partnerId: partner_id, unitId: unit_id } = partner;
  const params = { partner_id };
  await manage('create-partner', { body: { name: 'Imobiliária Vizinha', ...because } });
  await manage('present-unit', { params: { unit_id }, body: { partner_id, creci: '12345-J', ...because } });
  await manage('publish-bank-rate', await rateToPublish());
  await manage('set-incident-contact', { params, body: { contact: 'seguranca@parceiro.example', ...because } });
  for (const environment of ['sandbox', 'producao'] satisfies Environment[])
    await manage('set-webhook', { params: { partner_id, environment }, body: { url: ADDRESS, ...because } });
  const consultant = { id: 77, name: 'Consultora' };
  const made = { partner_id, unit_id, environment: 'sandbox', scopes: ['leads'], consultant };
  const wish = { ...made, token: '6f1e0b52-7c1d-4e0a-9d5b-3a9f2c8e4b17' };
  const { key_id: id, text } = await manage('create-key', { body: { ...wish, ...because } });
  return { id, text, wish };
}

/** Withdraws a person's consent. Returns the call. */
async function playWithdrawal({ key }: Scene, { person }: Submission): Promise<CallOptions> {
  const body = { revogado_em: new Date(STORY_AT).toISOString(), canal: 'app' };
  const call = { key, id: person.lead, body, once: 'withdrawal' };
  const { status, text } = await api('withdrawConsent', call);
  if (status !== 201) throw new Error(`the withdrawal was answered ${status} ${text}`);
  return call;
}

/** Asks to erase a person whose analysis is pending, and erases another one, who is returned. */
async function playErasures(scene: Scene, { person }: Submission): Promise<Person> {
  await manage('erase-lead', { body: { ...placeOf(scene, person), ...because } });
  const erased = await scene.person();
  await simulate(scene, erased);
  await manage('erase-lead', { body: { ...placeOf(scene, erased), ...because } });
  await finishErasures();
  return erased;
}

/** Asks for a key of production, which another person must approve. Returns the id of the request. */
async function askForApproval({ partner }: Scene): Promise<string> {
  await withTwoPeople(() => administration('create-key', { body: { ...approvedKey({ partner }), ...because } }));
  return (await manage('list-approvals')).approvals[0].approval_id;
}

/** Returns outcomes of analyses in the form in which the operator reports them. */
const outcomesOf = (scene: Scene, { analyses }: Submission): Promise<object[]> =>
  Promise.all(
    analyses.map(async (id) => {
      const { banco: bank, num_consulta: queryNumber } = (await scene.status(id)).body.analise;
      return { reference: scene.reference(id), bank, queryNumber, status: 'Aprovado' };
    }),
  );

/** Resets the sandbox, so that its steps are noted, and uses it again. Returns its lead. */
async function playSandbox(key: string): Promise<number> {
  const made = async (cpf: string): Promise<number> =>
    (await api('createLead', { key, body: { nome: 'Marina Duarte Alves', cpf } })).body.lead_id;
  await made('900.000.001-75');
  await api('resetSandbox', { key });
  const lead = await made('900.000.002-56');
  await api('createLead', { key, body: { nome: 'Marina Duarte Alves' } });
  await api('createSimulation', { key, body: { lead_id: lead, valor_imovel: 500_000, bancos: ['itau'] } });
  return lead;
}

/**
 * Brings the events of these analyses into every state. Afterwards the webhook of production is disabled, so that it keeps
 * an event, and that of the sandbox is failing. Returns the events' ids.
 */
async function playDeliveries(scene: Scene, analyses: readonly number[]): Promise<string[]> {
  const { partnerId } = scene.partner;
  const [production, sandbox] = [
    { partnerId, environment: 'producao' },
    { partnerId, environment: 'sandbox' },
  ] as const;
  const events = await scene.events(analyses);
  for (const [at, state] of (['entregue', 'esgotada', 'sem_destino'] as const).entries())
    await moveToState(state, events[at]!, Date.now());
  await disableWebhook(production, 'failing', Date.now());
  await moveToState('suspensa', events[3]!, Date.now());
  const endpoints = new TableWebhookEndpoints();
  await endpoints.countFailure(sandbox, (await endpoints.get(sandbox))!, Date.now());
  return events.map(({ eventId }) => eventId);
}
