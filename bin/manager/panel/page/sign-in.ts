// Where the page is hosted its person signs in at the stage's user pool (code flow with PKCE), the identity pool gives the
// credentials of the duties that the person has, and the page signs its own calls. All of it is in its memory alone.
import { Sha256 } from '@smithy/core/checksum';
import { SignatureV4 } from '@smithy/signature-v4';
import * as oauth from 'oauth4webapi';
import { AdministrationClient, signedHeaders, type UnsignedCall } from '#bin/manager/administration-client.ts';
import { type AdministrationOperation, operationNamed } from '#shared/administration/operations.ts';
import { type CallAdministration, callApi, forward } from '../forward.ts';

/** What the page is told of its stage's sign-in; see SignIn in infra/constructs/sign-in.ts. */
export type SignInPlan = Readonly<
  Record<'issuer' | 'login' | 'clientId' | 'identityPool' | 'identityUrl' | 'region', string>
>;

/** Whoever has signed in. */
export interface SignedIn {
  /** The duties and the e-mail, as `whoIs` shows them. */
  readonly caller: string;
  readonly call: CallAdministration;
  /** Forgets the person, here and at the sign-in. */
  leave(): void;
}

/** Nobody is signed in, or no longer; where the page opens the message says so in Portuguese. */
export class SignInError extends Error {
  override readonly name = 'SignInError';
}

/** What waits for the way back from the sign-in: gone as soon as the page is back. */
const KEPT = 'entrada';
/** Milliseconds before its end in which a token or a credential is no longer used. */
const MARGIN = 60_000;

interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string;
  /** Milliseconds since 1970. */
  readonly until: number;
}

const page = () => location.origin + location.pathname;
/** The duty whose role an ARN names. */
const dutyOf = (arn: string) => arn.slice(arn.lastIndexOf('-') + 1);

interface Asked {
  readonly plan: SignInPlan;
  readonly server: oauth.AuthorizationServer;
  readonly client: oauth.Client;
  readonly options: { readonly [oauth.allowInsecureRequests]: boolean };
}

/** Goes on with a person who comes back from the sign-in; undefined where the page leaves for it. Throws a SignInError. */
export async function signIn(plan: SignInPlan): Promise<SignedIn | undefined> {
  const issuer = new URL(plan.issuer);
  // The local run has no certificate.
  const options = { [oauth.allowInsecureRequests]: issuer.hostname === '127.0.0.1' };
  const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, options));
  const asked: Asked = { plan, server, client: { client_id: plan.clientId }, options };
  const kept = sessionStorage.getItem(KEPT);
  sessionStorage.removeItem(KEPT);
  if (kept === null || !new URL(location.href).searchParams.has('state')) {
    await leaveFor(asked);
    return undefined;
  }
  return signedIn(asked, await comeBack(asked, JSON.parse(kept) as Begun));
}

interface Begun {
  readonly verifier: string;
  readonly state: string;
  readonly nonce: string;
  /** Where in the panel the person was. */
  readonly hash: string;
}

async function leaveFor({ plan, server }: Asked): Promise<void> {
  const verifier = oauth.generateRandomCodeVerifier();
  const [state, nonce] = [oauth.generateRandomState(), oauth.generateRandomNonce()];
  sessionStorage.setItem(KEPT, JSON.stringify({ verifier, state, nonce, hash: location.hash } satisfies Begun));
  const to = new URL(server.authorization_endpoint!);
  to.search = new URLSearchParams({
    ...{ client_id: plan.clientId, redirect_uri: page(), response_type: 'code', scope: 'openid email', state, nonce },
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  }).toString();
  location.replace(to);
}

async function comeBack({ server, client, options }: Asked, { verifier, state, nonce, hash }: Begun) {
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

function signedIn(asked: Asked, first: oauth.TokenEndpointResponse): SignedIn {
  const { plan, server, client, options } = asked;
  const claims = oauth.getValidatedIdTokenClaims(first)!;
  const roles = (claims['cognito:roles'] ?? []) as readonly string[];
  if (roles.length === 0)
    throw new SignInError('Você ainda não tem função: peça a quem administra o serviço que o ponha num grupo.');
  let tokens = first;
  let until = endOf(first);
  let renewing: Promise<void> | undefined;
  const held = new Map<string, Promise<Credentials>>();

  /** Asks for tokens anew. Throws a SignInError where that is refused. */
  async function renew(): Promise<void> {
    try {
      const token = tokens.refresh_token!;
      const answer = await oauth.refreshTokenGrantRequest(server, client, oauth.None(), token, options);
      tokens = { refresh_token: token, ...(await oauth.processRefreshTokenResponse(server, client, answer)) };
      until = endOf(tokens);
      held.clear();
    } catch (error) {
      throw new SignInError('no token', { cause: error });
    } finally {
      renewing = undefined;
    }
  }

  /** The credentials of a role, which calls that go side by side ask for once. */
  async function credentialsOf(role: string): Promise<Credentials> {
    const kept = held.get(role);
    const credentials = kept && (await kept.catch(() => undefined));
    if (credentials && Date.now() < credentials.until) return credentials;
    if (held.get(role) !== kept) return credentialsOf(role);
    const asked = exchanged(plan, tokens.id_token!, role);
    held.set(role, asked);
    return asked;
  }

  async function sign(call: UnsignedCall) {
    const role = roles.find((one) => dutiesFor(call).includes(dutyOf(one))) ?? roles[0]!;
    const credentials = await credentialsOf(role);
    const signer = new SignatureV4({ service: 'execute-api', region: plan.region, credentials, sha256: Sha256 });
    return signedHeaders(signer, call);
  }

  // The address of the page, without its own part.
  const url = page().replace(/\/[^/]*$/, '');
  const pause = (milliseconds: number) => new Promise((go) => setTimeout(go, milliseconds));
  const api = callApi(new AdministrationClient({ url, sign }, pause));
  return {
    caller: `${roles.map(dutyOf).join(', ')}/${claims['email']}`,
    call: async (operation, sent) => {
      // Once for calls that go side by side: a provider may end the sign-in where a refresh token comes twice.
      if (Date.now() >= until) renewing ??= renew();
      await renewing;
      return forward(api, operation, { sent });
    },
    leave: () => {
      const end = new URL(server.end_session_endpoint!);
      // Cognito's name for the way back, and OpenID Connect's.
      const back = { logout_uri: page(), post_logout_redirect_uri: page() };
      end.search = new URLSearchParams({ client_id: plan.clientId, ...back }).toString();
      location.replace(end);
    },
  };
}

const endOf = ({ expires_in = 0 }: oauth.TokenEndpointResponse) => Date.now() + expires_in * 1000 - MARGIN;

/** Who may make a call: who decides on what another asked for is who may do it. */
function dutiesFor({ route, url }: UnsignedCall): readonly string[] {
  const [, decided] = /\/approvals\/([\w-]+)\//.exec(url.pathname) ?? [];
  return decided === undefined ? route.duties : operationNamed(decided as AdministrationOperation).duties;
}

/** The credentials of one of the person's roles. Throws a SignInError where the identity pool gives none. */
async function exchanged({ identityUrl, identityPool, issuer }: SignInPlan, token: string, role: string) {
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
    until: given.Expiration * 1000 - MARGIN,
  } as Credentials;
}
