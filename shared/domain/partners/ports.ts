import type { KeyId, PartnerId, UnitId } from '../values/ids.ts';
import type { Environment, Tenancy } from '../values/tenancy.ts';
import { type Instant, type Milliseconds, minutes } from '../values/time.ts';
import type {
  Agent,
  AuthState,
  Caller,
  IssuedKey,
  KeyLabel,
  NewKey,
  PartnerLabels,
  PartnerProfile,
  PartnerUnit,
  RefusedCall,
} from './partner.ts';
import type { SandboxChecklist } from './sandbox-checklist.ts';

export type { Agent, Caller } from './partner.ts';

/** Checks API keys and counts calls: one conditional write for each call. */
export interface ApiKeyAuth {
  /**
   * Returns who calls with a key, and counts the call. Throws `auth_invalid` or `rate_limited` (with retryAfter).
   *
   * If this container has admitted the key before, `meanwhile` is called while the key is still being checked. It gets
   * the tenancy that the key had last time. It may start a read, whose result is used only if the check confirms this
   * tenancy. It must not decide anything.
   */
  authenticate(key: string, meanwhile?: (lastKnown: Tenancy) => void): Promise<Caller>;
}

export interface Partners {
  /** Returns what GET /v1/me shows in addition to the caller. */
  labels(caller: Caller): Promise<PartnerLabels>;
  /** Returns a unit as the documents for its clients name it. Undefined if the manager has set no name for them. */
  agent(unitId: UnitId): Promise<Agent | undefined>;
}

/** The refused sandbox calls of each unit in the last 24 hours. */
export interface RefusedCalls {
  /** Stores a refused call. Costs one write unit. */
  note(tenancy: Tenancy, call: RefusedCall): Promise<void>;
  /** Returns the newest 100 refused calls of the 24 hours before `now`, newest first. */
  newest(tenancy: Tenancy, now: Instant): Promise<readonly RefusedCall[]>;
}

/** Least time between two resets of a unit's sandbox. */
export const RESET_PAUSE: Milliseconds = minutes(1);

/** Empties the sandbox of a unit. */
export interface SandboxReset {
  /**
   * Removes the refused calls of the caller's unit, and as many of its leads as time allows, oldest first. Everything
   * that belongs to a lead goes with it, except for consents and deliveries. `more` says whether leads are left.
   *
   * Stored answers of Idempotency-Keys may be left, too. Their keys are free again, since their lead is gone.
   * `too_soon`: the last reset, at `resetAt`, was less than `RESET_PAUSE` ago, and nothing was removed.
   */
  reset(
    caller: Caller,
    now: Instant,
  ): Promise<
    | { readonly kind: 'too_soon'; readonly resetAt: Instant }
    | { readonly kind: 'reset'; readonly leads: number; readonly more: boolean }
  >;
}

/** The keys of partners, as the manager maintains them. An impossible change throws a SafeError that says why. */
export interface ApiKeys {
  /** Returns what the check of keys knows about a partner. Undefined if there is no such partner. */
  state(partnerId: PartnerId): Promise<AuthState | undefined>;
  /** Returns all keys of a partner, live or not. */
  list(partnerId: PartnerId): Promise<readonly KeyLabel[]>;
  /** Makes a key, and tells the partner by an event. The text of the key is stored nowhere. */
  create(wanted: NewKey, now: Instant): Promise<IssuedKey>;
  /**
   * Replaces a live key, which admits no call from that moment, and tells the partner by an event. With the same token,
   * a repeated rotation returns the same key.
   */
  rotate(partnerId: PartnerId, old: KeyId, now: Instant, token?: string): Promise<IssuedKey>;
  /** Ends a live key, which admits no call from that moment, and tells the partner by an event. */
  revoke(partnerId: PartnerId, keyId: KeyId, now: Instant): Promise<void>;
}

/** Partners and their units, as the manager maintains them. An impossible change throws a SafeError that says why. */
export interface PartnerRegister {
  /** Creates a partner with the default limits. */
  create(partnerId: PartnerId, name: string, now: Instant): Promise<void>;
  get(partnerId: PartnerId): Promise<PartnerProfile | undefined>;
  /** Returns the partner that has a unit. Undefined if there is no such unit. */
  ofUnit(unitId: UnitId): Promise<PartnerProfile | undefined>;
  /** Returns a page of partners, oldest first. */
  page(limit: number, after?: PartnerId): Promise<{ items: readonly PartnerProfile[]; next: PartnerId | undefined }>;
  /**
   * Opens production to a partner, unless it is open. Returns since when it is open. Throws a ChangedMeanwhile, and
   * changes nothing, if the address of its webhook of production is no longer the one that the caller has `seen`.
   */
  validate(partnerId: PartnerId, now: Instant, seen?: { readonly webhook: string | undefined }): Promise<Instant>;
  /**
   * Sets the calls a minute in some environments, from the next call on. Returns false, and changes nothing, if
   * `replaces` is given and is not the present limit of these environments.
   */
  setLimits(
    partnerId: PartnerId,
    limits: Readonly<Partial<Record<Environment, number>>>,
    replaces?: number,
  ): Promise<boolean>;
  /**
   * Sets the partner's contact for security incidents, and returns the partner. An empty text removes the
   * contact. Returns undefined, and changes nothing, if the contact is not as `replaces` says (empty: not set).
   */
  setIncidentContact(partnerId: PartnerId, contact: string, replaces?: string): Promise<PartnerProfile | undefined>;
  /** Returns the units of a partner, oldest first. */
  units(partnerId: PartnerId): Promise<readonly PartnerUnit[]>;
  createUnit(partnerId: PartnerId, unitId: UnitId, name: string, now: Instant): Promise<void>;
  /**
   * Sets how the documents for clients name a unit, and returns the unit. An empty text removes a field; a field that
   * is undefined stays. Returns undefined, and changes nothing, if a field is not as `replaces` says (empty: not set).
   * New texts are told to the partner by an event.
   */
  presentUnit(
    partnerId: PartnerId,
    unitId: UnitId,
    texts: { readonly [field in keyof Agent]?: string | undefined },
    now: Instant,
    replaces?: { readonly [field in keyof Agent]?: string | undefined },
  ): Promise<PartnerUnit | undefined>;
  /** Returns which steps towards production the rows of the partner's sandbox show. */
  checklist(partnerId: PartnerId): Promise<SandboxChecklist>;
  /**
   * Stores steps that were shown, so that nobody has to look for them again. A step that is stored already stays as it
   * is.
   */
  noteSteps(partnerId: PartnerId, shown: SandboxChecklist['shown']): Promise<void>;
}
