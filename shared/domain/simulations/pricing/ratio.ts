import { type Centavos, centavos } from '#shared/domain/values/money.ts';

export interface Ratio {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** Throws a RangeError if the denominator is not above zero. */
export function ratio(numerator: bigint, denominator: bigint): Ratio {
  if (denominator <= 0n) throw new RangeError('the denominator of a ratio must be above zero');
  return { numerator, denominator };
}

/** `0.0066` or `1/3`. Throws a RangeError for any other text. */
export function ratioOf(text: string): Ratio {
  const [, numerator, denominator] = /^(\d+)\/(\d+)$/.exec(text) ?? [];
  if (numerator !== undefined && denominator !== undefined) return ratio(BigInt(numerator), BigInt(denominator));
  const [, whole, decimals = ''] = /^(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  if (whole === undefined) throw new RangeError(`not a decimal or a fraction: ${text}`);
  return ratio(BigInt(whole + decimals), 10n ** BigInt(decimals.length));
}

/** `11.70` is 117/1000. Throws a RangeError as ratioOf does. */
export function percent(text: string): Ratio {
  const { numerator, denominator } = ratioOf(text);
  return ratio(numerator, denominator * 100n);
}

export const inverse = (value: Ratio): Ratio => ratio(value.denominator, value.numerator);

export const minus = (a: Ratio, b: Ratio): Ratio =>
  ratio(a.numerator * b.denominator - b.numerator * a.denominator, a.denominator * b.denominator);

export function compareRatios(a: Ratio, b: Ratio): number {
  const difference = a.numerator * b.denominator - b.numerator * a.denominator;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/**
 * Returns an amount of at least 0 times a ratio, rounded HALF_UP to the centavo. Doubles are tried first: after four
 * roundings their error is at most 10^-15 of the result. If the result is that near to a half, or the ratio is too long
 * for doubles, integers decide.
 */
export function portion(amount: number, factor: Ratio): Centavos {
  const denominator = Number(factor.denominator);
  const near = (amount * Number(factor.numerator)) / denominator;
  const distanceToHalf = Math.abs(near - Math.floor(near) - 0.5);
  if (denominator < Number.POSITIVE_INFINITY && distanceToHalf > near * 1e-15) return centavos(Math.round(near));
  return centavos(Number((BigInt(amount) * factor.numerator + (factor.denominator >> 1n)) / factor.denominator));
}

/** Rounds limits that must not be exceeded. `amount` must be at least 0. */
export const portionDown = (amount: number, factor: Ratio): Centavos =>
  centavos(Number((BigInt(amount) * factor.numerator) / factor.denominator));

/** Rounds minimums. `amount` must be at least 0. */
export const portionUp = (amount: number, factor: Ratio): Centavos =>
  centavos(Number((BigInt(amount) * factor.numerator + factor.denominator - 1n) / factor.denominator));

// @__NO_SIDE_EFFECTS__
export function remembered<Key, Value>(
  compute: (key: Key) => Value,
  known: { get(key: Key): Value | undefined; set(key: Key, value: Value): unknown } = new Map<Key, Value>(),
): (key: Key) => Value {
  return (key) => {
    const earlier = known.get(key);
    if (earlier !== undefined) return earlier;
    const value = compute(key);
    known.set(key, value);
    return value;
  };
}
