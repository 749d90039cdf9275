/** Whole centavos of Brazilian reais: the only form in which money is added, stored or compared. */
export type Centavos = number & { readonly __unit: 'centavos' };

const isCentavos = (amount: number): amount is Centavos => Number.isSafeInteger(amount);

/** Whole centavos. Throws a RangeError if the number is not a safe integer. */
export function centavos(amount: number): Centavos {
  if (!isCentavos(amount)) throw new RangeError('an amount of centavos must be a safe integer');
  return amount;
}

/** The largest amount accepted anywhere: R$ 100,000,000,000.00, far inside exact integers. */
export const LARGEST_AMOUNT = /* @__PURE__ */ centavos(10_000_000_000_000);

/**
 * Centavos of an amount in reais as JSON carries it, exact: the shortest decimal text of the number is read,
 * never multiplied. Undefined where it is negative, not finite, has more than 2 decimals or exceeds LARGEST_AMOUNT.
 */
export function centavosFromReais(reais: number): Centavos | undefined {
  const match = /^(\d{1,12})(?:\.(\d{1,2}))?$/.exec(String(reais));
  if (!match) return undefined;
  const amount = Number(match[1]) * 100 + Number((match[2] ?? '').padEnd(2, '0'));
  return amount <= LARGEST_AMOUNT ? centavos(amount) : undefined;
}

/** Reais as a JSON number with at most 2 decimals. The nearest double of n/100 prints with those decimals for every safe n here. */
export const reaisFromCentavos = (amount: Centavos): number => amount / 100;

/** An amount as people in Brazil read it: `R$ 1.234.567,89`. */
export function formatReais(amount: Centavos): string {
  const sign = amount < 0 ? '-' : '';
  const digits = String(Math.abs(amount)).padStart(3, '0');
  const whole = digits.slice(0, -2).replace(/\B(?=(\d{3})+$)/g, '.');
  return `${sign}R$ ${whole},${digits.slice(-2)}`;
}
