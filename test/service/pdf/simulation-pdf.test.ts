import { describe, expect, it } from 'vitest';
import { simulationFoundBody } from '#shared/contract/simulation.ts';
import type { Agent } from '#shared/domain/partners/partner.ts';
import { costSheet, insuranceCost } from '#shared/domain/simulations/pricing/cost-sheet.ts';
import { scheduleOf } from '#shared/domain/simulations/pricing/quote.ts';
import { type Instalment, type Offer, type Opportunity, validUntil } from '#shared/domain/simulations/simulation.ts';
import { BANK_IDENTITIES } from '#shared/domain/values/bank.ts';
import type { Day } from '#shared/domain/values/clock.ts';
import { simulationIdOf } from '#shared/domain/values/ids.ts';
import { type Centavos, centavos } from '#shared/domain/values/money.ts';
import { LEAST_SIZE } from '#shared/pdf/paper.ts';
import { simulationPdf } from '#shared/pdf/simulation-pdf.ts';
import { linesOf, overlaps, type Reading, readPdf, type Tag, withRole } from '#test/makers/pdf-reading.ts';
import { makeOffer, makeOpportunity } from '#test/makers/simulation.ts';

const LONG_NAME = `Wolfeschlegelsteinhausenbergerdorff${'ÃÕÇÁÉÍÓÚÂÊÔÀÜãõçáéíóúâêôàü'.repeat(4)}`.slice(0, 120);
const HEAD = 'Nº,Vencimento,Amortização,Juros,Seguro MIP,Seguro DFI,Tarifa,Parcela,Saldo devedor'.split(',');
/** Returns the columns of a schedule's table. Fees and insurances have columns only if an instalment has them. */
const headOf = (schedule: readonly Instalment[]) =>
  HEAD.filter((heading) => heading !== 'Tarifa' || schedule.some(({ fee }) => fee > 0)).filter(
    (heading) => !heading.startsWith('Seguro') || schedule.some(({ mip }) => mip > 0),
  );

const decimals = new Intl.NumberFormat('pt-BR', { minimumFractionDigits: 2 });
const figure = (amount: number) => decimals.format(amount / 100);
const reais = (amount: number) => `R$ ${figure(amount)}`;
const percent = (value: number, decimals: number) => `${value.toFixed(decimals).replace('.', ',')} %`;
const date = (day: Day) => day.split('-').reverse().join('/');
const idOf = (opportunity: Opportunity, { bank }: Offer) => simulationIdOf(opportunity.id, BANK_IDENTITIES[bank].id);

const seldom = (amount: number) => (amount === 0 ? '–' : figure(amount));
const rowsOf = (schedule: readonly Instalment[]) => {
  const head = headOf(schedule);
  return schedule.map((row) => [
    String(row.number),
    date(row.dueDate),
    figure(row.amortization),
    figure(row.interest),
    ...(head.includes('Seguro MIP') ? [seldom(row.mip), seldom(row.dfi)] : []),
    ...(head.includes('Tarifa') ? [seldom(row.fee)] : []),
    figure(row.total),
    figure(row.balance),
  ]);
};

/** Returns an offer over one month, which no bank makes: principal and interest are paid back at once. */
function oneMonth(): { offer: Offer; schedule: readonly Instalment[] } {
  const { offer } = makeOffer('bradesco');
  const first: Instalment = {
    ...{ number: 1, dueDate: '2026-12-21' as Day, amortization: offer.principal, interest: centavos(324_220) },
    ...{ mip: centavos(0), dfi: centavos(0), fee: centavos(2_500), balance: centavos(0) },
    total: centavos(offer.principal + 326_720),
  };
  return { offer: { ...offer, term: 1, first, lastTotal: first.total, total: first.total }, schedule: [first] };
}

interface Case {
  readonly offer: Offer;
  readonly schedule: readonly Instalment[];
  readonly name?: string;
  readonly agent?: Agent;
}

const AGENT: Agent = {
  name: 'Imobiliária Horizonte, unidade Centro',
  creci: '12.345-J SP',
  contact: '(11) 3456-7890, centro@horizonte.example',
};

const CASES: Readonly<Record<string, () => Case>> = {
  '420 months SAC': () => makeOffer('itau'),
  'R$ 10,000,000.00 over 420 months PRICE, expenses financed, age unknown, a name of 120 letters': () => ({
    ...makeOffer('bradesco', {
      propertyValue: centavos(1_500_000_000),
      financedValue: centavos(940_000_000),
      system: 'PRICE',
      financeExpenses: true,
      birthDate: undefined,
      income: centavos(9_000_000),
    }),
    name: LONG_NAME,
  }),
  '24 months, which fit below the charts': () => makeOffer('inter', { term: 24, propertyValue: centavos(80_000_000) }),
  '84 months, which end with a full page': () => makeOffer('brb', { term: 84 }),
  'one month': oneMonth,
  'two proponents and FGTS, a scenario and the unit’s name': () => ({
    ...makeOffer('santander', {
      term: 60,
      income: centavos(900_000),
      secondBorrower: { income: centavos(600_000), birthDate: '1966-03-20' as Day, share: 40 },
      fgts: { value: centavos(5_000_000), threeYears: true, ownHome: true },
    }),
    agent: AGENT,
  }),
  'home equity with its tax, every text of the greatest length': () => ({
    ...makeOffer('cashme', { term: 60, system: 'PRICE', financedValue: centavos(25_000_000) }),
    name: 'W'.repeat(200),
    agent: { name: 'M'.repeat(200), creci: '1'.repeat(40), contact: 'W'.repeat(200) },
  }),
  'every notice at once': () =>
    makeOffer('inter', {
      contractDay: '2027-06-21' as Day,
      term: 60,
      system: 'PRICE',
      financedValue: centavos(28_000_000),
      financeExpenses: true,
      birthDate: undefined,
      segment: 'alta_renda',
      secondBorrower: { income: centavos(600_000), birthDate: '1966-03-20' as Day },
      fgts: { value: centavos(3_000_000) },
    }),
  'the largest amounts that the contract takes': () => ({
    ...makeOffer('bradesco', {
      propertyValue: centavos(10_000_000_000_000),
      financedValue: centavos(1_000_000_000),
      system: 'PRICE',
    }),
    name: 'W'.repeat(200),
  }),
};

async function drawn({ name, ...made }: Case): Promise<{ opportunity: Opportunity; file: Uint8Array }> {
  const opportunity = makeOpportunity(made.offer, name);
  return { opportunity, file: await simulationPdf({ opportunity, ...made }) };
}

/** Returns the table of instalments over all pages: the pages with its head, its rows and its sums. */
function tableOf({ pages }: Reading): { heads: number[]; rows: string[][]; sums: string[] | undefined } {
  const heads: number[] = [];
  const rows: string[][] = [];
  let sums: string[] | undefined;
  pages.forEach((page, index) => {
    let within = false;
    for (const line of linesOf(page)) {
      if (line[0] === 'Nº') {
        heads.push(index + 1);
        within = true;
      } else if (line[0] === 'Soma') {
        sums = line;
        within = false;
      } else if (line.at(-1)!.startsWith('Página')) within = false;
      else if (within) rows.push(line);
    }
  });
  return { heads, rows, sums };
}

/** Returns the text of the first two pages as one line. */
const textOf = ({ pages }: Reading) => pages.slice(0, 2).flatMap(linesOf).flat().join(' ').replaceAll('  ', ' ');

/** Returns for each table how many different row widths it has, which must be one. */
const widthsOf = (tags: readonly Tag[]) =>
  withRole(tags, 'Table').map(
    (table) => new Set(withRole(table.children, 'TR').map(({ children }) => children.length)).size,
  );

function expectWithinMargins({ pages }: Reading): void {
  pages.forEach((page, index) => {
    expect(overlaps(page)).toEqual([]);
    for (const { text, left, right, y, size } of page) {
      const inside = left >= 44.9 && right <= 556 && y >= 45 && y <= 814.1;
      expect(inside, `page ${index}: ${text}`).toBe(true);
      expect(size, `page ${index}: ${text}`).toBeGreaterThanOrEqual(LEAST_SIZE);
      expect(y > 795 && y < 813, `page ${index}: ${text}`).toBe(false);
    }
  });
}

describe.each(Object.entries(CASES))('simulationPdf with %s', (_, make) => {
  const made = make();
  const { offer, schedule } = made;
  const result = drawn(made).then(async ({ opportunity, file }) => ({
    opportunity,
    file,
    reading: await readPdf(file),
  }));

  it('the PDF of a simulation has each instalment once and in order, with its figures and their sums', async () => {
    const { rows, sums } = tableOf((await result).reading);
    expect(rows).toEqual(rowsOf(schedule));
    const amounts: Readonly<Record<string, (row: Instalment) => Centavos>> = {
      Amortização: (row) => row.amortization,
      Juros: (row) => row.interest,
      'Seguro MIP': (row) => row.mip,
      'Seguro DFI': (row) => row.dfi,
      Tarifa: (row) => row.fee,
      Parcela: (row) => row.total,
    };
    const summed = headOf(schedule).flatMap((heading) => amounts[heading] ?? []);
    expect(sums).toEqual(['Soma', ...summed.map((of) => figure(schedule.reduce((total, row) => total + of(row), 0)))]);
  });

  it('the PDF of a simulation repeats the head of the table on each page of the table', async () => {
    const { reading } = await result;
    expect(tableOf(reading).heads).toEqual(reading.pages.slice(2).map((_page, index) => index + 3));
  });

  it('the PDF of a simulation has page, simulation and version of the table at the foot of each page', async () => {
    const { reading, opportunity } = await result;
    expect(reading.pages.map((page) => linesOf(page).at(-1))).toEqual(
      reading.pages.map((_page, index) => [
        `Simulação nº ${idOf(opportunity, offer)} · Tabela ${offer.tableVersion} · Simulação indicativa`,
        `Página ${index + 1} de ${reading.pages.length}`,
      ]),
    );
  });

  it('the PDF of a simulation shows the record on its first two pages', async () => {
    const { reading, opportunity } = await result;
    const text = textOf(reading);
    const sum = (of: (row: Instalment) => number) => schedule.reduce((total, row) => total + of(row), 0);
    const some = (amount: number | undefined, line: string) => (amount ? [`${line} ${reais(amount)}`] : []);
    const housing = offer.product !== 'HOME_EQUITY';
    for (const shown of [
      '529.982.247-25',
      BANK_IDENTITIES[offer.bank].names[0],
      date(offer.contractDay),
      date(validUntil(offer)),
      String(idOf(opportunity, offer)),
      'Simulação indicativa',
      ' Não inclui: ',
      `Valor do imóvel ${reais(offer.propertyValue)}`,
      `Valor financiado ${reais(offer.principal)}`,
      `(LTV) ${percent((offer.principal * 100) / offer.propertyValue, 2)}`,
      ...some(offer.expenses, housing ? 'dos quais, ITBI e registro' : 'das quais, despesas'),
      ...some(offer.fgts, 'FGTS usado na compra'),
      ...some(offer.downPayment, 'Entrada'),
      ...some(offer.cashExpenses, 'ITBI e registro (estimativa)'),
      ...some(offer.appraisalFee, 'Avaliação do imóvel'),
      ...(housing ? some(offer.cashNeeded, 'Total em dinheiro') : []),
      `Primeira parcela, em ${date(offer.first.dueDate)} ${reais(offer.first.total)}`,
      `Última parcela, em ${date(schedule.at(-1)!.dueDate)} ${reais(offer.lastTotal)}`,
      `Renda mensal necessária ${reais(offer.requiredIncome)}`,
      `Primeira parcela, da renda ${percent((offer.first.total * 100) / offer.requiredIncome, 2)}`,
      ...(offer.income ? [`Renda informada ${offer.income.sufficient ? 'suficiente' : 'insuficiente'}`] : []),
      ...some(offer.income?.highest, offer.expenses > 0 ? 'Maior valor, sem despesas' : 'Maior valor por essa renda'),
      `Juros efetivos ao ano ${percent(offer.annualRate, 2)}`,
      `Juros efetivos ao mês ${percent(offer.monthlyRate, 4)}`,
      `${percent(offer.effectiveAnnualCost, 2)} | ${percent(offer.projection.annualCost, 2)}`,
      'Preços desta tabela até',
      `Custo dos seguros (CESH) ${percent(insuranceCost(offer.principal, offer.contractDay, schedule), 4)}`,
      ...some(offer.monthlyFee, 'Tarifa em cada parcela'),
      `Seguro DFI ao mês, sobre o imóvel ${String(offer.dfiRate).replace('.', ',')} %`,
      ...some(offer.first.amortization, 'Amortização reduz o saldo devedor'),
      ...some(offer.first.interest, 'sobre o saldo devedor'),
      ...some(offer.first.mip, offer.secondBorrower ? 'pelas idades' : 'pela idade'),
      ...some(offer.first.dfi, 'danos físicos ao imóvel'),
      ...some(offer.first.fee, 'administração do contrato'),
      `Amortização do valor financiado ${figure(offer.principal)}`,
      `Juros ${figure(sum((row) => row.interest))}`,
      `Total das parcelas ${figure(offer.total)}`,
      ...costSheet(offer).map((line) => `${figure(line.amount)} ${percent(line.percent, 2)}`),
      ...(housing && !offer.iof ? ['IOF isento'] : []),
      `${percent(offer.effectiveAnnualCost, 2)} a.a. ${percent(offer.projection.annualCost, 2)} a.a.`,
      `${reais(offer.lastTotal)} ${reais(offer.projection.lastTotal)}`,
      `${reais(offer.total)} ${reais(offer.projection.total)}`,
      'Quem assume a inflação é o cliente',
      `Fonte: ${offer.rateSource}.`,
    ]) {
      expect(text).toContain(shown);
    }
    const letters = (words: string) => words.replace(/\s/g, '');
    const all = letters(reading.pages[0]!.map((piece) => piece.text).join(''));
    expect(all).toContain(letters(opportunity.customer.name));
    const dated = (text: string) => text.split('-').reverse().join('/');
    const bank = BANK_IDENTITIES[offer.bank].names[0];
    const published = dated(offer.rateDate);
    const conditions = offer.conditionsDate!.split('/').map(dated).join(' a ');
    const rate =
      offer.rateKind === 'a_partir_de'
        ? `a menor taxa que o ${bank} anuncia (a do cliente pode ser maior), de ${published}`
        : `a taxa do ${bank} publicada em ${published}`;
    const isOneDate = conditions === published && offer.rateKind !== 'a_partir_de';
    const table = isOneDate ? `a tabela do ${bank} de ${published}` : `${rate} e as demais condições de ${conditions}`;
    expect(all).toContain(letters(`, com ${table}; não é proposta do banco`));
    expect(all.split(letters(table))).toHaveLength(2);
    if (made.agent) expect(all).toContain(letters(Object.values(made.agent).join('·').replace('·', '·CRECI')));
    else expect(text).not.toContain('Atendimento');
  });

  it('the PDF of a simulation shows no cost of zero and no deed', async () => {
    const text = textOf((await result).reading);
    expect(text).not.toMatch(/ 0,00(?! %)( |$)/);
    expect(text).not.toContain('scritura');
  });

  it('the PDF of a simulation has every text inside the margins and no overlap', async () => {
    expectWithinMargins((await result).reading);
  });

  it('the PDF of a simulation has language, title, tagged rows and texts for its pictures for screen readers', async () => {
    const { reading, opportunity } = await result;
    expect(reading).toMatchObject({ tagged: true, language: 'pt-BR', showsTitle: true });
    // Every row of a table on a page has as many cells as the others: PDF/UA-1, 7.2.
    expect(new Set(widthsOf(reading.tags))).toEqual(new Set([1]));
    // No heading skips a level: PDF/UA-1, 7.4.2.
    expect(['H1', 'H2', 'H3'].filter((role) => withRole(reading.tags, role).length > 0)).toEqual(['H1', 'H2']);
    expect(reading.title).toContain(String(idOf(opportunity, offer)));
    expect(reading.title).not.toContain(opportunity.customer.name);
    const rolesOf = ({ children }: Tag) => children.map(({ role }) => role).join(' ');
    const rows = withRole(reading.tags.slice(2, 3), 'TR')
      .map(rolesOf)
      .filter((roles) => roles.includes('TD'));
    expect(rows).toHaveLength(schedule.length + 1);
    const cells = headOf(schedule).map((_heading, at) => (at === 0 ? 'TH' : 'TD'));
    expect(new Set(rows.slice(0, -1))).toEqual(new Set([cells.join(' ')]));
    const pictures = withRole(reading.tags, 'Figure').map(({ alt }) => alt!.replaceAll('\u00a0', ' '));
    expect(pictures).toHaveLength(3);
    expect(pictures[1]).toContain(`A primeira parcela é de ${reais(offer.first.total)}`);
    expect(pictures[2]).toContain(`de ${reais(offer.principal)} a zero em ${offer.term} `);
  });

  it('the PDF of a simulation has at most 300 KB and embeds its fonts', async () => {
    const { file, reading } = await result;
    expect(file.length).toBeLessThanOrEqual(300_000);
    for (const name of reading.fonts) expect(name).toMatch(/^[A-Z]{6}\+OpenSans-(Regular|SemiBold)$/);
    expect(reading.fonts.size).toBe(2);
  });

  it('the PDF of a simulation has the same bytes for the same record', async () => {
    const { opportunity, file } = await result;
    const record = { opportunity, offer, schedule, agent: made.agent };
    expect(Buffer.compare(await simulationPdf(record), file)).toBe(0);
    const later = { ...opportunity, createdAt: opportunity.createdAt + 1000 };
    expect(Buffer.compare(await simulationPdf({ ...record, opportunity: later }), file)).not.toBe(0);
  });
});

it.each([
  [900_000, 600_000, '60,00 % e 40,00 %'],
  [200_000, 100_000, '66,67 % e 33,33 %'],
])(
  'two proponents with incomes of %i and %i centavos have the shares %s in PDF and record',
  async (first, second, shown) => {
    const made = makeOffer('brb', {
      term: 60,
      income: centavos(first),
      secondBorrower: { income: centavos(second), birthDate: '1966-03-20' as Day },
    });
    const { opportunity, file } = await drawn(made);
    expect(textOf(await readPdf(file))).toContain(`MIP dos proponentes ${shown}`);
    const { simulacao } = simulationFoundBody(opportunity, made.offer, undefined);
    expect(shown).toContain(` e ${percent(simulacao.segundo_proponente!.participacao, 2)}`);
  },
);

describe('the charts of simulationPdf', () => {
  const scales = async (made: Case) =>
    linesOf((await readPdf((await drawn(made)).file)).pages[2]!).map((line) => line.join(' '));

  it('the charts have scales in reais and in years of the contract', async () => {
    const lines = await scales(makeOffer('itau'));
    expect(lines.filter((line) => line === 'Anos de contrato')).toHaveLength(2);
    expect(lines.filter((line) => line === '0 5 10 15 20 25 30 35')).toHaveLength(2);
    for (const label of ['R$ 0', 'R$ 5.000', 'R$ 400.000', 'Amortização Juros Seguros']) expect(lines).toContain(label);
  });

  it('the charts count months if the term is at most two years', async () => {
    const lines = await scales(oneMonth());
    expect(lines.filter((line) => line === 'Meses de contrato')).toHaveLength(2);
    expect(lines).toContain('0 1');
  });
});

/** Returns an offer without an indexer. No bank makes such an offer today. */
const withoutIndexer = () => {
  const { offer, schedule } = makeOffer('itau');
  return { offer: { ...offer, indexer: 'PREFIXADO' as const }, schedule };
};

it.each([
  ['the registry and ITBI', makeOffer('itau'), 'ITBI, registro do contrato e outros custos de cartório.'],
  [
    'ITBI and registration that are financed and count by their interest',
    makeOffer('itau', { financeExpenses: true }),
    'ITBI e registro, estimados em R$ 20.000,00, são financiados com o imóvel: entram no CET pelos juros, não como custo.',
  ],
  ['an offer without an indexer', withoutIndexer(), 'Não inclui: ITBI'],
  ['a rate of the lowest kind', makeOffer('inter', { term: 120 }), 'é “a partir de”: a menor que o banco anuncia'],
  ['the rate of a segment', makeOffer('itau'), 'é a do segmento padrão. Publicada em 07/2026. Fonte:'],
  [
    'the scenario by its name, figure, date and source',
    makeOffer('inter', { term: 120 }),
    'O cenário supõe IPCA de 3,80 % ao ano em todo o contrato (18/02/2026; fonte: Banco Central do Brasil',
  ],
])('the notes of a simulation’s PDF tell about %s', async (_, made, text) => {
  expect(textOf(await readPdf((await drawn(made)).file))).toContain(text);
});

describe('names in simulationPdf', () => {
  const shown = async (name: string) => {
    const { offer } = makeOffer('inter', { term: 24, propertyValue: centavos(80_000_000) });
    const { file } = await drawn({ offer, schedule: scheduleOf(offer), name });
    const pieces = (await readPdf(file)).pages[0]!;
    const cliente = pieces.findIndex(({ text }) => text === 'Cliente');
    return pieces
      .slice(
        cliente + 1,
        pieces.findIndex(({ text }) => text === 'CPF'),
      )
      .map(({ text }) => text)
      .join('');
  };
  const range = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, index) => String.fromCodePoint(from + index));

  it('a name with any accents is shown letter by letter', async () => {
    const letters = [
      ...range(0x21, 0x7e),
      ...range(0xa1, 0xac),
      // The micro sign and the letter mu are one glyph.
      ...range(0xae, 0xb4),
      ...range(0xb6, 0x17f),
      ...range(0x218, 0x21b),
      ...range(0x1ea0, 0x1ef9),
    ];
    for (let start = 0; start < letters.length; start += 60) {
      const name = letters.slice(start, start + 60).join('');
      expect(await shown(name)).toBe(name);
    }
  });

  it.each([
    ['accents that are marks of their own', 'Joa\u0303o Conceic\u0327a\u0303o', 'João Conceição'],
    ['letters of other scripts and pictures', 'Ana Ω 李 😀 Nǎ ﬁ', 'Ana ? ? ? Na fi'],
    ['line breaks, tabs and invisible characters', 'Ana\r\n\tda\u00adSilva\u200b\u2011\u202e', 'Ana daSilva-'],
  ])('a name with %s is shown with letters that the font has', async (_, name, expected) =>
    expect(await shown(name)).toBe(expected),
  );
});

it('the first line of a PDF dates the rate and the other figures by their own dates', async () => {
  const { offer, schedule } = makeOffer('bradesco', { segment: 'alta_renda' });
  const head = async (of: Offer) => {
    const [page = []] = (await readPdf((await drawn({ offer: of, schedule })).file)).pages;
    return page
      .map(({ text }) => text)
      .join('')
      .replace(/\s/g, '');
  };
  const rate = 'comataxadoBradescopublicadaem07/2026';
  expect(await head(offer)).toContain(`${rate}easdemaiscondiçõesde11/2025;nãoépropostadobanco`);
  const { conditionsDate, ...older } = offer;
  expect(conditionsDate).toBe('2025-11');
  expect(await head(older)).toContain(`${rate};nãoépropostadobanco`);
});
