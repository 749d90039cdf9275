import { randomBytes } from 'node:crypto';
import type { SecretStore } from '#infra/local/aws/secrets.ts';
import { forgetServiceKeys } from '#shared/table/rows/encryption.ts';
import { newServiceKeys } from '#shared/table/sealing/service-keys.ts';

/** The service's keys as their secret holds them. */
export interface KeysText {
  readonly sealing: { readonly current: number; readonly keys: Readonly<Record<string, string>> };
  readonly index: string;
  readonly nextIndex?: { readonly key: string; readonly from: number };
}

export const newKeys = (): KeysText => JSON.parse(newServiceKeys());
/** A newer index key, under which rows are written from a moment on. */
export const nextIndexFrom = (from: number) => ({ key: randomBytes(32).toString('base64'), from });

/** Puts new keys into the secret, as if they had been there from the start; `rotated`: two index keys, the newer in force. */
export function setServiceKeys(
  secrets: Pick<SecretStore, 'put'>,
  { index = 'one', keys = newKeys() }: { index?: 'one' | 'rotated'; keys?: KeysText } = {},
): KeysText {
  const held = index === 'rotated' ? { ...keys, nextIndex: nextIndexFrom(0) } : keys;
  secrets.put({ SecretId: process.env['KEYS_SECRET']!, SecretString: JSON.stringify(held) });
  forgetServiceKeys();
  return held;
}

/**
 * Makes a version the current one, by its number in the order of writing, as `update-secret-version-stage` does by hand:
 * the one that the label is taken from becomes the previous one.
 */
export function putBackKeys(secrets: SecretStore, number: number): void {
  const secret = secrets['find'](process.env['KEYS_SECRET']);
  const versions = secret.versions.map((version, index) => {
    if (index === number) return { ...version, stages: ['AWSCURRENT'] };
    return { ...version, stages: version.stages.includes('AWSCURRENT') ? ['AWSPREVIOUS'] : [] };
  });
  secrets['keep']({ ...secret, versions });
  forgetServiceKeys();
}
