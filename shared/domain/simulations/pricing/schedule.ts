import { addMonths, type Day } from '#shared/domain/values/clock.ts';
import { type Centavos, centavos } from '#shared/domain/values/money.ts';
import type { AmortizationSystem, Instalment } from '../simulation.ts';
import { portion, type Ratio, ratio } from './ratio.ts';

export interface Loan {
  readonly system: AmortizationSystem;
  readonly principal: Centavos;
  /** In months, at least 1. */
  readonly term: number;
  readonly monthlyRate: Ratio;
  readonly dueDate: (number: number) => Day;
  /** As a part of the balance before the due date. */
  readonly mipRate: (dueDate: Day) => Ratio;
  readonly dfi: Centavos;
  readonly fee: Centavos;
}

/** All banks of a call have the same contract day, and a projection needs the dates again. */
let latest: { readonly contractDay: Day; readonly days: Day[] } | undefined;

/** `number` months after the contract's day, or the month's last day if the month has no such day. */
export function dueDatesFrom(contractDay: Day): (number: number) => Day {
  if (latest?.contractDay !== contractDay) latest = { contractDay, days: [] };
  const { days } = latest;
  return (number) => {
    days[number] ??= addMonths(contractDay, number);
    return days[number];
  };
}

/**
 * Under SAC this is the amortization, 1/n. Under PRICE it is amortization and interest together: i / (1 - (1 + i)^-n),
 * which is p (p + q)^n / (q ((p + q)^n - q^n)) for i = p/q. The ratio is exact, so that a payment of exactly half a
 * centavo is rounded up.
 */
export function levelShare(system: AmortizationSystem, monthlyRate: Ratio, term: number): Ratio {
  if (system === 'SAC') return ratio(1n, BigInt(term));
  const { numerator, denominator } = monthlyRate;
  const growth = (numerator + denominator) ** BigInt(term);
  return ratio(numerator * growth, denominator * (growth - denominator ** BigInt(term)));
}

const SCALE = 10n ** 60n;
const HALF = SCALE / 2n;
const approximations = /* @__PURE__ */ new WeakMap<Ratio, bigint>();

/**
 * The exact share of PRICE has about 12,000 digits, and a search by income computes 40 principals. Therefore 60
 * decimals of the share first bound the result from below and above. The exact share is multiplied only if both bounds
 * round to different centavos.
 */
function levelPart(principal: Centavos, level: Ratio): Centavos {
  const known = approximations.get(level) ?? (level.numerator * SCALE) / level.denominator;
  approximations.set(level, known);
  const low = BigInt(principal) * known + HALF;
  const rounded = low / SCALE;
  return rounded === (low + BigInt(principal)) / SCALE ? centavos(Number(rounded)) : portion(principal, level);
}

function instalment(loan: Loan, level: Centavos, number: number, owed: Centavos): Instalment {
  const last = number === loan.term;
  const dueDate = loan.dueDate(number);
  const interest = portion(owed, loan.monthlyRate);
  // The rounded level part can repay a tiny principal before the end.
  const regular = Math.min(loan.system === 'SAC' ? level : level - interest, owed);
  const amortization = last ? owed : centavos(regular);
  const mip = last ? centavos(0) : portion(owed, loan.mipRate(dueDate));
  const dfi = last ? centavos(0) : loan.dfi;
  return {
    number,
    dueDate,
    amortization,
    interest,
    mip,
    dfi,
    fee: loan.fee,
    total: centavos(amortization + interest + mip + dfi + loan.fee),
    balance: centavos(owed - amortization),
  };
}

/** `level` is the loan's `levelShare`, for callers that have already computed it. */
export function firstInstalment(
  loan: Loan,
  level: Ratio = levelShare(loan.system, loan.monthlyRate, loan.term),
): Instalment {
  return instalment(loan, levelPart(loan.principal, level), 1, loan.principal);
}

/** Throws a RangeError if there are no rows. */
export function endsOf<Row>(rows: readonly Row[]): { readonly first: Row; readonly last: Row } {
  const first = rows[0];
  const last = rows.at(-1);
  if (first === undefined || last === undefined) throw new RangeError('a schedule has at least one instalment');
  return { first, last };
}

/** Source: shared/domain/simulations/pricing/README.md, rules 2 to 4. `level` is the same as in firstInstalment. */
export function schedule(
  loan: Loan,
  level: Ratio = levelShare(loan.system, loan.monthlyRate, loan.term),
): readonly Instalment[] {
  const part = levelPart(loan.principal, level);
  const rows: Instalment[] = [];
  let owed = loan.principal;
  for (let number = 1; number <= loan.term; number++) {
    const row = instalment(loan, part, number, owed);
    rows.push(row);
    owed = row.balance;
  }
  return rows;
}
