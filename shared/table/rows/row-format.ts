// Building blocks of the formats of rows. The type of a format is derived from it, and compared with the domain's type.

import * as z from 'zod/mini';
import { type EpochSeconds, type Instant, seconds } from '#shared/domain/values/time.ts';
import { SafeError } from '#shared/runtime/log.ts';

/**
 * Version of the rows' layout, which each row carries as `v`. A release that writes rows which the release before
 * cannot read raises it.
 */
export const ROW_VERSION = 1;

/** Returns the row to put, with the version of its layout. */
export const versioned = (row: Record<string, unknown> | undefined) => ({ ...row, v: ROW_VERSION });

/**
 * Returns a row that was read. Throws a SafeError if its layout is later than this release knows. Rows from indexes and
 * projections have no version and pass.
 */
export function knownRow<Row extends Record<string, unknown> | undefined>(row: Row): Row {
  const version = Number(row?.['v'] ?? ROW_VERSION);
  if (version <= ROW_VERSION) return row;
  const kind = String(row?.['pk']).split('#')[0];
  throw new SafeError(
    `a row of kind ${kind} has layout ${version}, and this release reads layouts up to ${ROW_VERSION}: deploy the release that wrote it`,
  );
}

/**
 * Fields of the format of a row, or of its sealed part, that holds a T. With `satisfies`, a format does not compile if
 * it lacks a field of T, if it has a field that T lacks, or if a field is optional in only one of the two.
 */
export type FieldsOf<T> = {
  readonly [Field in keyof T]-?: undefined extends T[Field]
    ? z.ZodMiniOptional<z.ZodMiniType<Exclude<T[Field], undefined>>>
    : z.ZodMiniType<T[Field]>;
};

/** Format of a number that has a type of its own: an id, an amount. */
export const numberOf = <T extends number>() => z.custom<T>((value) => typeof value === 'number');

/** Format of a text that has a type of its own: an event's id, a day. */
export const textOf = <T extends string>() => z.custom<T>((value) => typeof value === 'string');

/**
 * Returns the attribute `expiresAt` of a row that ends at a moment. TTL deletes a row up to some days later, so anyone
 * who reads such a row compares the moment, too.
 */
export const expiryAt = (end: Instant): EpochSeconds => Math.ceil(end / seconds(1));

/**
 * Returns the latest `expiresAt` with which a row has ended by `now`. Since `expiresAt` is rounded up to a second, a
 * row lives for its whole time, and up to a second longer.
 */
export const lastOver = (now: Instant): EpochSeconds => Math.floor(now / seconds(1));

/** Whether a row with this `expiresAt` has ended by `now`. */
export const isOver = (expiresAt: EpochSeconds, now: Instant): boolean => expiresAt <= lastOver(now);

/** Returns the row. Undefined if there is none, or if it has ended by `now` and only waits to be deleted. */
export function unexpired(item: Record<string, unknown> | undefined, now: Instant) {
  const expiresAt = item?.['expiresAt'];
  return typeof expiresAt === 'number' && isOver(expiresAt, now) ? undefined : item;
}

/** Condition that a row has not ended. Its value `:at` is `lastOver(now)`. */
export const UNEXPIRED = '(attribute_not_exists(expiresAt) OR expiresAt > :at)';
