import { describe, expect, it } from 'vitest';
import { refusalText } from '#shared/contract/simulation-refusal.ts';
import { nothingToSimulate, parseSimulation, simulationInput } from '#shared/contract/simulation-request.ts';
import type { RefusalReason } from '#shared/domain/simulations/simulation.ts';
import { canonicalJson } from '#shared/domain/values/idempotency.ts';
import type { Centavos } from '#shared/domain/values/money.ts';
import { newSimulation, newSimulationOfCouple } from '#shared/partner/openapi/example-bodies.ts';
import {
  BAD,
  type BadInput,
  casesOf,
  JUNK,
  missingFields,
  refusalOf,
  sameValuesFor,
  wrongFields,
} from '#test/makers/bad-input.ts';

const NOW = Date.parse('2026-11-21T15:00:00Z');
const read = (body: object) => parseSimulation(body as Record<string, unknown>, NOW);
/** Returns the refusal of a request that differs from the example by these changes. */
const refused = (changes: object) => refusalOf(() => read({ ...newSimulation, ...changes }));

const NO_OBJECTS = JUNK.filter(([, value]) => Array.isArray(value) || typeof value !== 'object');

const REFUSED: BadInput = {
  ...sameValuesFor('lead_id prazo', BAD.integers),
  ...sameValuesFor('valor_imovel valor_financiado renda', BAD.amounts),
  ...sameValuesFor('segmento finalidade uf', BAD.choices),
  ...sameValuesFor('segundo_proponente fgts', NO_OBJECTS),
  tipo_amortizacao: [...BAD.choices, ['another case', 'sac'], ['another system', 'SACRE']],
  financiar_despesas: [...JUNK.slice(1), ['a number', 1], ['yes as text', 'true'], ['an empty text', '']],
  sistemas: [...JUNK.filter(([, value]) => !Array.isArray(value)), ['three', ['SAC', 'SAC', 'SAC']]],
};

const SECOND = { renda: 1, data_nascimento: '1986-09-30' };
const second = (changes: object) => ({ segundo_proponente: { ...SECOND, ...changes } });

describe('parseSimulation', () => {
  it('the table of bad input covers every field but the banks', () => {
    expect([...Object.keys(REFUSED), 'bancos'].sort()).toEqual(Object.keys(simulationInput.shape).sort());
  });

  it('parseSimulation returns every field in the service’s own units', () => {
    const own = { propertyValue: 50000000, financedValue: 35000000, term: 360, income: 1500055, financeExpenses: true };
    const one = read({ ...newSimulation, renda: 15000.55, financiar_despesas: true });
    expect(one).toMatchObject({ banks: ['itau', 'bradesco', 'cashme'], systems: ['SAC'], wishes: own });
    expect(read(newSimulationOfCouple)).toMatchObject({
      leadId: newSimulation.lead_id,
      banks: ['itau', 'santander', 'brb'],
      systems: ['SAC', 'PRICE'],
      wishes: {
        propertyValue: 60000000,
        financedValue: 30000000,
        term: 360,
        income: 1500000,
        financeExpenses: true,
        segment: 'alta_renda',
        purpose: 'residencial',
        state: 'SP',
        secondBorrower: { income: 1000000, birthDate: '1986-09-30', share: 40 },
        fgts: { value: 5000000, threeYears: true, noSfhLoan: true, noPropertyInTown: true, ownHome: true },
      },
    });
  });

  it('the fingerprint of a body without the newer fields is the same as before they existed', () => {
    const body = { lead_id: 7, valor_imovel: 500000, prazo: 360, tipo_amortizacao: 'PRICE', bancos: ['itau', 1] };
    const canonical = (changes: object) => canonicalJson(read({ ...body, ...changes }).fields);
    expect(canonical({})).toBe(
      '{"banks":["itau","bradesco"],"financeExpenses":false,"leadId":7,"propertyValue":50000000,"system":"PRICE","term":360}',
    );
    expect(canonical({ term: 120 })).toBe(canonical({}));
    expect(canonical({ tipo_amortizacao: null })).not.toContain('system');
    const newer = [{ segmento: 'padrao' }, { finalidade: 'residencial' }, { uf: 'SP' }, { fgts: { valor: 1 } }];
    const all = [...newer, second({}), { tipo_amortizacao: null, sistemas: ['PRICE'] }];
    expect(new Set([{}, ...all].map(canonical)).size).toBe(all.length + 1);
  });

  it.each<[string, object, readonly string[]]>([
    ['SAC if the body names none', {}, ['SAC']],
    ['the system that the body names', { tipo_amortizacao: 'PRICE' }, ['PRICE']],
    ['both systems in the order of the body', { sistemas: ['PRICE', 'SAC'] }, ['PRICE', 'SAC']],
    ['each system once', { sistemas: ['SAC', 'SAC'] }, ['SAC']],
    // Some generated clients send an empty list.
    ['the named system if the list is empty', { tipo_amortizacao: 'PRICE', sistemas: [] }, ['PRICE']],
  ])('parseSimulation uses %s', (_, changes, systems) => {
    expect(read({ lead_id: 1, bancos: [2], ...changes }).systems).toEqual(systems);
  });

  it('an FGTS of 0 counts as no wish, and null inside an object counts as absent', () => {
    expect(read({ lead_id: 1, bancos: [2], fgts: { valor: 0, moradia_propria: false } }).wishes.fgts).toBeUndefined();
    const nulls = { ...second({ participacao: null }), fgts: { valor: 1, tres_anos: null } };
    const { wishes } = read({ ...newSimulation, ...nulls });
    expect(wishes.secondBorrower?.share).toBeUndefined();
    expect(wishes.fgts?.threeYears).toBeUndefined();
  });

  it.each<[string, object, string]>([
    ['both ways to name systems', { sistemas: ['SAC'] }, 'sistemas'],
    ['a birth in the future', second({ data_nascimento: '2026-11-22' }), 'segundo_proponente.data_nascimento'],
    ...[0, 100, -1, 33.333, '40'].map((participacao): [string, object, string] => {
      return [
        `a share of ${JSON.stringify(participacao)}`,
        second({ participacao }),
        'segundo_proponente.participacao',
      ];
    }),
    ['an attestation as text', { fgts: { valor: 1, tres_anos: 'sim' } }, 'fgts.tres_anos'],
    ['another system', { tipo_amortizacao: null, sistemas: ['SAC', 'SACRE'] }, 'sistemas.1'],
  ])('parseSimulation refuses %s', (_, changes, field) => expect(refused(changes)).toEqual(wrongFields(field)));

  it('the refusal names the missing fields inside objects, before any wrong field', () => {
    const missing = ['segundo_proponente.renda', 'segundo_proponente.data_nascimento', 'fgts.valor'];
    expect(refused({ prazo: 0, segundo_proponente: { participacao: 0 }, fgts: {} })).toEqual(missingFields(...missing));
  });

  it('a simulation needs only a lead and banks, and null counts as absent', () => {
    const least = { lead_id: 1, bancos: [2] };
    expect(read(least)).toMatchObject({ leadId: 1, banks: ['itau'], wishes: { financeExpenses: false } });
    const nulls = Object.fromEntries(Object.keys(simulationInput.shape).map((field) => [field, null]));
    expect(read({ ...nulls, ...least })).toEqual(read(least));
    for (const none of [{}, nulls]) expect(refusalOf(() => read(none))).toEqual(missingFields('lead_id', 'bancos'));
  });

  it.each(casesOf(REFUSED))('parseSimulation refuses $field with campo_invalido: $what', ({ field, value }) => {
    expect(refused({ [field]: value })).toEqual(wrongFields(field));
  });

  it('parseSimulation checks missing fields first, then wrong fields, then the banks', () => {
    expect(refused({ prazo: 0, bancos: ['nenhum'], lead_id: null })).toEqual(missingFields('lead_id'));
    expect(refused({ prazo: 0, bancos: ['nenhum'] })).toEqual(wrongFields('prazo'));
    expect(refused({ bancos: ['nenhum'] })).toEqual({ code: 'banco_invalido', fields: ['bancos.0'] });
  });

  it('nothingToSimulate names the fields of which one is needed', () => {
    const { code, fields } = nothingToSimulate({ lead_id: 7, valorImovel: 500000 });
    expect(code).toBe('campo_obrigatorio');
    expect(fields?.map(({ field }) => field)).toEqual(['valor_imovel', 'valor_financiado', 'renda']);
    expect(fields?.[0]?.reason).toContain('(veio valorImovel: quis dizer valor_imovel?)');
  });
});

const reais = (amount: number) => (amount * 100) as Centavos;
const tooHigh = (most: number, expenses: number, published = false) =>
  ({ kind: 'financedTooHigh', most: reais(most), expenses: reais(expenses), published }) as const;
const income = { kind: 'incomeCarriesNothing', least: reais(3521.25) } as const;

it.each<[RefusalReason, string]>([
  [{ kind: 'termTooLong', longest: 420 }, '420 meses'],
  [{ kind: 'tooOldAtTheEnd', longest: 240 }, '240 meses'],
  [{ kind: 'tooOldAtTheEnd', longest: 0 }, 'nem o menor prazo'],
  [{ kind: 'tooYoung', youngest: 18 }, '18 anos'],
  [{ kind: 'ltvExceeded', share: 80, highest: reais(400000), expenses: reais(0) }, 'R$ 400.000,00.'],
  [{ kind: 'ltvExceeded', share: 80, highest: reais(380000), expenses: reais(20000) }, 'despesas financiadas de R$ 20'],
  [{ kind: 'leastLoanAboveShare', leastLoan: reais(100000), share: 80, property: reais(125000) }, 'R$ 100.000,00,'],
  [tooHigh(15000000, 0, true), 'máximo deste banco, de R$ 15.000.000,00'],
  [tooHigh(10000000, 0), 'passa de R$ 10.000.000,00; acima disso, consulte o banco'],
  [tooHigh(9500000, 500000), 'R$ 9.500.000,00 além das despesas financiadas, de R$ 500.000,00; acima disso'],
  [tooHigh(0, 4000000000), 'R$ 4.000.000.000,00, não deixam lugar ao menor financiamento deste banco; peça sem'],
  [
    { kind: 'stateExcluded', bank: 'inter', states: ['AC', 'TO'], seen: '2026-11-29' },
    'A página do Inter, vista em 29/11/2026, exclui imóveis em AC, TO.',
  ],
  [{ kind: 'rateTooOld', date: '2026-01', days: 365 }, 'é de 01/2026, há mais de 365 dias'],
  [{ kind: 'fgtsConditionMissing', condition: 'threeYears' }, 'três anos'],
  [{ kind: 'fgtsOutsideSfh', barredBy: 'product', highestProperty: reais(2250000) }, 'moradia'],
  [{ kind: 'fgtsOutsideSfh', barredBy: 'rate', highestProperty: reais(2250000) }, 'taxa deste banco'],
  [{ kind: 'fgtsOutsideSfh', barredBy: 'property', highestProperty: reais(2250000) }, 'R$ 2.250.000,00'],
  [{ kind: 'financedTooLow', least: reais(50000) }, 'R$ 50.000,00'],
  [{ kind: 'systemNotPriced', known: ['SAC'] }, 'Não temos taxa deste banco para esse sistema; use SAC.'],
  [income, 'pede renda de R$ 3.521,25.'],
  [{ ...income, shares: 'asSent' }, 'R$ 3.521,25, com as duas rendas na mesma proporção.'],
  [{ ...income, shares: 'halves' }, 'R$ 3.521,25, com as duas rendas iguais.'],
])('the sentence of the refusal %j names the limit', (reason, limit) => expect(refusalText(reason)).toContain(limit));
