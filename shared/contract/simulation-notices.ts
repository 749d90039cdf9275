import {
  type ComparedProperty,
  type Comparison,
  cashBeforeAppraisal,
  closeCalls,
} from '../domain/simulations/comparison.ts';
import { distinguishStates } from '../domain/simulations/pricing/notices.ts';
import {
  type FgtsCondition,
  type Notice,
  type Offer,
  offersOf,
  type Quote,
  type RateKind,
  type Segment,
} from '../domain/simulations/simulation.ts';
import { type Bank, bankName } from '../domain/values/bank.ts';
import type { Day } from '../domain/values/clock.ts';
import { type Centavos, centavos, formatReais } from '../domain/values/money.ts';
import type { Notice as Entry } from './notices.ts';

// Sentences that the partner and the customer need next to the figures: `avisos` of an answer, `observacoes` of a
// record, and the notes in the PDFs.

export const SEGMENT_NAMES: Readonly<Record<Segment, string>> = {
  padrao: 'padrão',
  intermediario: 'intermediário',
  alta_renda: 'alta renda',
};

const inWords = new Intl.ListFormat('pt-BR', { type: 'conjunction' });
/** Returns the date of a figure as exactly as it is known: `2026`, `07/2026` or `30/07/2026`. */
export const dateText = (date: string): string => date.split('-').reverse().join('/');

const RATE_KIND_NAMES: Readonly<Record<RateKind, string>> = {
  a_partir_de: '“a partir de”',
  segmento: 'segmento',
  media: 'média',
  promocional: 'promocional',
};

export const rateName = ({ rateKind, segment }: Pick<Offer, 'rateKind' | 'segment'>): string =>
  rateKind === 'segmento' ? `segmento ${SEGMENT_NAMES[segment]}` : RATE_KIND_NAMES[rateKind];

/** First sentence on an offer of which only the lowest advertised rate is known. */
export const LOWEST_RATE_TEXT =
  'Só se conhece a menor taxa que o banco anuncia (“a partir de”): a do cliente pode ser maior.';

const INDEXER_NAMES = { TR: 'A TR', IPCA: 'O IPCA', POUPANCA: 'A poupança' } as const;

const FGTS_CONDITION_TEXTS: Readonly<Record<FgtsCondition, string>> = {
  threeYears: 'três anos de trabalho sob o FGTS',
  noSfhLoan: 'nenhum outro financiamento ativo no SFH',
  noPropertyInTown: 'nenhum imóvel residencial no município',
  ownHome: 'moradia própria',
};

export function noticeText(notice: Notice): string {
  switch (notice.kind) {
    case 'ageAssumed':
      return `Sem a data de nascimento, o seguro supõe ${notice.years} anos de idade.`;
    case 'segmentWithoutRate':
      return `Não temos taxa deste banco para o segmento ${SEGMENT_NAMES[notice.asked]}: vale a do cliente comum.`;
    case 'expensesNotFinanced':
      return 'Pela nossa tabela, o banco não financia ITBI e registro; eles são pagos à vista.';
    case 'equalSharesAssumed':
      return 'Sem a renda do primeiro proponente e sem a participação de cada um, o seguro supõe metade para cada.';
    case 'housingProgramme':
      return `A renda e o imóvel cabem na classe média do Minha Casa, Minha Vida (renda até ${formatReais(notice.income)}, imóvel até ${formatReais(notice.property)}); esta simulação não é do programa, e vale consultá-lo.`;
    case 'fgtsUnattested':
      return `O uso do FGTS supõe, sem que o pedido o confirme: ${notice.conditions.map((condition) => FGTS_CONDITION_TEXTS[condition]).join(', ')}.`;
    case 'tableOld':
      return notice.seen === undefined
        ? `Taxa publicada há ${notice.days} dias ou mais: confirme-a com o banco.`
        : `Taxa publicada há ${notice.days} dias ou mais; em ${dateText(notice.seen)} o banco ainda a confirmava.`;
    case 'rateEnding':
      return `Em produção, novas simulações recusam este banco a partir de ${dateText(notice.from)}, se até lá não houver taxa mais nova.`;
    case 'scenarioOld':
      return `${INDEXER_NAMES[notice.indexer]} do CET projetado é um número de ${dateText(notice.date)}, de há ${notice.days} dias ou mais.`;
    case 'stateUnknown':
      return `Sem a uf do imóvel, não se verificou se ele fica onde a página do banco exclui: ${inWords.format(notice.states)}.`;
    case 'incomeBelowSegment':
      return `A renda não chega a ${formatReais(notice.least)}, a menor que conhecemos para o segmento ${SEGMENT_NAMES[notice.segment]}: o banco pode não dar esta taxa.`;
  }
}

const amountRange = (amounts: readonly Centavos[]): string =>
  `de ${formatReais(centavos(Math.min(...amounts)))} a ${formatReais(centavos(Math.max(...amounts)))}`;

const DIFFERENCE_TEXTS: { readonly [K in ComparedProperty]: (offers: readonly Offer[]) => string } = {
  principal: (offers) => `valor financiado (${amountRange(offers.map(({ principal }) => principal))})`,
  term: (offers) => {
    const terms = offers.map(({ term }) => term);
    return `prazo (de ${Math.min(...terms)} a ${Math.max(...terms)} meses)`;
  },
  system: (offers) => `sistema (${Array.from(new Set(offers.map(({ system }) => system))).join(' e ')})`,
  cash: (offers) => `dinheiro na contratação, sem a avaliação (${amountRange(offers.map(cashBeforeAppraisal))})`,
};

const banksOf = (offers: readonly Offer[]): string => inWords.format(new Set(offers.map(({ bank }) => bankName(bank))));

/** Undefined if the offers are equal loans. */
export function differenceText({ ranked, differing }: Comparison): string | undefined {
  if (differing.length === 0) return undefined;
  const differences = differing.map((property) => DIFFERENCE_TEXTS[property](ranked));
  return `As ofertas diferem em ${inWords.format(differences)}. Por isso as suas parcelas e somas não se comparam diretamente, e a ordem pelo CET projetado, que é uma taxa, não diz qual custa menos em reais.`;
}

/** Undefined if all rates are of the same kind. */
export function rateKindsText({ groups }: Comparison): string | undefined {
  if (groups.length < 2) return undefined;
  const kinds = groups.flatMap((group) => group.slice(0, 1).map((first) => `${rateName(first)} (${banksOf(group)})`));
  return `As taxas não são da mesma natureza: ${kinds.join('; ')}. Só se comparam, pelo CET projetado, as de mesma natureza.`;
}

export const closeCallTexts = (comparison: Comparison): readonly string[] =>
  closeCalls(comparison).map((offers) => {
    const indexers = inWords.format(new Set(offers.map(({ indexer }) => indexer)));
    return `Meio ponto a mais ou a menos em ${indexers} pode trocar o primeiro lugar entre ${banksOf(offers)}.`;
  });

/** Field of the request that a notice is about. Undefined if the notice is only in the record, not in `avisos`. */
const NOTICE_FIELDS: Readonly<Record<Notice['kind'], string | undefined>> = {
  ageAssumed: undefined,
  segmentWithoutRate: 'segmento',
  // If one of several banks finances the expenses, the wish had its effect. If none does, expensesNowhere says so.
  expensesNotFinanced: undefined,
  equalSharesAssumed: 'segundo_proponente.participacao',
  housingProgramme: 'valor_imovel',
  fgtsUnattested: 'fgts',
  tableOld: 'bancos',
  rateEnding: 'bancos',
  scenarioOld: 'bancos',
  stateUnknown: 'uf',
  incomeBelowSegment: 'segmento',
};

/** Kinds of notices that are the same for every bank. */
const SAME_FOR_ALL_BANKS: ReadonlySet<Notice['kind']> = new Set([
  'equalSharesAssumed',
  'housingProgramme',
  'fgtsUnattested',
]);

/**
 * Returns the notice that the sent state has no effect, if none of these banks excludes states, by its table of that day.
 */
export function stateNotices(state: string | undefined, banks: readonly Bank[], day: Day): readonly Entry[] {
  if (state === undefined || distinguishStates(banks, day)) return [];
  return [{ campo: 'uf', motivo: 'Nenhuma tabela destes bancos exclui estados: uf não mudou nada.' }];
}

function expensesNowhere(financeExpenses: boolean, offers: readonly Offer[]): readonly Entry[] {
  if (!financeExpenses || offers.length === 0 || offers.some(({ expenses }) => expenses > 0)) return [];
  const motivo = 'Pelas nossas tabelas, nenhum dos bancos que oferecem financia ITBI e registro.';
  return [{ campo: 'financiar_despesas', motivo }];
}

/** Each sentence comes once, with the banks that it holds for. */
export function noticesOf(financeExpenses: boolean, quotes: readonly Quote[]): readonly Entry[] {
  const offers = offersOf(quotes);
  const entries = new Map<string, { campo: string; text: string; banks: Set<string> }>();
  for (const { bank, notices } of offers) {
    for (const notice of notices) {
      const campo = NOTICE_FIELDS[notice.kind];
      if (campo === undefined) continue;
      const text = noticeText(notice);
      const entry = entries.get(text) ?? { campo, text, banks: new Set<string>() };
      if (!SAME_FOR_ALL_BANKS.has(notice.kind)) entry.banks.add(bankName(bank));
      entries.set(text, entry);
    }
  }
  const ofBanks = Array.from(entries.values(), ({ campo, text, banks }) => {
    const names = Array.from(banks).join(', ');
    return { campo, motivo: names === '' ? text : `${names}: ${text.charAt(0).toLowerCase()}${text.slice(1)}` };
  });
  return expensesNowhere(financeExpenses, offers).concat(ofBanks);
}
