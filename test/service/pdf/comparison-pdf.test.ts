import { describe, expect, it } from 'vitest';
import { simulationFoundBody } from '#shared/contract/simulation.ts';
import { noticeText } from '#shared/contract/simulation-notices.ts';
import type { Agent } from '#shared/domain/partners/partner.ts';
import { comparedSum, compareOffers, isLowest, placeOf } from '#shared/domain/simulations/comparison.ts';
import { simulationIdFor } from '#shared/domain/simulations/opportunity.ts';
import { quoteSystems, scheduleOf } from '#shared/domain/simulations/pricing/quote.ts';
import {
  AMORTIZATION_SYSTEMS,
  type AmortizationSystem,
  type Notice,
  type Offer,
  type QuoteRequest,
} from '#shared/domain/simulations/simulation.ts';
import { BANK_IDENTITIES, BANKS } from '#shared/domain/values/bank.ts';
import type { Day } from '#shared/domain/values/clock.ts';
import { centavos } from '#shared/domain/values/money.ts';
import { comparisonPdf } from '#shared/pdf/comparison-pdf.ts';
import { comparisonRows, noticesOf } from '#shared/pdf/comparison-rows.ts';
import { LEAST_SIZE, WIDE_PAGE } from '#shared/pdf/paper.ts';
import { simulationPdf } from '#shared/pdf/simulation-pdf.ts';
import { FROZEN_TABLES } from '#test/makers/frozen-tables.ts';
import { linesOf, overlaps, readPdf, withRole } from '#test/makers/pdf-reading.ts';
import { makeOffer, makeOpportunity } from '#test/makers/simulation.ts';

const AGENT: Agent = { name: 'Imobiliária Horizonte', creci: '12.345-J SP', contact: '(11) 3456-7890 😀' };
const LONG: Agent = { name: 'M'.repeat(200), creci: '1'.repeat(40), contact: 'W'.repeat(200) };

/** Returns the offers of all six banks, without those that a bank refuses. */
function offersOf(systems: readonly AmortizationSystem[], overrides: Partial<QuoteRequest> = {}): Offer[] {
  const request: QuoteRequest = {
    propertyValue: centavos(50_000_000),
    financedValue: centavos(28_000_000),
    term: 240,
    income: centavos(1_200_000),
    financeExpenses: false,
    birthDate: '1990-06-15' as Day,
    contractDay: '2026-11-21' as Day,
    ...overrides,
  };
  return BANKS.flatMap((bank) => quoteSystems(bank, request, systems, FROZEN_TABLES)).flatMap((quote) =>
    'offer' in quote ? [quote.offer] : [],
  );
}

interface Case {
  readonly offers: readonly Offer[];
  readonly agent?: Agent;
  readonly name?: string;
  readonly pages: number;
}

const largest = { propertyValue: centavos(10_000_000_000_000), financedValue: centavos(1_000_000_000) } as const;
const CASES: Readonly<Record<string, Case>> = {
  'six banks': { offers: offersOf(['SAC']), agent: AGENT, pages: 2 },
  'six banks, both systems': { offers: offersOf(['SAC', 'PRICE']), agent: AGENT, pages: 4 },
  'six banks, both systems, every text of the greatest length': {
    offers: offersOf(['SAC', 'PRICE'], { financeExpenses: true, birthDate: undefined }),
    agent: LONG,
    name: 'W'.repeat(200),
    pages: 5,
  },
  'three banks, both systems, no refusal': { offers: offersOf(['SAC', 'PRICE']).slice(-6), pages: 3 },
  'one bank': { offers: offersOf(['SAC']).slice(0, 1), pages: 2 },
  'two equal loans': { offers: offersOf(['SAC']).slice(0, 2), pages: 2 },
  'the largest amounts, every text of the greatest length': {
    offers: offersOf(['SAC'], largest),
    agent: LONG,
    name: 'W'.repeat(200),
    pages: 3,
  },
};

const isEquity = ({ product }: Offer) => product === 'HOME_EQUITY';
const cashOf = ({ cashNeeded, appraisalFee }: Offer) => cashNeeded - appraisalFee;
/** Whether there are several purchases, which are equal in everything that amounts depend on. */
function areEqualLoans(offers: readonly Offer[]): boolean {
  const { ranked, groups, differing } = compareOffers(offers);
  return ranked.length > 1 && groups.length === 1 && differing.length === 0;
}
/** Returns the mark of a purchase whose value of a property is not the value of most purchases. */
function markOf(offers: readonly Offer[], of: (offer: Offer) => number, offer: Offer): string {
  const ranked = offers.filter((other) => !isEquity(other));
  const [usual] = Array.from(Map.groupBy(ranked, of).values()).filter(({ length }) => length > ranked.length / 2);
  return usual && !isEquity(offer) && !usual.includes(offer) ? ' *' : '';
}
const decimals = new Intl.NumberFormat('pt-BR', { minimumFractionDigits: 2 });
const reais = (amount: number) => `R$ ${decimals.format(amount / 100)}`;
const yearly = (value: number) => `${value.toFixed(2).replace('.', ',')} % a.a.`;

describe.each(Object.entries(CASES))('comparisonPdf with %s', (_, { offers, agent, name, pages }) => {
  const opportunity = { ...makeOpportunity(offers[0]!, name), offers };
  const drawn = comparisonPdf({ opportunity, agent });
  const reading = drawn.then(readPdf);

  it('a comparison shows the figures of each offer’s record, by kind of rate and projected cost', async () => {
    // One line holds the headings of both bars. It is left out, since it has the same words as a row of the table.
    const isHeading = ([, second]: readonly string[]) => second === 'Soma projetada, com a avaliação';
    const lines = (await reading).pages.flatMap(linesOf).filter((line) => !isHeading(line));
    const cells = (label: string) =>
      lines.filter(([first]) => first === label).flatMap(([, ...values]) => values.map((value) => value.trim()));
    const comparison = compareOffers(offers);
    const ranked = comparison.ranked.concat(comparison.apart);
    const each = (of: (offer: Offer) => string | undefined) => ranked.map((offer) => of(offer) ?? '–');
    expect(cells('Oferta')).toEqual(
      ranked.map((offer) => {
        const place = placeOf(comparison, offer);
        const before = isEquity(offer) ? 'À parte: ' : place === undefined ? '' : `${place}º `;
        return `${before}${BANK_IDENTITIES[offer.bank].names[0]}`;
      }),
    );
    expect(cells('Primeira parcela')).toEqual(each(({ first }) => reais(first.total)));
    expect(cells('Renda mensal necessária')).toEqual(each(({ requiredIncome }) => reais(requiredIncome)));
    expect(cells('CET oficial, indexador a zero')).toEqual(each((offer) => yearly(offer.effectiveAnnualCost)));
    const marked = (of: (offer: Offer) => number, text: (offer: Offer) => string) =>
      each((offer) => `${text(offer)}${markOf(offers, of, offer)}`);
    expect(cells('Dinheiro na contratação')).toEqual(marked(cashOf, (offer) => reais(offer.cashNeeded)));
    const principalOf = ({ principal }: Offer) => principal;
    expect(cells('Valor financiado')).toEqual(marked(principalOf, ({ principal }) => reais(principal)));
    expect(cells('Entrada')).toEqual(each(({ downPayment }) => (downPayment ? reais(downPayment) : undefined)));
    expect(cells('Simulação nº')).toEqual(each((offer) => String(simulationIdFor(opportunity, offer))));
    expect(cells('CET projetado')).toEqual(each(({ projection }) => yearly(projection.annualCost)));
    const least = (offer: Offer) => (isLowest(comparison, offer, comparedSum) ? 'menor: ' : '');
    expect(cells('Soma projetada, com a avaliação')).toEqual(
      each((offer) => `${least(offer)}${reais(comparedSum(offer))}`),
    );
  });

  it('a comparison names customer, unit and sources, and says that it is no proposal of a bank', async () => {
    const letters = (text: string) => text.replace(/\s/g, '');
    const text = letters((await reading).pages.flatMap((page) => page.map((piece) => piece.text)).join(''));
    for (const shown of [
      opportunity.customer.name,
      ...(agent ? [`Atendimento${agent.name}·CRECI${agent.creci}·${agent.contact?.replace('😀', '?')}`] : []),
      'não é proposta de nenhum banco',
      `${agent ? `Simulação de ${agent.name}` : 'Simulação'}, com as tabelas dos bancos`,
      ...offers.map(({ rateSource }) => rateSource),
      ...offers.map(({ projection }) => projection.source),
    ])
      expect(text).toContain(letters(shown));
    expect(text.includes('Atendimento')).toBe(agent !== undefined);
    expect(text).not.toMatch(/R\$0,00|scritura/);
  });

  it('a comparison has the expected pages, with large enough text inside the margins and no overlap', async () => {
    const found = await reading;
    expect(found.pages).toHaveLength(pages);
    for (const page of found.pages) {
      expect(overlaps(page)).toEqual([]);
      for (const { text, left, right, y, size } of page) {
        const inside = left >= 39.9 && right <= 802 && y >= 36 && y <= 570.1 && !(y > 549 && y < 563);
        expect(inside, text).toBe(true);
        expect(size, text).toBeGreaterThanOrEqual(LEAST_SIZE);
      }
    }
  });

  it('a comparison is a tagged PDF, and the rows of a table all have the same number of cells', async () => {
    const { tags, tagged, language, title } = await reading;
    expect(tagged).toBe(true);
    expect(language).toBe('pt-BR');
    expect(title).toBe(`Comparação de ofertas de crédito nº ${opportunity.id}`);
    const widths = withRole(tags, 'Table').map(
      (table) => new Set(withRole(table.children, 'TR').map(({ children }) => children.length)).size,
    );
    expect(new Set(widths)).toEqual(new Set([1]));
  });

  it('a comparison describes its bars in words, and draws SAC and PRICE of a bank with both', async () => {
    const figures = withRole((await reading).tags, 'Figure').map(({ alt }) => alt!.replaceAll('\u00a0', ' '));
    const [words, lines] = [figures.slice(0, 2), figures.slice(2)];
    const { ranked } = compareOffers(offers);
    const inOrder = (of: (offer: Offer) => number) =>
      areEqualLoans(offers) ? ranked.toSorted((a, b) => of(a) - of(b)) : ranked;
    const said = (of: (offer: Offer) => number) =>
      `Barras: ${inOrder(of)
        .map((offer) => `${BANK_IDENTITIES[offer.bank].names[0]} · ${offer.system}, ${reais(of(offer))}`)
        .join('; ')}.`;
    const both = [({ first }: Offer) => first.total, comparedSum];
    expect(words).toEqual(ranked.length > 1 ? both.map(said) : []);
    const purchases = offers.filter((offer) => !isEquity(offer));
    const pairs = ranked.map((one) => purchases.filter(({ bank }) => bank === one.bank));
    const pair = pairs
      .find(({ length }) => length === 2)
      ?.map(({ system, first, lastTotal }) => `${system}: de ${reais(first.total)} a ${reais(lastTotal)}`);
    const crossing = / A parcela do SAC fica abaixo da parcela do PRICE desde a (\d+)ª\.$/;
    expect(lines.map((line) => line.replace(crossing, ''))).toEqual(
      pair ? [`Gráfico de linhas: ${pair.join('; ')}.`] : [],
    );
    const found = pairs.find(({ length }) => length === 2)?.toSorted((a, b) => b.system.localeCompare(a.system)) ?? [];
    const [sac = [], price = []] = found.map((offer) => scheduleOf(offer));
    const lower = sac.find(({ total }, index) => total < (price[index]?.total ?? 0));
    expect(lines.map((line) => crossing.exec(line)?.[1])).toEqual(pair ? [lower && String(lower.number)] : []);
  });

  it('a comparison numbers its pages, and leaves no single offer on a page', async () => {
    const found = (await reading).pages.map(linesOf);
    const feet = found.map((_, index) => `Página ${index + 1} de ${found.length}`);
    expect(found.map((lines) => lines.at(-1)!.at(-1))).toEqual(feet);
    const tables = found.flat().filter(([first]) => first === 'Oferta');
    if (offers.length > 1) expect(Math.min(...tables.map(({ length }) => length))).toBeGreaterThan(2);
  });

  it('a comparison has the same bytes for the same opportunity', async () => {
    expect(Buffer.compare(await comparisonPdf({ opportunity, agent }), await drawn)).toBe(0);
  });
});

/** One notice of each kind. */
const NOTICES: { readonly [Kind in Notice['kind']]: Extract<Notice, { kind: Kind }> } = {
  ageAssumed: { kind: 'ageAssumed', years: 35 },
  segmentWithoutRate: { kind: 'segmentWithoutRate', asked: 'alta_renda' },
  expensesNotFinanced: { kind: 'expensesNotFinanced' },
  equalSharesAssumed: { kind: 'equalSharesAssumed' },
  housingProgramme: { kind: 'housingProgramme', income: centavos(1_300_000), property: centavos(60_000_000) },
  fgtsUnattested: { kind: 'fgtsUnattested', conditions: ['threeYears', 'ownHome'] },
  tableOld: { kind: 'tableOld', days: 121 },
  rateEnding: { kind: 'rateEnding', from: '2027-01-01' as Day },
  scenarioOld: { kind: 'scenarioOld', indexer: 'TR', date: '2026-07', days: 121 },
  stateUnknown: { kind: 'stateUnknown', states: ['AC', 'TO'] },
  incomeBelowSegment: { kind: 'incomeBelowSegment', segment: 'alta_renda', least: centavos(800_000) },
};

/** Returns the text of a document without its white space. */
const lettersOf = async (file: Uint8Array) =>
  (await readPdf(file)).pages
    .flatMap((page) => page.map(({ text }) => text))
    .join('')
    .replace(/\s/g, '');

it('a comparison has every notice that the record and the PDF of a simulation have', async () => {
  const { offer: plain, schedule } = makeOffer('bradesco');
  const [offer, other] = [{ ...plain, notices: Object.values(NOTICES) }, makeOffer('itau').offer];
  const opportunity = { ...makeOpportunity(offer), offers: [offer, { ...other, notices: [NOTICES.tableOld] }] };
  const [record, single, comparison] = [
    simulationFoundBody(opportunity, offer, undefined).simulacao.observacoes.join('').replace(/\s/g, ''),
    await lettersOf(await simulationPdf({ opportunity, offer, schedule })),
    await lettersOf(await comparisonPdf({ opportunity })),
  ];
  for (const [index, notice] of Object.values(NOTICES).entries()) {
    const told = noticeText(notice).replace(/\s/g, '');
    expect(record).toContain(told);
    expect(single).toContain(told);
    expect(comparison.split(`Aviso${index + 1}:${told}`)).toHaveLength(2);
  }
  expect(comparison).toContain('Avisos,abaixo1,2,3,4,5,6,7,8,9,10,117');
});

it('a comparison names the banks that refused and their reasons, on as many pages as needed', async () => {
  const reasons = ['O prazo passa do máximo deste banco; peça até 240 meses.'];
  const refusals = AMORTIZATION_SYSTEMS.flatMap((system) => BANKS.map((bank) => ({ bank, system, reasons })));
  const [offer] = offersOf(['SAC']);
  const text = await lettersOf(await comparisonPdf({ opportunity: { ...makeOpportunity(offer!), refusals } }));
  expect(text).toContain('Bancossemofertanestasimulação');
  expect(text).toContain(`CashMe(SACePRICE):${reasons[0]!.replace(/\s/g, '')}`);
  const many = refusals.map((one, at) => ({ ...one, reasons: Array.from({ length: 6 }, () => `${at} ${reasons[0]}`) }));
  const { pages } = await readPdf(await comparisonPdf({ opportunity: { ...makeOpportunity(offer!), refusals: many } }));
  expect(Math.max(...pages.flatMap((page) => page.map(({ y }) => y)))).toBeLessThanOrEqual(570.1);
  expect(pages.flatMap((page) => page.map(({ text }) => text)).join('')).toContain('11 O prazo');
});

it('a comparison marks the term that differs from the other offers, and then no sum as the lowest', async () => {
  const [first, second] = offersOf(['SAC']);
  const third = offersOf(['SAC'], { term: 180 }).find(({ bank }) => bank === 'brb')!;
  const offers = [first!, second!, third];
  const lines = (await readPdf(await comparisonPdf({ opportunity: { ...makeOpportunity(first!), offers } }))).pages
    .flatMap(linesOf)
    .map((line) => line.join(' '));
  expect(lines.filter((line) => line.startsWith('Prazo'))[0]!.match(/\*/g)).toHaveLength(1);
  expect(lines.find((line) => line.startsWith('Prazo'))).toContain('180 meses (15 anos) *');
  expect(lines.filter((line) => line.includes('menor:'))).toEqual([]);
  expect(lines.join(' ')).toContain('prazo (de 180 a 240 meses)');
});

it('a comparison with financed expenses names no lowest sum, and says how the loans differ', async () => {
  const offers = offersOf(['SAC'], { financeExpenses: true }).filter(({ bank }) => bank === 'itau' || bank === 'brb');
  const file = await comparisonPdf({ opportunity: { ...makeOpportunity(offers[0]!), offers } });
  const text = await lettersOf(file);
  expect(text).not.toContain('menor:');
  const difference =
    'As ofertas diferem em valor financiado (de R$ 280.000,00 a R$ 300.000,00) e dinheiro na contratação, sem a avaliação (de R$ 220.000,00 a R$ 240.000,00).';
  expect(text).toContain(difference.replace(/\s/g, ''));
  expect(text).not.toContain('*');
});

it('a comparison dates the figures of each bank other than its rates once', async () => {
  const offers = offersOf(['SAC', 'PRICE']);
  const text = await lettersOf(await comparisonPdf({ opportunity: { ...makeOpportunity(offers[0]!), offers } }));
  for (const dated of ['Bradesco11/2025', 'Itaú2025', 'Santander2025a01/2026', 'CashMe2025a11/2026'])
    expect(text.split(dated)).toHaveLength(2);
  const [first] = offers.map(({ conditionsDate, ...older }) => older);
  const older = await comparisonPdf({ opportunity: { ...makeOpportunity(first!), offers: [first!] } });
  expect(await lettersOf(older)).not.toContain('demaiscondições');
});

const withExpenses: Partial<QuoteRequest> = { financeExpenses: true, birthDate: undefined };
it.each<[string, Partial<QuoteRequest>, Agent | undefined, string, { page: number; pitch: number }]>([
  ['their full height if the page has room', {}, undefined, 'Maria', { page: 0, pitch: 13.5 }],
  ['a little less height if they would end below the page', {}, AGENT, 'Maria', { page: 0, pitch: 13.35 }],
  ['less height below a long name', {}, AGENT, 'W'.repeat(200), { page: 0, pitch: 12.5 }],
  ['hardly 12 points if the expenses add a row', withExpenses, AGENT, 'W'.repeat(200), { page: 0, pitch: 12.04 }],
  ['their full height on the next page if less height is not enough', {}, LONG, 'Maria', { page: 1, pitch: 13.5 }],
])(
  'the rows of a comparison get %s, and the last row ends inside the page',
  async (_, request, agent, name, wanted) => {
    const offers = offersOf(['SAC'], request);
    const [first] = offers;
    const opportunity = { ...makeOpportunity(first!, name), offers };
    const { pages } = await readPdf(await comparisonPdf({ opportunity, agent }));
    const at = pages.findIndex((page) => page.some(({ text }) => text === 'Oferta'));
    const table = pages[at] ?? [];
    const head = table.find(({ text }) => text === 'Oferta')!;
    const labels = table
      .filter(({ left, y }) => left < head.left + 1 && y > head.y)
      .map(({ text, y }) => ({ text, y }));
    const rows = comparisonRows(opportunity, noticesOf(offers)).map(({ label }, index) => {
      const found = labels[index];
      expect(found?.text).toBe(label);
      return found?.y ?? 0;
    });
    expect(at).toBe(wanted.page);
    const lastRow = rows.at(-1) ?? 0;
    expect((lastRow - rows[0]!) / (rows.length - 1)).toBeCloseTo(wanted.pitch, 2);
    // A text lies 4 points above the end of its row. Rows of less than the full height fill the page.
    if (wanted.pitch < 13.5) expect(lastRow + 4).toBeCloseTo(WIDE_PAGE.bottom, 1);
    else expect(lastRow + 4).toBeLessThan(WIDE_PAGE.bottom);
  },
);

const SENTENCES = {
  order: 'Ordem crescente do CET projetado, da esquerda para a direita.',
  orderOfKinds: 'Ordem crescente do CET projetado, da esquerda para a direita, em cada natureza de taxa.',
  kinds:
    'As taxas não são da mesma natureza: segmento padrão (Bradesco e Itaú); média (BRB); “a partir de” (Inter e Santander).',
  close: 'Meio ponto a mais ou a menos em IPCA e TR pode trocar o primeiro lugar entre Inter e Santander.',
  scenario: 'O cenário projetado, que não é previsão nem o CET oficial, supõe',
  apart:
    'Fora da ordem: CashMe. Crédito com garantia de imóvel (home equity) pede um imóvel que já seja do cliente e não paga a compra.',
  differing:
    'Por isso as suas parcelas e somas não se comparam diretamente, e a ordem pelo CET projetado, que é uma taxa, não diz qual custa menos em reais.',
  marks: '* marca um valor que não é o da maioria das ofertas.',
  official:
    'O CET oficial conta todo indexador como zero: sozinho, não serve para comparar ofertas de indexadores diferentes.',
} as const;
const purchases = offersOf(['SAC']).filter((offer) => !isEquity(offer));
const equalLoans = purchases.slice(0, 2);
const equity = offersOf(['SAC']).filter(isEquity);
const atFixedRate = (offer: Offer): Offer => ({ ...offer, indexer: 'PREFIXADO' });
const ALWAYS = ['order', 'official'] as const;
const MIXED = ['orderOfKinds', 'kinds', 'close', 'official', 'scenario'] as const;

it.each<[string, readonly Offer[], readonly (keyof typeof SENTENCES)[]]>([
  ['with several kinds of rates and one of home equity', offersOf(['SAC']), [...MIXED, 'apart']],
  ['with several kinds of rates', purchases, MIXED],
  ['of equal loans at a fixed rate', equalLoans.map(atFixedRate), ALWAYS],
  [
    'of equal loans at a fixed rate and one of home equity',
    equalLoans.concat(equity).map(atFixedRate),
    [...ALWAYS, 'apart'],
  ],
  [
    'of two terms at a fixed rate',
    equalLoans.concat(offersOf(['SAC'], { term: 180 }).slice(0, 1)).map(atFixedRate),
    [...ALWAYS, 'differing', 'marks'],
  ],
])('a comparison of offers %s has the sentences that concern it and no others', async (_, offers, wanted) => {
  const text = await lettersOf(await comparisonPdf({ opportunity: { ...makeOpportunity(offers[0]!), offers } }));
  for (const [name, sentence] of Object.entries(SENTENCES)) {
    const isWanted = wanted.some((one) => one === name);
    expect(text.includes(sentence.replace(/\s/g, '')), name).toBe(isWanted);
  }
});

it.each<[string, Partial<QuoteRequest>]>([
  ['loans', { financedValue: centavos(27_000_000) }],
  ['terms', { term: 300 }],
])('a comparison draws no SAC and PRICE of a bank whose two offers are of different %s', async (_, other) => {
  const offers = offersOf(['SAC'])
    .concat(offersOf(['PRICE'], other))
    .filter((offer, _index, all) => !isEquity(offer) && all.filter(({ bank }) => bank === offer.bank).length === 2);
  expect(offers.length).toBeGreaterThanOrEqual(2);
  const { tags } = await readPdf(await comparisonPdf({ opportunity: { ...makeOpportunity(offers[0]!), offers } }));
  const figures = withRole(tags, 'Figure').map(({ alt }) => alt);
  expect(figures.filter((alt) => alt?.startsWith('Gráfico de linhas'))).toEqual([]);
});
