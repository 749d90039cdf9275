/**
 * Keys from which the API keys with a token are derived. Nearly every function can read the index key, and none that
 * serves partners may be able to compute an API key. So the derivation keys are in a secret of their own, which only
 * operations of the administration can read.
 *
 * Each index key has one derivation key, stored under the index key's name. So a rotation of the index key also rotates
 * the derivation key: the key of the current index key makes API keys, and the key of the other one still recognises the
 * API keys that it has made. A derivation key is written before its index key, and removed after it
 * (`sealing/service-keys.ts`).
 */
import { createHmac, type KeyObject } from 'node:crypto';
import * as z from 'zod/mini';
import { Failure } from '#shared/domain/values/failure.ts';
import { derivationKeysSecret } from '#shared/runtime/env.ts';
import { SafeError } from '#shared/runtime/log.ts';
import { cachedSecret } from '#shared/runtime/secret.ts';
import { forgetServiceKeys, keyOf, orUnavailable } from './encryption.ts';
import { indexKeys } from './index-keys.ts';

/** The derivation keys as Secrets Manager holds them, by the name of their index key. Each is 32 bytes in base64. */
export const derivationKeysFormat = z.record(z.string(), z.base64());

const keys = cachedSecret(
  derivationKeysSecret,
  (text = '{}') =>
    new Map(Object.entries(derivationKeysFormat.parse(JSON.parse(text))).map(([name, key]) => [name, keyOf(key)])),
);

const NO_KEY = 'an index key has no derivation key: run `npm run manager -- keys init`';

/** Forgets the derivation keys that this process holds, so that the next use fetches them again. */
export const forgetDerivationKeys = (): void => keys.forget();

/** Derivation keys of the index keys that are held. */
interface HeldKeys {
  /** Key that makes API keys now. */
  readonly current: KeyObject;
  /** Key of the other index key, while two are held. */
  readonly other: KeyObject | undefined;
}

/**
 * Returns the derivation keys that this container knows. Undefined if it knows none for an index key that it holds.
 * Throws `servico_indisponivel` if a secret cannot be fetched.
 */
async function knownKeys(): Promise<HeldKeys | undefined> {
  // The index keys come first. A rotation writes them last, so the derivation key of each of them exists by then.
  const { current, other } = await indexKeys();
  const byName = await orUnavailable(keys.get(), 'the derivation keys cannot be read');
  const ofCurrent = byName.get(current.name);
  const ofOther = other && byName.get(other.name);
  if (!ofCurrent || (other && !ofOther)) return undefined;
  return { current: ofCurrent, other: ofOther };
}

/** Returns what `knownKeys` finds in both secrets as they are now. */
function keysFetchedAgain(): Promise<HeldKeys | undefined> {
  forgetServiceKeys();
  forgetDerivationKeys();
  return knownKeys();
}

/** 64 bytes that follow from a text and a derivation key. Nobody can compute them without the key. */
interface DerivedBytes {
  readonly current: Uint8Array;
  /** The same by the derivation key of the other index key, while two are held. */
  readonly other: Uint8Array | undefined;
}

/**
 * Derives bytes from a text, by the derivation key of each index key that is held. Throws `servico_indisponivel` if one
 * of them has none: other bytes would be another API key for the same token.
 */
export async function derivedBytes(purpose: string, text: string): Promise<DerivedBytes> {
  // This container may hold one of the two secrets from before a rotation or a retirement of the index key.
  const held = (await knownKeys()) ?? (await keysFetchedAgain());
  if (!held) throw new Failure('servico_indisponivel', { cause: new SafeError(NO_KEY) });
  const message = JSON.stringify([purpose, text]);
  const by = (key: KeyObject) => createHmac('sha512', key).update(message).digest();
  return { current: by(held.current), other: held.other && by(held.other) };
}
