import * as z from 'zod/mini';
import { timestamp } from '../domain/values/clock.ts';
import type { Instant } from '../domain/values/time.ts';

type MomentName = 'at' | `${string}_at` | `${string}_since` | `${string}_until`;

/** The names inside of these fields are not the API's own. */
type Verbatim = 'target' | 'body' | 'person';

type Camel<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Name;

const camel = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

type WrittenField<Name, Value> = Name extends Verbatim
  ? Value
  : Name extends MomentName
    ? Instant
    : Written<Exclude<Value, null>>;

/** A field that may be null on the wire may be left out. */
export type Written<Value> = Value extends string | number | boolean
  ? Value
  : Value extends readonly (infer One)[]
    ? readonly Written<One>[]
    : Value extends object
      ? {
          readonly [Name in keyof Value as null extends Value[Name] ? never : Camel<Name & string>]: WrittenField<
            Name,
            Value[Name]
          >;
        } & {
          readonly [Name in keyof Value as null extends Value[Name] ? Camel<Name & string> : never]?:
            | WrittenField<Name, Value[Name]>
            | null
            | undefined;
        }
      : Value;

/**
 * Returns a value in the wire's form: the schema's fields and no other, moments in ISO 8601, null for what is absent.
 */
export const toWire = <S extends z.ZodMiniType>(schema: S, value: Written<z.input<S>>): z.input<S> =>
  write(schema, value) as z.input<S>;

function write(schema: z.core.$ZodType, value: unknown): unknown {
  if (schema instanceof z.ZodMiniNullable) {
    return value === undefined || value === null ? null : write(schema.def.innerType, value);
  }
  if (schema instanceof z.ZodMiniArray) {
    if (!Array.isArray(value)) throw new TypeError('the answer has no list where its schema has one');
    return value.map((element) => write(schema.def.element, element));
  }
  if (schema instanceof z.ZodMiniString && typeof value === 'number') return timestamp(value);
  if (!(schema instanceof z.ZodMiniObject) || schema.def.catchall) return value;
  if (typeof value !== 'object' || value === null)
    throw new TypeError('the answer has no object where its schema has one');
  const given = new Map<string, unknown>(Object.entries(value));
  return Object.fromEntries(
    Object.entries(schema.shape).map(([name, part]) => [name, write(part, given.get(camel(name)))]),
  );
}
