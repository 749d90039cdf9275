import type * as z from 'zod';
import type { accountView } from '../../contract/account.ts';
import type { analysesAccepted, analysisInput, analysisStatus, leadAnalysisList } from '../../contract/analysis.ts';
import type { consentList } from '../../contract/consent.ts';
import { type event, type testEvent, testEventOf } from '../../contract/event.ts';
import type { healthView } from '../../contract/health.ts';
import type { leadCreated, leadFound, leadInput, leadPatchInput, leadUpdated } from '../../contract/lead.ts';
import type { instalmentList, simulationCreated, simulationFound, simulationInput } from '../../contract/simulation.ts';
import type { webhookView } from '../../contract/webhook.ts';
import type { AnalysisId, PartnerId, UnitId } from '../../domain/values/ids.ts';
import { type EventType, eventIdOf } from '../../domain/webhooks/delivery.ts';

// One story in the sandbox, told through every example of the interface's description: a made-up customer becomes a
// lead, three banks are simulated, two are asked. The ids are such as the service draws at these moments, the prices
// such as its tables give on that day.

/** The moment at which the story's bodies are read, in milliseconds. */
export const STORY_NOW = 1_795_537_207_412;

const LEAD = 115963306246123;
const OPPORTUNITY = 115963306246128;
const ANALYSES = { itau: 115964343961425, bradesco: 115964343962453 } as const;
const UNIT = 108486328321402;

export const REQUEST_ID = 'UmP5IGkXmjQEaRw=';

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

export const leadAnswer: z.input<typeof leadCreated> = { ok: true, lead_id: LEAD, reaproveitado: false };
export const leadReused: z.input<typeof leadCreated> = { ...leadAnswer, reaproveitado: true };

export const lead: z.input<typeof leadFound> = {
  ok: true,
  lead: {
    lead_id: LEAD,
    nome: 'Marina Duarte Alves',
    cpf: '900.000.001-75',
    telefone: '(11) 90000-0001',
    email: 'marina.alves@example.com',
    data_nascimento: '1988-03-14',
    renda: 15000,
    estado_civil: 'solteiro',
    origem: 'site',
    observacao: 'Prefere contato à tarde.',
    criado_em: '2026-11-24T16:15:54.063Z',
    atualizado_em: '2026-11-24T16:15:54.063Z',
  },
};

export const leadChange: z.input<typeof leadPatchInput> = { renda: 16500.5, observacao: null };
export const leadChanged: z.input<typeof leadUpdated> = {
  ok: true,
  lead_id: LEAD,
  atualizado: ['renda', 'observacao'],
};

export const newSimulation: z.input<typeof simulationInput> = {
  lead_id: LEAD,
  valor_imovel: 500000,
  valor_financiado: 350000,
  prazo: 360,
  tipo_amortizacao: 'SAC',
  bancos: ['itau', 'bradesco', 'cashme'],
};

/** What the income carries: no value is named. */
export const newSimulationByIncome: z.input<typeof simulationInput> = {
  lead_id: LEAD,
  renda: 15000,
  bancos: ['Itaú Unibanco', 1],
};

export const simulationAnswer: z.input<typeof simulationCreated> = {
  ok: true,
  resultado: {
    sucesso: true,
    id_oportunidade: OPPORTUNITY,
    resultados: [
      {
        banco: 'itau',
        sucesso: true,
        simulacao_id: OPPORTUNITY + 2,
        produto: 'SFI',
        indexador: 'TR',
        sistema_amortizacao: 'SAC',
        valor_financiado: 350000,
        prazo_meses: 360,
        taxa_anual: 13.69,
        cet_anual: 14.7,
        parcela_1: 4880.89,
        renda_necessaria: 14642.67,
        pdf_url: `/v1/simulacoes/${OPPORTUNITY + 2}/pdf`,
      },
      {
        banco: 'bradesco',
        sucesso: true,
        simulacao_id: OPPORTUNITY + 1,
        produto: 'SFI',
        indexador: 'TR',
        sistema_amortizacao: 'SAC',
        valor_financiado: 350000,
        prazo_meses: 360,
        taxa_anual: 12.79,
        cet_anual: 13.9,
        parcela_1: 4655.02,
        renda_necessaria: 15516.73,
        pdf_url: `/v1/simulacoes/${OPPORTUNITY + 1}/pdf`,
      },
      {
        banco: 'cashme',
        sucesso: false,
        motivo: 'O prazo passa do máximo deste banco; peça até 240 meses.',
      },
    ],
  },
};

export const simulation: z.input<typeof simulationFound> = {
  ok: true,
  simulacao: {
    id: OPPORTUNITY + 2,
    lead_id: LEAD,
    banco: 'itau',
    banco_id: 2,
    produto: 'SFI',
    sistema_amortizacao: 'SAC',
    indexador: 'TR',
    prazo_meses: 360,
    data: '2026-11-24T16:15:54.063Z',
    valida_ate: '2026-12-24',
    tabela_versao: 'itau-2026-11',
    cliente: { nome: 'Marina Duarte Alves', cpf: '900.000.001-75', data_nascimento: '1988-03-14' },
    valores: { imovel: 500000, financiado: 350000, despesas: 0 },
    taxas: { juros_aa: 13.69, juros_am: 1.0749, cet_aa: 14.7 },
    parcelas: { primeira: 4880.89, ultima: 983.48, total_a_pagar: 1090086.61 },
    renda_necessaria: 14642.67,
    custos: { taxa_avaliacao: 3500, dfi: 0.00554, tarifa_mensal: 0 },
    composicao_primeira_parcela: {
      amortizacao: 972.22,
      juros: 3762.31,
      seguro_mip: 118.66,
      dfi: 27.7,
      tarifa: 0,
      total: 4880.89,
    },
    observacoes: [
      'Simulação indicativa: as condições são confirmadas na análise de crédito.',
      'O indexador TR foi contado como zero.',
    ],
  },
};

export const simulationByOpportunity: z.input<typeof simulationFound> = {
  ...simulation,
  simulacao: { ...simulation.simulacao, outras: [{ id: OPPORTUNITY + 1, banco: 'bradesco' }] },
};

/** The first two of 360. */
export const instalments: z.input<typeof instalmentList> = {
  ok: true,
  simulacao_id: OPPORTUNITY + 2,
  parcelas: [
    {
      numero: 1,
      vencimento: '2026-12-24',
      amortizacao: 972.22,
      juros: 3762.31,
      seguro_mip: 118.66,
      dfi: 27.7,
      tarifa: 0,
      total: 4880.89,
      saldo_devedor: 349027.78,
    },
    {
      numero: 2,
      vencimento: '2027-01-24',
      amortizacao: 972.22,
      juros: 3751.86,
      seguro_mip: 118.33,
      dfi: 27.7,
      tarifa: 0,
      total: 4870.11,
      saldo_devedor: 348055.56,
    },
  ],
};

export const newAnalysis: z.input<typeof analysisInput> = {
  lead_id: LEAD,
  consentimento: true,
  consentimento_timestamp: '2026-11-24T13:18:22-03:00',
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
  rg_uf: 'SP',
  rg_emissao: '2006-05-02',
  cep: '01310-100',
  logradouro: 'Avenida Paulista',
  numero: '1000',
  bairro: 'Bela Vista',
  municipio: 'São Paulo',
  uf: 'SP',
  valor_imovel: 500000,
  valor_financiado: 350000,
  prazo: 360,
  bancos: ['itau', 'bradesco'],
};

export const newAnalysisOfCouple: z.input<typeof analysisInput> = {
  ...newAnalysis,
  estado_civil: 'casado',
  conjuge_nome: 'Rafael Nogueira Lima',
  conjuge_cpf: '900.000.003-37',
  conjuge_data_nascimento: '1986-09-30',
  conjuge_renda: 8500,
};

export const analysesAnswer: z.input<typeof analysesAccepted> = {
  ok: true,
  analises: [
    {
      banco_id: 2,
      sucesso: true,
      analise_id: ANALYSES.itau,
      num_consulta: `SB-${ANALYSES.itau}`,
      status: 'Em análise',
    },
    {
      banco_id: 1,
      sucesso: true,
      analise_id: ANALYSES.bradesco,
      num_consulta: `SB-${ANALYSES.bradesco}`,
      status: 'Em análise',
    },
  ],
};

export const analysisPending: z.input<typeof analysisStatus> = {
  ok: true,
  analise: {
    analise_id: ANALYSES.itau,
    banco: 'itau',
    num_consulta: `SB-${ANALYSES.itau}`,
    status_original: 'Em análise',
    situacao: 'em_analise',
    pendente: true,
  },
};

export const analysisApproved: z.input<typeof analysisStatus> = {
  ok: true,
  analise: { ...analysisPending.analise, status_original: 'Aprovado', situacao: 'aprovado', pendente: false },
};

export const leadAnalyses: z.input<typeof leadAnalysisList> = {
  ok: true,
  limit: 20,
  offset: 0,
  tem_mais: false,
  pendentes: 1,
  analises: [
    { analise_id: ANALYSES.bradesco, banco: 'bradesco', situacao: 'em_analise', pendente: true },
    { analise_id: ANALYSES.itau, banco: 'itau', situacao: 'aprovado', pendente: false },
  ],
};

export const leadConsents: z.input<typeof consentList> = {
  ok: true,
  limit: 20,
  offset: 0,
  tem_mais: false,
  consentimentos: [
    {
      id: 115964343959629,
      consentimento: true,
      timestamp: '2026-11-24T13:18:22-03:00',
      ip: '203.0.113.25',
      canal: 'web',
      analise_ids: [ANALYSES.itau, ANALYSES.bradesco],
    },
  ],
};

export const webhook: z.input<typeof webhookView> = {
  ok: true,
  webhook: {
    configurado: true,
    url: 'https://parceiro.example/webhooks/credito',
    secret_configurado: true,
    eventos: ['analise.resultado', 'analise.erro'],
    gestao: 'somente_leitura',
    observacao: 'O endereço e o segredo são configurados e trocados pelo gestor ou pelo suporte, a pedido do parceiro.',
  },
};

export const account: z.input<typeof accountView> = {
  ok: true,
  parceiro: { id: 108485836800401, nome: 'Imobiliária Exemplo' },
  unidade: { id: UNIT, nome: 'Unidade Centro' },
  consultor: null,
  ambiente: 'sandbox',
  escopos: ['leads', 'simulacoes', 'analises', 'acompanhamento'],
  limite_por_minuto: 120,
  chave: { prefixo: 'pmc_sandbox_9f3K', criada_em: '2026-11-03T13:20:00.000Z' },
};

export const health: z.input<typeof healthView> = {
  ok: true,
  version: '1.0.0',
  uptime_s: 42,
  timestamp: '2026-11-24T16:15:54.063Z',
};

function eventAbout(
  bank: keyof typeof ANALYSES,
  type: EventType,
  data: Omit<z.input<typeof event>['data'], 'analise_id' | 'banco' | 'lead_id' | 'pendente'>,
): z.input<typeof event> {
  const analysis = ANALYSES[bank];
  return {
    id: eventIdOf({ unitId: UNIT as UnitId, environment: 'sandbox' }, analysis as AnalysisId, type, 1),
    type,
    timestamp: '2026-11-24T16:21:00.180Z',
    ambiente: 'sandbox',
    sequencia: 1,
    data: { analise_id: analysis, banco: bank, lead_id: LEAD, pendente: false, ...data },
  };
}

/** The event of an analysis that the bank has decided. */
export function resultEvent(): z.input<typeof event> {
  return eventAbout('itau', 'analise.resultado', {
    num_consulta: `SB-${ANALYSES.itau}`,
    status_original: 'Aprovado',
    situacao: 'aprovado',
    banco_id: 2,
  });
}

/** The event of an analysis that could not be submitted. */
export function errorEvent(): z.input<typeof event> {
  return eventAbout('bradesco', 'analise.erro', {
    num_consulta: '',
    status_original: 'Falha no envio ao banco',
    situacao: 'erro',
    banco_id: 1,
    motivo: 'Falha no envio ao banco',
  });
}

/** The manager's test of the partner's endpoint. */
export function pingEvent(): z.input<typeof testEvent> {
  return JSON.parse(testEventOf(account.parceiro.id as PartnerId, STORY_NOW).body);
}
