import * as z from 'zod/mini';

/**
 * A schema with what the interface's document says of it: a sentence, or further keywords of JSON Schema. One that is
 * described already keeps its words for those who hold it, and a copy of it gets the new ones beside them.
 */
// @__NO_SIDE_EFFECTS__
export function described<S extends z.ZodMiniType>(schema: S, words: string | z.core.GlobalMeta): S {
  const own = z.globalRegistry.has(schema) ? schema.clone() : schema;
  z.globalRegistry.add(own, typeof words === 'string' ? { description: words } : words);
  return own;
}
