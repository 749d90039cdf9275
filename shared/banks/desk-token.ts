import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { OperatorError } from '../runtime/log.ts';

/** How long a container keeps the token before it asks again, in milliseconds: a rotation holds everywhere after this. */
const TOKEN_KEPT = 300_000;

/** The desk's bearer token, from the secret with this id. Throws where the secret is missing or empty. */
export function deskToken(secretId: string): () => Promise<string> {
  let secrets: SecretsManagerClient | undefined;
  let held: { readonly token: string; readonly until: number } | undefined;
  return async () => {
    if (held && Date.now() < held.until) return held.token;
    secrets ??= new SecretsManagerClient({ maxAttempts: 3 });
    const { SecretString } = await secrets.send(new GetSecretValueCommand({ SecretId: secretId }));
    if (!SecretString) throw new OperatorError("the desk's token is missing: put it as the secret's value");
    held = { token: SecretString, until: Date.now() + TOKEN_KEPT };
    return held.token;
  };
}
