// Prints the median times of quotes by the frozen tables, so that a new table changes no time. For the CET, it also prints the time of a public IRR library on the same cash
// flows. Never fails.
import { irr } from 'node-irr';
import { effectiveAnnualCost } from '#shared/domain/simulations/pricing/effective-cost.ts';
import { quote, quoteSystems, scheduleOf } from '#shared/domain/simulations/pricing/quote.ts';
import type { QuoteRequest } from '#shared/domain/simulations/simulation.ts';
import { BANKS } from '#shared/domain/values/bank.ts';
import type { Day } from '#shared/domain/values/clock.ts';
import { centavos } from '#shared/domain/values/money.ts';
import { FROZEN_TABLES } from '../makers/frozen-tables.ts';
import { median, verdict } from './bench.ts';
import { BUDGETS } from './budgets.ts';

const ROUNDS = 300;

/** Returns the median time of a run in milliseconds, after a warm-up. */
function medianTime(run: () => unknown): number {
  for (let round = 0; round < ROUNDS / 3; round++) run();
  const times = Array.from({ length: ROUNDS }, () => {
    const start = performance.now();
    run();
    return performance.now() - start;
  });
  return median(times);
}

const request: QuoteRequest = {
  propertyValue: centavos(500_000_00),
  financedValue: centavos(300_000_00),
  birthDate: '1990-05-17' as Day,
  contractDay: '2026-12-15' as Day,
  financeExpenses: false,
};
const fullRequest: QuoteRequest = {
  ...request,
  term: 420,
  system: 'PRICE',
  income: centavos(15_000_00),
  secondBorrower: { income: centavos(10_000_00), birthDate: '1992-03-01' as Day },
  fgts: { value: centavos(20_000_00) },
};
const byIncome: QuoteRequest = { income: centavos(15_000_00), financeExpenses: true, contractDay: request.contractDay };

const line = (what: string, run: () => unknown) => console.log(`${medianTime(run).toFixed(3).padStart(8)} ms  ${what}`);

const coldStart = performance.now();
for (const bank of BANKS) quote(bank, request, FROZEN_TABLES);
console.log(`${(performance.now() - coldStart).toFixed(3).padStart(8)} ms  six banks, first call of a process`);

const result = quote('santander', { ...request, term: 420 }, FROZEN_TABLES);
if (!('offer' in result)) throw new Error('the bench needs an offer');
const { offer } = result;
const totals = scheduleOf(offer, FROZEN_TABLES).map((row) => row.total);
const received = centavos(offer.principal - offer.appraisalFee);
const flows = [-received, ...totals];
const precise = { epsilon: 1e-12 };

const judge = (what: string, budget: number, run: () => unknown) =>
  verdict(`16 ${what}`, medianTime(run), budget, ' ms');
judge('one quote, 420 months, SAC', BUDGETS[16].quote, () =>
  quote('santander', { ...request, term: 420 }, FROZEN_TABLES),
);
judge('one quote, 420 months, PRICE, two proponents, income, FGTS', BUDGETS[16].quote, () =>
  quote('brb', fullRequest, FROZEN_TABLES),
);
judge('six banks, both systems, longest terms (two refuse PRICE)', BUDGETS[16].sixBanks, () =>
  BANKS.map((bank) => quoteSystems(bank, { ...request, income: byIncome.income }, ['SAC', 'PRICE'], FROZEN_TABLES)),
);
line('one quote from an income, SAC', () => quote('santander', byIncome, FROZEN_TABLES));
line('one quote from an income, PRICE', () => quote('brb', { ...byIncome, system: 'PRICE' }, FROZEN_TABLES));
line('schedule of a stored offer, 420 months', () => scheduleOf(offer, FROZEN_TABLES));
line('CET, equal months, 420 flows', () => effectiveAnnualCost(received, totals));
line('  node-irr, its default 1e-8', () => irr(flows));
line('  node-irr, to 1e-12', () => irr(flows, precise));
const libraryCost = ((1 + irr(flows, precise)) ** 12 - 1) * 100;
console.log(`CET of the SAC quote: ours ${offer.effectiveAnnualCost} %, node-irr ${libraryCost.toFixed(6)} %`);
