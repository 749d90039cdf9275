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

it('the user pool allows no sign-up, needs 14 characters and a second factor from an app, and outlives its stack', () => {
  expect(only('UserPool')).toMatchObject({
    AdminCreateUserConfig: { AllowAdminCreateUserOnly: true },
    MfaConfiguration: 'ON',
    EnabledMfas: ['SOFTWARE_TOKEN_MFA'],
    DeletionProtection: 'ACTIVE',
    UserPoolTier: 'ESSENTIALS',
    Policies: { PasswordPolicy: { MinimumLength: 14 } },
  });
  expect(only('UserPoolDomain')).toMatchObject({ ManagedLoginVersion: 2 });
});

it('the user pool takes an e-mail in any case for the same person, which AWS lets nobody change later', () => {
  expect(only('UserPool')).toMatchObject({ UsernameConfiguration: { CaseSensitive: false } });
});

it('the user pool sends codes only to the panel’s address, and gives no token without a code', () => {
  const client = only('UserPoolClient');
  expect(client).toMatchObject({ AllowedOAuthFlows: ['code'], AllowedOAuthScopes: ['openid', 'email'] });
  expect(client['ExplicitAuthFlows']).toEqual(['ALLOW_REFRESH_TOKEN_AUTH']);
  expect(client).toMatchObject({ SupportedIdentityProviders: ['COGNITO'], RefreshTokenValidity: 480 });
  expect(JSON.stringify(client['CallbackURLs'])).toMatch(/^\[\{"Fn::Join":.*\/prod\/painel"\]\]\}\]$/);
});

it('the user pool uses the company’s sign-in if a stage names one, and the template has only its secret’s name', () => {
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
  it('the identity pool refuses anonymous people and session names, and checks tokens at the user pool', () => {
    expect(only('IdentityPool')).toMatchObject({
      AllowUnauthenticatedIdentities: false,
      AllowClassicFlow: false,
      CognitoIdentityProviders: [{ ServerSideTokenCheck: true }],
    });
    expect(plan.mapping.provider).toBe(`${plan.pool}.ProviderName:${plan.clientId}`);
  });

  it('the identity pool has a role for each duty of people, with the duty’s permissions', () => {
    expect(Object.keys(plan.groups).sort()).toEqual(DUTIES.filter((duty) => duty !== 'operator').sort());
    for (const [duty, role] of Object.entries(plan.groups)) {
      expect(role.split('/').at(-1)).toBe(`${administration.name}-${REGION}-${duty}`);
      expect(plan.roles[role]!.permissions).toEqual(duties[duty]);
    }
  });

  const untrusting: SignInPlan = { ...plan, identityPool: 'another' };
  it.each<[string, string, string | undefined, string | undefined, SignInPlan?]>([
    ['the role of the only group', 'ana+manager@x', undefined, roleOf('manager')],
    ['the requested role of several groups', 'ana+manager+privacy@x', roleOf('privacy'), roleOf('privacy')],
    ['no role without a request and with several groups', 'ana+manager+privacy@x', undefined, undefined],
    ['no role of another group', 'ana+manager@x', roleOf('privacy'), undefined],
    ['no role without a group', 'ana@x', undefined, undefined],
    ['no role for an unknown group', 'ana+operator@x', undefined, undefined],
    ['no role that trusts another identity pool', 'ana+manager@x', roleOf('manager'), undefined, untrusting],
  ])('roleFor gives a person %s: %s', (_, email, wished, role, of = plan) => {
    expect(roleFor(of, personClaims(email, plan.groups), wished)).toBe(role);
  });
});

describe('signer', () => {
  let signIn: SignIn;
  beforeAll(async () => {
    signIn = await startSignIn(plan);
  });
  afterAll(() => signIn.close());

  const route = operationNamed('create-partner');
  const body = '{"name":"Aurora"}';
  const invocation = `arn:aws:execute-api:${REGION}:000000000000:${administration.id}/dev/POST/v1/partners`;
  /** Returns a call as the gateway sees it, signed as the page signs it. */
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

  it('a signed call has the person and the role of the duty as its caller', async () => {
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
  ])('a signed call with %s is refused as %s', async (_, refusal, change) => {
    const call = await signed('manager');
    expect(await signIn.signer({ ...call, ...change(call) }, invocation)).toBe(refusal);
  });

  it('a signed call is refused if the duty may not make it, or six minutes after it was signed', async () => {
    expect(await signIn.signer(await signed('support'), invocation)).toBe('ACCESS_DENIED');
    const before = new Date(Date.now() - 360_000);
    expect(await signIn.signer(await signed('manager', before), invocation)).toBe('EXPIRED_TOKEN');
  });
});
