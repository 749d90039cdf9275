import type * as z from 'zod/mini';
import { type accountView, sandboxResetBody, validationViewOf } from '#shared/contract/account.ts';
import {
  type analysesAccepted,
  analysesAcceptedBody,
  analysisStatusBody,
  leadAnalysisListBody,
  outcomeListBody,
} from '#shared/contract/analysis.ts';
import { parseSubmission } from '#shared/contract/analysis-request.ts';
import { consentListBody } from '#shared/contract/consent.ts';
import { parseWithdrawal, withdrawalRecordedBody } from '#shared/contract/consent-withdrawal.ts';
import { deliveryListBody, deliveryResentBody } from '#shared/contract/delivery.ts';
import {
  type accountEvent as accountBody,
  accountEventOf,
  type event,
  eventOf,
  type testEvent,
  testEventOf,
} from '#shared/contract/event.ts';
import type { JsonObject } from '#shared/contract/fields.ts';
import type { healthView } from '#shared/contract/health.ts';
import { leadCreatedBody, leadFoundBody, leadUpdatedBody, parseLead, parseLeadPatch } from '#shared/contract/lead.ts';
import { refusedCallListBody } from '#shared/contract/refused-call.ts';
import { instalmentListBody, simulationFoundBody } from '#shared/contract/simulation.ts';
import { simulationCreatedBody } from '#shared/contract/simulation-created.ts';
import { parseSimulation } from '#shared/contract/simulation-request.ts';
import { webhookTestedBody, webhookViewBody } from '#shared/contract/webhook.ts';
import { type Analysis, transition } from '#shared/domain/analyses/analysis.ts';
import { applyPatch, type Lead } from '#shared/domain/leads/lead.ts';
import { NOTICE_DAYS } from '#shared/domain/leads/retention.ts';
import { displayPrefix, makeApiKey } from '#shared/domain/partners/api-key.ts';
import type { RefusedCall } from '#shared/domain/partners/partner.ts';
import { compareOffers } from '#shared/domain/simulations/comparison.ts';
import { quoteSystems, scheduleOf } from '#shared/domain/simulations/pricing/quote.ts';
import { RATE_DAYS } from '#shared/domain/simulations/pricing/tables/in-force.ts';
import { type Opportunity, offersOf } from '#shared/domain/simulations/simulation.ts';
import type { Bank } from '#shared/domain/values/bank.ts';
import { dayInSaoPaulo, timestamp } from '#shared/domain/values/clock.ts';
import {
  type AnalysisId,
  type ConsentId,
  drawId,
  idTime,
  type OpportunityId,
  type PartnerId,
  type SubmissionId,
  type UnitId,
  type WithdrawalId,
} from '#shared/domain/values/ids.ts';
import { type Instant, seconds } from '#shared/domain/values/time.ts';
import type { AttemptResult, Delivery } from '#shared/domain/webhooks/delivery.ts';
import {
  LEAD,
  leadChange,
  newAnalysis,
  newLead,
  newSimulation,
  newSimulationOfCouple,
  newWithdrawal,
} from './example-bodies.ts';

// All examples tell one story in the sandbox. The answers come from the service's own code, with ids that are drawn
// at these moments.

export const STORY_NOW: Instant = Date.parse('2026-11-21T16:20:07.412Z');
export const STORY_ENVIRONMENT = 'sandbox';
const OUTCOME_AT: Instant = Date.parse('2026-11-21T16:21:00.180Z');

const idDrawn = <Id extends number>(at: Instant, random: number): Id => drawId<Id>(at, () => random);

const PARTNER = idDrawn<PartnerId>(Date.parse('2026-11-03T13:10:00.000Z'), 401);
/** A key that gives access to nothing: its secret part is made from these words. */
const KEY = makeApiKey(PARTNER, 'sandbox', Buffer.from('chave de exemplo'.repeat(4)));
const UNIT = idDrawn<UnitId>(Date.parse('2026-11-03T13:12:00.000Z'), 1402);
export const OPPORTUNITY = idDrawn<OpportunityId>(Date.parse('2026-11-21T16:15:54.063Z'), 4080);
/** The opportunity of a call that asks for both amortization systems. */
const OPPORTUNITY_OF_BOTH = idDrawn<OpportunityId>(Date.parse('2026-11-21T16:15:54.142Z'), 448);
const SUBMISSION = idDrawn<SubmissionId>(STORY_NOW, 0);

export const REQUEST_ID = 'UmP5IGkXmjQEaRw=';

// -------------------------------------------------------------------------------------------------------------- lead

const created = idTime(LEAD);
const storyLead: Lead = {
  ...parseLead(newLead, STORY_NOW).draft,
  id: LEAD,
  version: 1,
  createdAt: created,
  updatedAt: created,
};
export const leadAnswer = leadCreatedBody(LEAD);
export const leadReused = leadCreatedBody(LEAD, []);
export const lead = leadFoundBody(storyLead);

const { changed } = applyPatch(storyLead, parseLeadPatch(leadChange));
export const leadChanged = leadUpdatedBody(LEAD, changed);
export const leadUnchanged = leadUpdatedBody(LEAD, []);

// -------------------------------------------------------------------------------------------------------- simulation

function simulated(body: JsonObject, id: OpportunityId, lead: Partial<Lead> = storyLead) {
  const { banks, systems, wishes } = parseSimulation(body, STORY_NOW);
  const contractDay = dayInSaoPaulo(idTime(id));
  const { income = lead.income } = wishes;
  const asked = {
    ...wishes,
    income,
    birthDate: lead.birthDate,
    contractDay,
    rateDays: RATE_DAYS,
    offersOldRates: true,
  };
  const quotes = banks.flatMap((bank) => quoteSystems(bank, asked, systems));
  const offers = offersOf(quotes);
  const opportunity: Opportunity = { id, leadId: LEAD, createdAt: idTime(id), customer: storyLead, offers };
  return { quotes, opportunity, answer: simulationCreatedBody(id, quotes, wishes.financeExpenses) };
}

/** Both are bodies as partners send them. */
export const simulationOf = (lead: JsonObject, body: JsonObject) =>
  simulated(body, OPPORTUNITY, parseLead(lead, STORY_NOW).draft).answer;

const { quotes, opportunity, answer } = simulated(newSimulation, OPPORTUNITY);
const [first] = compareOffers(opportunity.offers).ranked;
const ofCouple = simulated(newSimulationOfCouple, OPPORTUNITY_OF_BOTH);
const comparisonOfCouple = compareOffers(ofCouple.opportunity.offers);
const [firstOfCouple] = comparisonOfCouple.ranked;
if (!first || !firstOfCouple) throw new Error("no bank offers what the story's customer asks");

export const simulationAnswer = answer;
export const simulationAnswerOfCouple = ofCouple.answer;
export const simulationRefused = simulationCreatedBody(
  OPPORTUNITY,
  quotes.filter((quoted) => 'refusal' in quoted),
  false,
);
export const simulation = simulationFoundBody(opportunity, first, undefined);
export const simulationByOpportunity = simulationFoundBody(ofCouple.opportunity, firstOfCouple, comparisonOfCouple);
export const instalments = instalmentListBody(opportunity, first, scheduleOf(first).slice(0, 2));

// ---------------------------------------------------------------------------------------------------------- analyses

const submitted = (bank: Bank, id: AnalysisId): Analysis => ({
  id,
  unitId: UNIT,
  environment: 'sandbox',
  partnerId: PARTNER,
  leadId: LEAD,
  bank,
  submissionId: SUBMISSION,
  situation: 'em_analise',
  queryNumber: `SB-${id}`,
  rawStatus: 'Em análise',
  sequence: 0,
  createdAt: STORY_NOW,
});
const itau = submitted('itau', idDrawn<AnalysisId>(STORY_NOW, 1873));
const bradesco = submitted('bradesco', idDrawn<AnalysisId>(STORY_NOW, 2901));
/** An analysis that the bank did not take. */
const santander = submitted('santander', idDrawn<AnalysisId>(STORY_NOW, 3925));

const approved = transition(itau, { ...itau, situation: 'aprovado', rawStatus: 'Aprovado' });
const failed = transition(santander, { situation: 'erro', rawStatus: 'Falha no envio ao banco', queryNumber: '' });
if (!approved || !failed) throw new Error("the story's analyses cannot have these outcomes");

const page = { limit: 20, offset: 0 };
const submission = parseSubmission(newAnalysis, STORY_NOW, STORY_ENVIRONMENT);

export const analysesAnswer: z.input<typeof analysesAccepted> = analysesAcceptedBody(
  [itau, bradesco].map((after) => ({ after })),
);
export const analysesPartlyTaken = analysesAcceptedBody([{ after: itau }, { after: failed, refusal: 'test_cpf' }]);
export const analysisPending = analysisStatusBody(itau);
export const analysisApproved = analysisStatusBody(approved);
export const leadAnalyses = leadAnalysisListBody([bradesco, approved], page);
const outcome = { ...approved, concludedAt: OUTCOME_AT };
export const outcomes = outcomeListBody({ items: [outcome], next: outcome }, { limit: 1 });
export const leadConsents = consentListBody(
  {
    items: [
      {
        ...submission.consent,
        // A consent has the number of the first analysis of its submission.
        id: idDrawn<ConsentId>(STORY_NOW, 1873),
        leadId: LEAD,
        analysisIds: [itau.id, bradesco.id],
        banks: submission.banks,
        keyId: KEY.keyId,
      },
    ],
    more: false,
    withdrawals: [],
  },
  page,
);
/**
 * On the day after, the person withdraws the consent: one bank has the query, whether the other has it is not known.
 */
const WITHDRAWN = Date.parse(newWithdrawal.revogado_em);
const withdrawal = {
  ...parseWithdrawal(newWithdrawal, WITHDRAWN).draft,
  id: idDrawn<WithdrawalId>(WITHDRAWN, 4949),
  leadId: LEAD,
  keyId: KEY.keyId,
};
export const withdrawalAnswer = withdrawalRecordedBody({
  withdrawal,
  affected: [
    { ...bradesco, isSent: false },
    { ...itau, isSent: true },
  ],
});
export const withdrawalRepeated = withdrawalRecordedBody({ withdrawal, affected: [] });
export const consentsWithdrawn = consentListBody({ items: [], more: false, withdrawals: [withdrawal] }, page);

// ------------------------------------------------------------------------------------------------ account and events

const ADDRESS = { url: 'https://parceiro.example/webhooks/credito', disabledBecause: undefined };
export const webhook = webhookViewBody('producao', { ...ADDRESS, enabled: true });
export const webhookDisabled = webhookViewBody(
  'producao',
  { ...ADDRESS, enabled: false, disabledBecause: 'failing', disabledAt: STORY_NOW },
  3,
);
export const webhookUnset = webhookViewBody('sandbox', undefined);

export const account: z.input<typeof accountView> = {
  ok: true,
  parceiro: { id: PARTNER, nome: 'Imobiliária Exemplo' },
  unidade: { id: UNIT, nome: 'Unidade Centro' },
  consultor: null,
  ambiente: 'sandbox',
  escopos: ['leads', 'simulacoes', 'analises', 'acompanhamento'],
  limite_por_minuto: 120,
  chave: { prefixo: displayPrefix(KEY), criada_em: '2026-11-03T13:20:00.000Z' },
  alterada_em: '2026-11-03T13:20:00.000Z',
  retencao: { sandbox_dias: 90, sem_analise_meses: 24, apos_analise_anos: 5, aviso_dias: NOTICE_DAYS },
  validacao: validationViewOf({ lead: created, simulation: STORY_NOW, analysis: STORY_NOW, aprovado: STORY_NOW }),
};
export const accountOfConsultant: z.input<typeof accountView> = {
  ...account,
  consultor: { id: 108487065603003, nome: 'Paula Ribeiro' },
  escopos: ['leads'],
};

/** A delivery that was accepted at once, and a delivery whose receiver answered 503 to the first attempt. */
const taken = deliveryOf(eventOf(approved, OUTCOME_AT), 'entregue', { delivered: true, status: 200, milliseconds: 84 });
const waiting = deliveryOf(eventOf(failed, OUTCOME_AT, 'test_cpf'), 'pendente', {
  delivered: false,
  failure: 'http_5xx',
  status: 503,
  milliseconds: 31,
  detail: '',
});
function deliveryOf(booked: Delivery, state: Delivery['state'], result: AttemptResult): Delivery {
  const at = OUTCOME_AT + 1200;
  return { ...booked, state, attempts: 1, dueAt: at + seconds(5), history: [{ number: 1, at, result }] };
}
export const EVENT = waiting.eventId;
export const deliveries = deliveryListBody({ items: [waiting, taken], more: false, isCut: false }, page);
export const resent = deliveryResentBody({ ...waiting, dueAt: OUTCOME_AT + seconds(4) }, 'enabled');
export const resentToDisabled = deliveryResentBody({ ...waiting, state: 'suspensa' }, 'disabled');

const refused: RefusedCall = {
  at: STORY_NOW,
  method: 'POST',
  path: '/v1/leads',
  code: 'campo_invalido',
  fields: ['cpf', 'data_nascimento'],
  requestId: REQUEST_ID,
};
export const refusedCalls = refusedCallListBody([refused], page, 'sandbox');
export const refusedCallsInProduction = refusedCallListBody([], page, 'producao');
export const reset = sandboxResetBody({ leads: 3, more: false }, []);

export const health: z.input<typeof healthView> = {
  ok: true,
  version: '1.0.0',
  uptime_s: 42,
  timestamp: timestamp(created),
};

export const resultEvent: z.input<typeof event> = JSON.parse(eventOf(approved, OUTCOME_AT).body);
export const errorEvent: z.input<typeof event> = JSON.parse(eventOf(failed, OUTCOME_AT, 'test_cpf').body);
export const accountEvent: z.input<typeof accountBody> = JSON.parse(
  accountEventOf(
    { partnerId: PARTNER, change: 'chave_criada', environment: 'producao', unitId: UNIT },
    STORY_NOW,
    STORY_NOW,
  ).body,
);
const test = testEventOf({ partnerId: PARTNER, environment: 'sandbox' }, STORY_NOW);
export const pingEvent: z.input<typeof testEvent> = JSON.parse(test.body);
const testedWith = (result: AttemptResult) =>
  webhookTestedBody(test.eventId, { number: 1, at: STORY_NOW + 87, result }, { enabled: true });
export const testAccepted = testedWith({ delivered: true, status: 200, milliseconds: 87 });
export const testRefused = testedWith({
  delivered: false,
  failure: 'http_4xx',
  status: 401,
  milliseconds: 87,
  detail: '',
});
