// What the formats of rows are made of. Each format's type is derived, and is held against the domain's type.

import * as z from 'zod/mini';
import { type EpochSeconds, type Instant, seconds } from '#shared/domain/values/time.ts';
import { SafeError } from '#shared/runtime/log.ts';

/**
 * The version of the rows' layout, which each row carries as `v`. A release that writes rows which the one before cannot
 * read has the next one; what it reads of earlier layouts, the golden rows of test/table/golden say.
 */
export const ROW_VERSION = 1;

/** A row as it is put. */
export const versioned = (row: Record<string, unknown> | undefined) => ({ ...row, v: ROW_VERSION });

/** A row as it was read; indexes and projections show no version. Throws a SafeError where its layout is a later one. */
export function knownRow<Row extends Record<string, unknown> | undefined>(row: Row): Row {
  const version = Number(row?.['v'] ?? ROW_VERSION);
  if (version <= ROW_VERSION) return row;
  const kind = String(row?.['pk']).split('#')[0];
  throw new SafeError(
    `a row of kind ${kind} has layout ${version}, and this release reads layouts up to ${ROW_VERSION}: deploy the release that wrote it`,
  );
}

/**
 * The fields of the format of a row, or of its sealed part, that holds a T: with `satisfies`, a field that T has and the
 * format lacks does not compile, nor one that only the format has, nor one that only one of them takes for optional.
 */
export type FieldsOf<T> = {
  readonly [Field in keyof T]-?: undefined extends T[Field]
    ? z.ZodMiniOptional<z.ZodMiniType<Exclude<T[Field], undefined>>>
    : z.ZodMiniType<T[Field]>;
};

/** A number of a type of its own: an id, an amount. */
export const numberOf = <T extends number>() => z.custom<T>((value) => typeof value === 'number');

/** A text of a type of its own: an event's id, a day. */
export const textOf = <T extends string>() => z.custom<T>((value) => typeof value === 'string');

/**
 * Returns the attribute `expiresAt` of a row that ends at a moment. TTL deletes some days late, so anyone who reads such a
 * row compares the moment as well.
 */
export const expiryAt = (end: Instant): EpochSeconds => Math.ceil(end / seconds(1));

/** Returns the last second whose rows have ended by `now`: a row lives its whole time, and up to a second more. */
export const lastOver = (now: Instant): EpochSeconds => Math.floor(now / seconds(1));

/** Whether a row with this `expiresAt` has ended by `now`. */
export const isOver = (expiresAt: EpochSeconds, now: Instant): boolean => expiresAt <= lastOver(now);

/** Returns the row, unless it has ended by `now` and merely waits to be deleted. */
export function unexpired(item: Record<string, unknown> | undefined, now: Instant) {
  const expiresAt = item?.['expiresAt'];
  return typeof expiresAt === 'number' && isOver(expiresAt, now) ? undefined : item;
}

/** Condition that a row has not ended. Its value `:at` is `lastOver(now)`. */
export const UNEXPIRED = '(attribute_not_exists(expiresAt) OR expiresAt > :at)';
