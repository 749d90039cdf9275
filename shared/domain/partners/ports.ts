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
  labels(caller: Caller): Promise<PartnerLabels>;
  /** Undefined if the manager has set no name for the documents. */
  agent(unitId: UnitId): Promise<Agent | undefined>;
}

export interface RefusedCalls {
  /** Costs one write unit. */
  note(tenancy: Tenancy, call: RefusedCall): Promise<void>;
  newest(tenancy: Tenancy, now: Instant): Promise<readonly RefusedCall[]>;
}

export const RESET_PAUSE: Milliseconds = minutes(1);

export interface SandboxReset {
  /**
   * Removes leads and what belongs to them, except consents and deliveries. `more`: leads are left.
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

/** An impossible change throws a SafeError that says why. */
export interface ApiKeys {
  state(partnerId: PartnerId): Promise<AuthState | undefined>;
  list(partnerId: PartnerId): Promise<readonly KeyLabel[]>;
  create(wanted: NewKey, now: Instant): Promise<IssuedKey>;
  /** With the same token, a repeated rotation returns the same key. */
  rotate(partnerId: PartnerId, old: KeyId, now: Instant, token?: string): Promise<IssuedKey>;
  revoke(partnerId: PartnerId, keyId: KeyId, now: Instant): Promise<void>;
}

/** An impossible change throws a SafeError that says why. */
export interface PartnerRegister {
  create(partnerId: PartnerId, name: string, now: Instant): Promise<void>;
  get(partnerId: PartnerId): Promise<PartnerProfile | undefined>;
  ofUnit(unitId: UnitId): Promise<PartnerProfile | undefined>;
  page(limit: number, after?: PartnerId): Promise<{ items: readonly PartnerProfile[]; next: PartnerId | undefined }>;
  /**
   * Returns since when production is open. Throws a ChangedMeanwhile, and changes nothing, if the address of the
   * partner's webhook of production is no longer the one that the caller has `seen`.
   */
  validate(partnerId: PartnerId, now: Instant, seen?: { readonly webhook: string | undefined }): Promise<Instant>;
  /** Returns false, and changes nothing, if `replaces` is given and is not the present limit of these environments. */
  setLimits(
    partnerId: PartnerId,
    limits: Readonly<Partial<Record<Environment, number>>>,
    replaces?: number,
  ): Promise<boolean>;
  /**
   * An empty text removes the contact. Returns undefined, and changes nothing, if the contact is not as `replaces`
   * says.
   */
  setIncidentContact(partnerId: PartnerId, contact: string, replaces?: string): Promise<PartnerProfile | undefined>;
  units(partnerId: PartnerId): Promise<readonly PartnerUnit[]>;
  createUnit(partnerId: PartnerId, unitId: UnitId, name: string, now: Instant): Promise<void>;
  /**
   * An empty text removes a field; a field that is undefined stays. Returns undefined, and changes nothing, if a field
   * is not as `replaces` says (empty: not set). An event tells the partner about new texts.
   */
  presentUnit(
    partnerId: PartnerId,
    unitId: UnitId,
    texts: { readonly [field in keyof Agent]?: string | undefined },
    now: Instant,
    replaces?: { readonly [field in keyof Agent]?: string | undefined },
  ): Promise<PartnerUnit | undefined>;
  checklist(partnerId: PartnerId): Promise<SandboxChecklist>;
  /** A step that is stored already stays as it is. */
  noteSteps(partnerId: PartnerId, shown: SandboxChecklist['shown']): Promise<void>;
}
