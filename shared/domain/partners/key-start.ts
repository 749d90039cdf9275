import { idOf, isKeyId, type KeyId, type PartnerId } from '../values/ids.ts';
import type { Environment } from '../values/tenancy.ts';
import { KEY, PARTNER, PREFIX, partnerNumber } from './partner.ts';

/** Characters of a key that name its partner, or the key. None of them is secret. */
export const NEEDED: Readonly<Record<Environment, { readonly partner: number; readonly key: number }>> = {
  producao: { partner: PREFIX.producao.length + PARTNER, key: PREFIX.producao.length + PARTNER + KEY },
  sandbox: { partner: PREFIX.sandbox.length + PARTNER, key: PREFIX.sandbox.length + PARTNER + KEY },
};

export interface NamedStart {
  readonly partnerId: PartnerId;
  readonly environment: Environment;
  readonly start: string;
  readonly idStart: string;
}

/**
 * - `key`: the partner and the key. `hasSecret`: more was given, perhaps the whole key.
 * - `partner`: the partner only.
 * - `short`: `given` characters of a key, too few to say even the partner. If they do not show the environment,
 *   `environment` is undefined.
 */
export type KeyStart =
  | ({ readonly kind: 'key'; readonly keyId: KeyId; readonly hasSecret: boolean } & NamedStart)
  | ({ readonly kind: 'partner' } & NamedStart)
  | { readonly kind: 'short'; readonly given: number; readonly environment: Environment | undefined }
  | { readonly kind: 'none' };

/**
 * The form in which lists show a key, `pmc_00000001za1B2c…wXyZ`, counts as the start. The result has nothing of the
 * secret part. Does not check whether there is such a key.
 */
export function readKeyStart(text: string): KeyStart {
  const given = text.trim().replace(/(…|\.{3}).*$/s, '');
  if (given !== '' && PREFIX.sandbox.startsWith(given)) {
    // No partner's number begins with s, because it would be beyond the safe integers.
    const isSandbox = given.length > PREFIX.producao.length;
    return { kind: 'short', given: given.length, environment: isSandbox ? 'sandbox' : undefined };
  }
  const environment = given.startsWith(PREFIX.sandbox) ? 'sandbox' : 'producao';
  const { partner, key } = NEEDED[environment];
  const body = given.slice(PREFIX[environment].length);
  if (!given.startsWith(PREFIX[environment]) || !/^[0-9A-Za-z]*$/.test(body)) return { kind: 'none' };
  // Padded with zeros, this is the lowest number with this beginning.
  const number = partnerNumber(body.slice(0, PARTNER).padEnd(PARTNER, '0'));
  if (!Number.isSafeInteger(number)) return { kind: 'none' };
  if (given.length < partner) return { kind: 'short', given: given.length, environment };
  if (number === 0) return { kind: 'none' };
  const idStart = body.slice(PARTNER, PARTNER + KEY);
  const named = { partnerId: idOf<PartnerId>(number), environment, start: given.slice(0, key), idStart } as const;
  if (!isKeyId(idStart)) return { kind: 'partner', ...named };
  return { kind: 'key', keyId: idStart, hasSecret: given.length > key, ...named };
}

export const startsLikeThis = (
  { environment, idStart }: Pick<NamedStart, 'environment' | 'idStart'>,
  key: { readonly environment: Environment; readonly keyId: string },
): boolean => key.environment === environment && key.keyId.startsWith(idStart);
