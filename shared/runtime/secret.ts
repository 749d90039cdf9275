import {
  DescribeSecretCommand,
  GetSecretValueCommand,
  PutSecretValueCommand,
  ResourceNotFoundException,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { type Cached, cached } from './cached.ts';
import { underDeadline } from './deadline.ts';

/** Limits of a request. An attempt that hangs leaves time for two more. */
export const LIMITS = {
  maxAttempts: 3,
  requestHandler: { connectionTimeout: 500, requestTimeout: 700, throwOnRequestTimeout: true },
} as const;
/** Time limit for fetching a secret. */
const FETCH_TIMEOUT_MS = 2_500;
/** Age from which a kept secret is refreshed in the background. */
const REFRESH_AFTER_MS = 240_000;
/** Age from which a container no longer uses a kept secret and has to fetch it first. */
export const SECRET_KEPT_MS = 300_000;

/**
 * Keeps the current text of a secret for some minutes, as `read` has parsed it. `read` gets undefined if the secret has
 * no value yet. `get` throws what `read` or Secrets Manager throws.
 */
export function cachedSecret<T>(secretId: () => string, read: (text: string | undefined) => T): Cached<T> {
  let client: SecretsManagerClient | undefined;
  return cached({
    fetch: async (abortSignal) => {
      client ??= new SecretsManagerClient(LIMITS);
      return read(await currentText(client, secretId(), abortSignal));
    },
    timeoutMs: FETCH_TIMEOUT_MS,
    refreshAfterMs: REFRESH_AFTER_MS,
    usableForMs: SECRET_KEPT_MS,
  });
}

async function currentText(client: SecretsManagerClient, SecretId: string, abortSignal: AbortSignal) {
  try {
    return (await client.send(new GetSecretValueCommand({ SecretId }), { abortSignal })).SecretString;
  } catch (error) {
    // Secrets Manager answers "not found" also for a secret that has no value yet.
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
}

/**
 * Returns a client for calls that write a secret or read it once. The calls must be sent with `underDeadline()`, so
 * that none continues when a frozen container runs again.
 */
export const secretsClient = () => new SecretsManagerClient(LIMITS);

/** Whether a secret has a value. Throws Secrets Manager's ResourceNotFoundException if there is no such secret. */
export async function hasSecret(secretId: string): Promise<boolean> {
  const secret = await secretsClient().send(new DescribeSecretCommand({ SecretId: secretId }), underDeadline());
  return Object.keys(secret.VersionIdsToStages ?? {}).length > 0;
}

/**
 * Makes a text the current value of a secret. Containers use it within 5 minutes. The previous value stays as
 * AWSPREVIOUS.
 */
export async function putSecret(secretId: string, text: string): Promise<void> {
  const put = new PutSecretValueCommand({ SecretId: secretId, SecretString: text });
  await secretsClient().send(put, underDeadline());
}
