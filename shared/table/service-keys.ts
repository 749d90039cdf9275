import { randomBytes } from 'node:crypto';
import {
  DescribeSecretCommand,
  PutSecretValueCommand,
  ResourceExistsException,
  ResourceNotFoundException,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import type * as z from 'zod';
import { keysSecret } from '../runtime/env.ts';
import { OperatorError } from '../runtime/log.ts';
import type { serviceKeysFormat } from './sealed.ts';

const KEY_BYTES = 32;

/**
 * The name of the secret's first version. It is always the same, so that of two that write it at once one is refused:
 * Secrets Manager takes a version's name only once, unless with the same value.
 */
const FIRST_VERSION = 'partner-credit-service-keys-first-version';

/** New sealing and index keys as the secret holds them. `random` gives that many bytes. */
export function newServiceKeys(random: (bytes: number) => Uint8Array = randomBytes): string {
  const key = (): string => Buffer.from(random(KEY_BYTES)).toString('base64');
  const keys: z.infer<typeof serviceKeysFormat> = { sealing: { current: 1, keys: { 1: key() } }, index: key() };
  return JSON.stringify(keys);
}

/** Whether the service's keys have been written. Throws an OperatorError where the secret itself is missing. */
export async function hasServiceKeys(): Promise<boolean> {
  try {
    const secret = await new SecretsManagerClient({}).send(new DescribeSecretCommand({ SecretId: keysSecret() }));
    return Object.keys(secret.VersionIdsToStages ?? {}).length > 0;
  } catch (error) {
    if (!(error instanceof ResourceNotFoundException)) throw error;
    throw new OperatorError(`there is no secret ${keysSecret()}: deploy the stage's data stack first`, {
      cause: error,
    });
  }
}

/** Writes the service's first keys. Throws an OperatorError where it has keys: rows sealed by them would be lost. */
export async function initServiceKeys(): Promise<void> {
  const refusal = () => new OperatorError('the service has its keys already: with others its rows could not be read');
  if (await hasServiceKeys()) throw refusal();
  try {
    await new SecretsManagerClient({}).send(
      new PutSecretValueCommand({
        SecretId: keysSecret(),
        SecretString: newServiceKeys(),
        ClientRequestToken: FIRST_VERSION,
      }),
    );
  } catch (error) {
    if (error instanceof ResourceExistsException) throw refusal();
    throw error;
  }
}
