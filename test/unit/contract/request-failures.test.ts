import { expect, it } from 'vitest';
import { nameRepeated, parametersRepeated, shownName } from '#shared/contract/request-failures.ts';

it('a name that the caller chose is repeated in short, printable, and without numbers that could be a person’s', () => {
  expect(shownName('proposta.0.valor')).toBe('proposta.0.valor');
  expect(shownName('cpf_52998224725')).toBe('cpf_…');
  expect(shownName('a\u0000\u202eb')).toBe('ab');
  expect(shownName('x'.repeat(20_000))).toHaveLength(64);
});

it('a name that the caller chose is so wherever it came twice', () => {
  const long = 'n'.repeat(20_000);
  for (const failure of [nameRepeated(long), parametersRepeated([long])])
    expect(JSON.stringify(failure.fields).length).toBeLessThan(200);
});
