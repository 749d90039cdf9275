import type {
  FgtsCondition,
  Opportunity,
  Quote,
  RefusalReason,
  ToldRefusal,
} from '../domain/simulations/simulation.ts';
import { bankName } from '../domain/values/bank.ts';
import { Failure } from '../domain/values/failure.ts';
import { formatReais } from '../domain/values/money.ts';
import { dateText } from './simulation-notices.ts';

const FGTS_TEXTS: Readonly<Record<FgtsCondition, string>> = {
  threeYears: 'O FGTS exige ao menos três anos de trabalho sob o regime do FGTS.',
  noSfhLoan: 'O FGTS não pode ser usado por quem tem outro financiamento ativo no SFH.',
  noPropertyInTown: 'O FGTS não pode ser usado por quem tem imóvel residencial no município em que mora ou trabalha.',
  ownHome: 'O FGTS só paga imóvel para moradia própria.',
};

const FGTS_OUTSIDE_TEXTS: Readonly<Record<'product' | 'rate' | 'property', (limit: string) => string>> = {
  product: () => 'O FGTS só paga a compra de moradia pelo SFH, e este crédito não é dela.',
  rate: () => 'O FGTS só pode ser usado no SFH, e a taxa deste banco passa do limite do SFH.',
  property: (limit) => `O FGTS só pode ser usado no SFH, e o imóvel passa do limite do SFH, de ${limit}.`,
};

function tooHighText({ most, expenses, published }: Extract<RefusalReason, { kind: 'financedTooHigh' }>): string {
  if (most === 0)
    return `As despesas financiadas, de ${formatReais(expenses)}, não deixam lugar ao menor financiamento deste banco; peça sem financiá-las.`;
  const limit = `${formatReais(most)}${expenses > 0 ? ` além das despesas financiadas, de ${formatReais(expenses)}` : ''}`;
  return published
    ? `O valor financiado passa do máximo deste banco, de ${limit}.`
    : `O valor financiado passa de ${limit}; acima disso, consulte o banco.`;
}

/** Ends of a sentence about two incomes, which decide each person's share of the insurance and so the premium. */
const TOGETHER_TEXTS = {
  asSent: ', com as duas rendas na mesma proporção',
  halves: ', com as duas rendas iguais',
} as const;

/** Why a bank makes no offer. Each sentence names the limit, so that the caller knows what to change. */
const REFUSAL_TEXTS: {
  readonly [K in RefusalReason['kind']]: (reason: Extract<RefusalReason, { kind: K }>) => string;
} = {
  termTooLong: ({ longest }) => `O prazo passa do máximo deste banco; peça até ${longest} meses.`,
  termTooShort: ({ shortest }) => `O prazo é menor que o mínimo deste banco; peça ao menos ${shortest} meses.`,
  tooOldAtTheEnd: ({ longest }) =>
    longest > 0
      ? `No fim do prazo o proponente mais velho passaria de 80 anos e 6 meses; para a idade dele o maior prazo é de ${longest} meses.`
      : 'A idade do proponente mais velho não permite nem o menor prazo deste banco: o limite é de 80 anos e 6 meses no fim do contrato.',
  tooYoung: ({ youngest }) => `Um proponente tem menos de ${youngest} anos; o financiamento exige maioridade.`,
  tooOld: ({ oldest }) => `Um proponente tem mais de ${oldest} anos; acima dessa idade, consulte o banco.`,
  ltvExceeded: ({ expenses, share, highest }) =>
    expenses > 0
      ? `O valor financiado, com as despesas financiadas de ${formatReais(expenses)}, passa de ${share} % do imóvel; neste banco o máximo é ${formatReais(highest)} além das despesas.`
      : `O valor financiado passa de ${share} % do imóvel; neste banco o máximo é ${formatReais(highest)}.`,
  propertyTooCheap: ({ least }) => `O imóvel vale menos que o mínimo deste banco, de ${formatReais(least)}.`,
  leastLoanAboveShare: ({ leastLoan, share, property }) =>
    `O menor financiamento deste banco, de ${formatReais(leastLoan)}, passa de ${share} % deste imóvel; peça para um imóvel de ao menos ${formatReais(property)}.`,
  financedTooLow: ({ least }) => `O valor financiado é menor que o mínimo deste banco, de ${formatReais(least)}.`,
  financedTooHigh: tooHighText,
  stateExcluded: ({ bank, states, seen }) =>
    `A página do ${bankName(bank)}, vista em ${dateText(seen)}, exclui imóveis em ${states.join(', ')}.`,
  purposeNotPriced: () => 'Não temos taxa deste banco para a compra de imóvel comercial; consulte-o.',
  rateTooOld: ({ date, days }) =>
    `A taxa que temos deste banco para este pedido é de ${dateText(date)}, há mais de ${days} dias; consulte-o.`,
  fgtsConditionMissing: ({ condition }) => FGTS_TEXTS[condition],
  fgtsOutsideSfh: ({ barredBy, highestProperty }) => FGTS_OUTSIDE_TEXTS[barredBy](formatReais(highestProperty)),
  fgtsTooHigh: ({ most }) =>
    `O FGTS não deixa lugar ao financiamento no valor do imóvel; ele pode pagar até ${formatReais(most)}.`,
  systemNotPriced: ({ known }) => `Não temos taxa deste banco para esse sistema; use ${known.join(' ou ')}.`,
  incomeCarriesNothing: ({ least, shares }) =>
    `A renda não sustenta o menor financiamento deste banco, que pede renda de ${formatReais(least)}${shares ? TOGETHER_TEXTS[shares] : ''}.`,
};

export const refusalText = <K extends RefusalReason['kind']>(reason: Extract<RefusalReason, { kind: K }>): string =>
  REFUSAL_TEXTS[reason.kind as K](reason);

/** Undefined if every bank offers. */
export function toldRefusals(quotes: readonly Quote[]): readonly ToldRefusal[] | undefined {
  const refusals: ToldRefusal[] = [];
  for (const quote of quotes) {
    if (!('refusal' in quote)) continue;
    const { bank, system, reasons } = quote.refusal;
    refusals.push({ bank, system, reasons: reasons.map(refusalText) });
  }
  return refusals.length > 0 ? refusals : undefined;
}

/** Returns the failure of an unknown id, or of an opportunity in which every bank refused. */
export function offerMissing({ id: opportunityId }: Pick<Opportunity, 'id'>, id: number): Failure {
  if (id !== opportunityId) return new Failure('nao_encontrado');
  const text =
    'Nenhum banco ofereceu nesta oportunidade, e não há registro. Os motivos e as propostas possíveis estão na resposta da simulação: ajuste o pedido e simule de novo.';
  return new Failure('nao_encontrado', { text });
}
