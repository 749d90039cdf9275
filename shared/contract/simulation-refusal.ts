import type {
  FgtsCondition,
  Opportunity,
  Quote,
  RefusalReason,
  ToldRefusal,
} from '../domain/simulations/simulation.ts';
import { Failure } from '../domain/values/failure.ts';
import { formatReais } from '../domain/values/money.ts';

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

/** How two incomes have to grow for the named sum to be enough: they make the shares of the insurance, and so its premium. */
const TOGETHER_TEXTS = {
  asSent: ', com as duas rendas na mesma proporção',
  halves: ', com as duas rendas iguais',
} as const;

/** Why a bank makes no offer, in a sentence that names the limit and so the cure. */
export function refusalText(reason: RefusalReason): string {
  switch (reason.kind) {
    case 'termTooLong':
      return `O prazo passa do máximo deste banco; peça até ${reason.longest} meses.`;
    case 'termTooShort':
      return `O prazo é menor que o mínimo deste banco; peça ao menos ${reason.shortest} meses.`;
    case 'tooOldAtTheEnd':
      return reason.longest > 0
        ? `No fim do prazo o proponente mais velho passaria de 80 anos e 6 meses; para a idade dele o maior prazo é de ${reason.longest} meses.`
        : 'A idade do proponente mais velho não permite nem o menor prazo deste banco: o limite é de 80 anos e 6 meses no fim do contrato.';
    case 'tooYoung':
      return `Um proponente tem menos de ${reason.youngest} anos; o financiamento exige maioridade.`;
    case 'tooOld':
      return `Um proponente tem mais de ${reason.oldest} anos; o banco não financia acima dessa idade.`;
    case 'ltvExceeded':
      return reason.expenses > 0
        ? `O valor financiado, com as despesas financiadas de ${formatReais(reason.expenses)}, passa de ${reason.share} % do imóvel; neste banco o máximo é ${formatReais(reason.highest)} além das despesas.`
        : `O valor financiado passa de ${reason.share} % do imóvel; neste banco o máximo é ${formatReais(reason.highest)}.`;
    case 'propertyTooCheap':
      return `O imóvel vale menos que o mínimo deste banco, de ${formatReais(reason.least)}.`;
    case 'leastLoanAboveShare':
      return `O menor financiamento deste banco, de ${formatReais(reason.leastLoan)}, passa de ${reason.share} % deste imóvel; peça para um imóvel de ao menos ${formatReais(reason.property)}.`;
    case 'financedTooLow':
      return `O valor financiado é menor que o mínimo deste banco, de ${formatReais(reason.least)}.`;
    case 'financedTooHigh':
      return tooHighText(reason);
    case 'stateNotServed':
      return `Este banco não financia imóveis nesse estado; ele atende ${reason.states.join(', ')}.`;
    case 'purposeNotPriced':
      return 'Este banco não publica taxa, prazo nem parte financiada para a compra de imóvel comercial; consulte-o.';
    case 'rateTooOld':
      return `A taxa mais nova que temos deste banco é de ${reason.date.split('-').reverse().join('/')}, há mais de ${reason.days} dias; consulte-o.`;
    case 'fgtsConditionMissing':
      return FGTS_TEXTS[reason.condition];
    case 'fgtsOutsideSfh':
      return FGTS_OUTSIDE_TEXTS[reason.barredBy](formatReais(reason.highestProperty));
    case 'fgtsTooHigh':
      return `O FGTS não deixa lugar ao financiamento no valor do imóvel; ele pode pagar até ${formatReais(reason.most)}.`;
    case 'systemNotOffered':
      return `Este banco não oferece esse sistema de amortização; use ${reason.offered.join(' ou ')}.`;
    case 'incomeCarriesNothing':
      return `A renda não sustenta o menor financiamento deste banco, que pede renda de ${formatReais(reason.least)}${reason.shares ? TOGETHER_TEXTS[reason.shares] : ''}.`;
  }
}

/** The banks of an answer that make no offer, as it tells of them; undefined where each offers. */
export function toldRefusals(quotes: readonly Quote[]): readonly ToldRefusal[] | undefined {
  const told = quotes.flatMap((made) =>
    'refusal' in made ? [{ ...made.refusal, reasons: made.refusal.reasons.map(refusalText) }] : [],
  );
  return told.length > 0 ? told.map(({ bank, system, reasons }) => ({ bank, system, reasons })) : undefined;
}

/** Nothing to show for an id: not known there, or the id of an opportunity in which every bank refused. */
export function offerMissing({ id: opportunityId }: Pick<Opportunity, 'id'>, id: number): Failure {
  if (id !== opportunityId) return new Failure('nao_encontrado');
  const text =
    'Nenhum banco ofereceu nesta oportunidade, e não há registro. Os motivos e as propostas possíveis estão na resposta da simulação: ajuste o pedido e simule de novo.';
  return new Failure('nao_encontrado', { text });
}
