import fc from 'fast-check';
import { expect, it } from 'vitest';
import { idempotencyKey } from '#shared/http/partner/idempotency-key.ts';
import { failureOf, missingFields, refusalOf, wrongFields } from '#test/makers/bad-input.ts';
import type { CallOptions } from '#test/makers/call.ts';
import { makeCall } from '#test/makers/partner-call.ts';

type Rule = 'none' | 'optional' | 'required';

/** Returns what the check finds in a call with these headers. */
const found = (idempotency: Rule, headers: NonNullable<CallOptions['headers']> = {}) =>
  idempotencyKey({ idempotency }).before(makeCall({ headers }), undefined);
const withKey = (idempotency: Rule, ...values: string[]) => found(idempotency, { 'Idempotency-Key': values });
const key = (idempotencyKey: string | undefined) => ({ idempotencyKey, misnamedKey: undefined });

it('an Idempotency-Key is 1 to 255 printable ASCII characters without a comma', () => {
  const codes = fc.integer({ min: 0x21, max: 0x7e }).filter((code) => code !== 0x2c);
  const character = codes.map((code) => String.fromCharCode(code));
  const keys = fc.string({ unit: character, minLength: 1, maxLength: 255 }).filter((text) => !/^".*"$/.test(text));
  fc.assert(
    fc.property(keys, (text) => void expect(withKey('required', text)).toEqual(key(text))),
    { examples: [['x'.repeat(255)], ['a b']] },
  );
});

it.each<[string, string]>([
  ['"a"', 'a'],
  ['  "a"  ', 'a'],
  ['  a  ', 'a'],
  ['""a""', '"a"'],
  ['"a', '"a'],
  ['a"', 'a"'],
  ['x"a"', 'x"a"'],
  ['"a"x', '"a"x'],
  [`"${'x'.repeat(255)}"`, 'x'.repeat(255)],
])('one pair of quotation marks around the Idempotency-Key %s is dropped', (sent, read) => {
  expect(withKey('required', sent)).toEqual(key(read));
});

const BAD = ['', '  ', '""', 'x'.repeat(256), 'chavé', 'a\tb', 'a\u007fb', 'a\u0000', '\u{1f511}'];
it.each(BAD)('%j is refused (400) as Idempotency-Key', (value) => {
  expect(refusalOf(() => withKey('optional', value))).toEqual(wrongFields('Idempotency-Key'));
  expect(failureOf(() => withKey('required', value)).fields?.[0]?.reason).toContain('de 1 a 255');
});

it('an Idempotency-Key that comes twice is refused (400)', () => {
  const fields = [{ field: 'Idempotency-Key', reason: expect.stringContaining('repetido') }];
  expect(failureOf(() => withKey('optional', 'a', 'a'))).toMatchObject({ code: 'campo_invalido', fields });
});

it.each(['a, a', 'a,a', '"a", "a"', 'a, b'])(
  'the Idempotency-Key %j, of two headers that a proxy joined, is refused',
  (value) => {
    const fields = [{ field: 'Idempotency-Key', reason: expect.stringContaining('vírgula') }];
    expect(failureOf(() => withKey('optional', value))).toMatchObject({ code: 'campo_invalido', fields });
  },
);

it('a call without an Idempotency-Key is refused (400) only if the route requires one', () => {
  expect(found('none')).toEqual(key(undefined));
  expect(found('optional')).toEqual(key(undefined));
  expect(refusalOf(() => found('required'))).toEqual(missingFields('Idempotency-Key'));
});

it('a route that takes no Idempotency-Key does not read the header', () => {
  expect(withKey('none', 'a', 'a')).toEqual(key(undefined));
});

it.each(['X-Idempotency-Key', 'X-Idempotency', 'idempotency_key', 'Idempotency-Kay'])(
  'the header %s is reported as a misnamed Idempotency-Key',
  (name) => {
    const headers = { 'X-API-Key': 'b', [name]: 'a' };
    expect(found('optional', headers)).toEqual({ idempotencyKey: undefined, misnamedKey: name });
    const reason = expect.stringContaining(`(veio ${name}: quis dizer Idempotency-Key?)`);
    expect(failureOf(() => found('required', headers)).fields).toMatchObject([{ reason }]);
  },
);

it('no header is reported as misnamed if the call has its Idempotency-Key or the route takes none', () => {
  const misnamed = { 'X-Idempotency-Key': 'a' };
  expect(found('optional', { ...misnamed, 'Idempotency-Key': 'b' })).toEqual(key('b'));
  expect(found('none', misnamed)).toEqual(key(undefined));
});
