import { expect, test } from 'vitest';
import { BANK_IDENTITIES, BANKS, type Bank, bankCalled, isBank } from '#shared/domain/values/bank.ts';
import { LARGEST_BANK_ID } from '#shared/domain/values/ids.ts';

test('BANK_LIST has the bank ids of the specification', () => {
  const ids = BANKS.map((bank) => [bank, BANK_IDENTITIES[bank].id]);
  expect(Object.fromEntries(ids)).toMatchObject({ bradesco: 1, itau: 2, santander: 3, inter: 4, brb: 5, cashme: 6 });
});

test('every bank has its own id up to LARGEST_BANK_ID and shares no name with another bank', () => {
  const ids = BANKS.map((bank) => BANK_IDENTITIES[bank].id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(Math.max(...ids)).toBeLessThanOrEqual(LARGEST_BANK_ID);
  for (const bank of BANKS) for (const name of BANK_IDENTITIES[bank].names) expect(bankCalled(name)).toBe(bank);
});

test.each<[Bank, ...string[]]>([
  ['itau', 'itau', 'ITAÚ', 'Itau Unibanco', '  Banco   Itaú ', 'Ita\u0075\u0301', '2'],
  ['bradesco', 'Banco Bradesco', 'bradesco'],
  ['santander', 'Banco Santander'],
  ['inter', 'Banco Inter', 'inter'],
  ['brb', 'Banco de Brasília', 'banco de brasilia', 'BRB'],
  ['cashme', 'CashMe', '6'],
])('bankCalled finds the bank %s by its nickname, its names and its id', (bank, ...names) => {
  for (const name of names) expect(bankCalled(name), name).toBe(bank);
});

const UNKNOWN = ['', ' ', 'banco', 'itau bba', '02', '2.0', 'constructor', '__proto__', '0', '31', '-1', '1.5', 'NaN'];
test.each(UNKNOWN)('bankCalled returns undefined for %j', (name) => expect(bankCalled(name)).toBeUndefined());

test.each(['brb', 'cashme'])('isBank accepts the nickname %j', (text) => expect(isBank(text)).toBe(true));

test.each(['BRB', '5', 'constructor', ''])('isBank rejects %j, which is not the nickname of a bank', (text) => {
  expect(isBank(text)).toBe(false);
});
