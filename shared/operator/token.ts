import {
  DescribeSecretCommand,
  GetSecretValueCommand,
  PutSecretValueCommand,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import type { OperatorAccess } from '../domain/analyses/ports.ts';
import { cached, SECRETS_CLIENT } from '../runtime/cached.ts';
import { SafeError } from '../runtime/log.ts';

/** A container refreshes the token after the first of these and uses it no longer than the second, in milliseconds. */
const TOKEN_REFRESHED = 240_000;
const TOKEN_KEPT = 300_000;
/** How long fetching the token may take, in milliseconds. */
const FETCH_TIMEOUT = 2_500;

/** The operator's bearer token, from the secret with this id. Throws where the secret is missing or empty. */
export function operatorToken(secretId: string): () => Promise<string> {
  const secrets = new SecretsManagerClient(SECRETS_CLIENT);
  const token = cached({
    fetch: async (abortSignal) => {
      const { SecretString } = await secrets.send(new GetSecretValueCommand({ SecretId: secretId }), { abortSignal });
      if (SecretString) return SecretString;
      throw new SafeError("the operator's token is missing: run `npm run manager -- operator set-token`");
    },
    timeout: FETCH_TIMEOUT,
    refreshAfter: TOKEN_REFRESHED,
    usableFor: TOKEN_KEPT,
  });
  return () => token.get();
}

/** Makes a token the current one: functions take it up within 5 minutes. The one before stays as AWSPREVIOUS. */
async function putOperatorToken(secretId: string, token: string): Promise<void> {
  await new SecretsManagerClient({}).send(new PutSecretValueCommand({ SecretId: secretId, SecretString: token }));
}

/** The manager's access to the operator's token: whether there is one, and a new one in its place. */
export function operatorAccess({ url, tokenSecret }: { url: string; tokenSecret: string }): OperatorAccess {
  return {
    url,
    async hasToken() {
      const secret = await new SecretsManagerClient(SECRETS_CLIENT).send(
        new DescribeSecretCommand({ SecretId: tokenSecret }),
      );
      return Object.keys(secret.VersionIdsToStages ?? {}).length > 0;
    },
    putToken: (token) => putOperatorToken(tokenSecret, token),
  };
}
