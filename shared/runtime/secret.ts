import {
  DescribeSecretCommand,
  GetSecretValueCommand,
  PutSecretValueCommand,
  ResourceNotFoundException,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { type Cached, cached } from './cached.ts';
import { underDeadline } from './deadline.ts';
import { logError } from './log.ts';
import { emit } from './metrics.ts';

/** Limits of a request. An attempt that hangs leaves time for two more. */
export const LIMITS = {
  maxAttempts: 3,
  requestHandler: { connectionTimeout: 500, requestTimeout: 700, throwOnRequestTimeout: true },
} as const;
const FETCH_TIMEOUT_MS = 2_500;
const REFRESH_AFTER_MS = 240_000;
/** A changed secret is used everywhere after this time, unless Secrets Manager is away. */
export const SECRET_KEPT_MS = 300_000;
/**
 * 12 hours: the alarm `secrets-away` wakes somebody, who has a night to repair it. With a longer time, the retirement
 * of a leaked key would have to wait longer, too.
 */
export const SECRET_HELD_MS = 43_200_000;
export const SECRET_RETRY_MS = 30_000;

/**
 * Keeps the current text of a secret, as `read` has parsed it. `read` gets undefined if the secret has no value yet.
 * `get` throws what `read` or Secrets Manager throws if no value was fetched in the last 12 hours. A refresh also fails
 * if `read` refuses the new text.
 */
export function cachedSecret<T>(secretId: () => string, read: (text: string | undefined) => T): Cached<T> {
  let client: SecretsManagerClient | undefined;
  return cached({
    fetch: async (abortSignal) => {
      client ??= new SecretsManagerClient(LIMITS);
      return read(await fetchCurrentText(client, secretId(), abortSignal));
    },
    timeoutMs: FETCH_TIMEOUT_MS,
    refreshAfterMs: REFRESH_AFTER_MS,
    waitAfterMs: SECRET_KEPT_MS,
    usableForMs: SECRET_HELD_MS,
    retryAfterMs: SECRET_RETRY_MS,
    onRefreshFailed: (error) => {
      logError('secret_not_refreshed', error, { secret: secretId() });
      emit({}, { SecretRefreshesFailed: 1 });
    },
  });
}

async function fetchCurrentText(client: SecretsManagerClient, SecretId: string, abortSignal: AbortSignal) {
  try {
    return (await client.send(new GetSecretValueCommand({ SecretId }), { abortSignal })).SecretString;
  } catch (error) {
    // Secrets Manager answers "not found" also for a secret that has no value yet.
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
}

/** Send its calls with `underDeadline()`, so that none continues when a frozen container runs again. */
export const secretsClient = () => new SecretsManagerClient(LIMITS);

/** Throws Secrets Manager's ResourceNotFoundException if there is no such secret. */
export async function hasSecret(secretId: string): Promise<boolean> {
  const secret = await secretsClient().send(new DescribeSecretCommand({ SecretId: secretId }), underDeadline());
  return Object.keys(secret.VersionIdsToStages ?? {}).length > 0;
}

/** Containers use the new value within 5 minutes. The previous value stays as AWSPREVIOUS. */
export async function putSecret(secretId: string, text: string): Promise<void> {
  const put = new PutSecretValueCommand({ SecretId: secretId, SecretString: text });
  await secretsClient().send(put, underDeadline());
}
