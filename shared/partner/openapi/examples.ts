import type * as z from 'zod/mini';
import type { accountView } from '../../contract/account.ts';
import {
  type analysesAccepted,
  analysesAcceptedBody,
  analysisStatusBody,
  leadAnalysisListBody,
} from '../../contract/analysis.ts';
import { parseSubmission } from '../../contract/analysis-request.ts';
import { consentListBody } from '../../contract/consent.ts';
import { deliveryListBody, deliveryResentBody } from '../../contract/delivery.ts';
import { type event, eventOf, type testEvent, testEventOf } from '../../contract/event.ts';
import type { healthView } from '../../contract/health.ts';
import { leadCreatedBody, leadFoundBody, leadUpdatedBody } from '../../contract/lead.ts';
import { type leadInput, type leadPatchInput, parseLead, parseLeadPatch } from '../../contract/lead-request.ts';
import { refusedCallListBody } from '../../contract/refused-call.ts';
import { simulationFoundBody } from '../../contract/simulation.ts';
import { simulationCreatedBody } from '../../contract/simulation-created.ts';
import { instalmentListBody } from '../../contract/simulation-instalments.ts';
import { parseSimulation, type simulationInput } from '../../contract/simulation-request.ts';
import { validationViewOf } from '../../contract/validation.ts';
import { webhookViewBody } from '../../contract/webhook.ts';
import { type Analysis, transition } from '../../domain/analyses/analysis.ts';
import type { Lead } from '../../domain/leads/lead.ts';
import { displayPrefix, makeApiKey } from '../../domain/partners/api-key.ts';
import type { RefusedCall } from '../../domain/partners/refused-call.ts';
import { offerFor, rankOffers } from '../../domain/simulations/opportunity.ts';
import { quoteSystems, scheduleOf } from '../../domain/simulations/pricing/quote.ts';
import type { Opportunity } from '../../domain/simulations/simulation.ts';
import type { Bank } from '../../domain/values/bank.ts';
import { dayInSaoPaulo, timestamp } from '../../domain/values/clock.ts';
import {
  type AnalysisId,
  type ConsentId,
  idTime,
  type LeadId,
  type OpportunityId,
  type PartnerId,
  type SubmissionId,
  type UnitId,
} from '../../domain/values/ids.ts';
import type { AttemptResult, Delivery } from '../../domain/webhooks/delivery.ts';
import type { submissionSchema } from './submission-schema.ts';

// One story in the sandbox, which every example of the interface's description tells: a made-up customer becomes a lead,
// three banks are simulated, two are asked. The partner's bodies are written here; the answers come from the service's
// own code, with ids such as it draws at these moments.

/** When the submission is read, in milliseconds. */
export const STORY_NOW = 1_795_278_007_412;
/** When the analysis has its outcome, in milliseconds. */
const OUTCOME_AT = Date.parse('2026-11-21T16:21:00.180Z');

const PARTNER = 108485836800401 as PartnerId;
/** A key that opens nothing: its secret part is drawn from these words. */
const KEY = makeApiKey(PARTNER, 'sandbox', Buffer.from('chave de exemplo'.repeat(4)));
const UNIT = 108486328321402 as UnitId;
const LEAD = 114901623046123 as LeadId;
export const OPPORTUNITY = 114901623046128 as OpportunityId;
/** Of a call that asks for both amortization systems. */
const OPPORTUNITY_OF_BOTH = 114901623366080 as OpportunityId;
const SUBMISSION = 114902660759552 as SubmissionId;

export const REQUEST_ID = 'UmP5IGkXmjQEaRw=';

// -------------------------------------------------------------------------------------------------------------- lead

export const newLead: z.input<typeof leadInput> = {
  nome: 'Marina Duarte Alves',
  cpf: '900.000.001-75',
  telefone: '(11) 90000-0001',
  email: 'marina.alves@example.com',
  data_nascimento: '1988-03-14',
  renda: 15000,
  estado_civil: 'solteiro',
  origem: 'site',
  observacao: 'Prefere contato à tarde.',
};
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

export const leadChange: z.input<typeof leadPatchInput> = { renda: 16500.5, observacao: null };
const changed = Object.keys(parseLeadPatch(leadChange)) as (keyof ReturnType<typeof parseLeadPatch>)[];
export const leadChanged = leadUpdatedBody(LEAD, changed);
export const leadUnchanged = leadUpdatedBody(LEAD, []);

// -------------------------------------------------------------------------------------------------------- simulation

export const newSimulation: z.input<typeof simulationInput> = {
  lead_id: LEAD,
  valor_imovel: 500000,
  valor_financiado: 350000,
  prazo: 360,
  tipo_amortizacao: 'SAC',
  financiar_despesas: false,
  bancos: ['itau', 'bradesco', 'cashme'],
};
/** Without amounts: the income decides. */
export const newSimulationByIncome: z.input<typeof simulationInput> = {
  lead_id: LEAD,
  renda: 15000,
  bancos: ['Itaú Unibanco', '1'],
};

/** Two proponents with FGTS, in both systems: every field that a simulation takes. */
export const newSimulationOfCouple: z.input<typeof simulationInput> = {
  lead_id: LEAD,
  valor_imovel: 600000,
  valor_financiado: 300000,
  prazo: 360,
  renda: 15000,
  sistemas: ['SAC', 'PRICE'],
  financiar_despesas: true,
  segmento: 'alta_renda',
  finalidade: 'residencial',
  uf: 'SP',
  segundo_proponente: { renda: 10000, data_nascimento: '1986-09-30', participacao: 40 },
  fgts: {
    valor: 50000,
    tres_anos: true,
    sem_financiamento_sfh: true,
    sem_imovel_no_municipio: true,
    moradia_propria: true,
  },
  bancos: ['itau', 'santander', 'brb'],
};

/** The service's answer to a body, given at the moment of the opportunity's id. */
function simulated(body: z.input<typeof simulationInput>, id: OpportunityId) {
  const { banks, systems, wishes } = parseSimulation({ ...body }, STORY_NOW);
  const contractDay = dayInSaoPaulo(idTime(id));
  const { income = storyLead.income } = wishes;
  const asked = { ...wishes, income, birthDate: storyLead.birthDate, contractDay };
  const quotes = banks.flatMap((bank) => quoteSystems(bank, asked, systems));
  const offers = quotes.flatMap((made) => ('offer' in made ? [made.offer] : []));
  const opportunity: Opportunity = { id, leadId: LEAD, createdAt: idTime(id), customer: storyLead, offers };
  return { quotes, opportunity, answer: simulationCreatedBody(id, quotes, wishes.financeExpenses) };
}

const { quotes, opportunity, answer } = simulated(newSimulation, OPPORTUNITY);
const cheapest = offerFor(opportunity, OPPORTUNITY)!;
const ofCouple = simulated(newSimulationOfCouple, OPPORTUNITY_OF_BOTH);
const [best, ...others] = rankOffers(ofCouple.opportunity.offers);

export const simulationAnswer = answer;
export const simulationAnswerOfCouple = ofCouple.answer;
export const simulationRefused = simulationCreatedBody(
  OPPORTUNITY,
  quotes.filter((made) => 'refusal' in made),
  false,
);
export const simulation = simulationFoundBody(opportunity, cheapest, undefined);
export const simulationByOpportunity = simulationFoundBody(ofCouple.opportunity, best!, others);
/** The first two of 360. */
export const instalments = instalmentListBody(opportunity, cheapest, scheduleOf(cheapest).slice(0, 2));

// ---------------------------------------------------------------------------------------------------------- analyses

export const newAnalysis = {
  lead_id: LEAD,
  consentimento: true,
  consentimento_timestamp: '2026-11-21T13:18:22-03:00',
  consentimento_ip: '203.0.113.25',
  consentimento_canal: 'web',
  nome: 'Marina Duarte Alves',
  cpf: '900.000.001-75',
  data_nascimento: '1988-03-14',
  renda: 15000,
  sexo: 'F',
  estado_civil: 'solteiro',
  nome_mae: 'Teresa Duarte Alves',
  email: 'marina.alves@example.com',
  telefone: '(11) 90000-0001',
  profissao: 'Engenheira',
  empresa: 'Empresa Exemplo Ltda.',
  rg: '12.345.678-9',
  rg_orgao: 'SSP',
  rg_uf: 'SP' as const,
  rg_emissao: '2006-05-02',
  cep: '01310-100',
  logradouro: 'Avenida Paulista',
  numero: '1000',
  bairro: 'Bela Vista',
  municipio: 'São Paulo',
  uf: 'SP' as const,
  valor_imovel: 500000,
  valor_financiado: 350000,
  prazo: 360,
  bancos: ['itau', 'bradesco'],
} satisfies z.input<typeof submissionSchema>;
export const newAnalysisOfCouple: z.input<typeof submissionSchema> = {
  ...newAnalysis,
  estado_civil: 'casado',
  conjuge_nome: 'Rafael Nogueira Lima',
  conjuge_cpf: '900.000.003-37',
  conjuge_data_nascimento: '1986-09-30',
  conjuge_renda: 8500,
};

const submitted = (bank: Bank, id: number): Analysis => ({
  id: id as AnalysisId,
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
const itau = submitted('itau', 114902660761425);
const bradesco = submitted('bradesco', 114902660762453);
const approved = transition(itau, { ...itau, situation: 'aprovado', rawStatus: 'Aprovado' })!;
/** Of a later submission, which the bank did not take. */
const failed = transition(submitted('santander', 114902660763477), {
  situation: 'erro',
  rawStatus: 'Falha no envio ao banco',
  queryNumber: '',
})!;
const page = { limit: 20, offset: 0 };
const submission = parseSubmission(newAnalysis, STORY_NOW, 'sandbox');

export const analysesAnswer: z.input<typeof analysesAccepted> = analysesAcceptedBody([itau, bradesco]);
export const analysisPending = analysisStatusBody(itau);
export const analysisApproved = analysisStatusBody(approved);
export const leadAnalyses = leadAnalysisListBody([bradesco, approved], page);
export const leadConsents = consentListBody(
  {
    items: [
      {
        ...submission.consent,
        // A consent has the number of its submission's first analysis.
        id: Number(itau.id) as ConsentId,
        leadId: LEAD,
        analysisIds: [itau.id, bradesco.id],
        banks: submission.banks,
        keyId: KEY.keyId,
      },
    ],
    more: false,
  },
  page,
);

// ------------------------------------------------------------------------------------------------ account and events

const ADDRESS = { url: 'https://parceiro.example/webhooks/credito', disabledBecause: undefined };
export const webhook = webhookViewBody({ ...ADDRESS, enabled: true });
export const webhookDisabled = webhookViewBody(
  { ...ADDRESS, enabled: false, disabledBecause: 'failing', disabledAt: STORY_NOW },
  3,
);
export const webhookUnset = webhookViewBody(undefined);

export const account: z.input<typeof accountView> = {
  ok: true,
  parceiro: { id: PARTNER, nome: 'Imobiliária Exemplo' },
  unidade: { id: UNIT, nome: 'Unidade Centro' },
  consultor: null,
  ambiente: 'sandbox',
  escopos: ['leads', 'simulacoes', 'analises', 'acompanhamento'],
  limite_por_minuto: 120,
  chave: { prefixo: displayPrefix(KEY), criada_em: '2026-11-03T13:20:00.000Z' },
  validacao: validationViewOf({ lead: created, simulation: STORY_NOW, analysis: STORY_NOW, aprovado: STORY_NOW }),
};
export const accountOfConsultant: z.input<typeof accountView> = {
  ...account,
  consultor: { id: 108487065603003, nome: 'Paula Ribeiro' },
  escopos: ['leads'],
};

/** The approved analysis's event, taken at once; and one whose receiver answered 503 to the first attempt. */
const taken = deliveryOf(eventOf(approved, OUTCOME_AT), 'entregue', { delivered: true, status: 200, milliseconds: 84 });
const waiting = deliveryOf(eventOf(failed, OUTCOME_AT, 'test_cpf'), 'pendente', {
  ...{ delivered: false, failure: 'http_5xx', status: 503, milliseconds: 31, detail: '' },
});
function deliveryOf(booked: Delivery, state: Delivery['state'], result: AttemptResult): Delivery {
  const at = OUTCOME_AT + 1200;
  return { ...booked, state, attempts: 1, dueAt: at + 5000, history: [{ number: 1, at, result }] };
}
export const EVENT = waiting.eventId;
export const deliveries = deliveryListBody({ items: [waiting, taken], more: false }, page);
export const resent = deliveryResentBody({ ...waiting, dueAt: OUTCOME_AT + 4000 }, 'enabled');
export const resentToDisabled = deliveryResentBody({ ...waiting, state: 'suspensa' }, 'disabled');

const refused: RefusedCall = {
  ...{ at: STORY_NOW, method: 'POST', path: '/v1/leads', code: 'campo_invalido', fields: ['cpf', 'data_nascimento'] },
  requestId: REQUEST_ID,
};
export const refusedCalls = refusedCallListBody([refused], page, 'sandbox');
export const refusedCallsInProduction = refusedCallListBody([], page, 'producao');

export const health: z.input<typeof healthView> = {
  ok: true,
  version: '1.0.0',
  uptime_s: 42,
  timestamp: timestamp(created),
};

export const resultEvent: z.input<typeof event> = JSON.parse(eventOf(approved, OUTCOME_AT).body);
export const errorEvent: z.input<typeof event> = JSON.parse(eventOf(failed, OUTCOME_AT, 'test_cpf').body);
export const pingEvent: z.input<typeof testEvent> = JSON.parse(testEventOf(PARTNER, STORY_NOW).body);
