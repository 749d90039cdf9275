// Medians of what a quote costs, beside a public IRR library on the same flows in the same run. Reports only.
import { irr } from 'node-irr';
import { effectiveAnnualCost } from '../../shared/domain/simulations/pricing/effective-cost.ts';
import { quote, quoteSystems, scheduleOf } from '../../shared/domain/simulations/pricing/quote.ts';
import type { QuoteRequest } from '../../shared/domain/simulations/simulation.ts';
import { BANKS } from '../../shared/domain/values/bank.ts';
import type { Day } from '../../shared/domain/values/clock.ts';
import { centavos } from '../../shared/domain/values/money.ts';

const ROUNDS = 300;

/** Median in milliseconds, after a warm-up. */
function median(run: () => unknown): number {
  for (let round = 0; round < ROUNDS / 3; round++) run();
  const times = Array.from({ length: ROUNDS }, () => {
    const start = performance.now();
    run();
    return performance.now() - start;
  });
  return times.sort((a, b) => a - b)[ROUNDS / 2]!;
}

const request: QuoteRequest = {
  propertyValue: centavos(500_000_00),
  financedValue: centavos(300_000_00),
  birthDate: '1990-05-17' as Day,
  contractDay: '2026-12-15' as Day,
  financeExpenses: false,
};
const whole: QuoteRequest = {
  ...request,
  term: 420,
  system: 'PRICE',
  income: centavos(15_000_00),
  secondBorrower: { income: centavos(10_000_00), birthDate: '1992-03-01' as Day },
  fgts: { value: centavos(20_000_00) },
};
const byIncome: QuoteRequest = {
  income: centavos(15_000_00),
  financeExpenses: true,
  contractDay: request.contractDay,
};

const coldStart = performance.now();
for (const bank of BANKS) quote(bank, request);
const cold = performance.now() - coldStart;

const result = quote('santander', { ...request, term: 420 });
if (!('offer' in result)) throw new Error('the bench needs an offer');
const { offer } = result;
const rows = scheduleOf(offer);
const received = centavos(offer.principal - offer.appraisalFee);
const totals = rows.map((row) => row.total);
const flows = [-received, ...totals];
const monthly = median(() => effectiveAnnualCost(received, totals));
const precise = { epsilon: 1e-12 };

interface Line {
  readonly what: string;
  readonly 'median ms': string;
  readonly budget: string;
  readonly 'library / ours': string;
}

const line = (what: string, time: number, budget = '', ratio?: number): Line => ({
  what,
  'median ms': time.toFixed(3),
  budget,
  'library / ours': ratio === undefined ? '' : `${ratio.toFixed(2)} x`,
});

const library = median(() => irr(flows));
const libraryPrecise = median(() => irr(flows, precise));

console.table([
  line(
    'one quote, 420 months, SAC',
    median(() => quote('santander', { ...request, term: 420 })),
    '<= 3',
  ),
  line(
    'one quote, 420 months, PRICE, two proponents, income, FGTS',
    median(() => quote('brb', whole)),
    '<= 3',
  ),
  line(
    'one quote from an income, SAC',
    median(() => quote('santander', byIncome)),
  ),
  line(
    'one quote from an income, PRICE',
    median(() => quote('brb', { ...byIncome, system: 'PRICE' })),
  ),
  line(
    'six banks, both systems, longest terms (two refuse PRICE)',
    median(() => BANKS.map((bank) => quoteSystems(bank, { ...request, income: byIncome.income }, ['SAC', 'PRICE']))),
    '<= 25',
  ),
  line('six banks, first call of a process', cold),
  line(
    'schedule of a stored offer, 420 months',
    median(() => scheduleOf(offer)),
  ),
  line('CET, equal months, 420 flows', monthly),
  line('  node-irr, its default 1e-8', library, '', library / monthly),
  line('  node-irr, to 1e-12', libraryPrecise, '', libraryPrecise / monthly),
]);
const theirs = ((1 + irr(flows, precise)) ** 12 - 1) * 100;
console.log(`CET of the SAC quote: ours ${offer.effectiveAnnualCost} %, node-irr ${theirs.toFixed(6)} %`);
