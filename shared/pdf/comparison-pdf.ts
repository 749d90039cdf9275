import type { Agent } from '../domain/partners/partner.ts';
import { rankOffers } from '../domain/simulations/opportunity.ts';
import { ASSUMED_AGE } from '../domain/simulations/pricing/borrowers.ts';
import { type Offer, type Opportunity, validUntil } from '../domain/simulations/simulation.ts';
import { bankName } from '../domain/values/bank.ts';
import { bulletList, bulletListHeight, sectionHeading } from './blocks.ts';
import { comparisonBars, comparisonBarsHeight } from './comparison-bars.ts';
import { type ComparisonRow, comparisonRows } from './comparison-rows.ts';
import { identity, masthead } from './identity.ts';
import { packObjects } from './pack-objects.ts';
import { COLOURS, LEAST_SIZE, Paper, type Style, WIDE_PAGE } from './paper.ts';
import { date, INDEXER_NAMES, percent, publication } from './wording.ts';

const TITLE = 'Comparação de ofertas de crédito';
/** Offers side by side on a page: all six banks under one system. */
const OFFERS_ON_A_PAGE = 6;
const NAMES_WIDTH = 162;
const WIDEST_COLUMN = 135;
const PITCH = 13.5;
const HEAD_HEIGHT = 30;
const FOOT = { y: 570, size: LEAST_SIZE, colour: COLOURS.quiet } as const;

const bankOf = ({ bank }: Offer) => bankName(bank);

/** What to keep in mind: the order, the scenario by its figures and sources, where the rates come from. */
function comparisonNotes(offers: readonly Offer[]): readonly string[] {
  const scenarios = new Map(
    offers.flatMap(({ indexer, projection }) =>
      indexer !== 'PREFIXADO'
        ? [
            [
              indexer,
              `${INDEXER_NAMES[indexer]} de ${percent(projection.indexPercent, 2)} ao ano (${publication(projection.date)}; ${projection.source})`,
            ],
          ]
        : [],
    ),
  );
  const rates = new Set(offers.map(({ rateSource, rateDate }) => `${rateSource} (${publication(rateDate)})`));
  const notices = new Set(offers.flatMap(({ notices }) => notices.map(({ kind }) => kind)));
  return [
    'Comparação indicativa: não é proposta nem aprovação. Cada simulação tem um documento próprio, com a planilha do CET e todas as parcelas; o banco confirma as condições na análise de crédito.',
    ...(scenarios.size > 0
      ? [
          `As ofertas vão da esquerda para a direita, do menor ao maior CET projetado. O cenário projetado, que não é previsão nem o CET oficial, supõe ${[...scenarios.values()].join('; ')} em todo o contrato.`,
        ]
      : ['As ofertas vão da esquerda para a direita, do menor ao maior CET.']),
    'O CET oficial conta todo indexador como zero: sozinho, não serve para comparar ofertas de indexadores diferentes.',
    `Fontes das taxas: ${[...rates].join('; ')}.`,
    ...(offers[0]!.birthDate === undefined
      ? [`Sem a data de nascimento, a idade na data da simulação foi tomada como ${ASSUMED_AGE} anos.`]
      : []),
    ...(notices.has('fgtsUnattested') ? ['O uso do FGTS depende de condições que ainda não foram declaradas.'] : []),
    ...(notices.has('tableOld') ? ['Há tabelas em uso há mais de 90 dias: confirme as condições com os bancos.'] : []),
  ];
}

/** The offers side by side, a column each, in the order given. Gives where to go on. */
function comparisonTable(
  paper: Paper,
  offers: readonly Offer[],
  rows: readonly ComparisonRow[],
  { top, before }: { readonly top: number; readonly before: number },
): number {
  const { left, right } = WIDE_PAGE;
  const width = Math.min(WIDEST_COLUMN, (right - left - NAMES_WIDTH) / offers.length);
  const end = left + NAMES_WIDTH + width * offers.length;
  const edge = (column: number) => left + NAMES_WIDTH + width * (column + 1) - 5;
  const table = paper.element(paper.root, 'Table');
  const cell = (text: string, column: number, y: number, style: Style) =>
    paper.text(text, { ...paper.fitted(text, style, width - 12), x: edge(column), y, align: 'right' });

  const head = paper.element(table, 'TR');
  paper.artifact(() => paper.fill(COLOURS.accent, left, top, end - left, HEAD_HEIGHT));
  const white = { size: LEAST_SIZE, colour: COLOURS.white } as const;
  paper.tagged(head, 'TH', () => paper.text('Oferta', { ...white, x: left + 5, y: top + 13 }), { scope: 'Column' });
  offers.forEach((offer, column) => {
    paper.tagged(
      head,
      'TH',
      () => {
        const strong = { ...white, size: 10.5, weight: 'semibold' } as const;
        cell(`${before + column + 1}º ${bankOf(offer)} `, column, top + 13, strong);
        cell(
          `${offer.system} · ${offer.indexer === 'PREFIXADO' ? 'prefixado' : INDEXER_NAMES[offer.indexer]}`,
          column,
          top + 24.5,
          white,
        );
      },
      { scope: 'Column' },
    );
  });
  head.end();

  let y = top + HEAD_HEIGHT;
  for (const { label, strong, of } of rows) {
    paper.artifact(() => {
      if (strong) paper.fill(COLOURS.wash, left, y, end - left, PITCH);
      paper.rule(y + PITCH, COLOURS.faintRule, 0.5, left, end);
    });
    y += PITCH;
    const row = paper.element(table, 'TR');
    const weight = strong ? 'semibold' : 'regular';
    const name = { size: LEAST_SIZE, weight, colour: strong ? COLOURS.ink : COLOURS.quiet } as const;
    paper.tagged(row, 'TH', () => paper.text(label, { ...name, x: left + 5, y: y - 4 }), { scope: 'Row' });
    offers.forEach((offer, column) => {
      paper.tagged(row, 'TD', () => cell(of(offer) ?? '–', column, y - 4, { size: 9, weight, colour: COLOURS.ink }));
    });
    row.end();
  }
  table.end();
  return y;
}

/**
 * All offers of an opportunity side by side, from the lowest projected cost to the highest: a document for the customer,
 * in Portuguese, on two or three pages (four where more than six offers meet names of many lines), PDF/UA-1 and PDF/A-2a. The same opportunity gives the same bytes.
 * Throws a RangeError where no bank has made an offer.
 */
export async function comparisonPdf({
  opportunity,
  agent,
}: {
  readonly opportunity: Opportunity;
  readonly agent?: Agent | undefined;
}): Promise<Uint8Array> {
  const offers = rankOffers(opportunity.offers);
  const [first] = offers;
  if (first === undefined) throw new RangeError('an opportunity without offers has nothing to compare');
  const info = {
    title: `${TITLE} nº ${opportunity.id}`,
    subject: 'Comparação indicativa',
    createdAt: opportunity.createdAt,
  };
  const paper = new Paper(info, WIDE_PAGE);
  const { left, right, bottom } = WIDE_PAGE;
  const rows = comparisonRows(opportunity);
  const notes = comparisonNotes(offers);
  const notesHeight = 17 + bulletListHeight(paper, notes, right - left);

  let page = 0;
  const turnPage = () => {
    paper.doc.addPage();
    page += 1;
    paper.artifact(() => {
      paper.rule(FOOT.y - 12, COLOURS.rule);
      paper.text(`${TITLE} nº ${opportunity.id} · Simulação indicativa`, { ...FOOT, x: left });
      paper.text(`Página ${page}`, { ...FOOT, x: right, align: 'right' });
    }, 'Pagination');
    return WIDE_PAGE.top;
  };

  turnPage();
  const y = masthead(paper, {
    title: TITLE,
    subject: offers.length === 1 ? '1 oferta' : `${offers.length} ofertas`,
    underSubject: 'do menor ao maior custo projetado',
  });
  const facts = [
    ['Data da simulação', date(first.contractDay)],
    ['Válida até', date(validUntil(first.contractDay))],
    ['Oportunidade nº', String(opportunity.id)],
  ] as const;
  let end = identity(paper, opportunity, facts, agent, y);
  for (let before = 0; before < offers.length; before += OFFERS_ON_A_PAGE) {
    const group = offers.slice(before, before + OFFERS_ON_A_PAGE);
    const height = HEAD_HEIGHT + rows.length * PITCH;
    const top = before > 0 || end + height > bottom ? turnPage() : end;
    end = comparisonTable(paper, group, rows, { top, before });
  }
  if (end + 12 + notesHeight > bottom) end = turnPage() - 12;
  const barsHeight = comparisonBarsHeight(offers.length);
  if (offers.length > 1 && end + 12 + barsHeight + 12 + notesHeight <= bottom) {
    comparisonBars(paper, offers, end + 12);
    end += 12 + barsHeight;
  }
  bulletList(paper, notes, sectionHeading(paper, 'O que considerar', left, end + 12), { left, width: right - left });
  return packObjects(await paper.bytes());
}
