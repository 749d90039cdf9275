import { gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';
import {
  codingBroken,
  codingUnknown,
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
import { nearestName } from '../domain/values/nearest-name.ts';
import { jsonFaultOf, repeatedName } from './json-fault.ts';
import { type Call, headerValues } from './request.ts';

type JsonObject = Readonly<Record<string, unknown>>;

const JSON_TYPE = /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

/** The body as a JSON object: media type (415), size (413), Content-Encoding (415), JSON (400), in this order. None at all counts as an empty object. */
export function parseBody(call: Call): JsonObject {
  const sent = Buffer.from(call.body ?? '', call.isBase64Encoded ? 'base64' : 'utf8');
  if (sent.length === 0) return {};
  const types = headerValues(call, 'content-type');
  if (types.length !== 1 || !JSON_TYPE.test(types[0]!.trim())) throw new Failure('tipo_nao_suportado');
  if (sent.length > LARGEST_BODY) throw new Failure('corpo_muito_grande');
  return jsonObject(opened(call, sent));
}

/** A body without its Content-Encoding, opened no further than the largest that a body may be (413). */
function opened(call: Call, sent: Buffer): Buffer {
  const codings = headerValues(call, 'content-encoding')
    .flatMap((value) => value.toLowerCase().split(','))
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity');
  if (codings.length === 0) return sent;
  const open = codings.length === 1 && OPENERS.get(codings[0]!);
  if (!open) throw codingUnknown();
  try {
    return open(sent, { maxOutputLength: LARGEST_BODY });
  } catch (error) {
    throw (error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE'
      ? new Failure('corpo_muito_grande')
      : codingBroken();
  }
}

/** `deflate` is the zlib format (RFC 9110, 8.4.1.2); many senders leave out its two first bytes, of which this is one. */
const inflate: typeof inflateSync = (bytes, options) =>
  (((bytes as Buffer)[0] ?? 0) & 0x0f) === 8 ? inflateSync(bytes, options) : inflateRawSync(bytes, options);

const OPENERS: ReadonlyMap<string, typeof inflateSync> = new Map([
  ['gzip', gunzipSync],
  ['x-gzip', gunzipSync],
  ['deflate', inflate],
]);

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

/** A header that probably means Idempotency-Key where that itself is not sent, by its name. */
export function misnamedKey(call: Call): string | undefined {
  if (headerValues(call, 'idempotency-key').length > 0) return undefined;
  const means = (name: string) => /idem|key/i.test(name) && nearestName(name.replace(/^x-/i, ''), ['Idempotency-Key']);
  return Object.keys(call.multiValueHeaders ?? {}).find((name) => /^x-idempotency/i.test(name) || means(name));
}

/** The header Idempotency-Key: 1 to 255 printable ASCII characters, one surrounding pair of quotes stripped. */
export function parseIdempotencyKey(call: Call, rule: 'optional' | 'required'): string | undefined {
  const [value, ...others] = headerValues(call, 'idempotency-key');
  if (others.length > 0) throw keyRepeated();
  if (value === undefined) {
    if (rule === 'optional') return undefined;
    throw keyMissing(misnamedKey(call));
  }
  const key = /^"(.*)"$/.exec(value.trim())?.[1] ?? value.trim();
  if (!/^[\x20-\x7e]{1,255}$/.test(key)) throw keyMalformed();
  return key;
}
