import { rankOffers } from '../domain/simulations/opportunity.ts';
import type { PresentedOffer } from '../domain/simulations/ports.ts';
import { scheduleOf } from '../domain/simulations/pricing/quote.ts';
import { type Offer, type ToldRefusal, validUntil } from '../domain/simulations/simulation.ts';
import { bankName } from '../domain/values/bank.ts';
import { bulletList, bulletListHeight, HEADING, sectionHeading } from './blocks.ts';
import { CHART_HEIGHT, systemsChart } from './charts.ts';
import { comparisonBars, comparisonBarsHeight } from './comparison-bars.ts';
import { type ComparisonRow, comparisonRows, noticesOf } from './comparison-rows.ts';
import { identity, masthead } from './identity.ts';
import { packObjects } from './pack-objects.ts';
import { COLOURS, LEAST_SIZE, Paper, type Style, WIDE_PAGE } from './paper.ts';
import { date, INDEXER_NAMES, percent, publication } from './wording.ts';

const TITLE = 'Comparação de ofertas de crédito';
/** Most offers on one page, next to each other: all six banks under one system. */
const OFFERS_ON_A_PAGE = 6;
const NAMES_WIDTH = 162;
const WIDEST_COLUMN = 135;
const PITCH = 13.5;
/**
 * Least height of a table row. Rows get lower, down to this height, if that keeps the first table on the first page.
 */
const LEAST_PITCH = 12;
const HEAD_HEIGHT = 30;
const FOOT = 570;

const isEquity = ({ product }: Offer) => product === 'HOME_EQUITY';

/**
 * Offers as they are compared. Loans on a property that the customer already owns buy nothing, and are not ranked with
 * purchases.
 */
interface Compared {
  /** Ranked offers, from the lowest projected cost to the highest. */
  readonly ranked: readonly Offer[];
  /** Offers that are shown after the ranked ones, without a rank. */
  readonly apart: readonly Offer[];
}

function comparedOf(offers: readonly Offer[]): Compared {
  const ordered = rankOffers(offers);
  const [equity, purchases] = [ordered.filter(isEquity), ordered.filter((offer) => !isEquity(offer))];
  return purchases.length > 0 ? { ranked: purchases, apart: equity } : { ranked: equity, apart: [] };
}

/**
 * Returns the value that most of these offers have. If several values are equally frequent, returns the first of these
 * values.
 */
function usual(offers: readonly Offer[], of: (offer: Offer) => unknown): unknown {
  const counted = Array.from(Map.groupBy(offers, of), ([value, having]) => ({ value, count: having.length }));
  return counted.reduce((most, next) => (next.count > most.count ? next : most)).value;
}

/**
 * Returns a predicate: whether an offer differs in one property (sum, term or system) from most of the ranked offers.
 */
const unlike = ({ ranked }: Compared, of: (offer: Offer) => unknown) => {
  const common = usual(ranked, of);
  return (offer: Offer) => of(offer) !== common;
};

const systemOf = ({ system }: Offer) => system;

/**
 * Returns two offers of one bank with the same sum and term, one under SAC and one under PRICE. Takes the best ranked
 * bank that has both. Undefined if no bank has.
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

/**
 * Returns the sentences of "O que considerar": the order, the scenario with its figures and sources, the sources of the
 * rates, every notice.
 */
function comparisonNotes(
  compared: Compared,
  rows: readonly ComparisonRow[],
  notices: readonly string[],
): readonly string[] {
  const offers = compared.ranked.concat(compared.apart);
  const scenarios = new Map(
    offers.flatMap(({ indexer, projection: { indexPercent, date: day, source } }) => {
      if (indexer === 'PREFIXADO') return [];
      const figure = `${INDEXER_NAMES[indexer]} de ${percent(indexPercent, 2)} ao ano (${publication(day)}; ${source})`;
      return [[indexer, figure]];
    }),
  );
  const rates = new Set(offers.map(({ rateSource, rateDate }) => `${rateSource} (${publication(rateDate)})`));
  const isMarkedBy = (of: (offer: Offer) => unknown) => compared.ranked.some(unlike(compared, of));
  const isMarked = isMarkedBy(systemOf) || rows.some(({ alike }) => alike !== undefined && isMarkedBy(alike));
  const apart = Array.from(new Set(compared.apart.map(({ bank }) => bankName(bank)))).join(', ');
  const notes = [
    'Comparação indicativa, com as tabelas dos bancos: não é proposta de nenhum deles nem aprovação. Cada simulação tem um documento próprio, com a planilha do CET e todas as parcelas; o banco confirma as condições na análise de crédito.',
    scenarios.size > 0
      ? `Ordem: CET projetado, do menor ao maior, da esquerda para a direita. O cenário projetado, que não é previsão nem o CET oficial, supõe ${Array.from(scenarios.values()).join('; ')} em todo o contrato.`
      : 'Ordem: CET projetado, do menor ao maior, da esquerda para a direita.',
  ];
  if (apart !== '')
    notes.push(
      `Fora da ordem: ${apart}. Crédito com garantia de imóvel (home equity) pede um imóvel que já seja do cliente e não paga a compra.`,
    );
  if (isMarked)
    notes.push(
      '* Outro valor financiado, prazo ou sistema que o da maioria: parcelas e somas não se comparam diretamente.',
    );
  notes.push(
    'O CET oficial conta todo indexador como zero: sozinho, não serve para comparar ofertas de indexadores diferentes.',
    `Fontes das taxas: ${Array.from(rates).join('; ')}.`,
  );
  return notes.concat(notices.map((text, index) => `Aviso ${index + 1}: ${text}`));
}

/**
 * Returns one sentence for each bank without an offer, with its reasons. Reasons that are the same for several systems
 * of a bank are given once.
 */
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
  /** Number of offers on the pages before. */
  readonly before: number;
  readonly top: number;
  /** Height of a table row. */
  readonly pitch: number;
}

/**
 * Draws the offers of a page next to each other, one column for each, in the given order. Returns the y below the
 * table.
 */
function comparisonTable(
  paper: Paper,
  compared: Compared,
  { offers, before, top, pitch }: TablePlaced,
  rows: readonly ComparisonRow[],
): number {
  const { left, right } = WIDE_PAGE;
  const { ranked } = compared;
  const width = Math.min(WIDEST_COLUMN, (right - left - NAMES_WIDTH) / offers.length);
  const end = left + NAMES_WIDTH + width * offers.length;
  const edge = (column: number) => left + NAMES_WIDTH + width * (column + 1) - 5;
  const table = paper.element(paper.root, 'Table');
  const cell = (text: string, column: number, y: number, style: Style) =>
    paper.text(text, paper.fitted(text, style, width - 12), { x: edge(column), y, align: 'right' });
  const isApart = (offer: Offer) => compared.apart.includes(offer);

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
  const otherSystem = unlike(compared, systemOf);
  offers.forEach((offer, column) => {
    const place = isApart(offer) ? 'À parte: ' : `${before + column + 1}º `;
    const indexer = offer.indexer === 'PREFIXADO' ? 'prefixado' : INDEXER_NAMES[offer.indexer];
    const draw = () => {
      cell(`${place}${bankName(offer.bank)} `, column, top + 13, strongWhite);
      cell(`${offer.system}${otherSystem(offer) ? ' *' : ''} · ${indexer}`, column, top + 24.5, white);
    };
    paper.tagged(head, 'TH', draw, { scope: 'Column' });
  });
  head.end();

  let y = top + HEAD_HEIGHT;
  for (const { label, strong, of, alike, least } of rows) {
    paper.artifact(() => {
      if (strong) paper.fill(COLOURS.wash, left, y, end - left, pitch);
      paper.rule(y + pitch, COLOURS.faintRule, 0.5, left, end);
    });
    y += pitch;
    const row = paper.element(table, 'TR');
    const weight = strong ? 'semibold' : 'regular';
    const name = { size: LEAST_SIZE, weight, colour: strong ? COLOURS.ink : COLOURS.quiet } as const;
    paper.tagged(row, 'TH', () => paper.text(label, name, { x: left + 5, y: y - 4 }), { scope: 'Row' });
    const isOther = alike && unlike(compared, alike);
    const lowest = least && ranked.length > 1 ? Math.min(...ranked.map(least)) : undefined;
    for (const [column, offer] of offers.entries()) {
      const isLowest = !isApart(offer) && least?.(offer) === lowest && lowest !== undefined;
      const text = `${isLowest ? 'menor: ' : ''}${of(offer) ?? '–'}${isOther?.(offer) ? ' *' : ''}`;
      paper.tagged(row, 'TD', () => cell(text, column, y - 4, { size: 9, weight, colour: COLOURS.ink }));
    }
    row.end();
  }
  table.end();
  return y;
}

/**
 * Draws a heading with a list of sentences. Sentences for which the page has no room go to the next pages, each with
 * the heading. Returns the y below the list.
 */
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
 * Returns the comparison of all offers of an opportunity: a document for the customer, in Portuguese, on two to six
 * pages, PDF/UA-1 and PDF/A-2a. The offers go from the lowest projected cost to the highest; loans that buy nothing are
 * shown apart. The document has every notice of its offers, and names the banks that make no offer. The same
 * opportunity and agent give the same bytes. Throws a RangeError if no bank has made an offer.
 */
export async function comparisonPdf({
  opportunity,
  agent,
}: Pick<PresentedOffer, 'opportunity' | 'agent'>): Promise<Uint8Array> {
  const compared = comparedOf(opportunity.offers);
  const offers = compared.ranked.concat(compared.apart);
  const [first] = offers;
  if (first === undefined) throw new RangeError('an opportunity without offers has nothing to compare');
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
    underSubject: 'ordem: CET projetado',
    tables: 'as tabelas dos bancos nas datas abaixo',
    bank: 'de nenhum banco',
    agent,
  });
  const facts = [
    ['Data da simulação', date(first.contractDay)],
    ['Preços destas tabelas até', date(validUntil(first.contractDay))],
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
    end = comparisonTable(paper, compared, { offers: group, before, top: at, pitch }, rows);
    before += group.length;
  }
  const { ranked } = compared;
  if (ranked.length > 1) {
    const at = end + 12 + comparisonBarsHeight(ranked.length) > bottom ? turnPage() : end + 12;
    comparisonBars(paper, ranked, at);
    end = at + comparisonBarsHeight(ranked.length);
  }
  const both = bothSystems(ranked);
  if (both) {
    const at = end + 12 + CHART_HEIGHT > bottom ? turnPage() : end + 12;
    systemsChart(paper, at, bankName(both[0].bank), [scheduleOf(both[0]), scheduleOf(both[1])]);
    end = at + CHART_HEIGHT;
  }
  end = sentences(paper, 'O que considerar', comparisonNotes(compared, rows, notices), end + 12, turnPage);
  const refused = refusalNotes(opportunity.refusals ?? []);
  sentences(paper, 'Bancos sem oferta nesta simulação', refused, end + 12, turnPage);
  paper.foot(`${TITLE} nº ${opportunity.id} · Simulação indicativa`, FOOT);
  return packObjects(paper.bytes());
}
