import {
  DescribeSecretCommand,
  GetSecretValueCommand,
  PutSecretValueCommand,
  ResourceNotFoundException,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { type Cached, cached } from './cached.ts';
import { underDeadline } from './deadline.ts';

/** Limits of a request: an attempt that hangs leaves time for the other two. */
export const LIMITS = {
  maxAttempts: 3,
  requestHandler: { connectionTimeout: 500, requestTimeout: 700, throwOnRequestTimeout: true },
} as const;
/** Time limit for fetching a secret. */
const FETCH_TIMEOUT_MS = 2_500;
/** Age at which a held secret is refreshed, while it goes on serving calls. */
const REFRESH_AFTER_MS = 240_000;
/** How long a container uses a secret before it has to ask again. */
export const SECRET_KEPT_MS = 300_000;

/**
 * What `read` makes of a secret's current text (undefined where none was written yet), held for minutes. `get` throws what
 * `read` or Secrets Manager throws.
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
    // A secret without a value is one that is not found, in Secrets Manager's words.
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
}

/** A client for whoever writes secrets or looks at them once. Its calls are sent `underDeadline()`: none goes on in a container that thaws. */
export const secretsClient = () => new SecretsManagerClient(LIMITS);

/** Whether a secret has a value. Throws Secrets Manager's ResourceNotFoundException where there is no such secret. */
export async function hasSecret(secretId: string): Promise<boolean> {
  const secret = await secretsClient().send(new DescribeSecretCommand({ SecretId: secretId }), underDeadline());
  return Object.keys(secret.VersionIdsToStages ?? {}).length > 0;
}

/** Makes a text the current one: containers take it up within 5 minutes. The one before stays as AWSPREVIOUS. */
export async function putSecret(secretId: string, text: string): Promise<void> {
  const put = new PutSecretValueCommand({ SecretId: secretId, SecretString: text });
  await secretsClient().send(put, underDeadline());
}
