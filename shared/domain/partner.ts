import type { DisablingCause, EndpointHealth } from './endpoint-health.ts';
import type { KeyId, PartnerId, UnitId } from './ids.ts';

export const ENVIRONMENTS = ['sandbox', 'producao'] as const;
/** Decided by the key alone; no id ever crosses it. */
export type Environment = (typeof ENVIRONMENTS)[number];

export const SCOPES = ['leads', 'simulacoes', 'analises', 'acompanhamento'] as const;
export type Scope = (typeof SCOPES)[number];

/** Whose data a row is: part of every partition key, so that a foreign row cannot be read even by a faulty handler. */
export interface Tenancy {
  readonly unit: UnitId;
  readonly environment: Environment;
}

/** Who is calling, as admission found it. */
export interface Caller extends Tenancy {
  readonly partner: PartnerId;
  readonly key: KeyId;
  /** The scopes that hold for this call: all four where the key names none. */
  readonly scopes: readonly Scope[];
  /** Calls a minute for this partner in this environment. */
  readonly limit: number;
  /** Calls left in this clock minute, and seconds until the next. */
  readonly left: number;
  readonly resetsIn: number;
}

/** Calls a minute where the manager has not set another number. */
export const DEFAULT_LIMIT = 120;

/** Scopes as the bits of a small number: how the gate item stores them. None set means all. */
export function scopesFromBits(bits: number): readonly Scope[] {
  return bits === 0 ? SCOPES : SCOPES.filter((_, index) => bits & (1 << index));
}

/** The bits of a list of scopes; 0 for an empty list, which stands for all. */
export function bitsFromScopes(scopes: readonly Scope[]): number {
  return scopes.reduce((bits, scope) => bits | (1 << SCOPES.indexOf(scope)), 0);
}

/** What GET /v1/me shows beyond the caller: labels that lie outside the gate item. */
export interface PartnerLabels {
  readonly partnerName: string;
  readonly unitName: string;
  readonly consultant: { readonly id: number; readonly name: string } | undefined;
  readonly keyPrefix: string;
  /** Milliseconds since 1970. */
  readonly keyCreatedAt: number;
}

/** Where a partner's events go. */
export interface WebhookEndpoint {
  readonly url: string;
  readonly enabled: boolean;
  readonly secret: string;
  /** The secret before the last rotation, while its overlap lasts. */
  readonly previousSecret: string | undefined;
  readonly previousUntil: number | undefined;
  /** When the manager last set, enabled or disabled it: attempts begun before say nothing of what it is since. */
  readonly changedAt: number;
  readonly health: EndpointHealth;
  /** Why it is disabled; undefined while it is enabled. */
  readonly disabledBecause: DisabledBecause | undefined;
}

export type DisabledBecause = DisablingCause | 'manager';
