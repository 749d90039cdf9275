import { expect, test } from 'vitest';
import { TABLES } from '../../../../../../shared/domain/simulations/pricing/tables/in-force.ts';
import { faultsOfNewTable, previewTable } from '../../../../../../shared/domain/simulations/pricing/tables/preview.ts';
import type { BankTable } from '../../../../../../shared/domain/simulations/pricing/tables/table.ts';
import type { Day } from '../../../../../../shared/domain/values/clock.ts';
import { offerOf } from '../../../../../makers/quote-request.ts';

const TODAY = '2026-11-22' as Day;
const bradesco = TABLES.banks.bradesco.at(-1)!;
const cheaper: BankTable = {
  ...{ ...bradesco, version: 'bradesco-2026-12', validFrom: '2026-12-15' },
  monthlyFee: { ...bradesco.monthlyFee, value: '20.00' },
  confirmed: { monthlyFee: 'the bank says so' },
};

test('a new table is shown on three customers, on its first day', () => {
  const shown = previewTable(cheaper).map(({ name, after }) => {
    const { system, segment, term, propertyValue, principal, birthDate, contractDay, expenses } = offerOf(after);
    expect([contractDay, expenses]).toEqual(['2026-12-15', 0]);
    return [name, system, segment, term, propertyValue, principal, birthDate];
  });
  expect(shown).toEqual([
    ['branch customer of 35, SAC, longest term', 'SAC', 'padrao', 420, 500_000_00, 300_000_00, '1991-12-15'],
    ['branch customer of 45, PRICE, 240 months', 'PRICE', 'padrao', 240, 400_000_00, 200_000_00, '1981-12-15'],
    ['high income of 55, SAC, 180 months', 'SAC', 'alta_renda', 180, 1_500_000_00, 750_000_00, '1971-12-15'],
  ]);
});

test('the faults of a new table are none where it is sound: that it is not published yet does not count', () => {
  expect(faultsOfNewTable(cheaper, TODAY)).toEqual([]);
});
