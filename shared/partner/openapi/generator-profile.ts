// The interface's description in OpenAPI 3.0, in the forms that code generators understand: no webhooks, lists of types,
// conditions or alternatives, and one error body. It says the same about what is sent and answered, and less about what
// the service refuses.

import { isObject, type JsonObject as Json } from '#shared/contract/fields.ts';
import { refName } from './ref-name.ts';

/** A part of the document as an object; an empty object if the document has no such part. */
const objectIn = (part: unknown): Json => (isObject(part) ? part : {});

/** An object of the document with each of its values changed. */
function mapped(entries: unknown, change: (value: Json, name: string) => unknown): Json {
  const changed = Object.entries(objectIn(entries)).map(([name, value]) => [name, change(objectIn(value), name)]);
  return Object.fromEntries(changed);
}

/** What has no counterpart in 3.0, or means something else to a generator. */
const DROPPED: ReadonlySet<string> = new Set(['const', 'contentMediaType', 'enum', 'examples', 'if', 'not', 'then']);

/** The one type that 3.0 allows; null is told by `nullable`. A bank's number is accepted as text too. */
function typeOf(type: unknown): Json {
  const types = [type].flat();
  const [first] = types.includes('string') ? ['string'] : types;
  return types.includes('null') ? { type: first, nullable: true } : { type: first };
}

/**
 * The list of values. A boolean of one value stays a boolean, which would become a class; so does a list with null among
 * its values stay text: clients that check the list refuse null.
 */
function valuesOf({ type, enum: values, const: only }: Json): Json {
  if (only !== undefined) return type === 'boolean' ? {} : { enum: [only] };
  if (!Array.isArray(values)) return {};
  const named = values.filter((value) => value !== null);
  return { [named.length < values.length ? 'x-extensible-enum' : 'enum']: named };
}

/** A schema in 3.0. References lose what stands beside them, which 3.0 does not read. */
function schemaOf(schema: Json): Json {
  const { $ref, type, properties, items, exclusiveMinimum: above, exclusiveMaximum: below, examples, ...rest } = schema;
  if ($ref !== undefined) return { $ref };
  const profile: Record<string, unknown> = type === undefined ? {} : { ...typeOf(type) };
  for (const [keyword, value] of Object.entries(rest)) if (!DROPPED.has(keyword)) profile[keyword] = value;
  Object.assign(profile, valuesOf(schema));
  // Clients parse a date, and would then match the pattern against the parsed date.
  if (/^date/.test(String(schema['format']))) delete profile['pattern'];
  if (above !== undefined) Object.assign(profile, { minimum: above, exclusiveMinimum: true });
  if (below !== undefined) Object.assign(profile, { maximum: below, exclusiveMaximum: true });
  if (isObject(properties)) {
    profile['properties'] = mapped(properties, schemaOf);
    // Answers may gain fields: some generated clients refuse fields that are not named unless the schema allows them.
    profile['additionalProperties'] = true;
  }
  if (isObject(items)) profile['items'] = schemaOf(items);
  if (Array.isArray(examples)) profile['example'] = examples[0];
  return profile;
}

/** A field that alternatives share, with the words of each. */
const shared = (first: Json | undefined, second: Json): Json =>
  first && first['description'] !== second['description']
    ? { ...first, description: `${first['description']} ${second['description']}` }
    : second;

/** The names of the fields that an object must have. */
const requiredOf = ({ required }: Json): readonly unknown[] => (Array.isArray(required) ? required : []);

/**
 * Alternatives as one object, which requires what all of them require: what tells them apart here is a boolean, and
 * most generators can tell them apart by text alone.
 */
function merged({ oneOf: _, ...rest }: Json, alternatives: readonly Json[]): Json {
  const properties: Record<string, Json> = {};
  for (const alternative of alternatives) {
    for (const [name, field] of Object.entries(objectIn(alternative['properties'])))
      properties[name] = shared(properties[name], objectIn(field));
  }
  const [first = {}, ...others] = alternatives;
  const required = requiredOf(first).filter((name) => others.every((other) => requiredOf(other).includes(name)));
  return { ...rest, type: 'object', properties, required };
}

/** The document's schemas by name; those that are alternatives of another one are part of it. */
function schemasOf(schemas: Json): Json {
  const parts = new Set<string>();
  const whole = mapped(schemas, (schema) => {
    if (!Array.isArray(schema['oneOf'])) return schema;
    const names = schema['oneOf'].map(({ $ref }: { $ref: string }) => refName($ref));
    for (const name of names) parts.add(name);
    return merged(
      schema,
      names.map((name) => objectIn(schemas[name])),
    );
  });
  return mapped(Object.fromEntries(Object.entries(whole).filter(([name]) => !parts.has(name))), schemaOf);
}

/** A parameter, a header or a body: whatever has a schema. */
const withSchema = (part: Json): Json =>
  isObject(part['schema']) ? { ...part, schema: schemaOf(part['schema']) } : part;

const ERROR = { $ref: '#/components/schemas/Erro' };

/** A response. Errors have one body: a type for each status of each operation would bury it. */
function responseOf(response: Json, status: string): Json {
  if (response['$ref'] !== undefined) return response;
  const { headers, content, ...rest } = response;
  const isError = !/^[23]/.test(status);
  const body = (media: Json) => (isError ? { ...media, schema: ERROR } : withSchema(media));
  return {
    ...rest,
    headers: isObject(headers) ? mapped(headers, withSchema) : undefined,
    content: isObject(content) ? mapped(content, body) : undefined,
  };
}

function operationOf(operation: Json): Json {
  const { parameters, requestBody, responses, ...rest } = operation;
  return {
    ...rest,
    parameters: Array.isArray(parameters) ? parameters.map(withSchema) : undefined,
    requestBody: isObject(requestBody)
      ? { ...requestBody, content: mapped(requestBody['content'], withSchema) }
      : undefined,
    responses: mapped(responses, responseOf),
  };
}

const inAscii = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '');

/**
 * The profile for generators of an OpenAPI 3.1 document: OpenAPI 3.0, whose title is in ASCII, since packages are named
 * after it. Leaves the document that it is given unchanged.
 */
export function generatorProfile(document: object): object {
  const { info, servers, tags, paths, components }: Json = JSON.parse(JSON.stringify(document));
  const { summary: _, title, license, ...about } = objectIn(info);
  const { schemas, responses, headers, ...others } = objectIn(components);
  return {
    openapi: '3.0.3',
    info: { title: inAscii(String(title)), ...about, license: { name: objectIn(license)['name'] } },
    servers,
    tags,
    paths: mapped(paths, (item) => mapped(item, operationOf)),
    components: {
      schemas: schemasOf(objectIn(schemas)),
      responses: mapped(responses, (response) => responseOf(response, 'default')),
      headers: mapped(headers, withSchema),
      ...others,
    },
  };
}
