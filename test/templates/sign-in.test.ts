import { Sha256 } from '@smithy/core/checksum';
import { SignatureV4 } from '@smithy/signature-v4';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { signedHeaders } from '#bin/manager/administration-client.ts';
import { personClaims, roleFor, type SignIn, startSignIn } from '#infra/local/aws/sign-in.ts';
import { blueprintOf, type SignInPlan } from '#infra/local/blueprint.ts';
import { REGION, readAssembly, Template } from '#infra/local/template.ts';
import { DUTIES } from '#shared/administration/operation.ts';
import { operationNamed } from '#shared/administration/operations.ts';
import { everythingOn, propertiesOf, Synthesised } from '../makers/synthesised.ts';

const {
  signIn: plan,
  duties,
  administration,
} = blueprintOf(new Template(readAssembly(inject('assembly')), 'http://q'));
const roleOf = (duty: string) => plan.groups[duty]!;
const only = (type: string, { administration: of } = Synthesised.of('prod')) => {
  const found = propertiesOf(of, `AWS::Cognito::${type}`);
  expect(found).toHaveLength(1);
  return found[0]!;
};

it('the user pool: signs nobody up, asks all for a second factor from an app, and is not lost with its stack', () => {
  expect(only('UserPool')).toMatchObject({
    AdminCreateUserConfig: { AllowAdminCreateUserOnly: true },
    MfaConfiguration: 'ON',
    EnabledMfas: ['SOFTWARE_TOKEN_MFA'],
    DeletionProtection: 'ACTIVE',
    UserPoolTier: 'ESSENTIALS',
  });
  expect(only('UserPoolDomain')).toMatchObject({ ManagedLoginVersion: 2 });
});

it('the user pool: gives a code to the panel’s own address alone, and no token without one', () => {
  const client = only('UserPoolClient');
  expect(client).toMatchObject({ AllowedOAuthFlows: ['code'], AllowedOAuthScopes: ['openid', 'email'] });
  expect(client['ExplicitAuthFlows']).toEqual(['ALLOW_REFRESH_TOKEN_AUTH']);
  expect(client).toMatchObject({ SupportedIdentityProviders: ['COGNITO'], RefreshTokenValidity: 480 });
  expect(JSON.stringify(client['CallbackURLs'])).toMatch(/^\[\{"Fn::Join":.*\/prod\/painel"\]\]\}\]$/);
});

it('the user pool: has the company’s own sign-in in place of passwords where a stage names one, and its secret by name alone', () => {
  expect(only('UserPoolClient', everythingOn())['SupportedIdentityProviders']).toEqual([
    { Ref: expect.stringMatching(/^SignInCompany/) },
  ]);
  const { ProviderDetails } = only('UserPoolIdentityProvider', everythingOn()) as { ProviderDetails: object };
  expect(ProviderDetails).toMatchObject({
    oidc_issuer: 'https://login.credit.test',
    client_secret: '{{resolve:secretsmanager:login:SecretString:::}}',
  });
});

describe('the identity pool', () => {
  it('knows nobody who has not signed in, lets nobody name a session, and asks the pool whether a token still holds', () => {
    expect(only('IdentityPool')).toMatchObject({
      AllowUnauthenticatedIdentities: false,
      AllowClassicFlow: false,
      CognitoIdentityProviders: [{ ServerSideTokenCheck: true }],
    });
    expect(plan.mapping.provider).toBe(`${plan.pool}.ProviderName:${plan.clientId}`);
  });

  it('has a role for each duty of people, which may do what the duty may', () => {
    expect(Object.keys(plan.groups).sort()).toEqual(DUTIES.filter((duty) => duty !== 'operator').sort());
    for (const [duty, role] of Object.entries(plan.groups)) {
      expect(role.split('/').at(-1)).toBe(`${administration.name}-${REGION}-${duty}`);
      expect(plan.roles[role]!.permissions).toEqual(duties[duty]);
    }
  });

  const untrusting: SignInPlan = { ...plan, identityPool: 'another' };
  it.each<[string, string, string | undefined, string | undefined, SignInPlan?]>([
    ['its only group’s', 'ana+manager@x', undefined, roleOf('manager')],
    ['the one of its groups that it wishes', 'ana+manager+privacy@x', roleOf('privacy'), roleOf('privacy')],
    ['none where several could be meant', 'ana+manager+privacy@x', undefined, undefined],
    ['none of a group that the person is not in', 'ana+manager@x', roleOf('privacy'), undefined],
    ['none without a group', 'ana@x', undefined, undefined],
    ['none by a group that there is not', 'ana+operator@x', undefined, undefined],
    ['none that trusts another identity pool', 'ana+manager@x', roleOf('manager'), undefined, untrusting],
  ])('gives a person %s: %s', (_, email, wished, role, of = plan) => {
    expect(roleFor(of, personClaims(email, plan.groups), wished)).toBe(role);
  });
});

describe('a call that was signed with credentials of the identity pool', () => {
  let signIn: SignIn;
  beforeAll(async () => {
    signIn = await startSignIn(plan);
  });
  afterAll(() => signIn.close());

  const route = operationNamed('create-partner');
  const body = '{"name":"Aurora"}';
  const invocation = `arn:aws:execute-api:${REGION}:000000000000:${administration.id}/dev/POST/v1/partners`;
  /** A call signed as the page signs it, as the gateway sees it. */
  async function signed(duty: string, signingDate?: Date) {
    const { AccessKeyId, SecretKey, SessionToken } = signIn.issue(roleOf(duty), '7f-a1');
    const credentials = { accessKeyId: AccessKeyId, secretAccessKey: SecretKey, sessionToken: SessionToken };
    const v4 = new SignatureV4({ service: 'execute-api', region: REGION, credentials, sha256: Sha256 });
    const signer = { sign: (request: never) => v4.sign(request, signingDate && { signingDate }) } as never;
    const url = new URL('http://127.0.0.1:9/v1/partners?a=b%20c');
    const call = { route, method: 'POST', url, headers: { 'content-type': 'application/json' }, body };
    const headers: Record<string, string> = { ...(await signedHeaders(signer, call)), host: url.host };
    return { method: 'POST', target: '/v1/partners?a=b%20c', headers, body: Buffer.from(body) };
  }

  it('is that person’s, by the role of the duty', async () => {
    const provider = `cognito-idp.${REGION}.amazonaws.com/${plan.pool}`;
    expect(await signIn.signer(await signed('manager'), invocation)).toEqual({
      account: '000000000000',
      arn: `arn:aws:sts::000000000000:assumed-role/${administration.name}-${REGION}-manager/CognitoIdentityCredentials`,
      provider: `${provider},${provider}:CognitoSignIn:7f-a1`,
    });
  });

  it.each<[string, string, (call: Awaited<ReturnType<typeof signed>>) => object]>([
    ['another body', 'INVALID_SIGNATURE', () => ({ body: Buffer.from('{"name":"Boreal"}') })],
    ['another path', 'INVALID_SIGNATURE', () => ({ target: '/v1/units?a=b%20c' })],
    ['another query', 'INVALID_SIGNATURE', () => ({ target: '/v1/partners?a=c' })],
    ['another method', 'INVALID_SIGNATURE', () => ({ method: 'PUT' })],
    ['no session', 'ACCESS_DENIED', ({ headers: { 'x-amz-security-token': _, ...headers } }) => ({ headers })],
    ['no signature', 'ACCESS_DENIED', () => ({ headers: {} })],
  ])('is refused with %s: %s', async (_, refusal, change) => {
    const call = await signed('manager');
    expect(await signIn.signer({ ...call, ...change(call) }, invocation)).toBe(refusal);
  });

  it('is refused where the duty may not make it, and six minutes after it was signed', async () => {
    expect(await signIn.signer(await signed('support'), invocation)).toBe('ACCESS_DENIED');
    const before = new Date(Date.now() - 360_000);
    expect(await signIn.signer(await signed('manager', before), invocation)).toBe('EXPIRED_TOKEN');
  });
});
