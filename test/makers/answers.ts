import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { FAILURES } from '#shared/contract/failures.ts';
import type { FailureCode } from '#shared/domain/values/failure.ts';
import document from '#shared/partner/openapi/openapi.json' with { type: 'json' };

type Json = Record<string, unknown>;
type HeadersSeen = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * The document that partners get. The generated file is used, so a fault in a rule fails the test of the generator and
 * not every test that reads an answer.
 */
const DOCUMENT: Json = document;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Returns a copy of a schema that accepts no field which it does not name. The document leaves bodies open so that
 * partners accept new fields, but the service must not send any. `part`: whether the node is a part of an `allOf`,
 * `anyOf` or `oneOf`, which names only some of the fields.
 */
function closed(node: unknown, isPart = false): unknown {
  if (Array.isArray(node)) return node.map((item) => closed(item, isPart));
  if (!isObject(node)) return node;
  const copy = Object.fromEntries(
    Object.entries(node).map(([key, value]) => [key, closed(value, ['allOf', 'anyOf', 'oneOf'].includes(key))]),
  );
  const namesFields = isObject(node['properties']) && [node['type']].flat().includes('object');
  return namesFields && !isPart ? { ...copy, unevaluatedProperties: false } : copy;
}

const ajv = new Ajv2020({ strict: false, allErrors: true, coerceTypes: false });
(addFormats as unknown as (instance: Ajv2020) => void)(ajv);
ajv.addSchema(closed(DOCUMENT) as Json, 'contract');

const compiled = new Map<string, ValidateFunction>();

function validatorAt(pointer: readonly string[]): ValidateFunction {
  const path = pointer.map((step) => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/');
  const existing = compiled.get(path);
  if (existing) return existing;
  const validate = ajv.compile({ $ref: `contract#/${path}` });
  compiled.set(path, validate);
  return validate;
}

function faults(errors: readonly ErrorObject[] | null | undefined): string {
  return (errors ?? [])
    .map(({ instancePath, message, params }) => `${instancePath || '/'} ${message} ${JSON.stringify(params)}`)
    .join('; ');
}

/** Returns the value at a path of the document with references followed, and the path at which the value really is. */
function lookUp(pointer: readonly string[]): { node: unknown; path: readonly string[] } {
  let node: unknown = DOCUMENT;
  let path: string[] = [];
  for (const step of pointer) {
    node = isObject(node) ? node[step] : undefined;
    path = [...path, step];
    const ref: unknown = isObject(node) ? node['$ref'] : undefined;
    if (typeof ref === 'string') {
      path = ref.slice(2).split('/');
      node = lookUp(path).node;
    }
  }
  return { node, path };
}

function headerOf(headers: HeadersSeen, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const key = Object.keys(headers).find((candidate) => candidate.toLowerCase() === name.toLowerCase());
  const value = key === undefined ? undefined : headers[key];
  return typeof value === 'object' ? value.join(', ') : value;
}

/** Returns the text of a header as the type that its schema expects. */
function headerValue(text: string, schema: unknown): unknown {
  return isObject(schema) && schema['type'] === 'integer' && /^-?\d+$/.test(text) ? Number(text) : text;
}

function checkHeaders(
  seen: HeadersSeen,
  documented: Json,
  path: readonly string[],
  fail: (why: string) => never,
): void {
  for (const name of Object.keys(documented)) {
    const { node, path: headerPath } = lookUp([...path, name]);
    const header = node as Json;
    const text = headerOf(seen, name);
    if (text === undefined) {
      if (header['required'] === true) fail(`lacks the header ${name}`);
      continue;
    }
    const validate = validatorAt([...headerPath, 'schema']);
    if (!validate(headerValue(text, header['schema']))) fail(`has a wrong header ${name}: ${faults(validate.errors)}`);
  }
}

function checkBody(
  headers: HeadersSeen,
  body: unknown,
  response: Json,
  path: readonly string[],
  fail: (why: string) => never,
) {
  const content = response['content'] as Json | undefined;
  const empty = body === undefined || body === null || body === '';
  if (!content) {
    if (!empty) fail('has a body, and the document names none');
    return undefined;
  }
  if (empty) fail('has no body');
  const mediaType = headerOf(headers, 'content-type')?.split(';')[0]?.trim().toLowerCase() ?? '(none)';
  if (!Object.hasOwn(content, mediaType)) fail(`has the media type ${mediaType}, not ${Object.keys(content)}`);
  if (mediaType !== 'application/json') return undefined;
  const value: unknown = typeof body === 'string' ? JSON.parse(body) : body;
  const validate = validatorAt([...path, 'content', mediaType, 'schema']);
  if (!validate(value)) fail(`has a body that breaks its schema: ${faults(validate.errors)}`);
  return value;
}

/** Checks rules for an error's body that its schema does not express. */
function checkError(status: number, headers: HeadersSeen, body: unknown, fail: (why: string) => never): void {
  const { codigo, request_id } = body as { codigo: FailureCode; request_id: string };
  if (FAILURES[codigo].status !== status) fail(`names ${codigo}, whose status is ${FAILURES[codigo].status}`);
  if (request_id !== headerOf(headers, 'x-request-id')) fail('has a request_id that is not its X-Request-Id');
}

/**
 * Checks an observed answer against the OpenAPI document. Throws an Error for the first rule that is broken. The
 * message names the call and every fault of the header or body.
 *
 * - The document has this status for the operation.
 * - The headers that the document requires are there.
 * - Every header and the body match their schemas. The body has no field that the document does not name. An error's
 *   `codigo` is one that the document has for the operation.
 *
 * `path` is the template (`/v1/leads/{id}`). A method or path that is no operation must answer 404 or 405 as
 * documented. `body` is the text as received, or the parsed JSON.
 */
export function matchesContract(
  method: string,
  path: string,
  status: number,
  headers: HeadersSeen,
  body?: unknown,
): void {
  const fail = (why: string): never => {
    throw new Error(`${method} ${path} -> ${status}: the answer ${why}`);
  };
  const operation = ['paths', path, method.toLowerCase()];
  const isOperation = lookUp(operation).node !== undefined;
  const pointer = isOperation ? [...operation, 'responses', String(status)] : ['components', 'responses', 'Endereco'];
  const { node, path: responsePath } = lookUp(pointer);
  if (!isObject(node)) fail('has a status that is not documented');
  const response = node as Json;
  checkHeaders(headers, (response['headers'] ?? {}) as Json, [...responsePath, 'headers'], fail);
  const value = checkBody(headers, body, response, responsePath, fail);
  if (status >= 400) checkError(status, headers, value, fail);
  if (status === 405 && headerOf(headers, 'allow') === undefined) fail('lacks the header Allow');
}

/**
 * Checks the headers and the body of a webhook as it arrived, by its `type`. Throws an Error for the first rule that is
 * broken.
 */
export function eventMatchesContract(headers: HeadersSeen, body: string): void {
  const value = JSON.parse(body) as { id?: unknown; type?: unknown };
  const fail = (why: string): never => {
    throw new Error(`webhook ${String(value.type)}: it ${why}`);
  };
  const operation = ['webhooks', String(value.type), 'post'];
  const { node } = lookUp(operation);
  if (!isObject(node)) fail('has a type that is not documented');
  const { parameters } = node as { parameters: { name: string; required?: boolean; schema: Json }[] };
  parameters.forEach(({ name, required, schema }, index) => {
    const text = headerOf(headers, name);
    if (text === undefined) {
      if (required) fail(`lacks the header ${name}`);
      return;
    }
    const validate = validatorAt([...operation, 'parameters', String(index), 'schema']);
    if (!validate(headerValue(text, schema))) fail(`has a wrong header ${name}: ${faults(validate.errors)}`);
  });
  const validate = validatorAt([...operation, 'requestBody', 'content', 'application/json', 'schema']);
  if (!validate(value)) fail(`has a body that breaks its schema: ${faults(validate.errors)}`);
  if (headerOf(headers, 'webhook-id') !== value.id) fail('has a webhook-id that is not its id');
  if (headerOf(headers, 'x-service-event') !== value.type) fail('has an X-Service-Event that is not its type');
}
