import type { Bank } from '#shared/domain/values/bank.ts';
import { addMonths, type Day, monthsBetween } from '#shared/domain/values/clock.ts';
import { centavos } from '#shared/domain/values/money.ts';
import { AMORTIZATION_SYSTEMS, type AmortizationSystem, type Purpose, type QuoteRequest } from '../simulation.ts';
import type { Backing } from './backing.ts';
import { assumedBirthDate } from './borrowers.ts';
import { housingRulesFor, rateFor, type Tables, tableFor } from './tables/in-force.ts';
import type { BankTable } from './tables/table.ts';
import { type BankTerms, type HousingLimits, limitsOf, type RateTerms, rateTermsOf, termsOf } from './terms.ts';

export interface Asked {
  readonly bank: Bank;
  readonly request: QuoteRequest;
  readonly tables: Tables;
  readonly terms: BankTerms;
  readonly limits: HousingLimits;
  readonly purpose: Purpose;
  readonly system: AmortizationSystem;
  /** Rate under the system of the request, or under another system if the bank does not offer this system. */
  readonly rate: RateTerms;
  /** An unknown birth date of the first proponent is assumed. */
  readonly birthDates: readonly Day[];
  /** In months; 0 if bank, housing rules and age allow less than the bank's shortest term. */
  readonly longest: number;
  readonly term: number;
  readonly backing: Backing;
}

export const systemsOffered = (table: BankTable): readonly AmortizationSystem[] =>
  AMORTIZATION_SYSTEMS.filter((system) => rateFor(table, 'padrao', system) !== undefined);

/**
 * Returns the longest term in months at whose last due date no proponent is older than the limit (80 years and 6
 * months, to the day). Zero or less if there is no such term.
 */
export function longestTermForAge(birthDates: readonly Day[], contractDay: Day, limits: HousingLimits): number {
  return Math.min(
    ...birthDates.map((birthDate) => monthsBetween(contractDay, addMonths(birthDate, limits.oldestAtTheEnd))),
  );
}

/** Throws a RangeError if the table has no such rate. */
function rateAsked(table: BankTable, request: QuoteRequest, system: AmortizationSystem): RateTerms {
  const segment = request.segment ?? 'padrao';
  for (const offered of [system].concat(systemsOffered(table))) {
    const found = rateFor(table, segment, offered);
    if (found) return rateTermsOf(found);
  }
  throw new RangeError(`${table.version} has no rate`);
}

/** Throws a RangeError if no table is in force on the contract's day. */
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

/** Must not be called if `longest` is 0. */
export const nearestTerm = ({ terms, term, longest }: Asked): number =>
  Math.max(terms.shortestTerm, Math.min(term, longest));
