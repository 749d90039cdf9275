/** Money is added, stored and compared only in this form. */
export type Centavos = number & { readonly __unit: 'centavos' };

const isCentavos = (amount: number): amount is Centavos => Number.isSafeInteger(amount);

/** Throws a RangeError if the number is not a safe integer. */
export function centavos(amount: number): Centavos {
  if (!isCentavos(amount)) throw new RangeError('an amount of centavos must be a safe integer');
  return amount;
}

export const LARGEST_AMOUNT = /* @__PURE__ */ centavos(10_000_000_000_000);

/**
 * The result is exact, because the function reads the decimal text of the number instead of multiplying the double.
 * Returns undefined if the amount is negative, is not finite, has more than 2 decimals or exceeds LARGEST_AMOUNT.
 */
export function centavosFromReais(reais: number): Centavos | undefined {
  const match = /^(\d{1,12})(?:\.(\d{1,2}))?$/.exec(String(reais));
  if (!match) return undefined;
  const amount = Number(match[1]) * 100 + Number((match[2] ?? '').padEnd(2, '0'));
  return amount <= LARGEST_AMOUNT ? centavos(amount) : undefined;
}

/** Up to LARGEST_AMOUNT, the double that is nearest to `amount / 100` prints with exactly these decimals. */
export const reaisFromCentavos = (amount: Centavos): number => amount / 100;

export function formatReais(amount: Centavos): string {
  const sign = amount < 0 ? '-' : '';
  const digits = String(Math.abs(amount)).padStart(3, '0');
  const whole = digits.slice(0, -2).replace(/\B(?=(\d{3})+$)/g, '.');
  return `${sign}R$ ${whole},${digits.slice(-2)}`;
}
