import * as z from 'zod/mini';

/** Returns the names of all fields of a schema, with dotted names for the parts of an object. */
export function fieldNames(schema: z.core.$ZodType, prefix = ''): string[] {
  if (schema instanceof z.ZodMiniOptional || schema instanceof z.ZodMiniDefault)
    return fieldNames(schema.def.innerType, prefix);
  if (!(schema instanceof z.ZodMiniObject)) return [prefix];
  return Object.entries(schema.shape).flatMap(([name, part]) =>
    fieldNames(part, prefix === '' ? name : `${prefix}.${name}`),
  );
}
