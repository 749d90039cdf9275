// A property "carries" a loan if the bank lends that much on it. Share and expenses are rounded separately, each by a
// fraction of a centavo. Nevertheless leastProperty is exact: a property that is cheaper by one centavo does not carry
// the loan, or is below the lowest value that the bank accepts.
import { type Centavos, centavos } from '#shared/domain/values/money.ts';
import { inverse, minus, portion, portionDown, portionUp, type Ratio } from './ratio.ts';

export interface Backing {
  /** Expenses included. */
  readonly share: Ratio;
  /** Financed expenses, as a part of the property's value. Undefined if the customer pays the expenses in cash. */
  readonly expenses: Ratio | undefined;
  /** Lowest property value that the bank accepts; 0 if the bank names none. */
  readonly leastProperty: Centavos;
  /** Expenses included. */
  readonly largestPrincipal: Centavos;
  readonly fgts: Centavos;
}

export const withoutFgts = (backing: Backing): Backing => ({ ...backing, fgts: centavos(0) });

export const expensesOf = (propertyValue: Centavos, backing: Backing): Centavos =>
  backing.expenses ? portion(propertyValue, backing.expenses) : centavos(0);

/** Without expenses; at least 0. */
export function highestByShare(propertyValue: Centavos, backing: Backing): Centavos {
  const principal = portionDown(propertyValue, backing.share);
  return centavos(Math.max(0, principal - expensesOf(propertyValue, backing)));
}

/** At least 0. */
export const highestBySize = (propertyValue: Centavos, backing: Backing): Centavos =>
  centavos(Math.max(0, backing.largestPrincipal - expensesOf(propertyValue, backing)));

export function highestFinanced(propertyValue: Centavos, backing: Backing): Centavos {
  const [byShare, bySize] = [highestByShare(propertyValue, backing), highestBySize(propertyValue, backing)];
  return centavos(Math.max(0, Math.min(byShare, bySize, propertyValue - backing.fgts)));
}

/**
 * The highest value is reached on the cheapest property whose share is enough for the largest loan, or on
 * `highestProperty` if that is cheaper. A more expensive property has higher expenses, and expenses count towards the
 * largest loan.
 */
export function highestOnAny(backing: Backing, highestProperty?: Centavos): Centavos {
  const { share, largestPrincipal, leastProperty: lowestProperty } = backing;
  const property = Math.max(portionUp(largestPrincipal, inverse(share)), lowestProperty);
  return highestFinanced(centavos(Math.min(property, highestProperty ?? property)), backing);
}

export function leastProperty(financedValue: Centavos, backing: Backing): Centavos {
  const net = backing.expenses ? minus(backing.share, backing.expenses) : backing.share;
  // Share and expenses are rounded separately, together by up to one and a half centavos. So the lowest value can be a
  // few centavos above `start`.
  const start = portionUp(Math.max(0, financedValue - 1), { numerator: net.denominator, denominator: net.numerator });
  let property = centavos(Math.max(start, backing.leastProperty, financedValue + backing.fgts));
  while (highestByShare(property, backing) < financedValue) property = centavos(property + 1);
  return property;
}
