import { describe, expect, it } from 'vitest';
import type { PoolPerson } from '#shared/domain/audit/ports.ts';
import { callerOf, namedCaller } from '#shared/http/administration/caller.ts';
import { administrationRefusal } from '#test/makers/bad-input.ts';
import { makeCall } from '#test/makers/partner-call.ts';

describe('callerOf and namedCaller', () => {
  const ACCOUNT = '123456789012';
  const calledBy = (userArn: string | null, accountId: string | null = ACCOUNT) => {
    const call = makeCall();
    const requestContext = { ...call.event.requestContext, identity: { userArn, accountId } };
    return { ...call, event: { ...call.event, requestContext } as typeof call.event };
  };

  it.each([
    [`arn:aws:sts::${ACCOUNT}:assumed-role/partner-credit-manager/Ana.Lima`, 'partner-credit-manager', 'ana.lima'],
    [`arn:aws-us-gov:sts::${ACCOUNT}:assumed-role/a+b=c,d.e@f-g_1/x@example.com`, 'a+b=c,d.e@f-g_1', 'x@example.com'],
    [`arn:aws:iam::${ACCOUNT}:user/bruno`, 'user', 'bruno'],
    [`arn:aws:iam::${ACCOUNT}:user/ops/night/bruno`, 'user', 'bruno'],
  ])('callerOf returns the role and the person of %s', (arn, role, person) => {
    expect(callerOf(calledBy(arn))).toEqual({ arn, account: ACCOUNT, role, person });
  });

  const SESSION = `arn:aws:sts::${ACCOUNT}:assumed-role/manager/CognitoIdentityCredentials`;
  const signedInAt = (provider: string | null, arn = SESSION) => {
    const call = calledBy(arn);
    Object.assign(call.event.requestContext.identity, { cognitoAuthenticationProvider: provider });
    return call;
  };
  const POOL = 'cognito-idp.sa-east-1.amazonaws.com/sa-east-1_AbC';

  it('people of a user pool are told apart by their subject, and in a change also by their e-mail', async () => {
    const [arn, person] = [`${SESSION}/sa-east-1_AbC:7F-a1`, 'sa-east-1_abc:7f-a1'];
    const inPool = { pool: 'sa-east-1_AbC', subject: '7F-a1' };
    const caller = { arn, account: ACCOUNT, role: 'manager', person, inPool };
    const signed = signedInAt(`${POOL},${POOL}:CognitoSignIn:7F-a1`);
    expect(callerOf(signed)).toEqual(caller);
    const people = { emailOf: async ({ subject }: PoolPerson) => (subject === '7F-a1' ? 'Ana@x.example' : undefined) };
    const named = { ...caller, arn: `${arn}/Ana@x.example`, person: `${person}/ana@x.example` };
    expect(await namedCaller(caller, people)).toEqual(named);
    const unknown = namedCaller({ ...caller, inPool: { ...inPool, subject: '8' } }, people);
    await expect(unknown).rejects.toMatchObject({ code: 'caller_unknown' });
    // A role of people with their own AWS credentials is not the pool's, whatever the gateway says about a pool.
    const own = signedInAt(`${POOL},${POOL}:CognitoSignIn:7F-a1`, `arn:aws:sts::${ACCOUNT}:assumed-role/manager/ana`);
    expect(callerOf(own).person).toBe('ana');
  });

  it.each([
    null,
    '',
    POOL,
    `${POOL},${POOL}_2:CognitoSignIn:7f`,
    `${POOL},${POOL}:CognitoSignIn:`,
    'graph.facebook.com,graph.facebook.com:CognitoSignIn:7f',
  ])('a session of a user pool with the provider %s is refused (403)', (provider) => {
    expect(administrationRefusal(() => callerOf(signedInAt(provider)))).toEqual(['caller_unknown', undefined]);
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
    ['something after the name', `arn:aws:iam::${ACCOUNT}:user/x y`],
  ])('a call that is signed by %s is refused (403)', (_, arn) => {
    expect(administrationRefusal(() => callerOf(calledBy(arn)))).toEqual(['caller_unknown', undefined]);
  });

  it('a call without an identity, or with one of another account, is refused (403)', () => {
    const user = `arn:aws:iam::${ACCOUNT}:user/x`;
    const neither = calledBy('x');
    delete (neither.event.requestContext.identity as { accountId?: unknown }).accountId;
    for (const call of [calledBy(user, '210987654321'), calledBy(user, null), makeCall(), neither])
      expect(administrationRefusal(() => callerOf(call))).toEqual(['caller_unknown', undefined]);
  });
});
