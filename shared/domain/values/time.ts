// A plain number fits each of these types, so that sums and differences need no conversion. A value of one unit does
// not fit another unit.

export type Milliseconds = number & { readonly unit?: 'milliseconds' };

export type Seconds = number & { readonly unit?: 'seconds' };

/** In milliseconds since 1970 (UTC). */
export type Instant = number & { readonly unit?: 'instant' };

/** DynamoDB's TTL needs this form. */
export type EpochSeconds = number & { readonly unit?: 'epoch seconds' };

// @__NO_SIDE_EFFECTS__
export const seconds = (count: number): Milliseconds => count * 1_000;
// @__NO_SIDE_EFFECTS__
export const minutes = (count: number): Milliseconds => count * 60_000;
// @__NO_SIDE_EFFECTS__
export const hours = (count: number): Milliseconds => count * 3_600_000;
// @__NO_SIDE_EFFECTS__
export const days = (count: number): Milliseconds => count * 86_400_000;
