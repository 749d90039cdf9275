import type { Bank } from '#shared/domain/values/bank.ts';
import { addMonths, type Day, monthsBetween } from '#shared/domain/values/clock.ts';
import { centavos } from '#shared/domain/values/money.ts';
import { AMORTIZATION_SYSTEMS, type AmortizationSystem, type Purpose, type QuoteRequest } from '../simulation.ts';
import type { Backing } from './backing.ts';
import { assumedBirthDate } from './borrowers.ts';
import { housingRulesFor, rateFor, type Tables, tableFor } from './tables/in-force.ts';
import type { BankTable } from './tables/table.ts';
import { type BankTerms, type HousingLimits, limitsOf, type RateTerms, rateTermsOf, termsOf } from './terms.ts';

/** A request at one bank, with all that it is measured against. */
export interface Asked {
  readonly bank: Bank;
  readonly request: QuoteRequest;
  readonly tables: Tables;
  readonly terms: BankTerms;
  readonly limits: HousingLimits;
  readonly purpose: Purpose;
  /** The one asked for, offered or not. */
  readonly system: AmortizationSystem;
  /** Of the system asked for; of another one where the bank does not offer it. */
  readonly rate: RateTerms;
  /** Of all proponents; of the first assumed where it is not known. */
  readonly birthDates: readonly Day[];
  /** Longest term in months that bank and age allow; 0 where it lies below the bank's shortest. */
  readonly longest: number;
  /** The term asked for, else the longest. */
  readonly term: number;
  readonly backing: Backing;
}

/** The systems that a bank offers. */
export const systemsOffered = (table: BankTable): readonly AmortizationSystem[] =>
  AMORTIZATION_SYSTEMS.filter((system) => rateFor(table, 'padrao', system) !== undefined);

/**
 * The longest term in months whose last due date finds nobody older than the limit (80 years and 6 months, to the day);
 * zero or less where there is none. The oldest proponent decides.
 */
export function longestTermForAge(birthDates: readonly Day[], contractDay: Day, limits: HousingLimits): number {
  return Math.min(
    ...birthDates.map((birthDate) => monthsBetween(contractDay, addMonths(birthDate, limits.oldestAtTheEnd))),
  );
}

/**
 * A bank's rate for a request: of the system asked for, else of the first one that it offers. Throws a RangeError if the
 * table has no rate for everybody.
 */
function rateAsked(table: BankTable, request: QuoteRequest, system: AmortizationSystem): RateTerms {
  const segment = request.segment ?? 'padrao';
  for (const offered of [system].concat(systemsOffered(table))) {
    const found = rateFor(table, segment, offered);
    if (found) return rateTermsOf(found);
  }
  throw new RangeError(`${table.version} has no rate`);
}

/** A request at a bank. Throws a RangeError where no table is in force on the contract's day. */
export function askedOf(bank: Bank, request: QuoteRequest, tables: Tables): Asked {
  const { contractDay, secondBorrower } = request;
  const table = tableFor(bank, contractDay, tables);
  const terms = termsOf(table, tables);
  const limits = limitsOf(housingRulesFor(contractDay, tables));
  const system = request.system ?? 'SAC';
  const rate = rateAsked(table, request, system);
  const birthDates = [request.birthDate ?? assumedBirthDate(contractDay)];
  if (secondBorrower) birthDates.push(secondBorrower.birthDate);
  const allowed = Math.min(terms.longestTerm, limits.longestTerm, longestTermForAge(birthDates, contractDay, limits));
  const longest = allowed < terms.shortestTerm ? 0 : allowed;
  return {
    bank,
    request,
    tables,
    terms,
    limits,
    purpose: request.purpose ?? 'residencial',
    system,
    rate,
    birthDates,
    longest,
    term: request.term ?? longest,
    backing: {
      share: rate.share,
      expenses: request.financeExpenses && table.financesExpenses ? limits.expenses : undefined,
      leastProperty: terms.leastProperty,
      largestPrincipal: terms.largestFinanced ?? limits.largestFinanced,
      fgts: request.fgts?.value ?? centavos(0),
    },
  };
}

/** The term nearest to the one asked for that bank and age allow; for a request whose `longest` is not 0. */
export const nearestTerm = ({ terms, term, longest }: Asked): number =>
  Math.max(terms.shortestTerm, Math.min(term, longest));
