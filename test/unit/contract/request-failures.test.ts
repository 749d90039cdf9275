import { expect, it } from 'vitest';
import { nameRepeated, parametersRepeated, scopesMissing, shownName } from '#shared/contract/request-failures.ts';

it('shownName returns a short and printable name without numbers that could be a person’s', () => {
  expect(shownName('proposta.0.valor')).toBe('proposta.0.valor');
  expect(shownName('cpf_52998224725')).toBe('cpf_…');
  expect(shownName('a\u0000\u202eb')).toBe('ab');
  expect(shownName('x'.repeat(20_000))).toHaveLength(64);
});

it('the failures of a repeated name shorten it', () => {
  const long = 'n'.repeat(20_000);
  for (const failure of [nameRepeated(long), parametersRepeated([long])])
    expect(JSON.stringify(failure.fields).length).toBeLessThan(200);
});

it('the failure of a key without the scopes of a route names them', () => {
  expect(scopesMissing(['analises']).text).toContain('o escopo analises');
  expect(scopesMissing(['leads', 'analises']).text).toContain('os escopos leads e analises');
});
