import { type Centavos, centavos } from '#shared/domain/values/money.ts';

/** An exact fraction: a rate or a share by which money is multiplied. */
export interface Ratio {
  readonly numerator: bigint;
  /** Above zero. */
  readonly denominator: bigint;
}

/** A ratio of two whole numbers. Throws a RangeError where the denominator is not above zero. */
export function ratio(numerator: bigint, denominator: bigint): Ratio {
  if (denominator <= 0n) throw new RangeError('the denominator of a ratio must be above zero');
  return { numerator, denominator };
}

/** The ratio that a text writes exactly, as a decimal (`0.0066`) or as a fraction (`1/3`). Throws a RangeError for any other text. */
export function ratioOf(text: string): Ratio {
  const [, numerator, denominator] = /^(\d+)\/(\d+)$/.exec(text) ?? [];
  if (numerator !== undefined && denominator !== undefined) return ratio(BigInt(numerator), BigInt(denominator));
  const [, whole, decimals = ''] = /^(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  if (whole === undefined) throw new RangeError(`not a decimal or a fraction: ${text}`);
  return ratio(BigInt(whole + decimals), 10n ** BigInt(decimals.length));
}

/** The ratio that a percentage means: `11.70` is 117/1000. Throws a RangeError for a text that is no decimal. */
export function percent(text: string): Ratio {
  const { numerator, denominator } = ratioOf(text);
  return ratio(numerator, denominator * 100n);
}

/** One divided by the ratio. */
export const inverse = (of: Ratio): Ratio => ratio(of.denominator, of.numerator);

/** One ratio less another. */
export const minus = (a: Ratio, b: Ratio): Ratio =>
  ratio(a.numerator * b.denominator - b.numerator * a.denominator, a.denominator * b.denominator);

/** Below zero, zero or above zero as `a` is less than, equal to or more than `b`. */
export function compareRatios(a: Ratio, b: Ratio): number {
  const difference = a.numerator * b.denominator - b.numerator * a.denominator;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/**
 * The ratio of an amount (>= 0), in centavos, computed exactly and rounded HALF_UP to the centavo. Doubles, rounded four
 * times on the way, are right to 10^-15 of the result; where that lies so near to a half, or is too long for a double, integers decide.
 */
export function portion(amount: number, of: Ratio): Centavos {
  const denominator = Number(of.denominator);
  const near = (amount * Number(of.numerator)) / denominator;
  const ofHalf = Math.abs(near - Math.floor(near) - 0.5);
  if (denominator < Number.POSITIVE_INFINITY && ofHalf > near * 1e-15) return centavos(Math.round(near));
  return centavos(Number((BigInt(amount) * of.numerator + (of.denominator >> 1n)) / of.denominator));
}

/** The ratio of an amount (>= 0), in centavos, with the fraction of a centavo dropped: for limits that may not be passed. */
export const portionDown = (amount: number, of: Ratio): Centavos =>
  centavos(Number((BigInt(amount) * of.numerator) / of.denominator));

/** The ratio of an amount (>= 0), in centavos, with any fraction of a centavo counted as one: for minimums. */
export const portionUp = (amount: number, of: Ratio): Centavos =>
  centavos(Number((BigInt(amount) * of.numerator + of.denominator - 1n) / of.denominator));

/** What follows from a key, each computed once and kept in `known`. */
// @__NO_SIDE_EFFECTS__
export function remembered<Key, Value>(
  compute: (key: Key) => Value,
  known: { get(key: Key): Value | undefined; set(key: Key, value: Value): unknown } = new Map<Key, Value>(),
): (key: Key) => Value {
  return (key) => {
    const found = known.get(key);
    if (found !== undefined) return found;
    const made = compute(key);
    known.set(key, made);
    return made;
  };
}
