import { type Day, dayInSaoPaulo, daysBetween } from '../values/clock.ts';
import type { Failure, FailureCode } from '../values/failure.ts';
import { idOf, isKeyId, type KeyId, type PartnerId, type UnitId } from '../values/ids.ts';
import type { Environment, Tenancy } from '../values/tenancy.ts';
import { days, hours, type Instant, type Milliseconds, type Seconds } from '../values/time.ts';
import type { StepsMade } from './sandbox-checklist.ts';

export const SCOPES = ['leads', 'simulacoes', 'analises', 'acompanhamento'] as const;
export type Scope = (typeof SCOPES)[number];

export interface Caller extends Tenancy {
  readonly partnerId: PartnerId;
  readonly keyId: KeyId;
  readonly scopes: readonly Scope[];
  readonly limit: number;
  readonly left: number;
  readonly resetsIn: Seconds;
}

export const DEFAULT_LIMIT = 120;

/** 0 means all scopes. */
export const scopesFromBits = (bits: number): readonly Scope[] =>
  bits === 0 ? SCOPES : SCOPES.filter((_, index) => bits & (1 << index));

export const bitsFromScopes = (scopes: readonly Scope[]): number =>
  scopes.reduce((bits, scope) => bits | (1 << SCOPES.indexOf(scope)), 0);

interface Consultant {
  readonly id: number;
  readonly name: string;
}

export interface PartnerLabels {
  readonly partnerName: string;
  readonly unitName: string;
  readonly consultant: Consultant | undefined;
  readonly keyPrefix: string;
  readonly keyCreatedAt: Instant;
  /** Undefined if the partner's keys, webhook and validation never changed. */
  readonly accountChangedAt: Instant | undefined;
  /** Undefined in production. */
  readonly stepsMade: StepsMade | undefined;
}

export interface Agent {
  readonly name: string;
  /** Registration with the regional council of estate agents (CRECI), such as `12345-J SP`. */
  readonly creci?: string | undefined;
  readonly contact?: string | undefined;
}
export const PRESENTED = ['name', 'creci', 'contact'] as const satisfies (keyof Agent)[];

/** Production keys can be made for the partner from `validatedAt` on. */
export interface PartnerProfile {
  readonly id: PartnerId;
  readonly name: string;
  readonly createdAt: Instant;
  readonly validatedAt?: Instant | undefined;
  readonly incidentContact?: string | undefined;
}

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
  /** Without an id, a new id is drawn. */
  readonly consultant?: { readonly id?: number | undefined; readonly name: string } | undefined;
  /** A repeated request with the same token gets the same key, since the first answer may have been lost. */
  readonly token?: string | undefined;
}

export interface IssuedKey {
  /** Shown once and stored nowhere. */
  readonly text: string;
  readonly keyId: KeyId;
}

export interface KeyLabel extends Tenancy {
  readonly id: KeyId;
  readonly scopes: readonly Scope[];
  readonly prefix: string;
  readonly lastFour: string;
  readonly createdAt: Instant;
  readonly revokedAt?: Instant | undefined;
  readonly live: boolean;
  readonly consultant: number | undefined;
  /** Undefined if no call was admitted. */
  readonly lastUsedOn?: Day | undefined;
}

export const KEY_IN_USE: Milliseconds = days(7);

export const isInUse = (lastUsedOn: Day | undefined, now: Instant): boolean =>
  lastUsedOn !== undefined && daysBetween(lastUsedOn, dayInSaoPaulo(now)) < KEY_IN_USE / days(1);

export interface AuthState {
  readonly keys: ReadonlySet<KeyId>;
  readonly limits: Readonly<Record<Environment, number>>;
  readonly bytes: number;
}

/** Contains no value of a field. */
export interface RefusedCall {
  readonly at: Instant;
  readonly method: string;
  /** The path of the route, with `{id}` instead of ids. */
  readonly path: string;
  readonly code: FailureCode;
  readonly fields: readonly string[];
  readonly requestId: string;
}

export const REFUSALS_KEPT: { readonly milliseconds: Milliseconds; readonly newest: number } = {
  milliseconds: hours(24),
  newest: 100,
};

/** With more fields, the row of a call could cost a second write unit. */
const MOST_FIELDS = 20;

/** Without names that the caller chose: they could contain anything. */
export function fieldsToKeep({ fields = [] }: Pick<Failure, 'fields'>): readonly string[] {
  return fields
    .filter(({ chosen }) => !chosen)
    .map(({ field }) => field)
    .slice(0, MOST_FIELDS);
}

export const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
export const PREFIX: Readonly<Record<Environment, string>> = { producao: 'pmc_', sandbox: 'pmc_sandbox_' };
/** 62^9 > 2^53 */
export const PARTNER = 9;
export const KEY = 5;

export interface KeyOwner {
  readonly partnerId: PartnerId;
  readonly keyId: KeyId;
  readonly environment: Environment;
}

/** The beginning of a key that lists and logs show is enough. Undefined if the text does not begin as a key. */
export function keyOwner(text: string): KeyOwner | undefined {
  const [, sandbox, partner, keyId] = /^pmc_(sandbox_)?([0-9A-Za-z]{9})([0-9A-Za-z]{5})/.exec(text) ?? [];
  if (partner === undefined || keyId === undefined || !isKeyId(keyId)) return undefined;
  const value = partnerNumber(partner);
  if (!Number.isSafeInteger(value)) return undefined;
  return { partnerId: idOf<PartnerId>(value), keyId, environment: sandbox ? 'sandbox' : 'producao' };
}

/** The result can be an unsafe integer. */
export function partnerNumber(reference: string): number {
  let value = 0;
  for (const character of reference) value = value * 62 + BASE62.indexOf(character);
  return value;
}
