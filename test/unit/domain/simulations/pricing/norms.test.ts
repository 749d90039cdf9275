import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { insuredOf, mipOn } from '#shared/domain/simulations/pricing/borrowers.ts';
import { costLines, costSheet, insuranceCost } from '#shared/domain/simulations/pricing/cost-sheet.ts';
import { creditTax, creditTaxRates } from '#shared/domain/simulations/pricing/credit-tax.ts';
import { effectiveAnnualCost, netProceeds } from '#shared/domain/simulations/pricing/effective-cost.ts';
import { dfiPremium, mipRates } from '#shared/domain/simulations/pricing/insurance.ts';
import { quote } from '#shared/domain/simulations/pricing/quote.ts';
import { monthlyRate } from '#shared/domain/simulations/pricing/rate.ts';
import { compareRatios, percent, portion } from '#shared/domain/simulations/pricing/ratio.ts';
import { schedule } from '#shared/domain/simulations/pricing/schedule.ts';
import type { Tables } from '#shared/domain/simulations/pricing/tables/in-force.ts';
import { ageOn, type Day, daysBetween } from '#shared/domain/values/clock.ts';
import { centavos } from '#shared/domain/values/money.ts';
import { FROZEN_TABLES } from '#test/makers/frozen-tables.ts';
import { anyLoan, makeLoan } from '#test/makers/loan.ts';
import { COSTLY_CASES, makeQuoteRequest, offerOf, offerOfBank, reais, reasonOf } from '#test/makers/quote-request.ts';

const tax = creditTaxRates(FROZEN_TABLES.creditTax[0]!);

test('P8: creditTax and CET of home equity over 240 months equal the figures of the README', () => {
  const [principal, contractDay] = [reais('300000.00'), '2026-11-21' as Day];
  const terms = { term: 240, monthlyRate: monthlyRate('13.89', 'effective') };
  const rows = schedule(makeLoan({ system: 'PRICE', principal, contractDay, ...terms }));
  const iof = creditTax(principal, contractDay, rows, tax);
  expect(portion(principal, tax.additional)).toBe(reais('1140.00'));
  expect(iof).toBe(reais('10074.10'));
  const totals = rows.map((row) => row.total);
  expect(effectiveAnnualCost(netProceeds(principal, { fees: centavos(0), tax: iof }), totals)).toBe(14.53);
  expect(effectiveAnnualCost(netProceeds(principal, { fees: reais('3000.00'), tax: iof }), totals)).toBe(14.73);
});

test('creditTax rounds each of its two sums once and counts at most 365 days', () => {
  fc.assert(
    fc.property(anyLoan, (loan) => {
      const rows = schedule(loan);
      const days = (dueDate: Day) => BigInt(Math.min(daysBetween(loan.contractDay, dueDate), 365));
      const dayAmounts = rows.reduce((sum, row) => sum + BigInt(row.amortization) * days(row.dueDate), 0n);
      // 0.0082 % a day and 0.38 % are 82 and 3,800 millionths.
      const halfUp = (millionths: bigint) => Number((millionths * 2n + 1_000_000n) / 2_000_000n);
      const expected = halfUp(dayAmounts * 82n) + halfUp(BigInt(loan.principal) * 3_800n);
      expect(creditTax(loan.principal, loan.contractDay, rows, tax)).toBe(expected);
      // The upper limit is 365 days at the daily rate plus the additional rate. Rounding both sums can add a centavo.
      expect(expected).toBeLessThanOrEqual(Math.ceil(loan.principal * 0.033731) + 1);
    }),
    { numRuns: COSTLY_CASES },
  );
});

const born = { first: '1990-05-15' as Day, second: '1966-03-20' as Day };
const contractDay = '2026-01-10' as Day;
const from = <T>(versions: readonly T[]) => versions.map((version) => ({ ...version, validFrom: '2026-01-01' }));
/** The tables as if they had been in use on the day of the vector. */
const earlier: Tables = {
  ...FROZEN_TABLES,
  banks: { ...FROZEN_TABLES.banks, inter: from(FROZEN_TABLES.banks.inter) },
  housingRules: from(FROZEN_TABLES.housingRules),
  scenarios: from(FROZEN_TABLES.scenarios),
};

test('P9: quote for two proponents shares the premium, and the older proponent limits the term', () => {
  const other = { birthDate: born.second, share: '40/100' };
  const insured = insuredOf({ contractDay, birthDate: born.first, secondBorrower: other });
  const rate = mipOn(insured, mipRates([], FROZEN_TABLES.marketMip[0]!))('2026-02-10' as Day);
  expect(compareRatios(rate, percent('0.057506'))).toBe(0);
  expect(portion(reais('400000.00'), rate)).toBe(reais('230.02'));
  const asked = makeQuoteRequest({
    contractDay,
    birthDate: born.first,
    financedValue: reais('400000.00'),
    propertyValue: reais('900000.00'),
    secondBorrower: { income: reais('1000.00'), birthDate: born.second, share: 40 },
  });
  const { term, first, secondBorrower } = offerOf(quote('inter', { ...asked, term: undefined }, earlier));
  expect(term).toBe(248);
  expect(first.mip).toBe(reais('230.02'));
  expect(secondBorrower).toEqual(other);
  expect(reasonOf(quote('inter', { ...asked, term: 249 }, earlier))).toEqual({ kind: 'tooOldAtTheEnd', longest: 248 });
});

test('P11: costLines returns each component’s part of the sum', () => {
  const paid = { released: reais('56000.00'), insurance: reais('5.20'), appraisal: reais('3100.00') };
  const parts = costLines({ ...paid, creditTax: centavos(0) }).map((line) => `${line.component} ${line.percent}`);
  expect(parts).toEqual(['released 94.75', 'insurance 0.01', 'appraisal 5.24']);
});

test('costSheet of a home equity loan shows the tax that is withheld', () => {
  const offer = offerOfBank('cashme');
  const lines = costSheet(offer);
  expect(lines.map(({ component }) => component)).toEqual(['released', 'appraisal', 'creditTax']);
  expect(lines.map(({ amount }) => amount)).toEqual([offer.principal - offer.iof, reais('3000.00'), offer.iof]);
  expect(lines.reduce((sum, line) => sum + line.percent, 0)).toBeCloseTo(100, 1);
});

test('P10: insuranceCost of 240 months under SAC equals the published sheet', () => {
  const contractDay = '2026-09-22' as Day;
  // Pairs of an age and the rate that holds up to this age.
  const bands = '40 0.0144, 45 0.0244, 50 0.0359, 55 0.0645, 60 0.0764, 65 0.1296, 70 0.2005, 200 0.3729';
  const rates = bands.split(', ').map((band) => band.split(' ') as [string, string]);
  const rateAt = (age: number) => percent(rates.find(([to]) => age <= Number(to))![1]);
  const principal = reais('300064.85');
  const dfi = dfiPremium(reais('600000.00'), percent('0.0071'));
  const loan = makeLoan({ principal, term: 240, contractDay, monthlyRate: monthlyRate('10', 'nominal'), dfi });
  // This sheet charges the premium on the balance after the instalment, so there is no premium in the last row.
  const rows = schedule(loan).map((row) => {
    return { ...row, mip: portion(row.balance, rateAt(ageOn('1988-02-01' as Day, row.dueDate))) };
  });
  expect(insuranceCost(principal, contractDay, rows)).toBe(3.2737);
});
