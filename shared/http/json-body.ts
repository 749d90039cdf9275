import { gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { isObject, type JsonObject } from '../contract/fields.ts';
import {
  codingBroken,
  codingUnknown,
  jsonMalformed,
  nameRepeated,
  notAnObject,
  notUtf8,
} from '../contract/request-failures.ts';
import { Failure, LARGEST_BODY } from '../domain/values/failure.ts';
import { repeatedName } from '../domain/values/repeated-name.ts';
import { jsonFaultOf } from './json-fault.ts';
import { headerValues } from './request.ts';

const JSON_TYPE = /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

/**
 * An empty body counts as an empty object. Throws in this order: media type (415), size (413), Content-Encoding (415),
 * JSON (400).
 */
export function parseBody(event: APIGatewayProxyEvent): JsonObject {
  const sent = Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8');
  if (sent.length === 0) return {};
  const [type, ...otherTypes] = headerValues(event, 'content-type');
  if (type === undefined || otherTypes.length > 0 || !JSON_TYPE.test(type.trim()))
    throw new Failure('tipo_nao_suportado');
  if (sent.length > LARGEST_BODY) throw new Failure('corpo_muito_grande');
  return parseObject(decompress(event, sent));
}

/** Throws 413 once the result gets larger than a body may be, 415 and 400. */
function decompress(event: APIGatewayProxyEvent, sent: Buffer): Buffer {
  const [coding, ...otherCodings] = headerValues(event, 'content-encoding')
    .flatMap((value) => value.toLowerCase().split(','))
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity');
  if (coding === undefined) return sent;
  const open = otherCodings.length === 0 ? OPENERS.get(coding) : undefined;
  if (!open) throw codingUnknown();
  try {
    return open(sent, { maxOutputLength: LARGEST_BODY });
  } catch (error) {
    const isTooLarge = error instanceof RangeError && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
    throw isTooLarge ? new Failure('corpo_muito_grande') : codingBroken();
  }
}

type Opener = (bytes: Buffer, limit: { readonly maxOutputLength: number }) => Buffer;

/** `deflate` means the zlib format (RFC 9110, 8.4.1.2). Many senders leave out its two header bytes. */
const inflate: Opener = (bytes, limit) =>
  ((bytes[0] ?? 0) & 0x0f) === 8 ? inflateSync(bytes, limit) : inflateRawSync(bytes, limit);

const OPENERS: ReadonlyMap<string, Opener> = new Map<string, Opener>([
  ['gzip', gunzipSync],
  ['x-gzip', gunzipSync],
  ['deflate', inflate],
]);

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw notUtf8();
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's message quotes the body, which holds personal data, so it is dropped here.
    const fault = jsonFaultOf(text);
    throw fault ? jsonMalformed(fault) : new Failure('json_invalido');
  }
}

function parseObject(bytes: Uint8Array): JsonObject {
  const text = decodeUtf8(bytes);
  const value = parseJson(text);
  if (!isObject(value)) throw notAnObject();
  const repeated = repeatedName(text);
  if (repeated !== undefined) throw nameRepeated(repeated);
  return value;
}
