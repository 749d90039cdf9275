import { type Day, dayInSaoPaulo, daysBetween } from '../values/clock.ts';
import type { Failure, FailureCode } from '../values/failure.ts';
import { idOf, isKeyId, type KeyId, type PartnerId, type UnitId } from '../values/ids.ts';
import type { Environment, Tenancy } from '../values/tenancy.ts';
import { days, hours, type Instant, type Milliseconds, type Seconds } from '../values/time.ts';
import type { StepsMade } from './sandbox-checklist.ts';

export const SCOPES = ['leads', 'simulacoes', 'analises', 'acompanhamento'] as const;
export type Scope = (typeof SCOPES)[number];

/** Who makes a call, as admission found it. */
export interface Caller extends Tenancy {
  readonly partnerId: PartnerId;
  readonly keyId: KeyId;
  /** The scopes of the call. All four if the key names none. */
  readonly scopes: readonly Scope[];
  /** Calls that the partner may make in a minute in this environment. */
  readonly limit: number;
  /** Calls left in this clock minute. */
  readonly left: number;
  /** Time until the next clock minute. */
  readonly resetsIn: Seconds;
}

/** Calls a minute, unless the manager sets another number. */
export const DEFAULT_LIMIT = 120;

/** Returns the scopes that the auth item stores as the bits of a number. 0 means all scopes. */
export const scopesFromBits = (bits: number): readonly Scope[] =>
  bits === 0 ? SCOPES : SCOPES.filter((_, index) => bits & (1 << index));

/** Returns a list of scopes as the bits of a number. 0 for an empty list, which means all scopes. */
export const bitsFromScopes = (scopes: readonly Scope[]): number =>
  scopes.reduce((bits, scope) => bits | (1 << SCOPES.indexOf(scope)), 0);

/** A consultant: a person of the partner. A key may name one. */
interface Consultant {
  readonly id: number;
  readonly name: string;
}

/** What GET /v1/me shows in addition to the caller. It is stored outside the auth item. */
export interface PartnerLabels {
  readonly partnerName: string;
  readonly unitName: string;
  readonly consultant: Consultant | undefined;
  readonly keyPrefix: string;
  readonly keyCreatedAt: Instant;
  /** When the partner's keys, webhook or validation last changed. Undefined if they never did. */
  readonly accountChangedAt: Instant | undefined;
  /** The steps towards production that the partner has made. Undefined in production. */
  readonly stepsMade: StepsMade | undefined;
}

/** A unit as the documents for its clients name it: the agent who made the simulation. */
export interface Agent {
  readonly name: string;
  /** Registration with the regional council of estate agents (CRECI), such as `12345-J SP`. */
  readonly creci?: string | undefined;
  /** How a client reaches the unit: a telephone number, an address or both. */
  readonly contact?: string | undefined;
}
export const PRESENTED = ['name', 'creci', 'contact'] as const satisfies (keyof Agent)[];

/** A partner as the manager sees it. Production keys can be made for it from `validatedAt` on. */
export interface PartnerProfile {
  readonly id: PartnerId;
  readonly name: string;
  readonly createdAt: Instant;
  readonly validatedAt?: Instant | undefined;
  /** The partner's contact for security incidents. Undefined if the partner has named none. */
  readonly incidentContact?: string | undefined;
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
  /** Undefined or empty means all scopes. */
  readonly scopes?: readonly Scope[] | undefined;
  /** The consultant of the key. Without an id, a new id is drawn. */
  readonly consultant?: { readonly id?: number | undefined; readonly name: string } | undefined;
  /** A repeated request with the same token gets the same key, since the first answer may have been lost. */
  readonly token?: string | undefined;
}

export interface IssuedKey {
  /** Shown once and stored nowhere. */
  readonly text: string;
  readonly keyId: KeyId;
}

/** A key as it is known after its text was shown: how people recognise the key, and whether it is live. */
export interface KeyLabel extends Tenancy {
  readonly id: KeyId;
  readonly scopes: readonly Scope[];
  readonly prefix: string;
  readonly lastFour: string;
  readonly createdAt: Instant;
  readonly revokedAt?: Instant | undefined;
  readonly live: boolean;
  readonly consultant: number | undefined;
  /** Day of the last admitted call in São Paulo. Undefined if no call was admitted. */
  readonly lastUsedOn?: Day | undefined;
}

/** Time after the last use of a key in which its end probably breaks a program of the partner. */
export const KEY_IN_USE: Milliseconds = days(7);

/** Whether a key was used in the last 7 days, so that the person who ends it is warned. */
export const isInUse = (lastUsedOn: Day | undefined, now: Instant): boolean =>
  lastUsedOn !== undefined && daysBetween(lastUsedOn, dayInSaoPaulo(now)) < KEY_IN_USE / days(1);

/** The state of a partner's auth item. */
export interface AuthState {
  readonly keys: ReadonlySet<KeyId>;
  /** Calls that the partner may make in a minute. */
  readonly limits: Readonly<Record<Environment, number>>;
  readonly bytes: number;
}

/** A call that was admitted and then refused, as the partner sees it afterwards. It has no value of any field. */
export interface RefusedCall {
  readonly at: Instant;
  readonly method: string;
  /** The path of the route, with `{id}` instead of ids. */
  readonly path: string;
  readonly code: FailureCode;
  /** Dotted paths of the faulty fields. Names that the caller chose are left out. */
  readonly fields: readonly string[];
  readonly requestId: string;
}

/** How long a refused call is shown, and how many refused calls of a unit are shown. */
export const REFUSALS_KEPT: { readonly milliseconds: Milliseconds; readonly newest: number } = {
  milliseconds: hours(24),
  newest: 100,
};

/** Most field names that are stored for one call, so that its row costs one write unit. */
const MOST_FIELDS = 20;

/**
 * Returns the field names of a failure that may be stored. A name that the caller chose may not: it could contain
 * anything.
 */
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
 * Returns whose key a text is. The beginning that lists and logs show is enough. Undefined if the text does not begin
 * as a key. Does not check whether there is such a key.
 */
export function keyOwner(text: string): KeyOwner | undefined {
  const [, sandbox, partner, keyId] = /^pmc_(sandbox_)?([0-9A-Za-z]{9})([0-9A-Za-z]{5})/.exec(text) ?? [];
  if (partner === undefined || keyId === undefined || !isKeyId(keyId)) return undefined;
  const value = partnerNumber(partner);
  if (!Number.isSafeInteger(value)) return undefined;
  return { partnerId: idOf<PartnerId>(value), keyId, environment: sandbox ? 'sandbox' : 'producao' };
}

/** Returns the number of a partner's reference, which may be beyond the safe integers. */
export function partnerNumber(reference: string): number {
  let value = 0;
  for (const character of reference) value = value * 62 + BASE62.indexOf(character);
  return value;
}
