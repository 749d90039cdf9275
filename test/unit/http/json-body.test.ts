import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { LARGEST_BODY } from '#shared/domain/values/failure.ts';
import { parseBody } from '#shared/http/json-body.ts';
import { failureOf, refusalOf } from '#test/makers/bad-input.ts';
import type { CallOptions } from '#test/makers/call.ts';
import { makeCall } from '#test/makers/partner-call.ts';

const bodyOf = (options: CallOptions) => parseBody(makeCall(options).event);
const typed = (...types: string[]) => ({ body: { a: 1 }, headers: { 'content-type': types } });
/** Returns a JSON object of exactly this many bytes. */
const sized = (bytes: number) => `{"a":"${'x'.repeat(bytes - 8)}"}`;

it.each([
  'application/json',
  'Application/JSON',
  ' application/json ',
  'application/json; charset=utf-8',
  'application/json;charset=UTF-8',
  'application/json ; charset = "utf-8" ',
])('a body with the media type %j is read as JSON', (type) => expect(bodyOf(typed(type))).toEqual({ a: 1 }));

it.each([
  'text/plain',
  'application/x-www-form-urlencoded',
  'application/jsonp',
  'text/application/json',
  '',
  ...['latin1', 'utf-8; profile=x'].map((charset) => `application/json; charset=${charset}`),
  'application/json; profile=x',
  'application/problem+json',
])('a body with the media type %j is refused (415)', (type) => {
  expect(refusalOf(() => bodyOf(typed(type))).code).toBe('tipo_nao_suportado');
});

it('a body needs exactly one media type (415), and a call without a body needs none', () => {
  const twice = makeCall(typed('application/json', 'application/json')).event;
  for (const call of [twice, { ...makeCall({ body: {} }).event, multiValueHeaders: {} }])
    expect(refusalOf(() => parseBody(call)).code).toBe('tipo_nao_suportado');
  expect(bodyOf({})).toEqual({});
  expect(bodyOf({ body: '', headers: { 'content-type': 'text/plain' } })).toEqual({});
});

it('a body of more than 65,536 bytes is refused (413)', () => {
  expect(LARGEST_BODY).toBe(65_536);
  expect(refusalOf(() => bodyOf({ body: sized(LARGEST_BODY + 1) })).code).toBe('corpo_muito_grande');
});

it('the size of a body counts its bytes, not its characters or its base64', () => {
  // 40,000 characters of two bytes each; 65,536 bytes are 87,384 characters of base64.
  expect(refusalOf(() => bodyOf({ body: { a: 'é'.repeat(40_000) } })).code).toBe('corpo_muito_grande');
  const call = makeCall({ body: sized(LARGEST_BODY) }).event;
  expect(call.isBase64Encoded).toBe(true);
  expect(call.body?.length).toBe(87_384);
  expect(parseBody(call)).toHaveProperty('a');
});

describe('the Content-Encoding of a body', () => {
  const coded = (coding: string, body: Uint8Array | string) =>
    bodyOf({ body: Buffer.from(body), headers: { 'content-type': 'application/json', 'content-encoding': coding } });
  const text = '{"nome":"Conceição"}';

  it.each<[string, Uint8Array | string]>([
    ['gzip', gzipSync(text)],
    ['X-GZIP', gzipSync(text)],
    ['deflate', deflateSync(text)],
    ['deflate', deflateRawSync(text)],
    ['identity', text],
    ['identity, gzip', gzipSync(text)],
  ])('a body with the Content-Encoding %s is read (%#)', (coding, body) =>
    expect(coded(coding, body)).toEqual({ nome: 'Conceição' }),
  );

  it('a body is decompressed up to 65,536 bytes and refused beyond (413)', () => {
    expect(coded('gzip', gzipSync(sized(LARGEST_BODY)))).toHaveProperty('a');
    for (const bytes of [LARGEST_BODY + 1, 20_000_000])
      expect(refusalOf(() => coded('gzip', gzipSync(sized(bytes)))).code).toBe('corpo_muito_grande');
  });

  it.each([
    ['br', 'tipo_nao_suportado', 'gzip, em deflate'],
    ['constructor', 'tipo_nao_suportado', 'gzip, em deflate'],
    ['gzip, gzip', 'tipo_nao_suportado', 'gzip, em deflate'],
    ['gzip', 'json_invalido', 'retire o cabeçalho'],
  ])('a body of plain JSON with the Content-Encoding %s is refused with %s', (coding, code, told) => {
    expect(failureOf(() => coded(coding, text))).toMatchObject({ code, text: expect.stringContaining(told) });
  });
});

it('a body is read the same from text and from base64', () => {
  const { event } = makeCall({ body: 'x' });
  const call = { ...event, body: '{"nome":"Conceição"}', isBase64Encoded: false };
  expect(parseBody(call)).toEqual({ nome: 'Conceição' });
  expect(bodyOf({ body: { nome: 'Conceição' } })).toEqual({ nome: 'Conceição' });
});

it.each([
  ['invalid syntax', '{"a": 1,}', 'linha 1, coluna 9, sobra uma vírgula'],
  ['bytes that are not UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), 'não está em UTF-8'],
  ['a list', '[1]', 'não é um objeto'],
  ['null', 'null', 'não é um objeto'],
  ['a text', '"{}"', 'não é um objeto'],
  ['a number', '7', 'não é um objeto'],
])('a body of %s is refused with a sentence of its own', (_, body, told) => {
  const text = expect.stringContaining(told);
  expect(failureOf(() => bodyOf({ body }))).toMatchObject({ code: 'json_invalido', text });
});

it.each([
  ['at the top level', '{"nome":"Ana","nome":"Bia"}', 'nome'],
  ['in an object of a list', '{"a":[{"b":1},{"b":1,"b":2}]}', 'a.1.b'],
])('a name that is repeated %s is refused, and marked as chosen by the caller', (_, body, field) => {
  const fields = [{ field, reason: expect.stringContaining('mais de uma vez'), chosen: true }];
  expect(failureOf(() => bodyOf({ body }))).toMatchObject({ code: 'json_invalido', fields });
});

it('the refusal of a body that is not JSON repeats nothing of the body', () => {
  const failure = failureOf(() => bodyOf({ body: '{"cpf":"900.000.001-75"' }));
  expect(JSON.stringify([failure.text, failure.fields, failure.message, failure.cause])).not.toMatch(/900|cpf/);
});
