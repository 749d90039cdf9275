import * as z from 'zod/mini';

/**
 * Registers a schema's description for the OpenAPI document, and returns the schema. `words` is a sentence, or further
 * keywords of JSON Schema. If the schema already has a description, a copy of it gets `words` in addition.
 */
// @__NO_SIDE_EFFECTS__
export function described<S extends z.ZodMiniType>(schema: S, words: string | z.core.GlobalMeta): S {
  const own = z.globalRegistry.has(schema) ? schema.clone() : schema;
  z.globalRegistry.add(own, typeof words === 'string' ? { description: words } : words);
  return own;
}
