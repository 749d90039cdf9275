// What a property carries. Share, expenses and FGTS are rounded apart, each by a fraction of a centavo; highestFinanced and
// leastProperty are each other's inverse all the same: one centavo less of property does not carry the loan.
import { type Centavos, centavos } from '#shared/domain/values/money.ts';
import { inverse, minus, portion, portionDown, portionUp, type Ratio } from './ratio.ts';

/** What a bank lends against a property, and what else its price is paid with. */
export interface Backing {
  /** Highest part of the property's value that may be lent, expenses included. */
  readonly share: Ratio;
  /** Of the property's value, financed too; undefined where they are paid by the customer. */
  readonly expenses: Ratio | undefined;
  /** The bank's least property value; 0 where it names none. */
  readonly leastProperty: Centavos;
  /** The largest loan, expenses included. */
  readonly largestPrincipal: Centavos;
  /** What the buyer's FGTS pays of the price. */
  readonly fgts: Centavos;
}

/** The same, if no FGTS pays a part of the price. */
export const withoutFgts = (backing: Backing): Backing => ({ ...backing, fgts: centavos(0) });

/** ITBI and registration that are financed for a property, HALF_UP to the centavo. */
export const expensesOf = (propertyValue: Centavos, backing: Backing): Centavos =>
  backing.expenses ? portion(propertyValue, backing.expenses) : centavos(0);

/** The highest financed value, expenses left out, that the bank's share of a property allows; never below zero. */
export function highestByShare(propertyValue: Centavos, backing: Backing): Centavos {
  const principal = portionDown(propertyValue, backing.share);
  return centavos(Math.max(0, principal - expensesOf(propertyValue, backing)));
}

/** What a property's expenses leave of the largest loan; never below zero. */
export const highestBySize = (propertyValue: Centavos, backing: Backing): Centavos =>
  centavos(Math.max(0, backing.largestPrincipal - expensesOf(propertyValue, backing)));

/** The highest financed value, expenses left out, of a property: by share, largest loan and what the FGTS leaves to pay. */
export function highestFinanced(propertyValue: Centavos, backing: Backing): Centavos {
  const [byShare, bySize] = [highestByShare(propertyValue, backing), highestBySize(propertyValue, backing)];
  return centavos(Math.max(0, Math.min(byShare, bySize, propertyValue - backing.fgts)));
}

/**
 * The highest financed value, expenses left out, on any property, or on any up to `dearest`. It stands on the least
 * property whose share is the largest loan: a dearer one has higher expenses, which leave less of that.
 */
export function highestOnAny(backing: Backing, dearest?: Centavos): Centavos {
  const { share, largestPrincipal, leastProperty: least } = backing;
  const property = Math.max(portionUp(largestPrincipal, inverse(share)), least);
  return highestFinanced(centavos(Math.min(property, dearest ?? property)), backing);
}

/** The least property value that carries a financed value and the FGTS, and satisfies the bank. */
export function leastProperty(financedValue: Centavos, backing: Backing): Centavos {
  const net = backing.expenses ? minus(backing.share, backing.expenses) : backing.share;
  // Share and expenses are rounded apart by up to a centavo and a half in all: the least value lies a few centavos on.
  const start = portionUp(Math.max(0, financedValue - 1), { numerator: net.denominator, denominator: net.numerator });
  let property = centavos(Math.max(start, backing.leastProperty, financedValue + backing.fgts));
  while (highestByShare(property, backing) < financedValue) property = centavos(property + 1);
  return property;
}
