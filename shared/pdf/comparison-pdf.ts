import { closeCallTexts, dateText, differenceText, rateKindsText } from '../contract/simulation-notices.ts';
import { type Comparison, compareOffers, hasUnusual, placeOf } from '../domain/simulations/comparison.ts';
import type { PresentedOffer } from '../domain/simulations/ports.ts';
import { scheduleOf } from '../domain/simulations/pricing/quote.ts';
import { type Offer, type ToldRefusal, validUntil } from '../domain/simulations/simulation.ts';
import { bankName } from '../domain/values/bank.ts';
import { bulletList, bulletListHeight, HEADING, sectionHeading } from './blocks.ts';
import { CHART_HEIGHT, systemsChart } from './charts.ts';
import { comparisonBars, comparisonBarsHeight } from './comparison-bars.ts';
import { type ComparisonRow, cellText, comparisonRows, noticesOf, unusualMark } from './comparison-rows.ts';
import { identity, masthead } from './identity.ts';
import { packObjects } from './pack-objects.ts';
import { COLOURS, LEAST_SIZE, Paper, type Style, WIDE_PAGE } from './paper.ts';
import { conditionsPublication, date, INDEXER_NAMES, percent } from './wording.ts';

const TITLE = 'Comparação de ofertas de crédito';
const OFFERS_ON_A_PAGE = 6;
const NAMES_WIDTH = 162;
const WIDEST_COLUMN = 135;
const PITCH = 13.5;
/** Rows get lower, down to this height, if that keeps the first table on the first page. */
const LEAST_PITCH = 12;
const HEAD_HEIGHT = 30;
const FOOT = 570;

/**
 * Returns the offers of the best ranked bank with the same sum and term under SAC and PRICE. Undefined if no bank has
 * both.
 */
function bothSystems(offers: readonly Offer[]): readonly [sac: Offer, price: Offer] | undefined {
  const [pair] = offers.flatMap((offer) => {
    const other = offers.find(
      ({ bank, system, principal, term }) =>
        bank === offer.bank && system !== offer.system && principal === offer.principal && term === offer.term,
    );
    return other ? [offer.system === 'SAC' ? ([offer, other] as const) : ([other, offer] as const)] : [];
  });
  return pair;
}

function comparisonNotes(comparison: Comparison, notices: readonly string[]): readonly string[] {
  const offers = comparison.ranked.concat(comparison.apart);
  const scenarios = new Map(
    offers.flatMap(({ indexer, projection: { indexPercent, date: day, source } }) => {
      if (indexer === 'PREFIXADO') return [];
      const figure = `${INDEXER_NAMES[indexer]} de ${percent(indexPercent, 2)} ao ano (${dateText(day)}; ${source})`;
      return [[indexer, figure]];
    }),
  );
  const rates = new Set(offers.map(({ rateSource, rateDate }) => `${rateSource} (${dateText(rateDate)})`));
  const conditions = new Set(
    offers.flatMap(({ bank, conditionsDate }) =>
      conditionsDate === undefined ? [] : [`${bankName(bank)} ${conditionsPublication(conditionsDate)}`],
    ),
  );
  const apart = Array.from(new Set(comparison.apart.map(({ bank }) => bankName(bank)))).join(', ');
  const kinds = rateKindsText(comparison);
  const order = `Ordem crescente do CET projetado, da esquerda para a direita${kinds ? ', em cada natureza de taxa' : ''}.`;
  const notes = [
    'Comparação indicativa, com as tabelas dos bancos: não é proposta de nenhum deles nem aprovação. Cada simulação tem um documento próprio, com a planilha do CET e todas as parcelas; o banco confirma as condições na análise de crédito.',
    scenarios.size > 0
      ? `${order} O cenário projetado, que não é previsão nem o CET oficial, supõe ${Array.from(scenarios.values()).join('; ')} em todo o contrato.`
      : order,
  ];
  if (kinds !== undefined) notes.push(`${kinds} O lugar e “menor” valem só entre elas.`);
  if (apart !== '')
    notes.push(
      `Fora da ordem: ${apart}. Crédito com garantia de imóvel (home equity) pede um imóvel que já seja do cliente e não paga a compra.`,
    );
  const difference = differenceText(comparison);
  const legend = hasUnusual(comparison) ? ' * marca um valor que não é o da maioria das ofertas.' : '';
  if (difference !== undefined) notes.push(`${difference}${legend}`);
  notes.push(
    ...closeCallTexts(comparison),
    'O CET oficial conta todo indexador como zero: sozinho, não serve para comparar ofertas de indexadores diferentes.',
    `Fontes das taxas: ${Array.from(rates).join('; ')}.`,
  );
  if (conditions.size > 0)
    notes.push(`Datas das demais condições (prêmios, tarifas, limites): ${Array.from(conditions).join('; ')}.`);
  return notes.concat(notices.map((text, index) => `Aviso ${index + 1}: ${text}`));
}

/** Reasons that are the same for several systems of a bank are given once. */
function refusalNotes(refusals: readonly ToldRefusal[]): readonly string[] {
  const alike = Map.groupBy(refusals, ({ bank, reasons }) => JSON.stringify([bank, reasons]));
  return Array.from(alike.values()).flatMap((group) => {
    const [first] = group;
    if (!first) return [];
    const systems = group.map(({ system }) => system).join(' e ');
    return [`${bankName(first.bank)} (${systems}): ${first.reasons.join(' ')}`];
  });
}

interface TablePlaced {
  readonly offers: readonly Offer[];
  readonly top: number;
  readonly pitch: number;
}

function comparisonTable(
  paper: Paper,
  comparison: Comparison,
  { offers, top, pitch }: TablePlaced,
  rows: readonly ComparisonRow[],
): number {
  const { left, right } = WIDE_PAGE;
  const width = Math.min(WIDEST_COLUMN, (right - left - NAMES_WIDTH) / offers.length);
  const end = left + NAMES_WIDTH + width * offers.length;
  const edge = (column: number) => left + NAMES_WIDTH + width * (column + 1) - 5;
  const table = paper.element(paper.root, 'Table');
  const cell = (text: string, column: number, y: number, style: Style) =>
    paper.text(text, paper.fitted(text, style, width - 12), { x: edge(column), y, align: 'right' });
  const isApart = (offer: Offer) => comparison.apart.includes(offer);

  const head = paper.element(table, 'TR');
  paper.artifact(() => {
    paper.fill(COLOURS.accent, left, top, end - left, HEAD_HEIGHT);
    offers.forEach((offer, column) => {
      if (isApart(offer)) paper.fill(COLOURS.quiet, left + NAMES_WIDTH + width * column, top, width, HEAD_HEIGHT);
    });
  });
  const white: Style = { size: LEAST_SIZE, colour: COLOURS.white };
  const strongWhite: Style = { size: 10.5, weight: 'semibold', colour: COLOURS.white };
  paper.tagged(head, 'TH', () => paper.text('Oferta', white, { x: left + 5, y: top + 13 }), { scope: 'Column' });
  offers.forEach((offer, column) => {
    const rank = placeOf(comparison, offer);
    const place = isApart(offer) ? 'À parte: ' : rank === undefined ? '' : `${rank}º `;
    const indexer = offer.indexer === 'PREFIXADO' ? 'prefixado' : INDEXER_NAMES[offer.indexer];
    const draw = () => {
      cell(`${place}${bankName(offer.bank)}`, column, top + 13, strongWhite);
      // The space separates the two lines for people who copy the text. At the end of the first line, it would move
      // that line.
      cell(` ${offer.system}${unusualMark(comparison, 'system', offer)} · ${indexer}`, column, top + 24.5, white);
    };
    paper.tagged(head, 'TH', draw, { scope: 'Column' });
  });
  head.end();

  let y = top + HEAD_HEIGHT;
  for (const comparisonRow of rows) {
    const { label, strong } = comparisonRow;
    paper.artifact(() => {
      if (strong) paper.fill(COLOURS.wash, left, y, end - left, pitch);
      paper.rule(y + pitch, COLOURS.faintRule, 0.5, left, end);
    });
    y += pitch;
    const row = paper.element(table, 'TR');
    const weight = strong ? 'semibold' : 'regular';
    const name = { size: LEAST_SIZE, weight, colour: strong ? COLOURS.ink : COLOURS.quiet } as const;
    paper.tagged(row, 'TH', () => paper.text(label, name, { x: left + 5, y: y - 4 }), { scope: 'Row' });
    for (const [column, offer] of offers.entries()) {
      const text = cellText(comparisonRow, offer, comparison);
      paper.tagged(row, 'TD', () => cell(text, column, y - 4, { size: 9, weight, colour: COLOURS.ink }));
    }
    row.end();
  }
  table.end();
  return y;
}

/** Sentences for which the page has no room go to the next pages, each with the heading. */
function sentences(
  paper: Paper,
  heading: string,
  notes: readonly string[],
  start: number,
  turnPage: () => number,
): number {
  if (notes.length === 0) return start;
  const { left, right, bottom } = WIDE_PAGE;
  const width = right - left;
  const heightOf = (part: readonly string[]) => HEADING + bulletListHeight(paper, part, width);
  let top = start + heightOf(notes.slice(0, 2)) > bottom ? turnPage() : start;
  for (let rest = notes; rest.length > 0; ) {
    let fits = rest.length;
    while (fits > 1 && top + heightOf(rest.slice(0, fits)) > bottom) fits -= 1;
    top = bulletList(paper, rest.slice(0, fits), sectionHeading(paper, heading, left, top), { left, width });
    rest = rest.slice(fits);
    if (rest.length > 0) top = turnPage();
  }
  return top;
}

/**
 * A document for the customer, in Portuguese, on two to six pages, PDF/UA-1 and PDF/A-2a. The same opportunity and
 * agent always make the same bytes. Throws a RangeError if no bank has made an offer.
 */
export async function comparisonPdf({
  opportunity,
  agent,
}: Pick<PresentedOffer, 'opportunity' | 'agent'>): Promise<Uint8Array> {
  const comparison = compareOffers(opportunity.offers);
  const { ranked } = comparison;
  const offers = ranked.concat(comparison.apart);
  const [first] = offers;
  if (first === undefined) throw new RangeError('an opportunity without offers has nothing to compare');
  const [earliest = validUntil(first)] = offers.map(validUntil).sort();
  const info = {
    title: `${TITLE} nº ${opportunity.id}`,
    subject: 'Comparação indicativa',
    createdAt: opportunity.createdAt,
  };
  const paper = new Paper(info, WIDE_PAGE);
  const { bottom, top } = WIDE_PAGE;
  const notices = noticesOf(offers);
  const rows = comparisonRows(opportunity, notices);
  const turnPage = () => {
    paper.doc.addPage();
    return top;
  };

  turnPage();
  const y = masthead(paper, {
    title: TITLE,
    subject: offers.length === 1 ? '1 oferta' : `${offers.length} ofertas`,
    underSubject: comparison.groups.length > 1 ? 'ordem: natureza da taxa, CET projetado' : 'ordem: CET projetado',
    tables: 'as tabelas dos bancos nas datas abaixo',
    bank: 'de nenhum banco',
    agent,
  });
  const facts = [
    ['Data da simulação', date(first.contractDay)],
    ['Preços destas tabelas até', date(earliest)],
    ['Oportunidade nº', String(opportunity.id)],
  ] as const;
  let end = identity(paper, opportunity, facts, agent, y);
  // Offers are spread evenly over the pages, so that no single offer is left for the last page.
  const pages = Math.ceil(offers.length / OFFERS_ON_A_PAGE);
  const room = (bottom - end - HEAD_HEIGHT) / rows.length;
  const pitch = room >= LEAST_PITCH ? Math.min(room, PITCH) : PITCH;
  for (let page = 0, before = 0; page < pages; page++) {
    const group = offers.slice(before, before + Math.ceil((offers.length - before) / (pages - page)));
    const at = before > 0 || room < pitch ? turnPage() : end;
    end = comparisonTable(paper, comparison, { offers: group, top: at, pitch }, rows);
    before += group.length;
  }
  if (ranked.length > 1) {
    const at = end + 12 + comparisonBarsHeight(ranked.length) > bottom ? turnPage() : end + 12;
    comparisonBars(paper, comparison, at);
    end = at + comparisonBarsHeight(ranked.length);
  }
  const both = bothSystems(ranked);
  if (both) {
    const at = end + 12 + CHART_HEIGHT > bottom ? turnPage() : end + 12;
    systemsChart(paper, at, bankName(both[0].bank), [scheduleOf(both[0]), scheduleOf(both[1])]);
    end = at + CHART_HEIGHT;
  }
  end = sentences(paper, 'O que considerar', comparisonNotes(comparison, notices), end + 12, turnPage);
  const refused = refusalNotes(opportunity.refusals ?? []);
  sentences(paper, 'Bancos sem oferta nesta simulação', refused, end + 12, turnPage);
  paper.foot(`${TITLE} nº ${opportunity.id} · Simulação indicativa`, FOOT);
  return packObjects(paper.bytes());
}
