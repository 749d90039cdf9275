import {
  GetSecretValueCommand,
  PutSecretValueCommand,
  ResourceNotFoundException,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { cached, SECRETS_CLIENT } from '../runtime/cached.ts';

/** A container refreshes the key after the first of these and uses it no longer than the second, in milliseconds. */
const KEY_REFRESHED = 240_000;
const KEY_KEPT = 300_000;
/** How long fetching it may take, in milliseconds. */
const FETCH_TIMEOUT = 2_500;

/** The probe's API key, from the secret with this id; undefined where none was written yet. */
export function probeKey(secretId: string): () => Promise<string | undefined> {
  const secrets = new SecretsManagerClient(SECRETS_CLIENT);
  const key = cached({
    fetch: async (abortSignal) => {
      try {
        return (await secrets.send(new GetSecretValueCommand({ SecretId: secretId }), { abortSignal })).SecretString;
      } catch (error) {
        // A secret without a value is one that is not found, in Secrets Manager's words.
        if (error instanceof ResourceNotFoundException) return undefined;
        throw error;
      }
    },
    timeout: FETCH_TIMEOUT,
    refreshAfter: KEY_REFRESHED,
    usableFor: KEY_KEPT,
  });
  return () => key.get();
}

/** Makes a key the current one: the probe takes it up within 5 minutes. */
export async function putProbeKey(secretId: string, key: string): Promise<void> {
  await new SecretsManagerClient({}).send(new PutSecretValueCommand({ SecretId: secretId, SecretString: key }));
}
