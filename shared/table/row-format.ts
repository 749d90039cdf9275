// What the formats of rows are made of. Each format's type is derived, and is held against the domain's type.

import * as z from 'zod/mini';

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
