// Each field of a schema is shown with its value in the example bodies: there is no second list of values that could
// contradict them.

import { isObject } from '#shared/contract/fields.ts';

interface Schema {
  readonly $ref?: string;
  readonly type?: unknown;
  readonly description?: string;
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  examples?: readonly unknown[];
}
interface Body {
  readonly schema: Schema;
  readonly value: unknown;
}

/** Every object in a part of the document, outermost first. */
function* objectsIn(node: unknown): Generator<Readonly<Record<string, unknown>>> {
  if (isObject(node)) yield node;
  if (typeof node === 'object' && node !== null) for (const part of Object.values(node)) yield* objectsIn(part);
}

function* bodiesIn(document: object): Generator<Body> {
  for (const { schema, examples } of objectsIn(document)) {
    if (!isObject(schema) || !isObject(examples)) continue;
    for (const example of Object.values(examples)) yield { schema, value: (example as Body).value };
  }
}

/** Whether a field holds one value, is told to partners, and has no value yet. What has a schema of its own is an object. */
const lacksExample = ({ $ref, description, const: fixed, examples, type, items }: Schema) =>
  description !== undefined &&
  fixed === undefined &&
  !examples &&
  type !== 'object' &&
  $ref === undefined &&
  items?.type !== 'object' &&
  items?.$ref === undefined;

/**
 * Adds to each described field of a document's schemas the first value that an example body has there; where none has
 * one, the first value of a field of that name in any body. Changes the document.
 */
export function addFieldExamples(document: { readonly components?: { readonly schemas?: object } }): void {
  const components = (document.components?.schemas ?? {}) as Readonly<Record<string, Schema>>;
  const byName = new Map<string, unknown>();

  function show({ schema, value }: Body): void {
    const {
      properties = {},
      allOf = [],
      anyOf = [],
      oneOf = [],
    } = components[schema.$ref?.split('/').at(-1) ?? ''] ?? schema;
    if (!isObject(value)) return;
    for (const part of [...allOf, ...anyOf, ...oneOf]) show({ schema: part, value });
    for (const [name, field] of Object.entries(properties)) {
      const found = value[name] ?? undefined;
      if (found === undefined) continue;
      if (Array.isArray(found) && found.some(isObject)) {
        for (const item of found) show({ schema: field.items ?? {}, value: item });
      } else if (isObject(found)) show({ schema: field, value: found });
      else {
        if (!byName.has(name)) byName.set(name, found);
        if (lacksExample(field)) field.examples = [found];
      }
    }
  }

  for (const body of bodiesIn(document)) show(body);
  for (const { properties } of objectsIn(components)) {
    for (const [name, field] of Object.entries((properties ?? {}) as Readonly<Record<string, Schema>>)) {
      if (lacksExample(field) && byName.has(name)) field.examples = [byName.get(name)];
    }
  }
}
