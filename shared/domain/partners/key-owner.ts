import type { KeyId, PartnerId } from '../values/ids.ts';
import type { Environment } from '../values/tenancy.ts';

export const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
export const PREFIX: Readonly<Record<Environment, string>> = { producao: 'pmc_', sandbox: 'pmc_sandbox_' };
/** Characters of a partner's reference (62^9 > 2^53). */
export const PARTNER = 9;
/** Characters of a key's id. */
export const KEY = 5;

export interface KeyOwner {
  readonly partnerId: PartnerId;
  readonly keyId: KeyId;
  readonly environment: Environment;
}

/**
 * Whose a key is by its text, or by no more than the start that lists and logs show, which holds no secret. Undefined where
 * it does not begin as a key. Says nothing of whether there is such a key.
 */
export function keyOwner(text: string): KeyOwner | undefined {
  const [, sandbox, partner, keyId] = /^pmc_(sandbox_)?([0-9A-Za-z]{9})([0-9A-Za-z]{5})/.exec(text) ?? [];
  if (partner === undefined) return undefined;
  let value = 0;
  for (const character of partner) value = value * 62 + BASE62.indexOf(character);
  if (!Number.isSafeInteger(value)) return undefined;
  return { partnerId: value as PartnerId, keyId: keyId as KeyId, environment: sandbox ? 'sandbox' : 'producao' };
}
