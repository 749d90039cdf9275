// Each field of a schema shows its value in the example bodies, so that no second list could contradict them.

import { isObject, type JsonObject } from '#shared/contract/fields.ts';
import { refName } from './ref-name.ts';

type Schema = Record<string, unknown>;

function* objectsIn(node: unknown): Generator<JsonObject> {
  if (isObject(node)) yield node;
  if (typeof node === 'object' && node !== null) for (const part of Object.values(node)) yield* objectsIn(part);
}

const objectsOf = (parts: unknown): readonly Schema[] => Object.values(parts ?? {}).filter(isObject);

function fieldsOf({ properties }: Schema): readonly (readonly [name: string, field: Schema])[] {
  return Object.entries(properties ?? {}).flatMap(([name, field]) => (isObject(field) ? [[name, field]] : []));
}

const itemsOf = ({ items }: Schema): Schema => (isObject(items) ? items : {});

/** Whether a field with a description has no example. A field with a named schema is an object. */
function lacksExample(field: Schema): boolean {
  const items = itemsOf(field);
  return (
    field['description'] !== undefined &&
    field['const'] === undefined &&
    !field['examples'] &&
    field['type'] !== 'object' &&
    field['$ref'] === undefined &&
    items['type'] !== 'object' &&
    items['$ref'] === undefined
  );
}

/**
 * Changes the document: each field gets its first value in an example body, else the value of a field with its name in
 * any body.
 */
export function addFieldExamples(document: { readonly components?: { readonly schemas?: object } }): void {
  const named = new Map(Object.entries(document.components?.schemas ?? {}));
  const byName = new Map<string, unknown>();

  function show(schema: Schema, value: unknown): void {
    if (!isObject(value)) return;
    const target = named.get(refName(String(schema['$ref'] ?? '')));
    const shown: Schema = isObject(target) ? target : schema;
    for (const keyword of ['allOf', 'anyOf', 'oneOf']) {
      for (const part of objectsOf(shown[keyword])) show(part, value);
    }
    for (const [name, field] of fieldsOf(shown)) {
      const found = value[name] ?? undefined;
      if (found === undefined) continue;
      if (Array.isArray(found) && found.some(isObject)) {
        for (const item of found) show(itemsOf(field), item);
      } else if (isObject(found)) show(field, found);
      else {
        if (!byName.has(name)) byName.set(name, found);
        if (lacksExample(field)) field['examples'] = [found];
      }
    }
  }

  for (const { schema, examples } of objectsIn(document)) {
    if (!isObject(schema)) continue;
    for (const example of objectsOf(examples)) show(schema, example['value']);
  }
  for (const schema of objectsIn(Object.fromEntries(named))) {
    for (const [name, field] of fieldsOf(schema)) {
      if (lacksExample(field) && byName.has(name)) field['examples'] = [byName.get(name)];
    }
  }
}
