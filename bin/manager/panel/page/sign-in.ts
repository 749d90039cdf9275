// Code flow with PKCE at the stage's user pool. Tokens and credentials are only in the page's memory.
import { Sha256 } from '@smithy/core/checksum';
import { SignatureV4 } from '@smithy/signature-v4';
import * as oauth from 'oauth4webapi';
import * as z from 'zod/mini';
import {
  AdministrationClient,
  dutiesFor,
  signedHeaders,
  type UnsignedCall,
} from '#bin/manager/administration-client.ts';
import { type Instant, type Milliseconds, minutes, seconds } from '#shared/domain/values/time.ts';
import { type CallAdministration, callApi, forward } from '../forward.ts';

/** See SignIn in infra/constructs/sign-in.ts. */
export type SignInPlan = Readonly<
  Record<'issuer' | 'login' | 'clientId' | 'identityPool' | 'identityUrl' | 'region', string>
>;

export interface SignedIn {
  /** E-mail and duties, in the form that `userShown` reads. */
  readonly caller: string;
  readonly call: CallAdministration;
  /** Signs the person out, here and at the sign-in. */
  leave(): void;
}

/** Thrown if nobody has signed in, or if the sign-in has ended. */
export class SignInError extends Error {
  override readonly name = 'SignInError';
  /** Signs the person out, so that another person can sign in. Undefined if nobody has signed in. */
  readonly leave: (() => void) | undefined;

  constructor(message: string, { cause, leave }: { readonly cause?: unknown; readonly leave?: () => void } = {}) {
    super(message, { cause });
    this.leave = leave;
  }
}

/** Key in sessionStorage, removed as soon as the page is back from the sign-in. */
const KEPT = 'entrada';
/** Time before the end of tokens and credentials from which the page gets new ones. */
const MARGIN = minutes(1);

interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string;
  readonly until: Instant;
}

const page = () => location.origin + location.pathname;
const dutyOf = (arn: string) => arn.slice(arn.lastIndexOf('-') + 1);

interface SignIn {
  readonly plan: SignInPlan;
  readonly server: oauth.AuthorizationServer;
  readonly client: oauth.Client;
  readonly options: { readonly [oauth.allowInsecureRequests]: boolean };
}

/**
 * If the browser has not just come back from the sign-in, sends it there and returns undefined. Throws a SignInError.
 */
export async function signIn(plan: SignInPlan): Promise<SignedIn | undefined> {
  const issuer = new URL(plan.issuer);
  // The local run has no certificate.
  const options = { [oauth.allowInsecureRequests]: issuer.hostname === '127.0.0.1' };
  const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, options));
  const context: SignIn = { plan, server, client: { client_id: plan.clientId }, options };
  const pending = sessionStorage.getItem(KEPT);
  sessionStorage.removeItem(KEPT);
  if (pending === null || !new URL(location.href).searchParams.has('state')) {
    await leaveFor(context);
    return undefined;
  }
  return signedIn(context, await comeBack(context, begunFormat.parse(JSON.parse(pending))));
}

/** State of the page while the person is at the sign-in. `hash` is the screen that the person was on. */
const begunFormat = z.object({ verifier: z.string(), state: z.string(), nonce: z.string(), hash: z.string() });
type Begun = z.output<typeof begunFormat>;

/** Throws a SignInError if the discovery document lacks the address. */
function endpointOf(server: oauth.AuthorizationServer, name: 'authorization_endpoint' | 'end_session_endpoint'): URL {
  const address = server[name];
  if (address === undefined) throw new SignInError(`O serviço de entrada não informa ${name}.`);
  return new URL(address);
}

async function leaveFor({ plan, server }: SignIn): Promise<void> {
  const verifier = oauth.generateRandomCodeVerifier();
  const [state, nonce] = [oauth.generateRandomState(), oauth.generateRandomNonce()];
  sessionStorage.setItem(KEPT, JSON.stringify({ verifier, state, nonce, hash: location.hash } satisfies Begun));
  const to = endpointOf(server, 'authorization_endpoint');
  to.search = new URLSearchParams({
    client_id: plan.clientId,
    redirect_uri: page(),
    response_type: 'code',
    scope: 'openid email',
    state,
    nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  }).toString();
  location.replace(to);
}

async function comeBack({ server, client, options }: SignIn, { verifier, state, nonce, hash }: Begun) {
  const here = new URL(location.href);
  // The address bar keeps no code, not even a used one.
  history.replaceState(null, '', `${location.pathname}${hash}`);
  try {
    const given = oauth.validateAuthResponse(server, client, here, state);
    const none = oauth.None();
    const answer = await oauth.authorizationCodeGrantRequest(server, client, none, given, page(), verifier, options);
    const checks = { expectedNonce: nonce, requireIdToken: true };
    return await oauth.processAuthorizationCodeResponse(server, client, answer, checks);
  } catch (error) {
    throw new SignInError('A entrada não foi concluída.', { cause: error });
  }
}

function signedIn(context: SignIn, first: oauth.TokenEndpointResponse): SignedIn {
  const { plan, server, client, options } = context;
  const claims = oauth.getValidatedIdTokenClaims(first);
  const roles = z.array(z.string()).parse(claims?.['cognito:roles'] ?? []);
  const [firstRole] = roles;
  const leave = () => leaveSession(context);
  if (firstRole === undefined)
    throw new SignInError(
      'Você ainda não tem função: peça a quem administra o serviço que o ponha num grupo, e tente de novo.',
      { leave },
    );
  let tokens = tokensOf(first, undefined);
  let renewing: Promise<void> | undefined;
  const credentialsByRole = new Map<string, Promise<Credentials>>();

  /** Throws a SignInError if the refresh token is refused. */
  async function renew(): Promise<void> {
    try {
      const { refreshToken } = tokens;
      if (refreshToken === undefined) throw new Error('the sign-in gave no refresh token');
      const answer = await oauth.refreshTokenGrantRequest(server, client, oauth.None(), refreshToken, options);
      tokens = tokensOf(await oauth.processRefreshTokenResponse(server, client, answer), refreshToken);
      credentialsByRole.clear();
    } catch (error) {
      throw new SignInError('no token', { cause: error });
    } finally {
      renewing = undefined;
    }
  }

  /** Calls that run at the same time share one request. */
  async function credentialsOf(role: string): Promise<Credentials> {
    const pending = credentialsByRole.get(role);
    const credentials = pending && (await pending.catch(() => undefined));
    if (credentials && Date.now() < credentials.until) return credentials;
    if (credentialsByRole.get(role) !== pending) return credentialsOf(role);
    const requested = exchanged(plan, tokens.idToken, role);
    credentialsByRole.set(role, requested);
    return requested;
  }

  const sign = async (call: UnsignedCall) => {
    const role = roles.find((candidate) => dutiesFor(call).some((duty) => duty === dutyOf(candidate))) ?? firstRole;
    const credentials = await credentialsOf(role);
    const signer = new SignatureV4({ service: 'execute-api', region: plan.region, credentials, sha256: Sha256 });
    return signedHeaders(signer, call);
  };

  // The API's address: that of the page, without the page's own path segment.
  const url = page().replace(/\/[^/]*$/, '');
  const pause = (length: Milliseconds) => new Promise((go) => setTimeout(go, length));
  const api = callApi(new AdministrationClient({ url, sign }, pause));
  return {
    caller: `${claims?.['email']} / ${roles.map(dutyOf).join(', ')}`,
    call: async (operation, sent) => {
      // A provider may end the sign-in if a refresh token comes twice.
      if (Date.now() >= tokens.until) renewing ??= renew();
      await renewing;
      return forward(api, operation, sent);
    },
    leave,
  };
}

/** Ends the session at the sign-in. The browser then comes back to this page, and so to the form of the sign-in. */
function leaveSession({ plan, server }: SignIn): void {
  const end = endpointOf(server, 'end_session_endpoint');
  end.search = new URLSearchParams({
    client_id: plan.clientId,
    // Cognito and OpenID Connect have different names for the way back.
    logout_uri: page(),
    post_logout_redirect_uri: page(),
  }).toString();
  location.replace(end);
}

interface Tokens {
  readonly idToken: string;
  readonly refreshToken: string | undefined;
  readonly until: Instant;
}

/** An answer need not repeat the refresh token. Throws a SignInError if there is no ID token. */
function tokensOf(answer: oauth.TokenEndpointResponse, refreshToken: string | undefined): Tokens {
  const { id_token: idToken, refresh_token: newRefreshToken = refreshToken, expires_in: lifetime = 0 } = answer;
  if (idToken === undefined) throw new SignInError('O serviço de entrada não confirmou quem você é.');
  return { idToken, refreshToken: newRefreshToken, until: Date.now() + seconds(lifetime) - MARGIN };
}

/** Throws a SignInError if the identity pool refuses the credentials. */
async function exchanged(plan: SignInPlan, token: string, role: string): Promise<Credentials> {
  const { identityUrl, identityPool, issuer } = plan;
  const Logins = { [issuer.replace(/^https?:\/\//, '')]: token };
  const ask = async (action: string, body: object) => {
    const response = await fetch(identityUrl, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-amz-json-1.1',
        'x-amz-target': `AWSCognitoIdentityService.${action}`,
      },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new SignInError('no credentials');
    return response.json();
  };
  const { IdentityId } = await ask('GetId', { IdentityPoolId: identityPool, Logins });
  const { Credentials: given } = await ask('GetCredentialsForIdentity', { IdentityId, Logins, CustomRoleArn: role });
  return {
    accessKeyId: given.AccessKeyId,
    secretAccessKey: given.SecretKey,
    sessionToken: given.SessionToken,
    until: seconds(given.Expiration) - MARGIN,
  };
}
