import { randomBytes } from 'node:crypto';
import type { SecretStore } from '#infra/local/aws/secrets.ts';
import { forgetServiceKeys } from '#shared/table/rows/encryption.ts';
import { newServiceKeys } from '#shared/table/sealing/service-keys.ts';

/** The service's keys in the form that their secret has. */
export interface KeysText {
  readonly sealing: { readonly current: number; readonly keys: Readonly<Record<string, string>> };
  readonly index: readonly { readonly key: string; readonly from: number }[];
}

const newKey = () => randomBytes(32).toString('base64');
export const newKeys = (): KeysText => JSON.parse(newServiceKeys());

/** Returns the keys with a newer index key, under which rows are written from the moment `from` on. */
export const withIndexKey = (keys: KeysText, from: number): KeysText => ({
  ...keys,
  index: [...keys.index, { key: newKey(), from }],
});

/** Returns the keys with a newer sealing key, which is the current one. */
export function withSealingKey({ sealing, ...rest }: KeysText): KeysText {
  const current = sealing.current + 1;
  return { ...rest, sealing: { current, keys: { ...sealing.keys, [current]: newKey() } } };
}

/**
 * Puts keys into the secret, as if they had always been there. `rotated` adds a newer index key, which is in force.
 */
export function setServiceKeys(
  secrets: Pick<SecretStore, 'put'>,
  { index = 'one', keys = newKeys() }: { index?: 'one' | 'rotated'; keys?: KeysText } = {},
): KeysText {
  const keysText = index === 'rotated' ? withIndexKey(keys, 1) : keys;
  secrets.put({ SecretId: process.env['KEYS_SECRET']!, SecretString: JSON.stringify(keysText) });
  forgetServiceKeys();
  return keysText;
}

/**
 * Makes a version of the keys the current one, as `update-secret-version-stage` does by hand. `number` counts versions
 * in the order in which they were written. The version that was current becomes the previous one.
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
