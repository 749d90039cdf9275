import * as z from 'zod/mini';
import { type EpochSeconds, type Instant, seconds } from '#shared/domain/values/time.ts';
import { SafeError } from '#shared/runtime/log.ts';

/** Each row carries this version as `v`. A release raises the version if the release before cannot read its rows. */
export const ROW_VERSION = 1;

export const versioned = (row: Record<string, unknown> | undefined) => ({ ...row, v: ROW_VERSION });

/** Throws a SafeError if the row's layout is later than this release knows. */
export function knownRow<Row extends Record<string, unknown> | undefined>(row: Row): Row {
  const version = Number(row?.['v'] ?? ROW_VERSION);
  if (version <= ROW_VERSION) return row;
  const kind = String(row?.['pk']).split('#')[0];
  throw new SafeError(
    `a row of kind ${kind} has layout ${version}, and this release reads layouts up to ${ROW_VERSION}: deploy the release that wrote it`,
  );
}

/** With `satisfies`, a format does not compile if its fields differ from those of T. */
export type FieldsOf<T> = {
  readonly [Field in keyof T]-?: undefined extends T[Field]
    ? z.ZodMiniOptional<z.ZodMiniType<Exclude<T[Field], undefined>>>
    : z.ZodMiniType<T[Field]>;
};

export const numberOf = <T extends number>() => z.custom<T>((value) => typeof value === 'number');

export const textOf = <T extends string>() => z.custom<T>((value) => typeof value === 'string');

/** TTL deletes a row up to some days later, so anyone who reads such a row compares the moment, too. */
export const expiryAt = (end: Instant): EpochSeconds => Math.ceil(end / seconds(1));

/** Since `expiresAt` is rounded up to a second, a row lives for its whole time, and up to a second longer. */
export const lastOver = (now: Instant): EpochSeconds => Math.floor(now / seconds(1));

export const isOver = (expiresAt: EpochSeconds, now: Instant): boolean => expiresAt <= lastOver(now);

/** Undefined if there is no row, or if it has ended by `now` and only waits to be deleted. */
export function unexpired(item: Record<string, unknown> | undefined, now: Instant) {
  const expiresAt = item?.['expiresAt'];
  return typeof expiresAt === 'number' && isOver(expiresAt, now) ? undefined : item;
}

/** `:at` is `lastOver(now)`. */
export const UNEXPIRED = '(attribute_not_exists(expiresAt) OR expiresAt > :at)';
