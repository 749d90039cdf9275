import { GetSecretValueCommand, PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SafeError } from '../runtime/log.ts';

/** How long a container keeps the token before it asks again, in milliseconds: a rotation holds everywhere after this. */
const TOKEN_KEPT = 300_000;

/** The operator's bearer token, from the secret with this id. Throws where the secret is missing or empty. */
export function operatorToken(secretId: string): () => Promise<string> {
  let secrets: SecretsManagerClient | undefined;
  let held: { readonly token: string; readonly until: number } | undefined;
  return async () => {
    if (held && Date.now() < held.until) return held.token;
    secrets ??= new SecretsManagerClient({ maxAttempts: 3 });
    const { SecretString } = await secrets.send(new GetSecretValueCommand({ SecretId: secretId }));
    if (!SecretString)
      throw new SafeError("the operator's token is missing: run `npm run manager -- operator set-token`");
    held = { token: SecretString, until: Date.now() + TOKEN_KEPT };
    return held.token;
  };
}

/** Whether a text can be a bearer token (RFC 6750, section 2.1), and not a guessable one. */
export function isOperatorToken(text: string): boolean {
  return /^[\w\-.~+/]{16,4096}=*$/.test(text);
}

/** Makes a token the current one: functions take it up within 5 minutes. The one before stays as AWSPREVIOUS. */
export async function putOperatorToken(secretId: string, token: string): Promise<void> {
  await new SecretsManagerClient({}).send(new PutSecretValueCommand({ SecretId: secretId, SecretString: token }));
}
