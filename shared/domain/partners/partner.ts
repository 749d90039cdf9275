import type { Failure, FailureCode } from '../values/failure.ts';
import { idOf, isKeyId, type KeyId, type PartnerId, type UnitId } from '../values/ids.ts';
import type { Environment, Tenancy } from '../values/tenancy.ts';
import { hours, type Instant, type Milliseconds, type Seconds } from '../values/time.ts';
import type { StepsMade } from './sandbox-checklist.ts';

export const SCOPES = ['leads', 'simulacoes', 'analises', 'acompanhamento'] as const;
export type Scope = (typeof SCOPES)[number];

/** Who is calling, as admission found it. */
export interface Caller extends Tenancy {
  readonly partnerId: PartnerId;
  readonly keyId: KeyId;
  /** The scopes that hold for this call: all four where the key names none. */
  readonly scopes: readonly Scope[];
  /** Calls a minute for this partner in this environment. */
  readonly limit: number;
  /** Calls left in this clock minute, and the time until the next. */
  readonly left: number;
  readonly resetsIn: Seconds;
}

/** Calls a minute where the manager has not set another number. */
export const DEFAULT_LIMIT = 120;

/** Scopes as the bits of a small number: how the auth item stores them. None set means all. */
export const scopesFromBits = (bits: number): readonly Scope[] =>
  bits === 0 ? SCOPES : SCOPES.filter((_, index) => bits & (1 << index));

/** The bits of a list of scopes; 0 for an empty list, which stands for all. */
export const bitsFromScopes = (scopes: readonly Scope[]): number =>
  scopes.reduce((bits, scope) => bits | (1 << SCOPES.indexOf(scope)), 0);

/** A person whom a key names. */
interface Consultant {
  readonly id: number;
  readonly name: string;
}

/** What GET /v1/me shows beyond the caller: labels that lie outside the auth item. */
export interface PartnerLabels {
  readonly partnerName: string;
  readonly unitName: string;
  readonly consultant: Consultant | undefined;
  readonly keyPrefix: string;
  readonly keyCreatedAt: Instant;
  /** When the partner's keys, webhook or validation were last changed. */
  readonly accountChangedAt: Instant | undefined;
  /** In the sandbox: the steps towards production that the partner has made; undefined in production. */
  readonly stepsMade: StepsMade | undefined;
}

/** A unit as the documents for its clients present it: who made the simulation. */
export interface Agent {
  readonly name: string;
  /** Registration with the regional council of estate agents (CRECI), as it is written: `12345-J SP`. */
  readonly creci?: string | undefined;
  /** How a client reaches the unit: a telephone, an address or both. */
  readonly contact?: string | undefined;
}

/** A partner as the manager sees it; `validatedAt` opens production to it. */
export interface PartnerProfile {
  readonly id: PartnerId;
  readonly name: string;
  readonly createdAt: Instant;
  readonly validatedAt?: Instant | undefined;
}

/** A unit as the manager sees it. */
export interface PartnerUnit extends Agent {
  readonly id: UnitId;
  readonly createdAt: Instant;
}

export interface NewKey {
  readonly partnerId: PartnerId;
  readonly unitId: UnitId;
  readonly environment: Environment;
  /** None means all. */
  readonly scopes?: readonly Scope[] | undefined;
  /** Whom the key names; an id is drawn where there is none. */
  readonly consultant?: { readonly id?: number | undefined; readonly name: string } | undefined;
  /** Whoever repeats the wish with the same token is given the same key: the answer to the first may have been lost. */
  readonly token?: string | undefined;
}

export interface IssuedKey {
  /** Shown once and kept nowhere. */
  readonly text: string;
  readonly keyId: KeyId;
}

/** A key as it is known after its text was shown: what people recognise it by, and whether it is live. */
export interface KeyLabel extends Tenancy {
  readonly id: KeyId;
  readonly scopes: readonly Scope[];
  readonly prefix: string;
  readonly lastFour: string;
  readonly createdAt: Instant;
  readonly revokedAt?: Instant | undefined;
  readonly live: boolean;
  readonly consultant: number | undefined;
}

/** What the auth item says of a partner. */
export interface AuthState {
  readonly keys: ReadonlySet<KeyId>;
  /** Calls a minute. */
  readonly limits: Readonly<Record<Environment, number>>;
  readonly bytes: number;
}

/** A call that was admitted and then refused, as its partner sees it afterwards. Holds no value of any field. */
export interface RefusedCall {
  readonly at: Instant;
  readonly method: string;
  /** The route's path, with `{id}` in the place of ids. */
  readonly path: string;
  readonly code: FailureCode;
  /** Dotted paths of the fields in fault; names of ours alone. */
  readonly fields: readonly string[];
  readonly requestId: string;
}

/** For how long a refused call is shown, and how many of a unit are. */
export const REFUSALS_KEPT: { readonly milliseconds: Milliseconds; readonly newest: number } = {
  milliseconds: hours(24),
  newest: 100,
};

/** Field names that are kept of one call: a row stays below one write unit. */
const MOST_FIELDS = 20;

/** The names of a failure's fields that may be kept: not those that the caller chose, which could hold anything. */
export function fieldsToKeep({ fields = [] }: Pick<Failure, 'fields'>): readonly string[] {
  return fields
    .filter(({ chosen }) => !chosen)
    .map(({ field }) => field)
    .slice(0, MOST_FIELDS);
}

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
  if (partner === undefined || keyId === undefined || !isKeyId(keyId)) return undefined;
  let value = 0;
  for (const character of partner) value = value * 62 + BASE62.indexOf(character);
  if (!Number.isSafeInteger(value)) return undefined;
  return { partnerId: idOf<PartnerId>(value), keyId, environment: sandbox ? 'sandbox' : 'producao' };
}
