import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LARGEST_BODY } from '#shared/domain/values/failure.ts';
import * as parsing from '#shared/http/parse.ts';
import { failureOf, lacking, refusalOf, wrong } from '#test/makers/bad-input.ts';
import type { CallOptions } from '#test/makers/call.ts';
import { makeCall } from '#test/makers/partner-call.ts';

const bodyOf = (options: CallOptions) => parsing.parseBody(makeCall(options));
const typed = (...types: string[]) => ({ body: { a: 1 }, headers: { 'content-type': types } });
/** A JSON object of exactly so many bytes. */
const sized = (bytes: number) => `{"a":"${'x'.repeat(bytes - 8)}"}`;

it.each([
  ...['application/json', 'Application/JSON', ' application/json ', 'application/json; charset=utf-8'],
  ...['application/json;charset=UTF-8', 'application/json ; charset = "utf-8" '],
])('the media type of a body: is JSON in UTF-8: %j', (type) => expect(bodyOf(typed(type))).toEqual({ a: 1 }));

it.each([
  ...['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', 'text/application/json', ''],
  ...['latin1', 'utf-8; profile=x'].map((charset) => `application/json; charset=${charset}`),
  ...['application/json; profile=x', 'application/problem+json'],
])('the media type of a body: is nothing else (415): %j', (type) => {
  expect(refusalOf(() => bodyOf(typed(type))).code).toBe('tipo_nao_suportado');
});

it('the media type of a body: comes once (415), and not at all without a body', () => {
  const twice = makeCall(typed('application/json', 'application/json'));
  for (const call of [twice, { ...makeCall({ body: {} }), multiValueHeaders: {} }])
    expect(refusalOf(() => parsing.parseBody(call)).code).toBe('tipo_nao_suportado');
  expect(bodyOf({})).toEqual({});
  expect(bodyOf({ body: '', headers: { 'content-type': 'text/plain' } })).toEqual({});
});

it('the size of a body is at most 65,536 bytes (413)', () => {
  expect(LARGEST_BODY).toBe(65_536);
  expect(refusalOf(() => bodyOf({ body: sized(LARGEST_BODY + 1) })).code).toBe('corpo_muito_grande');
});

it('the size of a body is that of its bytes, not of its characters nor of its base64', () => {
  // 40,000 characters of two bytes each; 65,536 bytes are 87,384 characters of base64.
  expect(refusalOf(() => bodyOf({ body: { a: 'é'.repeat(40_000) } })).code).toBe('corpo_muito_grande');
  const call = makeCall({ body: sized(LARGEST_BODY) });
  expect([call.isBase64Encoded, call.body?.length]).toEqual([true, 87_384]);
  expect(parsing.parseBody(call)).toHaveProperty('a');
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
  ])('is opened: %s (%#)', (coding, body) => expect(coded(coding, body)).toEqual({ nome: 'Conceição' }));

  it('opens a body up to the largest, and no further (413)', () => {
    expect(coded('gzip', gzipSync(sized(LARGEST_BODY)))).toHaveProperty('a');
    for (const bytes of [LARGEST_BODY + 1, 20_000_000])
      expect(refusalOf(() => coded('gzip', gzipSync(sized(bytes)))).code).toBe('corpo_muito_grande');
  });

  it.each([
    ['br', 'tipo_nao_suportado', 'gzip, em deflate'],
    ['constructor', 'tipo_nao_suportado', 'gzip, em deflate'],
    ['gzip, gzip', 'tipo_nao_suportado', 'gzip, em deflate'],
    ['gzip', 'json_invalido', 'retire o cabeçalho'],
  ])('is refused as %s over plain JSON: %s', (coding, code, told) => {
    expect(failureOf(() => coded(coding, text))).toMatchObject({ code, text: expect.stringContaining(told) });
  });
});

it('the JSON of a body: is read from text as from base64', () => {
  const call = { ...makeCall({ body: 'x' }), body: '{"nome":"Conceição"}', isBase64Encoded: false };
  expect(parsing.parseBody(call)).toEqual({ nome: 'Conceição' });
  expect(bodyOf({ body: { nome: 'Conceição' } })).toEqual({ nome: 'Conceição' });
});

it.each([
  ['a syntax that is none', '{"a": 1,}', 'linha 1, coluna 9, sobra uma vírgula'],
  ['bytes that are no UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), 'não está em UTF-8'],
  ['a list', '[1]', 'não é um objeto'],
  ['null', 'null', 'não é um objeto'],
  ['a text', '"{}"', 'não é um objeto'],
  ['a number', '7', 'não é um objeto'],
])('the JSON of a body: is refused for %s, in a sentence of its own', (_, body, told) => {
  const text = expect.stringContaining(told);
  expect(failureOf(() => bodyOf({ body }))).toMatchObject({ code: 'json_invalido', text });
});

it.each([
  ['at the top', '{"nome":"Ana","nome":"Bia"}', 'nome'],
  ['in a list inside', '{"a":[{"b":1},{"b":1,"b":2}]}', 'a.1.b'],
])(
  'the JSON of a body: has no name twice %s; the answer names it, and marks it as the caller’s own',
  (_, body, field) => {
    const fields = [{ field, reason: expect.stringContaining('mais de uma vez'), chosen: true }];
    expect(failureOf(() => bodyOf({ body }))).toMatchObject({ code: 'json_invalido', fields });
  },
);

it('the JSON of a body: tells nothing of what was sent', () => {
  const failure = failureOf(() => bodyOf({ body: '{"cpf":"900.000.001-75"' }));
  expect(JSON.stringify([failure.text, failure.fields, failure.message, failure.cause])).not.toMatch(/900|cpf/);
});

const OTHER_IDS = ['0', '-1', '1.5', 'abc', '1a', 'a1', '1e3', '٣', '9007199254740992', '9'.repeat(20), '01', ' 1', ''];
it.each([...OTHER_IDS, undefined])('the id in a path is nothing else (400): %j', (id) => {
  expect(parsing.pathIdIn(makeCall({ id }))).toBeUndefined();
  expect(refusalOf(() => parsing.parsePathId(makeCall({ id })))).toEqual(wrong('id'));
});

const GOOD = `evt_${'a2'.repeat(16)}`;

const OTHER_EVENTS = [GOOD.slice(0, -1), `${GOOD}a`, `x${GOOD}`, GOOD.toUpperCase(), GOOD.replace('a', '1')];
it.each([...OTHER_EVENTS, '7', undefined])('the id of an event in a path is nothing else (400): %j', (id) => {
  expect(refusalOf(() => parsing.parsePathEvent(makeCall({ id })))).toEqual(wrong('id'));
});

it('query parameters without a value are empty', () => {
  const values = { a: undefined, b: [] } as unknown as Record<string, string[]>;
  expect(parsing.parseQuery({ ...makeCall(), multiValueQueryStringParameters: values })).toEqual({ a: '', b: '' });
});

describe('the Idempotency-Key', () => {
  const keyOf = (rule: 'optional' | 'required', ...values: string[]) =>
    parsing.parseIdempotencyKey(makeCall(values.length > 0 ? { headers: { 'Idempotency-Key': values } } : {}), rule);

  it('is 1 to 255 printable ASCII characters', () => {
    const character = fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code));
    const keys = fc.string({ unit: character, minLength: 1, maxLength: 255 }).filter((text) => !/^".*"$/.test(text));
    fc.assert(
      fc.property(keys, (text) => void expect(keyOf('required', text)).toBe(text)),
      { examples: [['x'.repeat(255)], ['a b']] },
    );
  });

  it.each([
    ['"a"', 'a'],
    ['  "a"  ', 'a'],
    ['  a  ', 'a'],
    ['""a""', '"a"'],
    ...['"a', 'a"', 'x"a"', '"a"x'].map((text) => [text, text]),
    [`"${'x'.repeat(255)}"`, 'x'.repeat(255)],
  ])('loses one surrounding pair of quotation marks: %s', (sent, key) => expect(keyOf('required', sent)).toBe(key));

  const BAD = ['', '  ', '""', 'x'.repeat(256), 'chavé', 'a\tb', 'a\u007fb', 'a\u0000', '\u{1f511}'];
  it.each(BAD)('is nothing else (400): %j', (value) => {
    expect(refusalOf(() => keyOf('optional', value))).toEqual(wrong('Idempotency-Key'));
    expect(failureOf(() => keyOf('required', value)).fields?.[0]?.reason).toContain('de 1 a 255');
  });

  it('comes once (400)', () => {
    const fields = [{ field: 'Idempotency-Key', reason: expect.stringContaining('repetido') }];
    expect(failureOf(() => keyOf('optional', 'a', 'a'))).toMatchObject({ code: 'campo_invalido', fields });
  });

  it('may be left out where it is optional, and not where it is required (400)', () => {
    expect(keyOf('optional')).toBeUndefined();
    expect(refusalOf(() => keyOf('required'))).toEqual(lacking('Idempotency-Key'));
    for (const name of ['X-Idempotency-Key', 'X-Idempotency', 'idempotency_key', 'Idempotency-Kay']) {
      const misnamed = makeCall({ headers: { 'X-API-Key': 'b', [name]: 'a' } });
      const reason = expect.stringContaining(`(veio ${name}: quis dizer Idempotency-Key?)`);
      expect(failureOf(() => parsing.parseIdempotencyKey(misnamed, 'required')).fields).toMatchObject([{ reason }]);
    }
  });
});
