import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { quote, scheduleOf } from '../../../shared/domain/simulations/pricing/quote.ts';
import type { Instalment, Offer, Opportunity, QuoteRequest } from '../../../shared/domain/simulations/simulation.ts';
import { BANK_IDENTITIES, BANKS, type Bank } from '../../../shared/domain/values/bank.ts';
import { type Day, parseDay } from '../../../shared/domain/values/clock.ts';
import { simulationIdOf } from '../../../shared/domain/values/ids.ts';
import { type Centavos, centavos } from '../../../shared/domain/values/money.ts';
import { simulationPdf } from '../../../shared/pdf/simulation-pdf.ts';
import { linesOf, overlaps, type Reading, read, withRole } from '../../makers/pdf-reading.ts';
import { makeOffer, makeOpportunity } from '../../makers/simulation.ts';

const LONG_NAME = `Wolfeschlegelsteinhausenbergerdorff${'ÃÕÇÁÉÍÓÚÂÊÔÀÜãõçáéíóúâêôàü'.repeat(4)}`.slice(0, 120);
const HEAD = [
  'Nº',
  'Vencimento',
  'Amortização',
  'Juros',
  'Seguro MIP',
  'Seguro DFI',
  'Tarifa',
  'Parcela',
  'Saldo devedor',
];

const decimals = new Intl.NumberFormat('pt-BR', { minimumFractionDigits: 2 });
const figure = (amount: number) => decimals.format(amount / 100);
const reais = (amount: number) => `R$ ${figure(amount)}`;
const date = (day: Day) => day.split('-').reverse().join('/');
const idOf = (opportunity: Opportunity, { bank }: Offer) => simulationIdOf(opportunity.id, BANK_IDENTITIES[bank].id);

const cellsOf = (row: Instalment) => [
  String(row.number),
  date(row.dueDate),
  ...[row.amortization, row.interest, row.mip, row.dfi, row.fee, row.total, row.balance].map(figure),
];

/** One month, which no bank offers: principal and interest back at once. */
function oneMonth(): { offer: Offer; schedule: readonly Instalment[] } {
  const { offer } = makeOffer('bradesco');
  const first: Instalment = {
    number: 1,
    dueDate: '2026-03-20' as Day,
    amortization: offer.principal,
    interest: centavos(324_220),
    mip: centavos(0),
    dfi: centavos(0),
    fee: centavos(2_500),
    total: centavos(offer.principal + 326_720),
    balance: centavos(0),
  };
  return { offer: { ...offer, term: 1, first, lastTotal: first.total, total: first.total }, schedule: [first] };
}

interface Case {
  readonly offer: Offer;
  readonly schedule: readonly Instalment[];
  readonly name?: string;
}

const CASES: Readonly<Record<string, () => Case>> = {
  '420 months SAC': () => makeOffer('itau'),
  'R$ 10,000,000.00 over 420 months PRICE, expenses financed, age unknown, a name of 120 letters': () => ({
    ...makeOffer('santander', {
      propertyValue: centavos(1_250_000_000),
      financedValue: centavos(950_000_000),
      system: 'PRICE',
      financeExpenses: true,
      birthDate: undefined,
    }),
    name: LONG_NAME,
  }),
  '24 months, as many as stand below the charts': () =>
    makeOffer('inter', { term: 24, propertyValue: centavos(80_000_000) }),
  '25 months, one more': () => makeOffer('inter', { term: 25, propertyValue: centavos(80_000_000) }),
  '84 months, to the end of a page': () => makeOffer('brb', { term: 84 }),
  'home equity, words of a name over many lines': () => ({
    ...makeOffer('cashme', { term: 150, system: 'PRICE', financedValue: undefined }),
    name: 'Maria Antônia '.repeat(14).trim(),
  }),
  'one month': oneMonth,
  'the largest amounts that the contract takes': () => ({
    ...makeOffer('bradesco', {
      propertyValue: centavos(10_000_000_000_000),
      financedValue: centavos(7_000_000_000_000),
      system: 'PRICE',
    }),
    name: 'W'.repeat(200),
  }),
};

const drawn = async ({ offer, schedule, name }: Case): Promise<{ opportunity: Opportunity; file: Uint8Array }> => {
  const opportunity = makeOpportunity(offer, name);
  return { opportunity, file: await simulationPdf({ opportunity, offer, schedule }) };
};

/** Lines between the head of the table and its sums, over all pages. */
function tableOf({ pages }: Reading): { heads: number[]; rows: string[][]; sums: string[] | undefined } {
  const heads: number[] = [];
  const rows: string[][] = [];
  let sums: string[] | undefined;
  pages.forEach((page, index) => {
    let within = false;
    for (const line of linesOf(page)) {
      if (line.join() === HEAD.join()) {
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

function expectWithinMargins({ pages }: Reading): void {
  pages.forEach((page, index) => {
    expect(overlaps(page)).toEqual([]);
    for (const { text, left, right, y } of page) {
      expect([index, text, left >= 44.9, right <= 556, y >= 45, y <= 814.1]).toEqual([
        index,
        text,
        true,
        true,
        true,
        true,
      ]);
      expect([index, text, y > 795 && y < 813]).toEqual([index, text, false]);
    }
  });
}

describe.each(Object.entries(CASES))('the PDF of %s', (_, make) => {
  const made = make();
  const { offer, schedule } = made;
  const result = drawn(made).then(async ({ opportunity, file }) => ({ opportunity, file, reading: await read(file) }));

  it('has every instalment with its figures, once and in order, and their sums', async () => {
    const { rows, sums } = tableOf((await result).reading);
    expect(rows).toEqual(schedule.map(cellsOf));
    const sum = (of: (row: Instalment) => Centavos) => figure(schedule.reduce((total, row) => total + of(row), 0));
    expect(sums).toEqual([
      'Soma',
      sum((row) => row.amortization),
      sum((row) => row.interest),
      sum((row) => row.mip),
      sum((row) => row.dfi),
      sum((row) => row.fee),
      sum((row) => row.total),
    ]);
  });

  it('repeats the head of the table on each of its pages', async () => {
    const { reading } = await result;
    expect(tableOf(reading).heads).toEqual(reading.pages.slice(1).map((_page, index) => index + 2));
  });

  it('says on each page which page, simulation and table it is', async () => {
    const { reading, opportunity } = await result;
    expect(reading.pages.map((page) => linesOf(page).at(-1))).toEqual(
      reading.pages.map((_page, index) => [
        `Simulação nº ${idOf(opportunity, offer)} · Tabela ${offer.tableVersion} · Simulação indicativa`,
        `Página ${index + 1} de ${reading.pages.length}`,
      ]),
    );
  });

  it('shows the record on the first page', async () => {
    const { reading, opportunity } = await result;
    const text = linesOf(reading.pages[0]!)
      .map((line) => line.join(' '))
      .join('\n');
    for (const shown of [
      'CPF 529.982.247-25',
      BANK_IDENTITIES[offer.bank].names[0],
      date(offer.contractDay),
      'Válida até',
      '22/03/2026',
      String(idOf(opportunity, offer)),
      'Simulação indicativa',
      'O CET não inclui: ',
      ...((offer.iof ?? 0) > 0 ? [] : ['IOF, contado como zero']),
      `Valor do imóvel ${reais(offer.propertyValue)}`,
      `Valor financiado (principal) ${reais(offer.principal)}`,
      `Primeira parcela, em ${date(offer.first.dueDate)} ${reais(offer.first.total)}`,
      `Última parcela, em ${date(schedule.at(-1)!.dueDate)} ${reais(offer.lastTotal)}`,
      `Soma de todas as parcelas ${reais(offer.total)}`,
      `Renda mensal necessária ${reais(offer.requiredIncome)}`,
      `Juros efetivos ao ano ${decimals.format(offer.annualRate)} %`,
      `Juros efetivos ao mês ${offer.monthlyRate.toFixed(4).replace('.', ',')} %`,
      `CET ao ano ${decimals.format(offer.effectiveAnnualCost)} %`,
      `Avaliação do imóvel, paga no início ${reais(offer.appraisalFee)}`,
      `Tarifa em cada parcela ${reais(offer.monthlyFee)}`,
      `Seguro DFI ao mês, sobre o imóvel ${String(offer.dfiRate).replace('.', ',')} %`,
      `Amortização reduz o saldo devedor ${reais(offer.first.amortization)}`,
      `sobre o saldo devedor ${reais(offer.first.interest)}`,
      `pela idade ${reais(offer.first.mip)}`,
      `danos físicos ao imóvel ${reais(offer.first.dfi)}`,
      `administração do contrato ${reais(offer.first.fee)}`,
      `Primeira parcela ${reais(offer.first.total)}`,
    ]) {
      expect(text).toContain(shown);
    }
    const letters = (words: string) => words.replace(/\s/g, '');
    expect(reading.pages[0]!.map((piece) => letters(piece.text)).join('')).toContain(
      letters(opportunity.customer.name),
    );
  });

  it('keeps every text inside the margins and off every other', async () => {
    expectWithinMargins((await result).reading);
  });

  it('is tagged for those who hear it: language, title, rows and cells, and words for the pictures', async () => {
    const { reading, opportunity } = await result;
    expect(reading).toMatchObject({ tagged: true, language: 'pt-BR', showsTitle: true });
    expect(reading.title).toContain(String(idOf(opportunity, offer)));
    expect(reading.title).not.toContain(opportunity.customer.name);
    const rows = withRole(reading.tags.slice(1, 2), 'TR').filter(({ children }) =>
      children.some(({ role }) => role === 'TD'),
    );
    expect(rows).toHaveLength(schedule.length + 1);
    expect(new Set(rows.slice(0, -1).map(({ children }) => children.map(({ role }) => role).join(' ')))).toEqual(
      new Set([['TH', ...HEAD.slice(1).map(() => 'TD')].join(' ')]),
    );
    const pictures = withRole(reading.tags, 'Figure').map(({ alt }) => alt!.replaceAll('\u00a0', ' '));
    expect(pictures).toHaveLength(3);
    expect(pictures[1]).toContain(`A primeira parcela é de ${reais(offer.first.total)}`);
    expect(pictures[2]).toContain(`de ${reais(offer.principal)} a zero em ${offer.term} `);
  });

  it('is small, and brings its fonts', async () => {
    const { file, reading } = await result;
    expect(file.length).toBeLessThanOrEqual(300_000);
    expect([...reading.fonts].every((name) => /^[A-Z]{6}\+OpenSans-(Regular|SemiBold)$/.test(name))).toBe(true);
    expect(reading.fonts.size).toBe(2);
  });

  it('is the same for the same record', async () => {
    const { opportunity, file } = await result;
    expect(Buffer.compare(await simulationPdf({ opportunity, offer, schedule }), file)).toBe(0);
    const later = { ...opportunity, createdAt: opportunity.createdAt + 1000 };
    expect(Buffer.compare(await simulationPdf({ opportunity: later, offer, schedule }), file)).not.toBe(0);
  });
});

describe('the charts', () => {
  const scales = async (made: Case) =>
    linesOf((await read((await drawn(made)).file)).pages[1]!).map((line) => line.join(' '));

  it('have a scale in reais and years of the contract', async () => {
    const lines = await scales(makeOffer('itau'));
    expect(lines.filter((line) => line === 'Anos de contrato')).toHaveLength(2);
    expect(lines.filter((line) => line === '0 5 10 15 20 25 30 35')).toHaveLength(2);
    for (const label of ['R$ 0', 'R$ 5.000', 'R$ 400.000', 'Amortização Juros Seguros e tarifa'])
      expect(lines).toContain(label);
  });

  it('count months where there are no more than two years of them', async () => {
    const lines = await scales(oneMonth());
    expect(lines.filter((line) => line === 'Meses de contrato')).toHaveLength(2);
    expect(lines).toContain('0 1');
  });
});

describe('what the CET leaves out', () => {
  const first = async (made: Case) =>
    (await read((await drawn(made)).file)).pages[0]!.map(({ text }) => text).join(' ');

  it.each([
    ['an indexer', makeOffer('itau'), 'a variação do indexador TR, contada como zero; IOF'],
    ['notary, registry and ITBI', makeOffer('itau'), 'ITBI, escritura, registro e outros custos de cartório.'],
    [
      'ITBI and registration, counted by their interest where they are financed',
      makeOffer('itau', { financeExpenses: true }),
      'ITBI e registro, estimados em R$ 20.000,00, são financiados com o imóvel: entram no CET pelos juros, não como custo.',
    ],
    [
      'the registry alone for home equity',
      makeOffer('cashme', { term: 120, financedValue: undefined }),
      'como zero; registro da garantia',
    ],
    [
      'no indexer where there is none',
      makeOffer('santander', { system: 'PRICE' }),
      'O CET não inclui: IOF, contado como zero; ITBI',
    ],
    ['an age that is not known', makeOffer('itau', { birthDate: undefined }), 'foi tomada como 35 anos'],
  ])('says so of %s', async (_, made, text) => {
    expect(await first(made)).toContain(text);
  });
});

describe('names', () => {
  const shown = async (name: string) => {
    const { offer } = makeOffer('inter', { term: 24, propertyValue: centavos(80_000_000) });
    const { file } = await drawn({ offer, schedule: scheduleOf(offer), name });
    const pieces = (await read(file)).pages[0]!;
    const cliente = pieces.findIndex(({ text }) => text === 'Cliente');
    return pieces
      .slice(
        cliente + 1,
        pieces.findIndex(({ text }) => text.startsWith('CPF')),
      )
      .map(({ text }) => text)
      .join('');
  };
  const range = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, index) => String.fromCodePoint(from + index));

  it('come out letter by letter, whatever their accents', async () => {
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
    ['letters of other scripts and pictures', 'Ana Ω 李 😀 Nǎ', 'Ana ? ? ? Na'],
    ['line breaks, tabs and what is invisible', 'Ana\r\n\tda\u00adSilva\u200b\u202e', 'Ana daSilva'],
  ])('take %s', async (_, name, expected) => {
    expect(await shown(name)).toBe(expected);
  });
});

describe('any offer', () => {
  const asked = fc.record({
    bank: fc.constantFrom(...BANKS),
    request: fc.record({
      propertyValue: fc.integer({ min: 20_000_000, max: 2_000_000_000 }).map(centavos),
      financedValue: fc.constant(undefined),
      term: fc.integer({ min: 24, max: 420 }),
      system: fc.constantFrom('SAC' as const, 'PRICE' as const),
      financeExpenses: fc.boolean(),
      birthDate: fc.constantFrom(undefined, '1990-02-28' as Day, '1971-12-31' as Day),
      contractDay: fc.integer({ min: 0, max: 365 * 30 }).map((days) => {
        return parseDay(new Date(Date.UTC(2026, 0, 1) + days * 86_400_000).toISOString().slice(0, 10))!;
      }),
    }),
    name: fc
      .string({ minLength: 1, maxLength: 200, unit: fc.constantFrom(...'aãçéWiõ ') })
      .filter((name) => name.trim() !== ''),
  });
  const quoted = (bank: Bank, request: QuoteRequest) => {
    const result = quote(bank, request);
    return 'offer' in result ? result.offer : undefined;
  };

  it('is drawn whole, with nothing on top of anything', async () => {
    await fc.assert(
      fc.asyncProperty(asked, async ({ bank, request, name }) => {
        const offer = quoted(bank, request);
        fc.pre(offer !== undefined);
        const schedule = scheduleOf(offer);
        const { file } = await drawn({ offer, schedule, name });
        const reading = await read(file);
        expect(tableOf(reading).rows).toEqual(schedule.map(cellsOf));
        expectWithinMargins(reading);
        expect(file.length).toBeLessThanOrEqual(300_000);
      }),
      { numRuns: process.env['SOAK'] ? 300 : 6 },
    );
  });
});
