import { describe, expect, it } from 'vitest';
import type { Agent } from '../../../shared/domain/partners/partner.ts';
import { rankOffers, simulationIdFor } from '../../../shared/domain/simulations/opportunity.ts';
import { quoteSystems } from '../../../shared/domain/simulations/pricing/quote.ts';
import type { AmortizationSystem, Offer, QuoteRequest } from '../../../shared/domain/simulations/simulation.ts';
import { BANK_IDENTITIES, BANKS } from '../../../shared/domain/values/bank.ts';
import type { Day } from '../../../shared/domain/values/clock.ts';
import { centavos } from '../../../shared/domain/values/money.ts';
import document from '../../../shared/partner/openapi/openapi.json' with { type: 'json' };
import { comparisonPdf } from '../../../shared/pdf/comparison-pdf.ts';
import { LEAST_SIZE } from '../../../shared/pdf/paper.ts';
import { linesOf, overlaps, read, withRole } from '../../makers/pdf-reading.ts';
import { makeOpportunity } from '../../makers/simulation.ts';

const AGENT: Agent = { name: 'Imobiliária Horizonte', creci: '12.345-J SP', contact: '(11) 3456-7890' };
const LONG: Agent = { name: 'M'.repeat(200), creci: '1'.repeat(40), contact: 'W'.repeat(200) };

/** What all six banks offer; some refuse some of it. */
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
  return BANKS.flatMap((bank) => quoteSystems(bank, request, systems)).flatMap((quote) =>
    'offer' in quote ? [quote.offer] : [],
  );
}

interface Case {
  readonly offers: readonly Offer[];
  readonly agent?: Agent;
  readonly name?: string;
  readonly pages: number;
  /** Pictures, where there is room for them. */
  readonly bars?: true;
}

const largest = { propertyValue: centavos(10_000_000_000_000), financedValue: centavos(1_000_000_000) } as const;
const CASES: Readonly<Record<string, Case>> = {
  'six banks': { offers: offersOf(['SAC']), agent: AGENT, pages: 2, bars: true },
  'six banks, both systems': { offers: offersOf(['SAC', 'PRICE']), agent: AGENT, pages: 2 },
  'six banks, both systems, expenses financed, age unknown': {
    offers: offersOf(['SAC', 'PRICE'], { financeExpenses: true, birthDate: undefined }),
    agent: AGENT,
    pages: 3,
    bars: true,
  },
  'six banks, both systems, every text as long as can be': {
    offers: offersOf(['SAC', 'PRICE'], { financeExpenses: true, birthDate: undefined }),
    agent: LONG,
    name: 'W'.repeat(200),
    pages: 4,
    bars: true,
  },
  'one bank': { offers: offersOf(['SAC']).slice(0, 1), pages: 2 },
  'the largest amounts, every text as long as can be': {
    offers: offersOf(['SAC'], largest),
    agent: LONG,
    name: 'W'.repeat(200),
    pages: 2,
  },
};

const decimals = new Intl.NumberFormat('pt-BR', { minimumFractionDigits: 2 });
const reais = (amount: number) => `R$ ${decimals.format(amount / 100)}`;
const yearly = (value: number) => `${value.toFixed(2).replace('.', ',')} % a.a.`;

describe.each(Object.entries(CASES))('the comparison of %s', (_, { offers, agent, name, pages, bars }) => {
  const opportunity = { ...makeOpportunity(offers[0]!, name), offers };
  const drawn = comparisonPdf({ opportunity, agent });
  const reading = drawn.then(read);

  it('says of every offer what its record holds, from the lowest projected cost to the highest', async () => {
    // The headings of the bars are on one line.
    const isHeading = ([, second]: readonly string[]) => second === 'Soma projetada das parcelas';
    const lines = (await reading).pages.flatMap(linesOf).filter((line) => !isHeading(line));
    const cells = (label: string) =>
      lines.filter(([first]) => first === label).flatMap(([, ...values]) => values.map((value) => value.trim()));
    const ranked = rankOffers(offers);
    const each = (of: (offer: Offer) => string | undefined) => ranked.map((offer) => of(offer) ?? '–');
    expect(cells('Oferta')).toEqual(ranked.map(({ bank }, index) => `${index + 1}º ${BANK_IDENTITIES[bank].names[0]}`));
    expect(cells('Primeira parcela')).toEqual(each(({ first }) => reais(first.total)));
    expect(cells('Renda mensal necessária')).toEqual(each(({ requiredIncome }) => reais(requiredIncome)));
    expect(cells('CET oficial, indexador a zero')).toEqual(each((offer) => yearly(offer.effectiveAnnualCost)));
    expect(cells('Dinheiro na contratação')).toEqual(each((offer) => reais(offer.cashNeeded)));
    expect(cells('Entrada')).toEqual(each(({ downPayment }) => (downPayment ? reais(downPayment) : undefined)));
    expect(cells('Simulação nº')).toEqual(each((offer) => String(simulationIdFor(opportunity, offer))));
    expect(cells('CET projetado')).toEqual(each(({ projection }) => yearly(projection.annualCost)));
    expect(cells('Soma projetada das parcelas')).toEqual(each(({ projection }) => reais(projection.total)));
  });

  it('names the customer, the unit, the sources and that it binds no one', async () => {
    const letters = (text: string) => text.replace(/\s/g, '');
    const text = letters((await reading).pages.flatMap((page) => page.map((piece) => piece.text)).join(''));
    for (const shown of [
      opportunity.customer.name,
      ...(agent ? [`Atendimento${agent.name}·CRECI${agent.creci}·${agent.contact}`] : []),
      'não é proposta nem aprovação',
      ...offers.map(({ rateSource }) => rateSource),
      ...offers.map(({ projection }) => projection.source),
    ])
      expect(text).toContain(letters(shown));
    expect(text.includes('Atendimento')).toBe(agent !== undefined);
    expect(text).not.toMatch(/R\$0,00|scritura/);
  });

  it('takes as many pages as it needs, its letters large enough, inside the margins and off each other', async () => {
    const found = await reading;
    expect(found.pages).toHaveLength(pages);
    for (const page of found.pages) {
      expect(overlaps(page)).toEqual([]);
      for (const { text, left, right, y, size } of page) {
        const inside = left >= 39.9 && right <= 802 && y >= 36 && y <= 570.1 && !(y > 549 && y < 563);
        expect([text, inside, size >= LEAST_SIZE]).toEqual([text, true, true]);
      }
    }
  });

  it('is tagged, every row of a table as wide as the others', async () => {
    const { tags, tagged, language, title } = await reading;
    expect([tagged, language, title]).toEqual([true, 'pt-BR', `Comparação de ofertas de crédito nº ${opportunity.id}`]);
    const widths = withRole(tags, 'Table').map(
      (table) => new Set(withRole(table.children, 'TR').map(({ children }) => children.length)).size,
    );
    expect(new Set(widths)).toEqual(new Set([1]));
  });

  it('has bars with words for them where there is room', async () => {
    const words = withRole((await reading).tags, 'Figure').map(({ alt }) => alt!.replaceAll('\u00a0', ' '));
    expect(words).toHaveLength(bars ? 2 : 0);
    for (const offer of bars ? offers : []) {
      const name = `${BANK_IDENTITIES[offer.bank].names[0]} · ${offer.system}`;
      expect(words[0]).toContain(`${name}, ${reais(offer.first.total)}`);
      expect(words[1]).toContain(`${name}, ${reais(offer.projection.total)}`);
    }
  });

  it('is the same for the same opportunity', async () => {
    expect(Buffer.compare(await comparisonPdf({ opportunity, agent }), await drawn)).toBe(0);
  });
});

it.each([
  ['an age that is not known', { birthDate: undefined }, 'a idade na data da simulação foi tomada como 35 anos'],
  ['FGTS not attested', { fgts: { value: centavos(3_000_000) } }, 'O uso do FGTS depende de condições'],
  ['old tables', { contractDay: '2027-06-21' as Day }, 'Há tabelas em uso há mais de 90 dias'],
])('says so of %s', async (_, overrides, sentence) => {
  const offers = offersOf(['SAC'], overrides);
  const { pages } = await read(await comparisonPdf({ opportunity: { ...makeOpportunity(offers[0]!), offers } }));
  expect(pages.flatMap((page) => page.map(({ text }) => text.trim())).join(' ')).toContain(sentence);
});

it('takes as many pages as partners are told', () => {
  expect([...new Set(Object.values(CASES).map(({ pages }) => pages))].sort()).toEqual([2, 3, 4]);
  expect(document.paths['/v1/simulacoes/{id}/comparativo'].get.description).toContain(
    'em duas ou três páginas para o cliente (quatro, com os nomes mais longos)',
  );
});

it('is not drawn of an opportunity in which no bank offers', async () => {
  const [offer] = offersOf(['SAC']);
  const opportunity = { ...makeOpportunity(offer!), offers: [] };
  await expect(comparisonPdf({ opportunity })).rejects.toThrow(RangeError);
});
