import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { leadInput, leadPatchInput, parseLead, parseLeadPatch, renameNotices } from '#shared/contract/lead.ts';
import { newLead } from '#shared/partner/openapi/example-bodies.ts';
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

const NOW = Date.parse('2026-11-24T16:20:00Z');
const read = (body: object) => parseLead(body as Record<string, unknown>, NOW);
const patch = (body: object) => parseLeadPatch(body as Record<string, unknown>);

/** Values that each field of a lead refuses. */
const REFUSED: BadInput = {
  ...sameValuesFor('nome origem', BAD.lines),
  cpf: BAD.cpfs,
  telefone: BAD.phones,
  email: BAD.emails,
  data_nascimento: [...BAD.days, ['tomorrow', '2026-11-25'], ['a year that is far', '9999-12-31']],
  renda: BAD.amounts,
  estado_civil: [...BAD.choices, ['another case', 'Solteiro'], ['an accent', 'união']],
  observacao: [
    ...JUNK,
    ...[7, '', 'a'.repeat(2001), 'a\u0000', '\ud800'].map((bad) => [JSON.stringify(bad), bad] as const),
  ],
};

/** The lead of the examples, in the service's own units. */
const WHOLE = {
  name: 'Marina Duarte Alves',
  cpf: '90000000175',
  birthDate: '1988-03-14',
  maritalStatus: 'solteiro',
  phone: '(11) 90000-0001',
  email: 'marina.alves@example.com',
  income: 1500000,
  origin: 'site',
  note: 'Prefere contato à tarde.',
};
const LEAST = { nome: 'Ana', cpf: '90000000175' };

it('the table of bad input covers every field of a lead', () => {
  expect(Object.keys(REFUSED).sort()).toEqual(Object.keys(leadInput.shape).sort());
});

it('parseLead returns every field in the service’s own units', () => {
  expect(read(newLead).draft).toEqual(WHOLE);
  expect(read({ ...newLead, renda: 15000.1 }).draft.income).toBe(1500010);
});

it('a new lead needs only a name and a CPF, and null counts as absent', () => {
  const { draft } = read(LEAST);
  expect(Object.values(draft).filter((value) => value !== undefined)).toEqual(['Ana', '90000000175']);
  const nulls = Object.fromEntries(Object.keys(leadInput.shape).map((field) => [field, null]));
  expect(read({ ...nulls, ...LEAST }).draft).toEqual(draft);
  for (const none of [{}, nulls]) expect(refusalOf(() => read(none))).toEqual(missingFields('nome', 'cpf'));
});

it.each(casesOf(REFUSED))('parseLead refuses $field with campo_invalido: $what', ({ field, value }) => {
  expect(refusalOf(() => read({ ...newLead, [field]: value }))).toEqual(wrongFields(field));
});

describe('parseLeadPatch', () => {
  it('parseLeadPatch returns the fields that the body changes', () => {
    const { cpf: _cpf, data_nascimento: _born, origem: _origin, ...sent } = newLead;
    const { cpf: _digits, birthDate: _birthDate, origin: _from, ...changes } = WHOLE;
    expect(patch(sent)).toEqual(changes);
  });

  it('null clears every optional field of a lead, and is refused for nome', () => {
    const { nome: _name, ...optional } = leadPatchInput.shape;
    const nulls = Object.fromEntries(Object.keys(optional).map((field) => [field, null]));
    expect(patch(nulls)).toEqual({ email: null, phone: null, income: null, maritalStatus: null, note: null });
    expect(refusalOf(() => patch({ nome: null }))).toEqual(wrongFields('nome'));
  });

  it.each(casesOf(REFUSED, Object.keys(leadPatchInput.shape)))(
    'parseLeadPatch refuses $field with campo_invalido: $what',
    ({ field, value }) => {
      expect(refusalOf(() => patch({ [field]: value }))).toEqual(wrongFields(field));
    },
  );

  const FIXED = 'cpf data_nascimento origem unidade unidade_id consultor consultor_id lead_id id'.split(' ');
  const fixed = (...fields: string[]) => ({ code: 'campo_nao_alteravel', fields });

  it.each(FIXED)('a PATCH that names %s is refused with campo_nao_alteravel, whatever the value', (field) => {
    for (const value of ['900.000.001-75', null, {}, 7])
      expect(refusalOf(() => patch({ renda: 1, [field]: value }))).toEqual(fixed(field));
  });

  it('the refusal lists all fields that may not change, and comes after malformed fields', () => {
    const all = Object.fromEntries(FIXED.map((field) => [field, 1]));
    expect(refusalOf(() => patch(all))).toEqual(fixed(...FIXED));
    expect(refusalOf(() => patch({ ...all, renda: -1 }))).toEqual(wrongFields('renda'));
  });
});

it.each([
  ['POST', leadInput],
  ['PATCH', leadPatchInput],
] as const)('the description of observacao in %s asks for no data of other people and no health data', (_, input) => {
  const { description } = z.globalRegistry.get(input.def.shape.observacao) ?? {};
  expect(description).toContain(
    'Não escreva nela dados pessoais de outras pessoas nem dados sensíveis, como os de saúde',
  );
});

describe('renameNotices', () => {
  const { draft } = read(newLead);
  const renamed = { ...draft, name: 'Bia Reis' };

  it('the sandbox says that production would keep the name of a known lead', () => {
    expect(renameNotices(draft, renamed, 'sandbox')).toEqual([
      { campo: 'nome', motivo: expect.stringContaining('em produção, o nome que havia continua') },
    ]);
  });

  it('production and an equal name have no such notice', () => {
    expect(renameNotices(draft, renamed, 'producao')).toEqual([]);
    expect(renameNotices(draft, { ...draft, name: draft.name.toUpperCase() }, 'sandbox')).toEqual([]);
  });
});
