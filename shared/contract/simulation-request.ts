import * as z from 'zod/mini';
import {
  AMORTIZATION_SYSTEMS,
  type FgtsWish,
  PURPOSES,
  type QuoteRequest,
  SEGMENTS,
} from '../domain/simulations/simulation.ts';
import { Failure, type FieldFault } from '../domain/values/failure.ts';
import type { Instant } from '../domain/values/time.ts';
import { described } from './described.ts';
import {
  bankNames,
  day,
  flag,
  futureDays,
  type JsonObject,
  money,
  months,
  oneOf,
  parseBanks,
  sentLeadId,
  state,
} from './fields.ts';
import { readFields, withoutNulls } from './read-fields.ts';
import { withMisnamed } from './unknown-fields.ts';

const SHARE_FAULT = 'deve ser um percentual maior que 0 e menor que 100, com no máximo 2 casas decimais';

const secondBorrower = described(
  z.object(
    {
      renda: described(money(), 'Renda mensal bruta do segundo proponente, em reais; soma-se à do primeiro.'),
      data_nascimento: described(day(), 'Nascimento do segundo proponente; o mais velho dos dois limita o prazo.'),
      participacao: described(
        z.optional(
          z.number({ error: SHARE_FAULT }).check(
            z.gt(0, SHARE_FAULT),
            z.lt(100, SHARE_FAULT),
            z.refine((percent) => /^\d+(\.\d{1,2})?$/.test(String(percent)), SHARE_FAULT),
          ),
        ),
        'Parte do seguro que cabe ao segundo proponente, em percentual; o primeiro fica com o resto. Sem ela, a das rendas.',
      ),
    },
    { error: 'deve ser um objeto com renda e data_nascimento do segundo proponente' },
  ),
  { id: 'SegundoProponente' },
);

const attestation = (what: string) =>
  described(z.optional(flag()), `${what} Sem resposta, a oferta vem com um aviso; false é um motivo de recusa.`);

const fgts = described(
  z.object(
    {
      valor: described(money(), 'Quanto do preço o FGTS paga, em reais. Só no SFH; não muda o financiado nem o CET.'),
      tres_anos: attestation('O comprador soma três anos de trabalho sob o regime do FGTS?'),
      sem_financiamento_sfh: attestation('O comprador está sem outro financiamento ativo no SFH?'),
      sem_imovel_no_municipio: attestation(
        'O comprador está sem imóvel residencial no município em que mora ou trabalha?',
      ),
      moradia_propria: attestation('O imóvel é para a moradia do comprador?'),
    },
    { error: 'deve ser um objeto com valor, por exemplo {"valor": 50000}' },
  ),
  { id: 'Fgts' },
);

const SYSTEMS_FAULT = 'deve ser uma lista com SAC, PRICE ou os dois';

export const simulationInput = described(
  z.object({
    lead_id: sentLeadId({
      description: 'Lead para quem se simula, da mesma unidade e do mesmo ambiente da chave.',
      format: 'int64',
    }),
    valor_imovel: described(
      z.optional(money()),
      'Valor de compra ou de mercado do imóvel, em reais. Sem ele, o menor que comporta valor_financiado.',
    ),
    valor_financiado: described(
      z.optional(money()),
      'Valor que se pede ao banco, em reais. Sem ele, a maior parte do imóvel que o banco financia; sem os dois valores, o que a renda sustenta.',
    ),
    prazo: described(
      z.optional(months()),
      'Prazo do financiamento, em meses. Sem ele, o maior que o banco e a idade do cliente permitem; acima do limite de um banco, ele recusa.',
    ),
    renda: described(z.optional(money()), 'Renda mensal bruta a considerar, em reais; sem ela, vale a do lead.'),
    tipo_amortizacao: described(
      z.optional(oneOf(AMORTIZATION_SYSTEMS)),
      'Como as parcelas evoluem: SAC (cai mês a mês, o padrão) ou PRICE (constante).',
    ),
    sistemas: described(
      z.optional(z.array(oneOf(AMORTIZATION_SYSTEMS), { error: SYSTEMS_FAULT }).check(z.maxLength(2, SYSTEMS_FAULT))),
      'No lugar de tipo_amortizacao: os sistemas a simular, um item por banco e sistema. ["SAC", "PRICE"] compara os dois em uma chamada. Uma lista vazia vale como ausente.',
    ),
    financiar_despesas: described(
      z.optional(flag()),
      'true financia também ITBI e registro (4 % do imóvel), nos bancos que o fazem; sem ele, false.',
    ),
    segmento: described(
      z.optional(oneOf(SEGMENTS)),
      'Segmento do cliente no banco; sem ele, padrao, o cliente comum de agência. Onde o banco não publica taxa para o segmento, vale a de todos.',
    ),
    finalidade: described(
      z.optional(oneOf(PURPOSES)),
      'Para que se compra o imóvel; sem ela, residencial. Nenhum banco publica preços de compra comercial: recusam todos, menos o crédito com garantia de imóvel.',
    ),
    uf: described(
      z.optional(state()),
      'Estado do imóvel; um banco que não financia nele recusa. Onde nenhuma tabela exclui estados, um aviso diz que nada mudou.',
    ),
    segundo_proponente: described(
      z.optional(secondBorrower),
      'Quem compra junto: as rendas se somam, e o seguro conta as duas idades.',
    ),
    fgts: described(z.optional(fgts), 'FGTS que paga parte do preço, com o que a lei pergunta ao comprador.'),
    bancos: bankNames(),
  }),
  {
    id: 'SimulacaoNova',
    not: {
      properties: { tipo_amortizacao: {}, sistemas: { minItems: 1 } },
      required: ['tipo_amortizacao', 'sistemas'],
    },
  },
);

type Fields = z.output<typeof simulationInput>;

/** An empty list counts as absent: Java clients made by openapi-generator send an empty list if no list was set. */
const listedSystems = ({ sistemas }: Partial<Fields>) => (sistemas?.length ? sistemas : undefined);

function faultsOf(valid: Partial<Fields>, now: Instant): readonly FieldFault[] {
  const { tipo_amortizacao: system } = valid;
  const born = futureDays({ data_nascimento: valid.segundo_proponente?.data_nascimento }, ['data_nascimento'], now);
  const faults = born.map(({ field, reason }) => ({ field: `segundo_proponente.${field}`, reason }));
  if (system !== undefined && listedSystems(valid) !== undefined) {
    faults.unshift({ field: 'sistemas', reason: 'não vai junto com tipo_amortizacao; envie só um dos dois' });
  }
  return faults;
}

/** Undefined if the FGTS would pay nothing. */
function fgtsWish(fields: Fields['fgts']): FgtsWish | undefined {
  if (fields === undefined || fields.valor === 0) return undefined;
  return {
    value: fields.valor,
    threeYears: fields.tres_anos,
    noSfhLoan: fields.sem_financiamento_sfh,
    noPropertyInTown: fields.sem_imovel_no_municipio,
    ownHome: fields.moradia_propria,
  };
}

/**
 * `systems` has each system once, in the order of the body. The caller adds the lead's data and the day to `wishes`.
 */
export function parseSimulation(body: JsonObject, now: Instant) {
  const fields = readFields(simulationInput, withoutNulls(body), { faults: (valid) => faultsOf(valid, now) });
  const { tipo_amortizacao: system, segundo_proponente: second } = fields;
  const both = listedSystems(fields);
  const leadId = fields.lead_id;
  const banks = parseBanks(fields.bancos);
  const wishes: Omit<QuoteRequest, 'system' | 'birthDate' | 'contractDay'> = {
    propertyValue: fields.valor_imovel,
    financedValue: fields.valor_financiado,
    term: fields.prazo,
    income: fields.renda,
    financeExpenses: fields.financiar_despesas ?? false,
    segment: fields.segmento,
    purpose: fields.finalidade,
    state: fields.uf,
    secondBorrower: second && {
      income: second.renda,
      birthDate: second.data_nascimento,
      share: second.participacao,
    },
    fgts: fgtsWish(fields.fgts),
  };
  const systems = [...new Set(both ?? [system ?? 'SAC'])];
  // The fingerprint for an Idempotency-Key. A field that was added later is part of the fingerprint only if a body has
  // the field, so that a call repeated across a release counts as the same.
  const covered: object = { leadId, banks, system, systems: both, ...wishes };
  return { leadId, banks, systems, wishes, fields: covered };
}

export function nothingToSimulate(body: JsonObject): Failure {
  const reason = 'informe ao menos um destes: valor_imovel, valor_financiado ou renda (na simulação ou no lead)';
  const missing = ['valor_imovel', 'valor_financiado', 'renda'].map((field) => ({ field, reason }));
  return new Failure('campo_obrigatorio', { fields: withMisnamed(missing, simulationInput, body) });
}
