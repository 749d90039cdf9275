import { expect, test } from 'vitest';
import { effectiveAnnualCost, netProceeds } from '#shared/domain/simulations/pricing/effective-cost.ts';
import { dfiPremium } from '#shared/domain/simulations/pricing/insurance.ts';
import { monthlyRate } from '#shared/domain/simulations/pricing/rate.ts';
import { percent, ratio } from '#shared/domain/simulations/pricing/ratio.ts';
import { firstInstalment, type Loan, schedule } from '#shared/domain/simulations/pricing/schedule.ts';
import { centavos } from '#shared/domain/values/money.ts';
import { makeLoan } from '#test/makers/loan.ts';
import { reais } from '#test/makers/quote-request.ts';

const totals = (of: Loan) => schedule(of).map((row) => row.total);

test('P1: effectiveAnnualCost equals the Central Bank’s example of the CET with fees paid in cash', () => {
  const example = makeLoan({ system: 'PRICE', principal: reais('1000.00'), term: 5 });
  expect(totals(example).slice(0, 4)).toEqual(Array(4).fill(reais('205.73')));
  const received = netProceeds(example.principal, { fees: reais('60.00'), tax: centavos(0) });
  expect(effectiveAnnualCost(received, totals(example))).toBe(43.93);
});

test('P2: effectiveAnnualCost equals Caixa’s sheet of 2021, with an appraisal fee and a premium in advance', () => {
  const rates = { monthlyRate: monthlyRate('8.1858', 'nominal'), mipRates: () => ratio(520n, 5_600_000n) };
  const sheet = makeLoan({ principal: reais('56000.00'), term: 120, ...rates });
  const received = (fees: string) => netProceeds(sheet.principal, { fees: reais(fees), tax: centavos(0) });
  expect(effectiveAnnualCost(received('3105.20'), totals(sheet))).toBe(10.24);
  expect(effectiveAnnualCost(received('5.20'), totals(sheet))).toBe(8.62);
});

test('P3: firstInstalment equals each part of Caixa’s sheet of 2026 under SAC', () => {
  const sheet = makeLoan({
    principal: reais('279234.01'),
    term: 420,
    fee: reais('25.00'),
    monthlyRate: monthlyRate('7.66', 'nominal'),
    mipRates: () => percent('0.0085'),
    dfi: dfiPremium(reais('400000.00'), percent('0.0071')),
  });
  expect(firstInstalment(sheet)).toMatchObject({
    amortization: reais('664.84'),
    interest: reais('1782.44'),
    mip: reais('23.73'),
    dfi: reais('28.40'),
    fee: reais('25.00'),
    total: reais('2524.41'),
  });
});

test('P4: firstInstalment equals Caixa’s sheet of 2020 under PRICE', () => {
  const sheet = makeLoan({
    system: 'PRICE',
    principal: reais('101600.00'),
    term: 360,
    dfi: reais('9.27'),
    monthlyRate: monthlyRate('5.0', 'nominal'),
    mipRates: () => ratio(2_083n, 10_160_000n),
  });
  const first = firstInstalment(sheet);
  expect(first.amortization + first.interest).toBe(reais('545.41'));
  expect(first).toMatchObject({ mip: reais('20.83'), dfi: reais('9.27'), total: reais('575.51') });
});

test('P5: firstInstalment equals the published one for an effective rate under PRICE', () => {
  const rate = monthlyRate('7.66', 'effective');
  const sheet = makeLoan({ system: 'PRICE', principal: reais('180000.00'), term: 360, monthlyRate: rate });
  const { interest, amortization, total } = firstInstalment(sheet);
  expect(interest).toBe(reais('1110.53'));
  expect(amortization).toBe(reais('136.19'));
  expect(total).toBe(reais('1246.72'));
});

test('P6: firstInstalment does not divide an effective rate by twelve', () => {
  const sheet = { principal: reais('320000.00'), term: 360 };
  const effective = makeLoan({ ...sheet, monthlyRate: monthlyRate('10', 'effective') });
  const nominal = makeLoan({ ...sheet, monthlyRate: monthlyRate('10', 'nominal') });
  expect(firstInstalment(effective).total).toBe(reais('3440.61'));
  expect(firstInstalment(nominal).total).toBe(reais('3555.56'));
});

test('P7: schedule equals the published totals of twelve months at 12 % under both systems', () => {
  const sac = totals(makeLoan({ system: 'SAC' }));
  const price = totals(makeLoan({ system: 'PRICE' }));
  expect(sac[0]).toBe(reais('9282.21'));
  expect(sac.at(-1)).toBe(reais('8412.44'));
  expect(sac.reduce((sum, total) => sum + total, 0)).toBe(reais('106167.72'));
  expect(price).toEqual([...Array(11).fill(reais('8856.21')), reais('8856.17')]);
  expect(effectiveAnnualCost(reais('100000.00'), sac)).toBe(12);
  expect(effectiveAnnualCost(reais('100000.00'), price)).toBe(12);
});
