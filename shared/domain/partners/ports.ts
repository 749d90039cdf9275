import type { PartnerId, UnitId } from '../values/ids.ts';
import type { Environment, Tenancy } from '../values/tenancy.ts';
import { type Instant, type Milliseconds, minutes } from '../values/time.ts';
import type { Agent, Caller, PartnerLabels, PartnerProfile, PartnerUnit, RefusedCall } from './partner.ts';
import type { SandboxChecklist } from './sandbox-checklist.ts';

export type { Agent, Caller } from './partner.ts';

/** Keys and rates: one conditional write a call. */
export interface ApiKeyAuth {
  /**
   * Who the key belongs to, and one call counted. Throws `auth_invalid` or `rate_limited` (with retryAfter).
   * `meanwhile` is called while the question is under way, with whose data the key stood for when this container last
   * admitted it, if it has: for reads that may prove vain, never for a decision.
   */
  authenticate(key: string, meanwhile?: (lastKnown: Tenancy) => void): Promise<Caller>;
}

export interface Partners {
  /** Names behind a caller, for GET /v1/me. */
  labels(caller: Caller): Promise<PartnerLabels>;
  /** A unit as its clients' documents present it; undefined where the unit has not said it. */
  agent(unitId: UnitId): Promise<Agent | undefined>;
}

/** What a unit's sandbox calls were refused for in the last 24 hours. */
export interface RefusedCalls {
  /** Notes one: a write of one unit. */
  note(tenancy: Tenancy, call: RefusedCall): Promise<void>;
  /** The newest 100 of the last 24 hours at `now`, newest first. */
  newest(tenancy: Tenancy, now: Instant): Promise<readonly RefusedCall[]>;
}

/** Time between two resets of a unit's sandbox. */
export const RESET_PAUSE: Milliseconds = minutes(1);

/** Takes a unit's sandbox back to nothing. */
export interface SandboxReset {
  /**
   * Removes the leads of the caller's unit, oldest first, with all that hangs on them but consents and deliveries, and its
   * refused calls; as many leads as time allows. `more` says whether some are left. An answer kept for a key may be left: the
   * key is free, since its lead is gone. `too_soon` if the last time is less than a pause ago.
   */
  reset(
    caller: Caller,
    now: Instant,
  ): Promise<
    | { readonly kind: 'too_soon'; readonly resetAt: Instant }
    | { readonly kind: 'reset'; readonly leads: number; readonly more: boolean }
  >;
}

/** Partners and their units as the manager keeps them. Whatever cannot be is refused in a sentence (SafeError). */
export interface PartnerRegister {
  /** Makes a partner at the usual limits. */
  create(partnerId: PartnerId, name: string, now: Instant): Promise<void>;
  get(partnerId: PartnerId): Promise<PartnerProfile | undefined>;
  /** The partner that has a unit; undefined where there is no such unit. */
  ofUnit(unitId: UnitId): Promise<PartnerProfile | undefined>;
  /** Partners, oldest first, a page at a time; one made a moment ago may be missing. */
  page(limit: number, after?: PartnerId): Promise<{ items: readonly PartnerProfile[]; next: PartnerId | undefined }>;
  /** Opens production and gives since when it is open; one validated before stays as it is. */
  validate(partnerId: PartnerId, now: Instant): Promise<Instant>;
  /** Sets calls a minute in some environments; holds from the next call on. False where they do not replace what they should. */
  setLimits(
    partnerId: PartnerId,
    limits: Readonly<Partial<Record<Environment, number>>>,
    replaces?: number,
  ): Promise<boolean>;
  /** Oldest first. */
  units(partnerId: PartnerId): Promise<readonly PartnerUnit[]>;
  createUnit(partnerId: PartnerId, unitId: UnitId, name: string, now: Instant): Promise<void>;
  /**
   * How the documents for clients present a unit; an empty text removes what was set, what is left out stays. Gives the
   * unit as it is then; undefined where a text is not the one that it `replaces`, empty for none.
   */
  presentUnit(
    partnerId: PartnerId,
    unitId: UnitId,
    texts: { readonly [field in keyof Agent]?: string | undefined },
    replaces?: { readonly [field in keyof Agent]?: string | undefined },
  ): Promise<PartnerUnit | undefined>;
  /** What the rows of the sandbox show of the flow. */
  checklist(partnerId: PartnerId): Promise<SandboxChecklist>;
  /** Notes what they have shown: nobody has to look for it again. What is noted already stays. */
  noteSteps(partnerId: PartnerId, shown: SandboxChecklist['shown']): Promise<void>;
}
