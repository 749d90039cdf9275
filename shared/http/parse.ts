import {
  eventIdMalformed,
  jsonMalformed,
  keyMalformed,
  keyMissing,
  keyRepeated,
  nameRepeated,
  notAnObject,
  notUtf8,
  parametersRepeated,
  pathIdMalformed,
} from '../contract/request-failures.ts';
import { Failure, LARGEST_BODY } from '../domain/values/failure.ts';
import type { EventId } from '../domain/values/ids.ts';
import { jsonFaultOf, repeatedName } from './json-fault.ts';
import { type Call, headerValues } from './request.ts';

type JsonObject = Readonly<Record<string, unknown>>;

const JSON_TYPE = /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

/** The body as a JSON object: media type (415), size (413), JSON (400), in this order. None at all counts as an empty object. */
export function parseBody(call: Call): JsonObject {
  const bytes = Buffer.from(call.body ?? '', call.isBase64Encoded ? 'base64' : 'utf8');
  if (bytes.length === 0) return {};
  const types = headerValues(call, 'content-type');
  if (types.length !== 1 || !JSON_TYPE.test(types[0]!.trim())) throw new Failure('tipo_nao_suportado');
  if (bytes.length > LARGEST_BODY) throw new Failure('corpo_muito_grande');
  return jsonObject(bytes);
}

function utf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw notUtf8();
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's message quotes the body, which holds personal data: it goes no further.
    const fault = jsonFaultOf(text);
    throw fault ? jsonMalformed(fault) : new Failure('json_invalido');
  }
}

function jsonObject(bytes: Uint8Array): JsonObject {
  const text = utf8(bytes);
  const value = parsed(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw notAnObject();
  const repeated = repeatedName(text);
  if (repeated !== undefined) throw nameRepeated(repeated);
  return value as JsonObject;
}

/** The id in the path: a positive safe integer; undefined for anything else. */
export function pathIdIn(call: Call): number | undefined {
  const text = call.pathParameters?.['id'] ?? '';
  const id = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(id) ? id : undefined;
}

/** The id in the path, else 400. */
export function parsePathId(call: Call): number {
  const id = pathIdIn(call);
  if (id === undefined) throw pathIdMalformed();
  return id;
}

/** The id of an event in the path, else 400. */
export function parsePathEvent(call: Call): EventId {
  const id = call.pathParameters?.['id'] ?? '';
  if (!/^evt_[a-z2-7]{32}$/.test(id)) throw eventIdMalformed();
  return id as EventId;
}

/** The query parameters, each at most once. */
export function parseQuery(call: Call): Readonly<Record<string, string>> {
  const given = Object.entries(call.multiValueQueryStringParameters ?? {});
  const repeated = given.filter(([, values]) => (values?.length ?? 0) > 1);
  if (repeated.length > 0) throw parametersRepeated(repeated.map(([name]) => name));
  return Object.fromEntries(given.map(([name, values]) => [name, values?.[0] ?? '']));
}

/** The header Idempotency-Key: 1 to 255 printable ASCII characters, one surrounding pair of quotes stripped. */
export function parseIdempotencyKey(call: Call, rule: 'optional' | 'required'): string | undefined {
  const [value, ...others] = headerValues(call, 'idempotency-key');
  if (others.length > 0) throw keyRepeated();
  if (value === undefined) {
    if (rule === 'optional') return undefined;
    throw keyMissing();
  }
  const key = /^"(.*)"$/.exec(value.trim())?.[1] ?? value.trim();
  if (!/^[\x20-\x7e]{1,255}$/.test(key)) throw keyMalformed();
  return key;
}
