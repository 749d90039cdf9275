import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Cpf, cpfFrom, formatCpf, isCpf, parseCpf, withoutCpfs } from '#shared/domain/values/cpf.ts';

/** Returns nine digits with both check digits. The weights are 10 to 2, then 11 to 2; a remainder below 2 gives 0. */
function withCheckDigits(nine: string): string {
  const digit = (digits: string) => {
    const sum = [...digits].reduce((total, each, index) => total + Number(each) * (digits.length + 1 - index), 0);
    return sum % 11 < 2 ? 0 : 11 - (sum % 11);
  };
  const ten = nine + digit(nine);
  return ten + digit(ten);
}

describe('parseCpf', () => {
  const BAD = '111.111.111-11 00000000000 99999999999 191 0000000191 529982247-25 529.982.24725 529.982.247-2x';
  const LONG = ['529 982 247 25', '529.982.247-25 ', 'x529.982.247-25', '152998224725', '５２９.982.247-25', ''];
  test.each([...BAD.split(' '), ...LONG])('parseCpf returns undefined for %j', (text) =>
    expect(parseCpf(text)).toBeUndefined(),
  );

  test('parseCpf accepts only the two check digits that belong to the nine digits before them', () => {
    const nine = fc.integer({ min: 0, max: 999_999_999 }).map((number) => String(number).padStart(9, '0'));
    fc.assert(
      fc.property(nine, fc.integer({ min: 0, max: 99 }), (digits, pair) => {
        const right = withCheckDigits(digits);
        fc.pre(!/^(\d)\1{10}$/.test(right));
        const other = digits + String(pair).padStart(2, '0');
        expect(parseCpf(right)).toBe(right);
        expect(parseCpf(formatCpf(right as Cpf))).toBe(right);
        if (other !== right) expect(parseCpf(other)).toBeUndefined();
      }),
      { numRuns: process.env['SOAK'] ? 100_000 : 300 },
    );
  });
});

test('cpfFrom adds both check digits to nine digits', () => {
  expect(cpfFrom('529982247')).toBe('52998224725');
});

test.each(['111111111', '52998224', '5299822477', '52998224x'])(
  'cpfFrom throws for %j, with which no CPF begins',
  (digits) => {
    expect(() => cpfFrom(digits)).toThrow(RangeError);
  },
);

test.each([
  ['52998224725', true],
  ['529.982.247-25', false],
  ['52998224726', false],
  ['11111111111', false],
])('isCpf of %j returns %s', (text, expected) => {
  expect(isCpf(text)).toBe(expected);
});

describe('withoutCpfs', () => {
  test.each([
    '529.982.247-25',
    '52998224725',
    '529 982 247 25',
    '529-982-247-25',
    '529.982.247 - 25',
    '529.982.247/25',
    '529.982.247.25',
    '529.982.247–25',
    '529,982,247-25',
    '５２９.９８２.２４７-２５',
  ])('withoutCpfs replaces the CPF that is written as %s', (written) => {
    for (const text of ['pedido 12 de #, por telefone', 'INC-42, # pede', '2026-11-22: # 10/11', 'INC-4242 (#)'])
      expect(withoutCpfs(text.replace('#', written))).toBe(text.replace('#', '***'));
  });

  const NO_CPFS = ['INC-42', 'pedido 2026-11-22/0042', '529.982.247-26', '152998224725', 'PED-5299822 e 4725'];
  test.each(NO_CPFS)('withoutCpfs leaves %s, which contains no CPF, as it is', (written) =>
    expect(withoutCpfs(written)).toBe(written),
  );
});
