import { addMonths, type Day } from '#shared/domain/values/clock.ts';
import { type Centavos, centavos } from '#shared/domain/values/money.ts';
import type { AmortizationSystem, Instalment } from '../simulation.ts';
import { portion, type Ratio, ratio } from './ratio.ts';

/** All that a schedule follows from. */
export interface Loan {
  readonly system: AmortizationSystem;
  readonly principal: Centavos;
  /** Months, from 1. */
  readonly term: number;
  readonly monthlyRate: Ratio;
  /** When instalment k falls due. */
  readonly dueDate: (number: number) => Day;
  /** MIP of a due date, as a share of the balance before it. */
  readonly mipRate: (dueDate: Day) => Ratio;
  /** Property insurance a month. */
  readonly dfi: Centavos;
  /** The bank's fee on each instalment. */
  readonly fee: Centavos;
}

/** Due dates of the contract's day that was asked for last: all banks of a call share it, and a projection asks again. */
let recent: { readonly contractDay: Day; readonly days: Day[] } | undefined;

/** When the instalments of a contract fall due: k months later, on the month's last day where it has no such day. */
export function dueDatesFrom(contractDay: Day): (number: number) => Day {
  if (recent?.contractDay !== contractDay) recent = { contractDay, days: [] };
  const { days } = recent;
  return (number) => {
    days[number] ??= addMonths(contractDay, number);
    return days[number];
  };
}

/**
 * The part of the principal that stays level: under SAC the amortization, 1/n; under PRICE amortization and interest
 * together, i / (1 - (1 + i)^-n) = p (p + q)^n / (q ((p + q)^n - q^n)) for i = p/q. Exact, so that a payment which
 * falls on half a centavo is rounded up as it must be.
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
 * The level part of a principal, HALF_UP. PRICE's exact share has some 12,000 digits, and a search by income asks for 40
 * principals: 60 decimals of it bound the result from below and above, and only where the two round apart the exact
 * share is multiplied.
 */
export function levelPart(principal: Centavos, level: Ratio): Centavos {
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
  // Rounding of the level part may repay a tiny principal before the end: never below a balance of zero.
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

/**
 * The first instalment. `level` is the loan's `levelShare`, where the caller has it already.
 * Its figures are those of the schedule's first row.
 */
export function firstInstalment(
  loan: Loan,
  level: Ratio = levelShare(loan.system, loan.monthlyRate, loan.term),
): Instalment {
  return instalment(loan, levelPart(loan.principal, level), 1, loan.principal);
}

/** The first and the last row of a schedule, or of a column of it. Throws a RangeError if it has no rows. */
export function endsOf<Row>(rows: readonly Row[]): { readonly first: Row; readonly last: Row } {
  const first = rows[0];
  const last = rows.at(-1);
  if (first === undefined || last === undefined) throw new RangeError('a schedule has one instalment at least');
  return { first, last };
}

/**
 * Every instalment, in order. Each part is rounded HALF_UP to the centavo and then summed. SAC: the same amortization
 * each month, the principal over the term. PRICE: the same sum of amortization and interest. The last amortization is
 * what is still owed. MIP is charged on the balance before the instalment at the ages on its due date, DFI at
 * a constant amount; the last instalment carries neither, since premiums are paid in advance. `level` as in firstInstalment.
 */
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
