import { describe, expect, it } from 'vitest';
import { refusalText } from '../../../shared/contract/simulation-refusal.ts';
import { nothingToSimulate, parseSimulation, simulationInput } from '../../../shared/contract/simulation-request.ts';
import type { RefusalReason } from '../../../shared/domain/simulations/simulation.ts';
import { canonicalJson } from '../../../shared/domain/values/idempotency.ts';
import type { Centavos } from '../../../shared/domain/values/money.ts';
import { newSimulation, newSimulationOfCouple } from '../../../shared/partner/openapi/example-bodies.ts';
import { BAD_AMOUNTS, BAD_CHOICES, BAD_INTEGERS, JUNK, refusalOf } from '../../makers/bad-input.ts';

const NOW = Date.parse('2026-11-21T15:00:00Z');
const read = (body: object) => parseSimulation(body as Record<string, unknown>, NOW);

const NO_OBJECTS = JUNK.filter(([, value]) => Array.isArray(value) || typeof value !== 'object');

const BAD: Readonly<Record<string, readonly (readonly [string, unknown])[]>> = {
  lead_id: BAD_INTEGERS,
  valor_imovel: BAD_AMOUNTS,
  valor_financiado: BAD_AMOUNTS,
  prazo: BAD_INTEGERS,
  renda: BAD_AMOUNTS,
  tipo_amortizacao: [...BAD_CHOICES, ['another case', 'sac'], ['another system', 'SACRE']],
  financiar_despesas: [
    ...JUNK.filter(([what]) => what !== 'true'),
    ['a number', 1],
    ['yes as text', 'true'],
    ['an empty text', ''],
  ],
  sistemas: [...JUNK.filter(([, value]) => !Array.isArray(value)), ['three', ['SAC', 'SAC', 'SAC']]],
  segmento: BAD_CHOICES,
  finalidade: BAD_CHOICES,
  uf: BAD_CHOICES,
  segundo_proponente: NO_OBJECTS,
  fgts: NO_OBJECTS,
};

describe('a request for simulations', () => {
  it('has its table of bad input for every field but the banks', () => {
    expect([...Object.keys(BAD), 'bancos'].sort()).toEqual(Object.keys(simulationInput.shape).sort());
  });

  it('is read whole, in the service’s own units', () => {
    expect(read({ ...newSimulation, renda: 15000.55, financiar_despesas: true })).toMatchObject({
      leadId: newSimulation.lead_id,
      banks: ['itau', 'bradesco', 'cashme'],
      systems: ['SAC'],
      wishes: {
        propertyValue: 50000000,
        financedValue: 35000000,
        term: 360,
        income: 1500055,
        financeExpenses: true,
      },
    });
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

  it('is the same call as before the newer fields came, where a body has none of them', () => {
    const body = { lead_id: 7, valor_imovel: 500000, prazo: 360, tipo_amortizacao: 'PRICE', bancos: ['itau', 1] };
    const canonical = (changes: object) => canonicalJson(read({ ...body, ...changes }).fields);
    expect(canonical({})).toBe(
      '{"banks":["itau","bradesco"],"financeExpenses":false,"leadId":7,"propertyValue":50000000,"system":"PRICE","term":360}',
    );
    expect(canonical({ tipo_amortizacao: null })).not.toContain('system');
    const newer = [{ segmento: 'padrao' }, { finalidade: 'residencial' }, { uf: 'SP' }, { fgts: { valor: 1 } }];
    const second = { renda: 1, data_nascimento: '1990-01-01' };
    const all = [...newer, { segundo_proponente: second }, { tipo_amortizacao: null, sistemas: ['PRICE'] }];
    expect(new Set([{}, ...all].map(canonical)).size).toBe(all.length + 1);
  });

  it('takes each system once, in the order asked for, and SAC where none is named', () => {
    const systems = (changes: object) => read({ lead_id: 1, bancos: [2], ...changes }).systems;
    expect(systems({})).toEqual(['SAC']);
    expect(systems({ tipo_amortizacao: 'PRICE' })).toEqual(['PRICE']);
    expect(systems({ sistemas: ['PRICE'] })).toEqual(['PRICE']);
    expect(systems({ sistemas: ['PRICE', 'SAC'] })).toEqual(['PRICE', 'SAC']);
    expect(systems({ sistemas: ['SAC', 'SAC'] })).toEqual(['SAC']);
  });

  it('takes an empty list of systems as none, as some generated clients send it', () => {
    const requested = (changes: object) => read({ lead_id: 1, bancos: [2], tipo_amortizacao: 'PRICE', ...changes });
    expect(requested({ sistemas: [] })).toEqual(requested({}));
  });

  it('takes FGTS of nothing as none', () => {
    expect(read({ lead_id: 1, bancos: [2], fgts: { valor: 0, moradia_propria: false } }).wishes.fgts).toBeUndefined();
  });

  it('takes null inside an object as absent', () => {
    const second = { renda: 1, data_nascimento: '1986-09-30', participacao: null };
    const { wishes } = read({ ...newSimulation, segundo_proponente: second, fgts: { valor: 1, tres_anos: null } });
    expect([wishes.secondBorrower?.share, wishes.fgts?.threeYears]).toEqual([undefined, undefined]);
  });

  it.each([
    ['both ways to name systems', { sistemas: ['SAC'] }, ['sistemas']],
    [
      'a birth in the future',
      { segundo_proponente: { renda: 1, data_nascimento: '2026-11-22' } },
      ['segundo_proponente.data_nascimento'],
    ],
    ...[0, 100, -1, 33.333, '40'].map(
      (participacao) =>
        [
          `a share of ${JSON.stringify(participacao)}`,
          { segundo_proponente: { renda: 1, data_nascimento: '1986-09-30', participacao } },
          ['segundo_proponente.participacao'],
        ] as const,
    ),
    ['an attestation as text', { fgts: { valor: 1, tres_anos: 'sim' } }, ['fgts.tres_anos']],
    ['another system', { tipo_amortizacao: null, sistemas: ['SAC', 'SACRE'] }, ['sistemas.1']],
  ] as const)('refuses %s', (_, changes, fields) => {
    expect(refusalOf(() => read({ ...newSimulation, ...changes }))).toEqual({ code: 'campo_invalido', fields });
  });

  it('names what is missing inside an object, and that first', () => {
    const body = { ...newSimulation, prazo: 0, segundo_proponente: { participacao: 0 }, fgts: {} };
    expect(refusalOf(() => read(body))).toEqual({
      code: 'campo_obrigatorio',
      fields: ['segundo_proponente.renda', 'segundo_proponente.data_nascimento', 'fgts.valor'],
    });
  });

  it('needs a lead and banks, and nothing else', () => {
    expect(read({ lead_id: 1, bancos: [2] })).toMatchObject({
      leadId: 1,
      banks: ['itau'],
      wishes: { financeExpenses: false },
    });
    expect(refusalOf(() => read({}))).toEqual({ code: 'campo_obrigatorio', fields: ['lead_id', 'bancos'] });
  });

  it('takes null as absent', () => {
    const nulls = Object.fromEntries(Object.keys(simulationInput.shape).map((field) => [field, null]));
    expect(refusalOf(() => read(nulls))).toEqual({ code: 'campo_obrigatorio', fields: ['lead_id', 'bancos'] });
    expect(read({ ...nulls, lead_id: 1, bancos: ['brb'] })).toEqual(read({ lead_id: 1, bancos: ['brb'] }));
  });

  const cases = Object.entries(BAD).flatMap(([field, bad]) => bad.map(([what, value]) => ({ field, what, value })));
  it.each(cases)('refuses as $field: $what', ({ field, value }) => {
    expect(refusalOf(() => read({ ...newSimulation, [field]: value }))).toEqual({
      code: 'campo_invalido',
      fields: [field],
    });
  });

  it.each([
    ['no list', 'itau', ['bancos']],
    ['an empty list', [], ['bancos']],
    ['a null inside', ['itau', null, 2], ['bancos.1']],
    ['junk inside', JUNK.map(([, value]) => value), JUNK.map((_, index) => `bancos.${index}`)],
  ])('refuses as banks: %s', (_, bancos, fields) => {
    expect(refusalOf(() => read({ ...newSimulation, bancos }))).toEqual({ code: 'campo_invalido', fields });
  });

  it('checks what is missing, then what is wrong, then the banks', () => {
    const body = { ...newSimulation, prazo: 0, bancos: ['nenhum'] };
    expect(refusalOf(() => read({ ...body, lead_id: null }))).toEqual({
      code: 'campo_obrigatorio',
      fields: ['lead_id'],
    });
    expect(refusalOf(() => read(body))).toEqual({ code: 'campo_invalido', fields: ['prazo'] });
    expect(refusalOf(() => read({ ...body, prazo: 1 }))).toEqual({ code: 'banco_invalido', fields: ['bancos.0'] });
  });

  it('names all that is wrong at once', () => {
    const all = Object.fromEntries(Object.keys(simulationInput.shape).map((field) => [field, true]));
    const wrong = { ...all, financiar_despesas: {} };
    expect(refusalOf(() => read(wrong))).toEqual({
      code: 'campo_invalido',
      fields: Object.keys(simulationInput.shape),
    });
  });

  it('says what it could start from where there is nothing', () => {
    expect(
      refusalOf(() => {
        throw nothingToSimulate();
      }),
    ).toEqual({ code: 'campo_obrigatorio', fields: ['valor_imovel', 'valor_financiado', 'renda'] });
  });
});

describe('why a bank makes no offer', () => {
  it.each([
    [{ kind: 'termTooLong', longest: 420 }, '420 meses'],
    [{ kind: 'termTooShort', shortest: 60 }, '60 meses'],
    [{ kind: 'tooOldAtTheEnd', longest: 240 }, '240 meses'],
    [{ kind: 'tooOldAtTheEnd', longest: 0 }, '80 anos e 6 meses'],
    [{ kind: 'tooYoung', youngest: 18 }, '18 anos'],
    [{ kind: 'tooOld', oldest: 80 }, '80 anos'],
    [{ kind: 'ltvExceeded', share: 80, highest: 40000000 as Centavos, expenses: 0 as Centavos }, 'R$ 400.000,00.'],
    [
      { kind: 'ltvExceeded', share: 80, highest: 38000000 as Centavos, expenses: 2000000 as Centavos },
      'com as despesas financiadas de R$ 20.000,00',
    ],
    [
      { kind: 'leastLoanAboveShare', leastLoan: 10000000 as Centavos, share: 80, property: 12500000 as Centavos },
      'O menor financiamento deste banco, de R$ 100.000,00,',
    ],
    [
      { kind: 'financedTooHigh', most: 1500000000 as Centavos, expenses: 0 as Centavos, published: true },
      'máximo deste banco, de R$ 15.000.000,00',
    ],
    [
      { kind: 'financedTooHigh', most: 1000000000 as Centavos, expenses: 0 as Centavos, published: false },
      'passa de R$ 10.000.000,00; acima disso, consulte o banco',
    ],
    [
      { kind: 'financedTooHigh', most: 950000000 as Centavos, expenses: 50000000 as Centavos, published: false },
      'R$ 9.500.000,00 além das despesas financiadas, de R$ 500.000,00; acima disso',
    ],
    [
      { kind: 'financedTooHigh', most: 0 as Centavos, expenses: 400000000000 as Centavos, published: false },
      'despesas financiadas, de R$ 4.000.000.000,00, não deixam lugar ao menor financiamento deste banco; peça sem',
    ],
    [{ kind: 'stateNotServed', states: ['DF', 'GO'] }, 'DF, GO'],
    [{ kind: 'fgtsConditionMissing', condition: 'threeYears' }, 'três anos'],
    [{ kind: 'fgtsOutsideSfh', barredBy: 'product', highestProperty: 225000000 as Centavos }, 'moradia'],
    [{ kind: 'fgtsOutsideSfh', barredBy: 'rate', highestProperty: 225000000 as Centavos }, 'taxa deste banco'],
    [{ kind: 'fgtsOutsideSfh', barredBy: 'property', highestProperty: 225000000 as Centavos }, 'R$ 2.250.000,00'],
    [{ kind: 'fgtsTooHigh', most: 5000000 as Centavos }, 'R$ 50.000,00'],
    [{ kind: 'propertyTooCheap', least: 12500000 as Centavos }, 'R$ 125.000,00'],
    [{ kind: 'financedTooLow', least: 5000000 as Centavos }, 'R$ 50.000,00'],
    [{ kind: 'systemNotOffered', offered: ['SAC'] }, 'SAC'],
    [{ kind: 'incomeCarriesNothing', least: 352125 as Centavos }, 'pede renda de R$ 3.521,25.'],
    [
      { kind: 'incomeCarriesNothing', least: 352125 as Centavos, shares: 'asSent' },
      'R$ 3.521,25, com as duas rendas na mesma proporção.',
    ],
    [
      { kind: 'incomeCarriesNothing', least: 352125 as Centavos, shares: 'halves' },
      'R$ 3.521,25, com as duas rendas iguais.',
    ],
  ] as const satisfies readonly (readonly [RefusalReason, string])[])('%j names the limit', (reason, limit) => {
    expect(refusalText(reason)).toContain(limit);
  });
});
