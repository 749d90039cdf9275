import { BANKS, type Bank } from '#shared/domain/values/bank.ts';
import type { Environment } from '#shared/domain/values/tenancy.ts';
import { confirmIndexKeys } from '#shared/table/rows/index-keys.ts';
import { disableWebhook, TableWebhookEndpoints } from '#shared/table/webhooks/webhook-endpoints.ts';
import { administration, because } from '../makers/administration.ts';
import { api } from '../makers/api.ts';
import { moveToState } from '../makers/booked.ts';
import type { CallOptions } from '../makers/call.ts';
import { finishErasures } from '../makers/erasure.ts';
import { cpfFrom } from '../makers/people.ts';
import type { Person, Scene } from '../makers/scene.ts';

/** A submission of one person, and its analyses. */
export interface Submission {
  readonly person: Person;
  readonly body: Record<string, unknown>;
  readonly once: string;
  readonly analyses: readonly number[];
}

/** What the story leaves behind, as far as the calls of the record name it. */
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
  /** Outcomes that the operator may report about pending analyses. */
  readonly outcomes: readonly object[];
}

/** The moment of the story. The banks' tables of this day stay as they are, so that it always has the same offers. */
export const STORY_AT = Date.UTC(2026, 11, 1, 15);
/** When the people of the story consent. */
export const CONSENTED_AT = new Date(STORY_AT - 60_000).toISOString();

const ADDRESS = 'http://127.0.0.1:9/eventos';
const SPOUSE_CPF = cpfFrom(401);
const SPOUSE = {
  estado_civil: 'casado',
  conjuge_nome: 'Caio Prado Dias',
  conjuge_cpf: SPOUSE_CPF,
  conjuge_data_nascimento: '1986-02-03',
};

/** Makes a call to the administration that must succeed. Returns its body. */
async function manage(...[operation, call]: Parameters<typeof administration>) {
  const { status, body, text } = await administration(operation, call);
  if (status !== 200) throw new Error(`${operation} answered ${status} ${text}`);
  return body;
}

/**
 * Plays a history with a row of each kind in rows/keys.ts: a partner with both environments, people at every point of an
 * analysis, of a withdrawal and of an erasure, and events in every state.
 */
export async function playStory(scene: Scene): Promise<Story> {
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

  const withdrawal = await playWithdrawal(scene, withdrawn);
  const erased = await playErasures(scene, erasing);
  const events = await playDeliveries(scene, approved);
  const approval = await askForApproval(scene);
  await manage('reencrypt-rows', { body: { units_per_second: 40_000, ...because } });
  await confirmIndexKeys();
  return {
    ...{ couple, pending, withdrawn, erasing, simulations, events, sandboxLead, approval, scopedKey, withdrawal },
    ...{ outcomes: await outcomesOf(scene, pending), spouseCpf: SPOUSE_CPF, concluded, erased },
  };
}

/** Makes what the administration makes for the partner. Returns a key of the sandbox. */
async function playPartner({ partner }: Scene): Promise<Story['scopedKey']> {
  const { partnerId: partner_id, unitId: unit_id } = partner;
  const params = { partner_id };
  await manage('create-partner', { body: { name: 'Imobiliária Vizinha', ...because } });
  await manage('present-unit', { params: { unit_id }, body: { partner_id, creci: '12345-J', ...because } });
  await manage('set-incident-contact', { params, body: { contact: 'seguranca@parceiro.example', ...because } });
  for (const environment of ['sandbox', 'producao'] satisfies Environment[])
    await manage('set-webhook', { params: { partner_id, environment }, body: { url: ADDRESS, ...because } });
  const consultant = { id: 77, name: 'Consultora' };
  const made = { partner_id, unit_id, environment: 'sandbox', scopes: ['leads'], consultant };
  const wish = { ...made, token: 'a token of the record' };
  const { key_id: id, text } = await manage('create-key', { body: { ...wish, ...because } });
  return { id, text, wish };
}

/** Makes a lead for a new person, with the given fields, and submits its analyses. */
async function submit(scene: Scene, banks: readonly Bank[], fields: Record<string, unknown> = {}): Promise<Submission> {
  const person = await scene.person(undefined, fields);
  const body = { ...person.body, ...fields, bancos: banks, consentimento_timestamp: CONSENTED_AT };
  const once = `key-${person.lead}`;
  const { status, text, body: answer } = await scene.submitBody(body, once);
  if (status !== 202) throw new Error(`POST /v1/analises answered ${status} ${text}`);
  const analyses: number[] = answer.analises.map(({ analise_id }: { analise_id: number }) => analise_id);
  return { person, body, once, analyses };
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

/** The wish for a key of production. */
export const approvedKey = ({ partner }: Pick<Scene, 'partner'>) => ({
  ...{ partner_id: partner.partnerId, unit_id: partner.unitId, environment: 'producao' },
});

/** Asks for a key of production, which another person must approve. Returns the id of the request. */
async function askForApproval({ partner }: Scene): Promise<string> {
  process.env['APPROVALS'] = 'required';
  await administration('create-key', { body: { ...approvedKey({ partner }), ...because } });
  process.env['APPROVALS'] = 'off';
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

/** Fields that name a person to the administration, with the confirmation of an erasure. */
export const placeOf = ({ partner, environment }: Pick<Scene, 'partner' | 'environment'>, { lead }: Person) => ({
  ...{ partner_id: partner.partnerId, unit_id: partner.unitId, environment },
  ...{ lead_id: lead, confirm: String(lead) },
});

function decide(scene: Scene, analyses: readonly number[], status: string): void {
  for (const analysis of analyses) scene.operator.control.decide(scene.reference(analysis), status);
}

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

/** Simulates at all banks for a person. Returns the ids of the simulations. */
async function simulate(scene: Scene, { lead }: Person): Promise<string[]> {
  const body = { lead_id: lead, valor_imovel: 500_000, valor_financiado: 300_000, prazo: 240, bancos: BANKS };
  const { status, text, body: answer } = await api('createSimulation', { key: scene.key, body });
  if (status !== 200) throw new Error(`POST /v1/simulacoes answered ${status} ${text}`);
  return answer.resultado.resultados.map(({ simulacao_id }: { simulacao_id: string }) => simulacao_id);
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
