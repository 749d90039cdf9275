import * as z from 'zod/mini';
import { Failure, type FieldFault } from '../domain/values/failure.ts';
import { isObject, type JsonObject } from './fields.ts';
import { withMisnamed } from './unknown-fields.ts';

const presentEntries = (body: JsonObject) => Object.entries(body).filter(([, value]) => value !== null);

/**
 * In a POST, null means absence. Objects deeper than one level are not searched: a body may nest thousands of levels.
 */
export function withoutNulls(body: JsonObject): JsonObject {
  return Object.fromEntries(
    presentEntries(body).map(([field, value]) => [
      field,
      isObject(value) ? Object.fromEntries(presentEntries(value)) : value,
    ]),
  );
}

export function withoutBlanks(body: JsonObject, fields: readonly string[]): JsonObject {
  const isBlank = (value: unknown) => typeof value === 'string' && value.trim() === '';
  return Object.fromEntries(
    Object.entries(body).filter(([field, value]) => !fields.includes(field) || !isBlank(value)),
  );
}

const missingFault = (field: string): FieldFault => ({ field, reason: 'é obrigatório; preencha o campo' });

type Valid<S extends z.ZodMiniObject> = Partial<z.output<S>>;

/** Checks that need other fields or the time, so that the schema of one field cannot make them. */
interface CrossChecks<S extends z.ZodMiniObject> {
  readonly required?: (valid: Valid<S>) => readonly FieldFault[];
  /** These faults come after the faults that the schema finds. */
  readonly faults?: (valid: Valid<S>) => readonly FieldFault[];
}

/**
 * Unknown fields are ignored. Throws `campo_obrigatorio` with all missing fields, else `campo_invalido` with all wrong
 * fields, each once, as dotted paths.
 */
export function readFields<S extends z.ZodMiniObject>(
  schema: S,
  body: JsonObject,
  { required = () => [], faults = () => [] }: CrossChecks<S> = {},
): z.output<S> {
  const given = (field: string) => Object.hasOwn(body, field);
  const missing: FieldFault[] = [];
  const wrong: FieldFault[] = [];
  const valid: Record<string, unknown> = {};
  for (const [field, type] of Object.entries(schema.shape)) {
    const value = given(field) ? body[field] : undefined;
    const parsed = z.safeParse(type, typeof value === 'string' ? value.trim() : value);
    if (given(field) && parsed.success) valid[field] = parsed.data;
    else if (given(field)) {
      const [absent, faulty] = faultsAt(field, value, parsed.error);
      missing.push(...absent.map(missingFault));
      wrong.push(...faulty);
    } else if (!parsed.success) missing.push(missingFault(field));
  }
  // Each value is the output of its own field's schema. The type of a loop over fields cannot say so.
  const checked = valid as Valid<S>;
  missing.push(...required(checked).filter(({ field }) => !given(field)));
  if (missing.length > 0) throw new Failure('campo_obrigatorio', { fields: withMisnamed(missing, schema, body) });
  wrong.push(...faults(checked));
  if (wrong.length > 0) {
    const first = new Map<string, FieldFault>();
    for (const fault of wrong) if (!first.has(fault.field)) first.set(fault.field, fault);
    throw new Failure('campo_invalido', { fields: Array.from(first.values()) });
  }
  return valid as z.output<S>;
}

/** Returns the paths inside a field at which something is missing, and all other faults of the field. */
function faultsAt(
  field: string,
  value: unknown,
  error: z.core.$ZodError | undefined,
): readonly [missing: readonly string[], wrong: readonly FieldFault[]] {
  const all = (error?.issues ?? []).map(({ path, message: reason }) => {
    const absent = path.reduce<unknown>((at, key) => (isObject(at) ? at[String(key)] : at), value) === undefined;
    return { field: [field, ...path].join('.'), reason, absent };
  });
  return [
    all.filter(({ absent }) => absent).map((fault) => fault.field),
    all.filter(({ absent }) => !absent).map(({ field: path, reason }) => ({ field: path, reason })),
  ];
}
