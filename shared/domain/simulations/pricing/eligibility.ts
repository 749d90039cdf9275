import { addMonths, ageOn, type Day, monthsBetween } from '../../values/clock.ts';
import { type Centavos, centavos } from '../../values/money.ts';
import { AMORTIZATION_SYSTEMS, type AmortizationSystem, type Product, type RefusalReason } from '../simulation.ts';
import { compareRatios, minus, portion, portionDown, portionUp, type Ratio, ratioOf } from './ratio.ts';
import type { BankTable } from './tables/table.ts';
import { type BankTerms, type Collateral, collateralOf, type HousingLimits } from './terms.ts';

/** The systems that a bank offers. */
export function systemsOffered(table: BankTable): readonly AmortizationSystem[] {
  return AMORTIZATION_SYSTEMS.filter((system) => collateralOf(table, system) !== undefined);
}

/**
 * The longest term in months whose last due date finds the borrower no older than the limit (80 years and 6 months,
 * to the day); zero or less where there is none.
 */
export function longestTermForAge(birthDate: Day, contractDay: Day, limits: HousingLimits): number {
  return monthsBetween(contractDay, addMonths(birthDate, limits.oldestAtTheEnd));
}

/** The longest term in months that bank and age allow; 0 where it lies below the bank's shortest. */
export function longestTerm(terms: BankTerms, birthDate: Day, contractDay: Day, limits: HousingLimits): number {
  const longest = Math.min(terms.longestTerm, limits.longestTerm, longestTermForAge(birthDate, contractDay, limits));
  return longest < terms.shortestTerm ? 0 : longest;
}

/** The limit of age that is passed: on the contract's day, or at the end of a term where one is asked for. */
export function ageRefusal(
  terms: BankTerms,
  birthDate: Day,
  contractDay: Day,
  term: number | undefined,
  limits: HousingLimits,
): RefusalReason | undefined {
  const age = ageOn(birthDate, contractDay);
  if (age < limits.youngest) return { kind: 'tooYoung', youngest: limits.youngest };
  if (age > limits.oldest) return { kind: 'tooOld', oldest: limits.oldest };
  const forAge = longestTermForAge(birthDate, contractDay, limits);
  const longest = longestTerm(terms, birthDate, contractDay, limits);
  // Asked for more than bank and age allow, the lower of the two limits is the one that helps.
  const ageBinds = forAge < Math.min(terms.longestTerm, limits.longestTerm);
  return longest === 0 || (term !== undefined && term > forAge && ageBinds)
    ? { kind: 'tooOldAtTheEnd', longest }
    : undefined;
}

/** The bank's limit of the term that is passed. */
export function termRefusal(terms: BankTerms, term: number, limits: HousingLimits): RefusalReason | undefined {
  const longest = Math.min(terms.longestTerm, limits.longestTerm);
  if (term > longest) return { kind: 'termTooLong', longest };
  if (term < terms.shortestTerm) return { kind: 'termTooShort', shortest: terms.shortestTerm };
  return undefined;
}

/** What a property carries: the bank's share of its value, and the part of it that goes into expenses. */
export interface Backing {
  readonly collateral: Collateral;
  /** Of the property's value, financed too; undefined where they are paid by the customer. */
  readonly expenses: Ratio | undefined;
  /** The bank's least property value. */
  readonly leastProperty: Centavos;
}

/** ITBI and registration that are financed for a property, HALF_UP to the centavo. */
export function expensesOf(propertyValue: Centavos, backing: Backing): Centavos {
  return backing.expenses ? portion(propertyValue, backing.expenses) : centavos(0);
}

/** The highest financed value, expenses left out, that a property carries; never below zero. */
export function highestFinanced(propertyValue: Centavos, backing: Backing): Centavos {
  const principal = portionDown(propertyValue, backing.collateral.share);
  return centavos(Math.max(0, principal - expensesOf(propertyValue, backing)));
}

/** The least property value that carries a financed value and satisfies the bank. */
export function leastProperty(financedValue: Centavos, backing: Backing): Centavos {
  const { share } = backing.collateral;
  const net = backing.expenses ? minus(share, backing.expenses) : share;
  // Share and expenses are rounded apart by up to a centavo and a half in all: the least value lies a few centavos on.
  const start = portionUp(Math.max(0, financedValue - 1), { numerator: net.denominator, denominator: net.numerator });
  let property = centavos(Math.max(start, backing.leastProperty));
  while (highestFinanced(property, backing) < financedValue) property = centavos(property + 1);
  return property;
}

/** Whether the property is worth too little for any loan of the bank: its own minimum, or its least loan over the share. */
export function propertyRefusal(
  terms: BankTerms,
  propertyValue: Centavos,
  backing: Backing,
): RefusalReason | undefined {
  const least = leastProperty(terms.leastFinanced, backing);
  return propertyValue < least ? { kind: 'propertyTooCheap', least } : undefined;
}

/** Whether less is asked for than the bank lends. Expenses do not count. */
export function financedRefusal(terms: BankTerms, financedValue: Centavos): RefusalReason | undefined {
  return financedValue < terms.leastFinanced ? { kind: 'financedTooLow', least: terms.leastFinanced } : undefined;
}

/** Whether more is asked for, expenses included, than the bank's share of the property. */
export function shareRefusal(
  propertyValue: Centavos,
  financedValue: Centavos,
  backing: Backing,
): RefusalReason | undefined {
  const highest = highestFinanced(propertyValue, backing);
  return financedValue > highest ? { kind: 'ltvExceeded', share: backing.collateral.sharePercent, highest } : undefined;
}

/** SFH up to its limits of property value and of effective rate, else SFI; loans on a property already owned are home equity. */
export function productOf(terms: BankTerms, propertyValue: Centavos, limits: HousingLimits): Product {
  if (terms.table.homeEquity) return 'HOME_EQUITY';
  const cheapEnough = compareRatios(ratioOf(String(terms.annualPercent)), limits.sfhRate) <= 0;
  return cheapEnough && propertyValue <= limits.sfhProperty ? 'SFH' : 'SFI';
}
