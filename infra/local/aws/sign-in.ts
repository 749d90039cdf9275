// A stand-in for Cognito: a real OpenID provider as the user pool, an identity pool with the template's groups, mapping
// and roles, and the check of calls that are signed with the identity pool's credentials.
import { createHash, createPublicKey, generateKeyPairSync, randomBytes, verify } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Sha256 } from '@smithy/core/checksum';
import { SignatureV4 } from '@smithy/signature-v4';
import * as z from 'zod/mini';
import { hours, type Instant, minutes } from '#shared/domain/values/time.ts';
import type { SignInPlan, TrustStatement } from '../blueprint.ts';
import { equalSecrets } from '../equal-secrets.ts';
import { type LocalServer, readBody, serve } from '../listen.ts';
import { ACCOUNT, REGION } from '../template.ts';
import type { Caller } from './gateway-event.ts';
import { allowed } from './iam.ts';

export interface SignedCall {
  readonly method: string;
  readonly target: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

const claimsFormat = z.object({
  sub: z.string(),
  email: z.optional(z.string()),
  'cognito:groups': z.optional(z.array(z.string())),
  'cognito:roles': z.optional(z.array(z.string())),
});
type Claims = Readonly<z.infer<typeof claimsFormat>>;

const tokenFormat = z.extend(claimsFormat, {
  iss: z.string(),
  aud: z.string(),
  exp: z.number(),
});

const identityCallFormat = z.object({
  UserPoolId: z.optional(z.unknown()),
  Filter: z.optional(z.unknown()),
  IdentityPoolId: z.optional(z.unknown()),
  IdentityId: z.optional(z.unknown()),
  CustomRoleArn: z.optional(z.unknown()),
  /** ID tokens, by the host of their provider. */
  Logins: z.optional(z.record(z.string(), z.string())),
});
type IdentityCall = Readonly<z.infer<typeof identityCallFormat>>;

type Refusal = 'ACCESS_DENIED' | 'INVALID_SIGNATURE' | 'EXPIRED_TOKEN';

const CREDENTIALS_HOLD = hours(1);
const SIGNATURE_HOLDS = minutes(5);
const LARGEST_BODY = 64 * 1024;
/** 128 bits cannot be guessed while a run lasts. */
const PASSWORD_BYTES = 16;
// The provider's types are a package with eighteen dependencies. An import by a variable has no types.
const PROVIDER_MODULE: string = 'oidc-provider';
const MEMORY_MODULE: string = 'oidc-provider/lib/adapters/memory_adapter.js';

/** The words after `+` are the groups: `ana+manager+privacy@local.example` is in two groups. */
export function personClaims(email: string, groups: SignInPlan['groups']): Claims {
  const own = email.replace(/@.*/, '').split('+').slice(1);
  const known = Object.entries(groups).filter(([name]) => own.includes(name));
  const sub = createHash('sha256')
    .update(email)
    .digest('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*/, '$1-$2-$3-$4-$5');
  if (known.length === 0) return { sub, email };
  return {
    sub,
    email,
    'cognito:groups': known.map(([name]) => name),
    'cognito:roles': known.map(([, role]) => role),
  };
}

/**
 * Returns `wished` if the token names it, or without `wished` the only role of the token. Undefined otherwise, or if
 * the role does not trust the identity pool.
 */
export function roleFor(plan: SignInPlan, claims: Claims, wished: unknown): string | undefined {
  const { mapping, identityPool, roles } = plan;
  if (mapping.type !== 'Token' || mapping.ambiguous !== 'Deny') return undefined;
  const own = claims['cognito:roles'] ?? [];
  const role = wished === undefined && own.length === 1 ? own[0] : own.find((name) => name === wished);
  const trusted = {
    StringEquals: { 'cognito-identity.amazonaws.com:aud': identityPool },
    'ForAnyValue:StringLike': { 'cognito-identity.amazonaws.com:amr': 'authenticated' },
  };
  const trusts = ({ Effect, Action, Principal, Condition }: TrustStatement) =>
    Effect === 'Allow' &&
    Action === 'sts:AssumeRoleWithWebIdentity' &&
    Principal.Federated === 'cognito-identity.amazonaws.com' &&
    JSON.stringify(Condition) === JSON.stringify(trusted);
  return role !== undefined && roles[role]?.trust.some(trusts) ? role : undefined;
}

interface IssuedCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string;
  readonly role: string;
  readonly subject: string;
  readonly until: Instant;
}

/** Serves the sign-in on 127.0.0.1. It accepts any e-mail from a person who knows the password of this start. */
export async function startSignIn(plan: SignInPlan) {
  const key = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
  const password = randomBytes(PASSWORD_BYTES).toString('base64url');
  const issued = new Map<string, IssuedCredentials>();
  const people = new Map<string, Claims>();
  const { url, close } = await serve((request, response) => {
    answer(request, response).catch((error: unknown) => send(response, 400, 'text/plain', String(error)));
  });
  let page = '';
  // The provider is loaded at the first sign-in, so that other runs do not wait for it.
  let started: ReturnType<typeof startProvider> | undefined;

  async function startProvider() {
    const { Provider } = await import(PROVIDER_MODULE);
    const { createMemoryAdapter } = await import(MEMORY_MODULE);
    const client_id = plan.clientId;
    const oidc = new Provider(url, {
      adapter: createMemoryAdapter(0),
      clients: [
        {
          client_id,
          redirect_uris: [page],
          post_logout_redirect_uris: [page],
          response_types: ['code'],
          grant_types: ['authorization_code', 'refresh_token'],
          token_endpoint_auth_method: 'none',
        },
      ],
      jwks: { keys: [{ ...key.export({ format: 'jwk' }), use: 'sig', alg: 'RS256' }] },
      cookies: { keys: [randomBytes(24).toString('base64url')] },
      ttl: {
        Interaction: 3_600,
        Session: 3_600,
        IdToken: 3_600,
        AccessToken: 3_600,
        Grant: 28_800,
        RefreshToken: 28_800,
      },
      claims: { openid: ['sub', 'cognito:groups', 'cognito:roles'], email: ['email'] },
      conformIdTokenClaims: false,
      features: { devInteractions: { enabled: false } },
      clientBasedCORS: () => true,
      issueRefreshToken: () => true,
      interactions: { url: (_: unknown, { uid }: { uid: string }) => `/entrar/${uid}` },
      findAccount: (_: unknown, accountId: string) => ({ accountId, claims: () => people.get(accountId) }),
      // The page is the pool's own client: people are not asked for their consent.
      loadExistingGrant: async (context: { oidc: { session: { accountId: string } } }) => {
        const grant = new oidc.Grant({ clientId: client_id, accountId: context.oidc.session.accountId });
        grant.addOIDCScope('openid email');
        await grant.save();
        return grant;
      },
    });
    return { oidc, callback: oidc.callback() };
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url?.startsWith('/identity')) return answerIdentity(request, response);
    started ??= startProvider();
    const { oidc, callback } = await started;
    if (!request.url?.startsWith('/entrar/')) return callback(request, response);
    if (request.method !== 'POST') return send(response, 200, HTML_TYPE, formPage());
    const form = new URLSearchParams(String(await readBody(request, LARGEST_BODY)));
    if (!equalSecrets(form.get('password') ?? '', password)) return send(response, 403, HTML_TYPE, formPage(WRONG));
    const email = form.get('email') ?? '';
    const claims = personClaims(email.toLowerCase(), plan.groups);
    people.set(claims.sub, claims);
    await oidc.interactionFinished(request, response, { login: { accountId: claims.sub } });
  }

  /** Answers the protocol (JSON 1.1) of the identity pool, which pages of any origin may call, and of the user pool. */
  async function answerIdentity(request: IncomingMessage, response: ServerResponse): Promise<void> {
    for (const name of ['origin', 'headers']) response.setHeader(`access-control-allow-${name}`, '*');
    if (request.method === 'OPTIONS') return send(response, 204, 'text/plain', '');
    const call = identityCallFormat.parse(JSON.parse(String(await readBody(request, LARGEST_BODY))));
    const [, action = ''] = String(request.headers['x-amz-target']).split('.');
    if (action === 'ListUsers') return send(response, 200, JSON_TYPE, JSON.stringify({ Users: usersFor(call) }));
    const granted = grant(action, call);
    if (granted) send(response, 200, JSON_TYPE, JSON.stringify(granted));
    else send(response, 400, JSON_TYPE, JSON.stringify({ __type: 'NotAuthorizedException' }));
  }

  function usersFor({ Filter, UserPoolId }: IdentityCall) {
    const [, subject = ''] = /^sub = "([\w-]+)"$/.exec(String(Filter)) ?? [];
    const email = UserPoolId === plan.pool ? people.get(subject)?.email : undefined;
    if (email === undefined) return [];
    const Attributes = [
      { Name: 'email', Value: email },
      { Name: 'email_verified', Value: 'true' },
    ];
    return [{ Username: subject, UserStatus: 'CONFIRMED', Attributes }];
  }

  /**
   * Answers GetId with the identity of a token's person, and any other action also with credentials. Undefined if
   * token, pool or identity is wrong, or if the person has no such role.
   */
  function grant(action: string, { Logins = {}, IdentityPoolId, IdentityId: requested, CustomRoleArn }: IdentityCall) {
    const claims = claimsIn(Logins[new URL(url).host] ?? '');
    if (!claims) return undefined;
    const IdentityId = `${REGION}:${claims.sub}`;
    if (action === 'GetId') return IdentityPoolId === plan.identityPool ? { IdentityId } : undefined;
    const role = roleFor(plan, claims, CustomRoleArn);
    if (requested !== IdentityId || role === undefined) return undefined;
    return { IdentityId, Credentials: issue(role, claims.sub) };
  }

  /** Undefined if the token is invalid, has expired, or is not of this provider for this client. */
  function claimsIn(token: string): Claims | undefined {
    const [head = '', body = '', signature = ''] = token.split('.');
    const signed = Buffer.from(`${head}.${body}`);
    if (!verify('sha256', signed, createPublicKey(key), Buffer.from(signature, 'base64url'))) return undefined;
    const claims = tokenFormat.parse(JSON.parse(Buffer.from(body, 'base64url').toString()));
    const isOurs = claims.iss === url && claims.aud === plan.clientId;
    return isOurs && claims.exp * 1000 > Date.now() ? claims : undefined;
  }

  function issue(role: string, subject: string) {
    const random = (bytes: number) => randomBytes(bytes).toString('hex');
    const accessKeyId = `ASIA${random(8).toUpperCase()}`;
    const secretAccessKey = random(30);
    const sessionToken = random(60);
    const until = Date.now() + CREDENTIALS_HOLD;
    issued.set(accessKeyId, { accessKeyId, secretAccessKey, sessionToken, role, subject, until });
    return {
      AccessKeyId: accessKeyId,
      SecretKey: secretAccessKey,
      SessionToken: sessionToken,
      Expiration: until / 1000,
    };
  }

  async function signer(call: SignedCall, resource: string): Promise<Caller | Refusal> {
    const { authorization = '', 'x-amz-date': stamp = '', 'x-amz-security-token': token } = call.headers;
    const [, id = '', names = ''] =
      /^AWS4-HMAC-SHA256 Credential=(\w+)\/[^,]+, SignedHeaders=([\w;-]+), /.exec(authorization) ?? [];
    const credentials = issued.get(id);
    if (!credentials || credentials.sessionToken !== token) return 'ACCESS_DENIED';
    const signingDate = new Date(
      String(stamp).replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'),
    );
    const age = Math.abs(Date.now() - signingDate.getTime());
    if (credentials.until < Date.now() || !(age < SIGNATURE_HOLDS)) return 'EXPIRED_TOKEN';
    const { pathname, searchParams } = new URL(call.target, url);
    // The hash of the body that the caller sent is left out, because the signer would believe it.
    const covered = names.split(';').filter((name) => name !== 'x-amz-content-sha256');
    const recomputed = new SignatureV4({ service: 'execute-api', region: REGION, credentials, sha256: Sha256 });
    const signed = await recomputed.sign(
      {
        method: call.method,
        protocol: 'http:',
        hostname: '127.0.0.1',
        path: pathname,
        query: Object.fromEntries(searchParams),
        headers: Object.fromEntries(covered.map((name) => [name, String(call.headers[name])])),
        body: call.body.length > 0 ? call.body : undefined,
      },
      { signingDate },
    );
    if (signed.headers['authorization'] !== authorization) return 'INVALID_SIGNATURE';
    const { role, subject } = credentials;
    const permissions = plan.roles[role]?.permissions ?? [];
    if (!allowed(permissions, { action: 'execute-api:Invoke', resource })) return 'ACCESS_DENIED';
    const arn = `arn:aws:sts::${ACCOUNT}:assumed-role/${role.split('/').at(-1)}/CognitoIdentityCredentials`;
    const provider = `cognito-idp.${REGION}.amazonaws.com/${plan.pool}`;
    return { account: ACCOUNT, arn, provider: `${provider},${provider}:CognitoSignIn:${subject}` };
  }

  return {
    url,
    close,
    password,
    signer,
    issue,
    facts: {
      issuer: url,
      login: url,
      identityUrl: `${url}/identity`,
      clientId: plan.clientId,
      identityPool: plan.identityPool,
      region: REGION,
    },
    openFor: (address: string): void => {
      page = address;
    },
  };
}

export type SignIn = Awaited<ReturnType<typeof startSignIn>> & LocalServer;

const JSON_TYPE = 'application/x-amz-json-1.1';
const HTML_TYPE = 'text/html; charset=utf-8';

const WRONG = '<p role="alert">Senha errada: cada execução de npm start tem a sua.</p>';

const formPage = (note = '') => `<!doctype html>
<html lang="pt-BR">
<meta charset="utf-8">
<title>Entrar (execução local)</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<style>:root { color-scheme: light dark; font: 1rem/1.6 system-ui } main { max-width: 30rem; margin: 4rem auto; padding: 0 1rem }</style>
<main>
<h1>Entrar (execução local)</h1>
${note}<p>As funções estão no e-mail, atrás de +. Por exemplo ana+manager@local.example</p>
<p>A senha é a desta execução: npm start a mostrou, e ela está em .local/service.json (administration.password).</p>
<form method="post">
<p><label>E-mail <input name="email" type="email" required autofocus></label></p>
<p><label>Senha <input name="password" type="password" autocomplete="off" required></label></p>
<button>Entrar</button>
</form>
</main>
</html>`;

function send(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { 'content-type': type }).end(body);
}
