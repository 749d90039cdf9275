import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { AdministrationFailure } from '#shared/administration/failures.ts';
import type { PoolPerson } from '#shared/domain/audit/ports.ts';
import * as parsing from '#shared/http/administration-parse.ts';
import { makeCall } from '#test/makers/partner-call.ts';

const SCHEMA = z.strictObject({
  name: z.string('must be a text').check(z.maxLength(3, 'too long')),
  limit: z.optional(z.int('must be whole')),
  place: z.optional(z.strictObject({ street: z.string(), number: z.int('must be whole') }, 'no object')),
  list: z.optional(z.array(z.strictObject({ id: z.int('must be whole') }))),
});

/** The code and the fields that a value is refused with. */
function refused(run: () => unknown): readonly unknown[] {
  try {
    run();
  } catch (error) {
    if (error instanceof AdministrationFailure) return [error.code, error.fields];
    throw error;
  }
  throw new Error('not refused');
}
const faults = (value: unknown, schema: z.ZodMiniType = SCHEMA) => refused(() => parsing.parseFields(schema, value));
const missing = (field: string) => ({ field, reason: 'is missing' });
const unknown = (field: string) => ({ field, reason: 'is unknown here: leave it out' });
const invalid = (field: string, reason: string) => ({ field, reason });
const FRACTION = invalid('limit', 'must be whole');

it.each<[string, unknown, string, unknown[]]>([
  ['missing ones', {}, 'field_required', [missing('name')]],
  ['one that is undefined', { name: undefined }, 'field_required', [missing('name')]],
  ['missing ones inside', { name: 'a', place: {} }, 'field_required', ['place.street', 'place.number'].map(missing)],
  ['missing ones of a list', { name: 'a', list: [{ id: 1 }, {}] }, 'field_required', [missing('list.1.id')]],
  ['unknown ones', { name: 'a', b: 1, c: 2 }, 'field_unknown', [unknown('b'), unknown('c')]],
  [
    'unknown ones inside',
    { name: 'a', place: { street: 'a', number: 1, b: 2 } },
    'field_unknown',
    [unknown('place.b')],
  ],
  ['an unknown one whose name is a number', { name: 'a', '90000000175': 1 }, 'field_unknown', [unknown('…')]],
  ['an unknown one without a visible name', { name: 'a', '\u0000': 1 }, 'field_unknown', [unknown('')]],
  ['invalid ones', { name: 'abcd', limit: 0.5 }, 'field_invalid', [invalid('name', 'too long'), FRACTION]],
  ['null where a value is needed', { name: null }, 'field_invalid', [invalid('name', 'must be a text')]],
  ['null where an object may be', { name: 'a', place: null }, 'field_invalid', [invalid('place', 'no object')]],
])('the fields of a call: are refused by their paths: %s', (_, value, code, fields) => {
  expect(faults(value)).toEqual([code, fields]);
});

it('the fields of a call: answer by what is missing before what is unknown before what is invalid, with all of that kind and no other', () => {
  const all = ['name', 'place.street', 'place.number'];
  expect(faults({ limit: 0.5, a: 1, place: {} })).toEqual(['field_required', all.map(missing)]);
  expect(faults({ limit: 0.5, name: 'a', a: 1 })).toEqual(['field_unknown', [unknown('a')]]);
  expect(faults({ limit: 0.5, name: 'a' })).toEqual(['field_invalid', [FRACTION]]);
});

it('the fields of a call: of which one is refused by the operation name that one', () => {
  const fields = [invalid('cursor', 'is old')];
  expect(parsing.invalidField('cursor', 'is old')).toMatchObject({ code: 'field_invalid', fields });
});

describe('the caller of a signed request', () => {
  const ACCOUNT = '123456789012';
  const calledBy = (userArn: string | null, accountId: string | null = ACCOUNT) => {
    const call = makeCall();
    return { ...call, requestContext: { ...call.requestContext, identity: { userArn, accountId } } } as typeof call;
  };

  it.each([
    [`arn:aws:sts::${ACCOUNT}:assumed-role/partner-credit-manager/Ana.Lima`, 'partner-credit-manager', 'ana.lima'],
    [`arn:aws-us-gov:sts::${ACCOUNT}:assumed-role/a+b=c,d.e@f-g_1/x@example.com`, 'a+b=c,d.e@f-g_1', 'x@example.com'],
    [`arn:aws:iam::${ACCOUNT}:user/bruno`, 'user', 'bruno'],
    [`arn:aws:iam::${ACCOUNT}:user/ops/night/bruno`, 'user', 'bruno'],
  ])('is who AWS says, by role, and one person whatever the role: %s', (arn, role, person) => {
    expect(parsing.callerOf(calledBy(arn))).toEqual({ arn, account: ACCOUNT, role, person });
  });

  const SESSION = `arn:aws:sts::${ACCOUNT}:assumed-role/manager/CognitoIdentityCredentials`;
  const signedInAt = (provider: string | null, arn = SESSION) => {
    const call = calledBy(arn);
    Object.assign(call.requestContext.identity, { cognitoAuthenticationProvider: provider });
    return call;
  };
  const POOL = 'cognito-idp.sa-east-1.amazonaws.com/sa-east-1_AbC';

  it('of a user pool is the person there, whose sessions all have one name, and for a change who has the e-mail', async () => {
    const [arn, person] = [`${SESSION}/sa-east-1_AbC:7F-a1`, 'sa-east-1_abc:7f-a1'];
    const inPool = { pool: 'sa-east-1_AbC', subject: '7F-a1' };
    const caller = { arn, account: ACCOUNT, role: 'manager', person, inPool };
    const signed = signedInAt(`${POOL},${POOL}:CognitoSignIn:7F-a1`);
    expect(parsing.callerOf(signed)).toEqual(caller);
    const people = { emailOf: async ({ subject }: PoolPerson) => (subject === '7F-a1' ? 'Ana@x.example' : undefined) };
    const named = { ...caller, arn: `${arn}/Ana@x.example`, person: `${person}/ana@x.example` };
    expect(await parsing.namedCaller(caller, people)).toEqual(named);
    const unknown = parsing.namedCaller({ ...caller, inPool: { ...inPool, subject: '8' } }, people);
    await expect(unknown).rejects.toMatchObject({ code: 'caller_unknown' });
    // A role of people who have AWS credentials is theirs, whatever else the gateway says.
    const own = signedInAt(`${POOL},${POOL}:CognitoSignIn:7F-a1`, `arn:aws:sts::${ACCOUNT}:assumed-role/manager/ana`);
    expect(parsing.callerOf(own).person).toBe('ana');
  });

  it.each([
    null,
    '',
    POOL,
    `${POOL},${POOL}_2:CognitoSignIn:7f`,
    `${POOL},${POOL}:CognitoSignIn:`,
    'graph.facebook.com,graph.facebook.com:CognitoSignIn:7f',
  ])('of a user pool is nobody by the provider %s (403)', (provider) => {
    expect(refused(() => parsing.callerOf(signedInAt(provider)))).toEqual(['caller_unknown', undefined]);
  });

  const role = `arn:aws:sts::${ACCOUNT}:assumed-role/manager`;
  it.each([
    ['nobody', null],
    ['an empty name', ''],
    ['a role without a session', role],
    ['a role with an empty session', `${role}/`],
    ['a user without a name', `arn:aws:iam::${ACCOUNT}:user/`],
    ['the account itself', `arn:aws:iam::${ACCOUNT}:root`],
    ['a federated user', `arn:aws:sts::${ACCOUNT}:federated-user/x`],
    ['another service', `arn:aws:s3::${ACCOUNT}:user/x`],
    ['a short account', 'arn:aws:iam::12345678901:user/x'],
    ['something before the name', `x arn:aws:iam::${ACCOUNT}:user/x`],
    ['something behind the name', `arn:aws:iam::${ACCOUNT}:user/x y`],
  ])('is needed, and is not %s (403)', (_, arn) => {
    expect(refused(() => parsing.callerOf(calledBy(arn)))).toEqual(['caller_unknown', undefined]);
  });

  it('is of the account that the gateway names (403), and is not without an identity', () => {
    const user = `arn:aws:iam::${ACCOUNT}:user/x`;
    const neither = calledBy('x');
    delete (neither.requestContext.identity as { accountId?: unknown }).accountId;
    for (const call of [calledBy(user, '210987654321'), calledBy(user, null), makeCall(), neither])
      expect(refused(() => parsing.callerOf(call))).toEqual(['caller_unknown', undefined]);
  });
});

describe('a cursor', () => {
  const PLACE = z.strictObject({ partner: z.int().check(z.positive()), at: z.string() });

  it('is null after the last page, and none on the first', () => {
    expect(parsing.cursorOf(undefined)).toBeNull();
    expect(parsing.placeIn(PLACE, undefined)).toBeUndefined();
  });

  it.each([
    ['of another list', parsing.cursorOf({ analysis: 7 })!],
    ['of another list that has more', parsing.cursorOf({ partner: 7, at: 'x', unit: 8 })!],
    ['with a place that cannot be', parsing.cursorOf({ partner: -7, at: 'x' })!],
    ['cut short', parsing.cursorOf({ partner: 7, at: 'x' })!.slice(0, -4)],
    ['of no JSON', Buffer.from('{').toString('base64url')],
    ['of no base64', '####'],
    ['that is empty', ''],
  ])('that was forged or comes from elsewhere is 400: %s', (_, text) => {
    const fields = [invalid('cursor', 'must be the next_cursor of the page before')];
    expect(refused(() => parsing.placeIn(PLACE, text))).toEqual(['field_invalid', fields]);
  });
});
