import { expect, it } from 'vitest';
import {
  closeCallTexts,
  differenceText,
  noticesOf,
  noticeText,
  rateKindsText,
} from '#shared/contract/simulation-notices.ts';
import { compareOffers } from '#shared/domain/simulations/comparison.ts';
import { quote } from '#shared/domain/simulations/pricing/quote.ts';
import type { Tables } from '#shared/domain/simulations/pricing/tables/in-force.ts';
import type { Notice, QuoteRequest } from '#shared/domain/simulations/simulation.ts';
import type { Bank } from '#shared/domain/values/bank.ts';
import type { Day } from '#shared/domain/values/clock.ts';
import type { Centavos } from '#shared/domain/values/money.ts';
import { FROZEN_TABLES } from '#test/makers/frozen-tables.ts';
import { makeQuoteRequest, offerOfBank, reais, withBankTable } from '#test/makers/quote-request.ts';

/** The frozen tables with figures of the scenario that are not old. */
const withFreshScenario = (tables: Tables): Tables => {
  const scenarios = tables.scenarios.map((scenario) => {
    const fresh = { value: '2.0', date: '2026-11-20', source: 'a survey' };
    return { ...scenario, validFrom: '2026-11-20', indexers: { TR: fresh, IPCA: fresh, POUPANCA: fresh } };
  });
  return { ...tables, scenarios };
};
const FRESH = withFreshScenario(FROZEN_TABLES);
const askedAt = (request: Partial<QuoteRequest>) => makeQuoteRequest({ contractDay: '2026-11-28' as Day, ...request });
const quotesAt = (banks: readonly Bank[], request: Partial<QuoteRequest>) =>
  banks.map((bank) => quote(bank, askedAt(request), FRESH));
const noticesAt = (banks: readonly Bank[], request: Partial<QuoteRequest>) =>
  noticesOf(askedAt(request).financeExpenses, quotesAt(banks, request));
const fieldsAt = (...asked: Parameters<typeof noticesAt>) => noticesAt(...asked).map(({ campo }) => campo);

it('noticesOf returns nothing if there is nothing to say, or if no bank offers', () => {
  expect(noticesAt(['itau', 'inter'], {})).toEqual([]);
  expect(noticesAt(['itau'], { term: 500, financeExpenses: true })).toEqual([]);
});

it('noticesOf returns a sentence that holds for several banks once, with the names of the banks', () => {
  const motivo = 'Inter: não temos taxa deste banco para o segmento alta renda: vale a do cliente comum.';
  expect(noticesAt(['inter', 'itau'], { segment: 'alta_renda' })).toEqual([{ campo: 'segmento', motivo }]);
  expect(noticesAt(['itau', 'inter'], { contractDay: '2026-11-29' as Day })).toEqual([
    { campo: 'bancos', motivo: 'Itaú, Inter: taxa publicada há 121 dias ou mais: confirme-a com o banco.' },
  ]);
});

it('noticesOf says that the state is missing, at a bank whose page excludes states', () => {
  const excludedStates = { values: ['AC', 'TO'], date: '2026-11-20', address: 'https://inter.co' };
  const quotes = (state?: string) => [
    quote('inter', askedAt({ state }), withFreshScenario(withBankTable('inter', { excludedStates }))),
  ];
  const motivo = 'Inter: sem a uf do imóvel, não se verificou se ele fica onde a página do banco exclui: AC e TO.';
  expect(noticesOf(false, quotes())).toContainEqual({ campo: 'uf', motivo });
  expect(noticesOf(false, quotes('SP')).map(({ campo }) => campo)).not.toContain('uf');
});

it('noticesOf says that an income is too low for the segment only at banks with a rate of that segment', () => {
  const motivo =
    'Itaú: a renda não chega a R$ 8.000,00, a menor que conhecemos para o segmento alta renda: o banco pode não dar esta taxa.';
  const poor = { segment: 'alta_renda' as const, income: reais('7999.99') };
  expect(noticesAt(['itau', 'brb'], poor)).toContainEqual({ campo: 'segmento', motivo });
  const texts = noticesAt(['itau', 'brb'], { ...poor, income: reais('8000.00') }).map((entry) => entry.motivo);
  expect(texts.join()).not.toContain('não chega');
});

it.each([
  ['2026-11-01', false],
  ['2026-11-02', true],
])('noticesOf on %s says when production refuses a bank: %s', (day, isSaid) => {
  const motivo =
    'BRB: em produção, novas simulações recusam este banco a partir de 01/01/2027, se até lá não houver taxa mais nova.';
  const tables = withBankTable('brb', { validFrom: '2026-01-01' });
  const quotes = [quote('brb', askedAt({ contractDay: day as Day, rateDays: 365 }), tables)];
  expect(noticesOf(false, quotes).some((entry) => entry.motivo === motivo)).toBe(isSaid);
});

it.each([
  ['2026-06-18', false],
  ['2026-06-19', true],
])('noticesOf on %s says that the scenario’s figure is older than 120 days: %s', (day, isSaid) => {
  const [scenario] = FROZEN_TABLES.scenarios;
  if (scenario === undefined) throw new Error('there is no frozen scenario');
  const tables = {
    ...withBankTable('inter', { validFrom: '2026-01-01' }),
    scenarios: [{ ...scenario, validFrom: '2026-02-20' }],
  };
  const quotes = [quote('inter', askedAt({ contractDay: day as Day }), tables)];
  const motivo = 'Inter: o IPCA do CET projetado é um número de 18/02/2026, de há 121 dias ou mais.';
  expect(noticesOf(false, quotes).some((entry) => entry.motivo === motivo)).toBe(isSaid);
});

it('noticesOf mentions the expenses only if no bank that offers finances them', () => {
  expect(fieldsAt(['inter'], { financeExpenses: true })).toEqual(['financiar_despesas']);
  expect(fieldsAt(['inter', 'itau'], { financeExpenses: true })).toEqual([]);
});

it('noticesOf names the housing programme and the FGTS’s conditions once for the whole request', () => {
  const fgts = { value: reais('10000.00'), threeYears: true };
  const income = reais('12000.00');
  expect(fieldsAt(['inter'], { fgts, income })).toEqual(['valor_imovel', 'fgts']);
});

it.each([
  [{ kind: 'ageAssumed', years: 35 }, '35 anos'],
  [{ kind: 'segmentWithoutRate', asked: 'alta_renda' }, 'alta renda'],
  [{ kind: 'expensesNotFinanced' }, 'ITBI'],
  [{ kind: 'equalSharesAssumed' }, 'metade'],
  [{ kind: 'housingProgramme', income: 1300000 as Centavos, property: 60000000 as Centavos }, 'R$ 600.000,00'],
  [{ kind: 'fgtsUnattested', conditions: ['threeYears', 'ownHome'] }, 'sob o FGTS, moradia própria'],
  [{ kind: 'tableOld', days: 91 }, '91 dias ou mais: confirme-a com o banco.'],
  [
    { kind: 'tableOld', days: 366, seen: '2027-01-01' as Day },
    'dias ou mais; em 01/01/2027 o banco ainda a confirmava.',
  ],
  [{ kind: 'rateEnding', from: '2027-01-01' as Day }, '01/01/2027'],
  [{ kind: 'scenarioOld', indexer: 'TR', date: '2026-07', days: 121 }, 'A TR do CET projetado é um número de 07/2026'],
  [{ kind: 'scenarioOld', indexer: 'IPCA', date: '2026', days: 121 }, 'O IPCA do CET projetado é um número de 2026'],
  [{ kind: 'scenarioOld', indexer: 'POUPANCA', date: '2026', days: 121 }, 'A poupança do CET projetado é'],
  [{ kind: 'stateUnknown', states: ['AC', 'TO'] }, 'AC e TO'],
  [{ kind: 'incomeBelowSegment', segment: 'alta_renda', least: 800000 as Centavos }, 'R$ 8.000,00'],
] as const satisfies readonly (readonly [Notice, string])[])(
  'the sentence of the notice %j names its value',
  (notice, named) => {
    expect(noticeText(notice)).toContain(named);
    expect(noticeText(notice)).toMatch(/^[A-Z].*\.$/);
  },
);

it('differenceText names each property in which offers differ, with its lowest and its highest value', () => {
  const [itau, brb] = [offerOfBank('itau'), offerOfBank('brb')];
  const smaller = { ...brb, principal: reais('276000.00') };
  expect(differenceText(compareOffers([itau, smaller]))).toBe(
    'As ofertas diferem em valor financiado (de R$ 276.000,00 a R$ 300.000,00). Por isso as suas parcelas e somas não se comparam diretamente, e a ordem pelo CET projetado, que é uma taxa, não diz qual custa menos em reais.',
  );
  const other = { ...brb, term: 180, system: 'PRICE' as const, cashNeeded: reais('213000.00') };
  expect(differenceText(compareOffers([itau, other]))).toContain(
    'As ofertas diferem em prazo (de 180 a 240 meses), sistema (SAC e PRICE) e dinheiro na contratação, sem a avaliação (de R$ 210.000,00 a R$ 220.000,00). ',
  );
});

it('rateKindsText names the banks of each kind of rate, and nothing if there is only one kind', () => {
  const [bradesco, itau, inter] = [offerOfBank('bradesco'), offerOfBank('itau'), offerOfBank('inter')];
  expect(rateKindsText(compareOffers([inter, bradesco, itau]))).toBe(
    'As taxas não são da mesma natureza: segmento padrão (Bradesco e Itaú); “a partir de” (Inter). Só se comparam, pelo CET projetado, as de mesma natureza.',
  );
  expect(rateKindsText(compareOffers([bradesco, itau]))).toBeUndefined();
});

it('closeCallTexts names indexers and banks whose places half a point may exchange', () => {
  const [inter, santander] = [offerOfBank('inter'), offerOfBank('santander')];
  expect(closeCallTexts(compareOffers([santander, inter]))).toEqual([
    'Meio ponto a mais ou a menos em IPCA e TR pode trocar o primeiro lugar entre Inter e Santander.',
  ]);
});

it('differenceText returns nothing for equal loans, and does not count home equity that is apart', () => {
  const [bradesco, itau, cashme] = [offerOfBank('bradesco'), offerOfBank('itau'), offerOfBank('cashme')];
  expect(differenceText(compareOffers([bradesco, itau, cashme]))).toBeUndefined();
});
