import { dateText, noticeText, SEGMENT_NAMES } from '../contract/simulation-notices.ts';
import { type Instalment, type Offer, validUntil } from '../domain/simulations/simulation.ts';
import { date, INDEXER_NAMES, listed, percent, reais } from './wording.ts';

function rateText({ annualRate, rateKind, segment, rateDate, rateSource }: Offer): string {
  const kinds = {
    a_partir_de: 'é “a partir de”: a menor que o banco anuncia, e a do cliente pode ser maior',
    segmento: `é a do segmento ${SEGMENT_NAMES[segment]}`,
    media: 'é uma média: a do cliente pode ser maior ou menor',
    promocional: 'é promocional: pode acabar antes da contratação',
  } as const;
  const forWhom = rateKind === 'segmento' ? '' : ` Vale para o segmento ${SEGMENT_NAMES[segment]}.`;
  return `A taxa de ${percent(annualRate, 2)} ao ano ${kinds[rateKind]}.${forWhom} Publicada em ${dateText(rateDate)}. Fonte: ${rateSource}.`;
}

/** A public deed is not among these costs, since the contract itself serves as the deed (Lei 9.514, art. 38). */
const registryCosts = ({ product }: Offer) =>
  product === 'HOME_EQUITY'
    ? 'registro da garantia e outros custos de cartório'
    : 'ITBI, registro do contrato e outros custos de cartório';

function costNotes(offer: Offer): readonly string[] {
  const moves = offer.indexer !== 'PREFIXADO';
  const counted = ['os juros', 'os seguros MIP e DFI'];
  if (offer.monthlyFee > 0) counted.push('a tarifa de cada parcela');
  if (offer.appraisalFee > 0) counted.push('a avaliação do imóvel');
  if (offer.iof > 0) counted.push('o IOF');
  const indexer = moves ? `a variação do indexador ${INDEXER_NAMES[offer.indexer]}, contada como zero; ` : '';
  const notes = [
    `O CET de ${percent(offer.effectiveAnnualCost, 2)} ao ano inclui ${listed(counted)}. Não inclui: ${indexer}${registryCosts(offer)}.`,
  ];
  if (offer.expenses > 0)
    notes.push(
      `ITBI e registro, estimados em ${reais(offer.expenses)}, são financiados com o imóvel: entram no CET pelos juros, não como custo.`,
    );
  if (offer.cashExpenses > 0) notes.push('ITBI e registro à vista são uma estimativa: variam com o município.');
  if (moves) notes.push('As parcelas e o saldo devedor são mostrados sem a correção do indexador e mudam com ela.');
  return notes;
}

export function notesOf(offer: Offer, schedule: readonly Instalment[]): readonly string[] {
  const ages = offer.secondBorrower ? 'pelas idades dos dois proponentes' : 'pela idade';
  return [
    `Simulação indicativa, feita com a tabela ${offer.tableVersion} e válida até ${date(validUntil(offer))}. Não é proposta nem aprovação: o banco confirma as condições na análise de crédito.`,
    rateText(offer),
    ...costNotes(offer),
    `O seguro MIP é calculado sobre o saldo devedor, ${ages} em cada vencimento.${schedule.length > 1 ? ' A última parcela não tem seguros, que são pagos adiantados.' : ''}`,
    ...offer.notices.map(noticeText),
  ];
}
