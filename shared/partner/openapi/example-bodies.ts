import type * as z from 'zod/mini';
import type { withdrawalInput } from '#shared/contract/consent-withdrawal.ts';
import type { leadInput, leadPatchInput } from '#shared/contract/lead.ts';
import type { simulationInput } from '#shared/contract/simulation-request.ts';
import type { LeadId } from '#shared/domain/values/ids.ts';
import type { submissionSchema } from './submission-schema.ts';

// Plain values: this file runs no code of the service, so that no rule breaks a program that only needs a body.

export const LEAD = 114901623046123 as LeadId;

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

export const leadChange: z.input<typeof leadPatchInput> = { renda: 16500.5, observacao: null };

export const newSimulation: z.input<typeof simulationInput> = {
  lead_id: LEAD,
  renda: 15000,
  valor_imovel: 500000,
  valor_financiado: 350000,
  prazo: 360,
  tipo_amortizacao: 'SAC',
  financiar_despesas: false,
  bancos: ['itau', 'bradesco', 'cashme'],
};
/** A body without amounts, so that the income decides. */
export const newSimulationByIncome: z.input<typeof simulationInput> = {
  lead_id: LEAD,
  renda: 15000,
  bancos: ['Itaú Unibanco', '1'],
};

/**
 * Two proponents with FGTS, in both systems. The body has every field except `tipo_amortizacao`, which excludes
 * `sistemas`.
 */
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

export const newAnalysis = {
  lead_id: LEAD,
  consentimento: true,
  consentimento_timestamp: '2026-11-21T13:18:22-03:00',
  consentimento_ip: '203.0.113.25',
  consentimento_canal: 'web',
  consentimento_versao: 'termo-2026-10',
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
export const newWithdrawal: z.input<typeof withdrawalInput> = {
  revogado_em: '2026-11-22T09:30:00-03:00',
  canal: 'app',
};
export const newAnalysisOfCouple: z.input<typeof submissionSchema> = {
  ...newAnalysis,
  estado_civil: 'casado',
  conjuge_nome: 'Rafael Nogueira Lima',
  conjuge_cpf: '900.000.003-37',
  conjuge_data_nascimento: '1986-09-30',
  conjuge_renda: 8500,
};
