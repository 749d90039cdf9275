import type { Day } from '../values/clock.ts';
import type { Cpf } from '../values/cpf.ts';
import { fold } from '../values/fold.ts';
import type { LeadId } from '../values/ids.ts';
import type { Centavos } from '../values/money.ts';

export const MARITAL_STATUSES = ['solteiro', 'casado', 'uniao', 'divorciado', 'viuvo', 'separado'] as const;
export type MaritalStatus = (typeof MARITAL_STATUSES)[number];

/** What a partner says of a person; everything but name and CPF may be missing. */
export interface LeadDraft {
  readonly name: string;
  readonly cpf: Cpf;
  readonly phone?: string | undefined;
  readonly email?: string | undefined;
  readonly birthDate?: Day | undefined;
  readonly income?: Centavos | undefined;
  readonly maritalStatus?: MaritalStatus | undefined;
  readonly origin?: string | undefined;
  readonly note?: string | undefined;
}

export interface Lead extends LeadDraft {
  readonly id: LeadId;
  /** Grows by one with each write: two changes of one lead never overwrite each other. */
  readonly version: number;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly updatedAt: number;
  /** In the sandbox: when its CPF was first sent again, and when a submission of it was first replayed. */
  readonly reusedAt?: number | undefined;
  readonly replayedAt?: number | undefined;
}

/** Changes asked of a lead; null clears an optional field. */
export interface LeadPatch {
  readonly name?: string | undefined;
  readonly email?: string | null | undefined;
  readonly phone?: string | null | undefined;
  readonly income?: Centavos | null | undefined;
  readonly maritalStatus?: MaritalStatus | null | undefined;
  readonly note?: string | null | undefined;
}

const FILLABLE = ['phone', 'email', 'birthDate', 'income', 'maritalStatus', 'origin', 'note'] as const;

/** The fields that a known lead lacks and a new draft brings; what the lead already has stays. */
export function missingFrom(lead: LeadDraft, draft: LeadDraft): Partial<LeadDraft> {
  return Object.fromEntries(
    FILLABLE.filter((field) => lead[field] === undefined && draft[field] !== undefined).map((field) => [
      field,
      draft[field],
    ]),
  );
}

/** Fields in which a new draft differs from the known lead, whose value is kept; never the CPF. */
export function conflictingFields(lead: LeadDraft, draft: LeadDraft): (keyof LeadDraft)[] {
  const stays = FILLABLE.filter(
    (field) => draft[field] !== undefined && lead[field] !== undefined && draft[field] !== lead[field],
  );
  return fold(lead.name) === fold(draft.name) ? stays : ['name', ...stays];
}

/** The lead after a patch, and the names of the fields whose value really changed. */
export function applyPatch(lead: Lead, patch: LeadPatch): { lead: Lead; changed: (keyof LeadPatch)[] } {
  const fields = Object.keys(patch) as (keyof LeadPatch)[];
  const changed = fields.filter((field) => patch[field] !== undefined && (patch[field] ?? undefined) !== lead[field]);
  const values = Object.fromEntries(changed.map((field) => [field, patch[field] ?? undefined]));
  return { lead: { ...lead, ...values }, changed };
}

/** Who a credit analysis says it is about. */
export interface Holder {
  readonly name: string;
  readonly cpf: Cpf;
  readonly birthDate: Day;
}

/**
 * The fields in which a holder differs from the lead, the source of truth: CPF digit by digit, birth date equal where
 * the lead has one, names equal after folding case, accents and spaces.
 */
export function holderDifferences(lead: LeadDraft, holder: Holder): (keyof Holder)[] {
  const differences: (keyof Holder)[] = [];
  if (fold(lead.name) !== fold(holder.name)) differences.push('name');
  if (lead.cpf !== holder.cpf) differences.push('cpf');
  if (lead.birthDate !== undefined && lead.birthDate !== holder.birthDate) differences.push('birthDate');
  return differences;
}

/** The lead with the birth date that it lacks, as its next version; undefined where it has one. `now` in milliseconds. */
export function withBirthDate(lead: Lead, birthDate: Day, now: number): Lead | undefined {
  return lead.birthDate === undefined ? { ...lead, birthDate, version: lead.version + 1, updatedAt: now } : undefined;
}
