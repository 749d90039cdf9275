import { describe, expect, test } from 'vitest';
import { BANK_IDENTITIES, BANKS, bankCalled } from '../../../../shared/domain/values/bank.ts';

import { LARGEST_BANK_ID } from '../../../../shared/domain/values/ids.ts';

describe('banks', () => {
  test('keep the ids of the specification', () => {
    const ids = BANKS.map((bank) => [bank, BANK_IDENTITIES[bank].id]);
    expect(Object.fromEntries(ids)).toMatchObject({ bradesco: 1, itau: 2, santander: 3, inter: 4, brb: 5, cashme: 6 });
  });

  test('have ids that simulations can carry, and no name twice', () => {
    const ids = BANKS.map((bank) => BANK_IDENTITIES[bank].id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(Math.max(...ids)).toBeLessThanOrEqual(LARGEST_BANK_ID);
    for (const bank of BANKS) for (const name of BANK_IDENTITIES[bank].names) expect(bankCalled(name)).toBe(bank);
  });

  test.each([0, 31, -1, 1.5, Number.NaN])('%d is no id', (id) => {
    expect(bankCalled(String(id))).toBeUndefined();
  });

  test.each([
    ['itau', 'itau'],
    ['ITAÚ', 'itau'],
    ['Itau Unibanco', 'itau'],
    ['  Banco   Itaú ', 'itau'],
    ['Ita\u0075\u0301', 'itau'],
    ['2', 'itau'],
    ['Banco Bradesco', 'bradesco'],
    ['bradesco', 'bradesco'],
    ['Banco Santander', 'santander'],
    ['Banco Inter', 'inter'],
    ['inter', 'inter'],
    ['Banco de Brasília', 'brb'],
    ['banco de brasilia', 'brb'],
    ['BRB', 'brb'],
    ['CashMe', 'cashme'],
    ['6', 'cashme'],
  ])('%j is %s', (name, bank) => {
    expect(bankCalled(name)).toBe(bank);
  });

  test.each(['', ' ', 'banco', 'itau bba', '02', '2.0', 'constructor', '__proto__'])('%j is none', (name) => {
    expect(bankCalled(name)).toBeUndefined();
  });
});
