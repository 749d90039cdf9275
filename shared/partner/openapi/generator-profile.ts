// Describes the service in OpenAPI 3.0 without webhooks, lists of types, conditions or alternatives, and with one error
// body. This document says less about what the service refuses.

import { isObject, type JsonObject as Json } from '#shared/contract/fields.ts';
import { refName } from './ref-name.ts';

const objectIn = (part: unknown): Json => (isObject(part) ? part : {});

function mapped(entries: unknown, change: (value: Json, name: string) => unknown): Json {
  const changed = Object.entries(objectIn(entries)).map(([name, value]) => [name, change(objectIn(value), name)]);
  return Object.fromEntries(changed);
}

/** Keywords that 3.0 does not have, or that generators misread. */
const DROPPED: ReadonlySet<string> = new Set(['const', 'contentMediaType', 'enum', 'examples', 'if', 'not', 'then']);

/** `nullable` says that null is allowed too. A bank may be a number or text, so its type becomes text. */
function typeOf(type: unknown): Json {
  const types = [type].flat();
  const [first] = types.includes('string') ? ['string'] : types;
  return types.includes('null') ? { type: first, nullable: true } : { type: first };
}

/**
 * A boolean with one value has no list, because generators would make a class of it. With null the list is only
 * informative (`x-extensible-enum`): clients that check a list refuse null.
 */
function valuesOf({ type, enum: values, const: only }: Json): Json {
  if (only !== undefined) return type === 'boolean' ? {} : { enum: [only] };
  if (!Array.isArray(values)) return {};
  const named = values.filter((value) => value !== null);
  return { [named.length < values.length ? 'x-extensible-enum' : 'enum']: named };
}

/** Ruby reads `\x80` and above as a byte that is no UTF-8, and does not parse a client with it. */
const isPortable = (pattern: unknown) => !/\\x[89a-f]/i.test(String(pattern));

/** A reference loses its other keywords, which 3.0 does not read. */
function schemaOf(schema: Json): Json {
  const { $ref, type, properties, items, exclusiveMinimum: above, exclusiveMaximum: below, examples, ...rest } = schema;
  if ($ref !== undefined) return { $ref };
  const profile: Record<string, unknown> = type === undefined ? {} : { ...typeOf(type) };
  for (const [keyword, value] of Object.entries(rest)) if (!DROPPED.has(keyword)) profile[keyword] = value;
  Object.assign(profile, valuesOf(schema));
  // Clients parse the text into a date, and would then match the pattern against that date.
  if (/^date/.test(String(schema['format'])) || !isPortable(schema['pattern'])) delete profile['pattern'];
  if (above !== undefined) Object.assign(profile, { minimum: above, exclusiveMinimum: true });
  if (below !== undefined) Object.assign(profile, { maximum: below, exclusiveMaximum: true });
  if (isObject(properties)) {
    profile['properties'] = mapped(properties, schemaOf);
    // Some generated clients refuse fields without a name in the schema, and answers may gain fields.
    profile['additionalProperties'] = true;
  }
  if (isObject(items)) profile['items'] = schemaOf(items);
  if (Array.isArray(examples)) profile['example'] = examples[0];
  return profile;
}

const shared = (first: Json | undefined, second: Json): Json =>
  first && first['description'] !== second['description']
    ? { ...first, description: `${first['description']} ${second['description']}` }
    : second;

const requiredOf = ({ required }: Json): readonly unknown[] => (Array.isArray(required) ? required : []);

/**
 * Requires only the fields that all alternatives require. The alternatives differ by a boolean, and most generators
 * tell alternatives apart only by a text.
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

function schemasOf(schemas: Json): Json {
  const parts = new Set<string>();
  const combined = mapped(schemas, (schema) => {
    if (!Array.isArray(schema['oneOf'])) return schema;
    const names = schema['oneOf'].map(({ $ref }: { $ref: string }) => refName($ref));
    for (const name of names) parts.add(name);
    return merged(
      schema,
      names.map((name) => objectIn(schemas[name])),
    );
  });
  return mapped(Object.fromEntries(Object.entries(combined).filter(([name]) => !parts.has(name))), schemaOf);
}

const withSchema = (part: Json): Json =>
  isObject(part['schema']) ? { ...part, schema: schemaOf(part['schema']) } : part;

/**
 * A header is optional everywhere: ogen makes one type for each name, and does not compile if a header is required in
 * one answer only.
 */
function headerOf({ required: _, ...header }: Json): Json {
  return withSchema(header);
}

/** Returns a reference, so that a header is the same wherever its name occurs. */
const headerByName = (_: Json, name: string): Json => ({ $ref: `#/components/headers/${name}` });

const ERROR = { $ref: '#/components/schemas/Erro' };

/** All errors have one body. Otherwise generators would make a type for each status of each operation. */
function responseOf(response: Json, status: string): Json {
  if (response['$ref'] !== undefined) return response;
  const { headers, content, ...rest } = response;
  const isError = !/^[23]/.test(status);
  const body = (media: Json) => (isError ? { ...media, schema: ERROR } : withSchema(media));
  return {
    ...rest,
    headers: isObject(headers) ? mapped(headers, headerByName) : undefined,
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

/** The title is in ASCII, since packages are named after it. The given document stays unchanged. */
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
      headers: mapped(headers, headerOf),
      ...others,
    },
  };
}
