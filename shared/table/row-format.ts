// What the formats of rows are made of. Each format's type is derived, and is held against the domain's type.

import * as z from 'zod/mini';
import { SafeError } from '../runtime/log.ts';

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
