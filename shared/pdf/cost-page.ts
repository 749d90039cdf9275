import { dateText } from '../contract/simulation-notices.ts';
import type { PresentedOffer } from '../domain/simulations/ports.ts';
import { type CostComponent, costSheet } from '../domain/simulations/pricing/cost-sheet.ts';
import { type Instalment, inflationBearer, type Offer } from '../domain/simulations/simulation.ts';
import type { SimulationId } from '../domain/values/ids.ts';
import { centavos } from '../domain/values/money.ts';
import { bulletList, gridTable, sectionHeading, textBlock } from './blocks.ts';
import { notesOf } from './notes.ts';
import { PAGE, type Paper, TEXT_WIDTH } from './paper.ts';
import { creditTaxText, figure, INDEXER_NAMES, percent, reais } from './wording.ts';

export interface SimulationRecord extends PresentedOffer {
  readonly id: SimulationId;
}

const WIDE = { left: PAGE.left, width: TEXT_WIDTH } as const;

function componentName(component: CostComponent, { iof, product }: Offer): string {
  switch (component) {
    case 'released':
      return iof > 0 ? 'Valor líquido liberado' : 'Valor liberado';
    case 'insurance':
      return 'Seguros pagos na contratação';
    case 'appraisal':
      return 'Avaliação do imóvel, paga na contratação';
    case 'creditTax':
      return product === 'HOME_EQUITY' ? 'IOF, descontado do valor liberado' : 'IOF';
  }
}

type Row = readonly [name: string, amount: string, part: string];

function partsTable(
  paper: Paper,
  { heading, names, rows }: { readonly heading: string; readonly names: string; readonly rows: readonly Row[] },
  top: number,
): number {
  const y = sectionHeading(paper, heading, PAGE.left, top);
  const columns = [
    { heading: names, edge: 0 },
    { heading: 'R$', edge: TEXT_WIDTH - 90 },
    { heading: 'Do total', edge: TEXT_WIDTH },
  ];
  return gridTable(paper, { ...WIDE, top: y }, columns, rows, true);
}

/** Source: Res. CMN 4.881/2020, art. 5. */
function costTable(paper: Paper, { offer }: SimulationRecord, top: number): number {
  const lines = costSheet(offer);
  const sum = centavos(lines.reduce((all, line) => all + line.amount, 0));
  const rows = lines.map(
    ({ component, amount, percent: part }): Row => [componentName(component, offer), figure(amount), percent(part, 2)],
  );
  if (offer.iof === 0) rows.push(['IOF', creditTaxText(offer), '–']);
  rows.push(['Total', figure(sum), percent(100, 2)]);
  return partsTable(paper, { heading: 'Planilha do CET', names: 'Na contratação', rows }, top);
}

function totalsTable(paper: Paper, { offer, schedule }: SimulationRecord, top: number): number {
  const sum = (of: (row: Instalment) => number) => schedule.reduce((all, row) => all + of(row), 0);
  const parts: readonly (readonly [string, number])[] = [
    ['Amortização do valor financiado', sum((row) => row.amortization)],
    ['Juros', sum((row) => row.interest)],
    ['Seguro MIP', sum((row) => row.mip)],
    ['Seguro DFI', sum((row) => row.dfi)],
    ['Tarifas', sum((row) => row.fee)],
  ];
  const rows = parts
    .filter(([, amount]) => amount > 0)
    .map(([name, amount]): Row => [name, figure(centavos(amount)), percent((amount * 100) / offer.total, 2)]);
  rows.push(['Total das parcelas', figure(offer.total), percent(100, 2)]);
  return partsTable(paper, { heading: 'Soma de todas as parcelas', names: 'No contrato inteiro', rows }, top);
}

function inflationText(offer: Offer): string {
  return inflationBearer(offer) === 'borrower'
    ? `Quem assume a inflação é o cliente: o saldo devedor é corrigido todo mês pelo indexador (${INDEXER_NAMES[offer.indexer]}).`
    : 'Quem assume a inflação é o banco: as parcelas não têm indexador.';
}

function scenario(paper: Paper, { offer }: SimulationRecord, top: number): number {
  const { projection } = offer;
  const moves = offer.indexer !== 'PREFIXADO';
  let y = sectionHeading(paper, 'Cenário projetado', PAGE.left, top);
  const supposed = moves
    ? ` O cenário supõe ${INDEXER_NAMES[offer.indexer]} de ${percent(projection.indexPercent, 2)} ao ano em todo o contrato (${dateText(projection.date)}; fonte: ${projection.source}). É uma projeção para comparar ofertas, não uma previsão nem o CET oficial.`
    : '';
  y = textBlock(paper, `${inflationText(offer)}${supposed}`, y, WIDE);
  if (!moves) return y;
  const columns = [
    { heading: 'Custos', edge: 0 },
    { heading: 'Sem correção (oficial)', edge: TEXT_WIDTH - 120 },
    { heading: 'Cenário projetado', edge: TEXT_WIDTH },
  ];
  const yearly = (value: number) => `${percent(value, 2)} a.a.`;
  return gridTable(paper, { ...WIDE, top: y + 2 }, columns, [
    ['CET', yearly(offer.effectiveAnnualCost), yearly(projection.annualCost)],
    ['Última parcela', reais(offer.lastTotal), reais(projection.lastTotal)],
    ['Soma de todas as parcelas', reais(offer.total), reais(projection.total)],
  ]);
}

export function costPage(paper: Paper, record: SimulationRecord, top: number): void {
  let y = costTable(paper, record, top);
  y = totalsTable(paper, record, y + 18);
  y = scenario(paper, record, y + 18);
  y = sectionHeading(paper, 'O que considerar', PAGE.left, y + 18);
  bulletList(paper, notesOf(record.offer, record.schedule), y);
}
