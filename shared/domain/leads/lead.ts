import * as z from 'zod/mini';
import type { Day } from '../values/clock.ts';
import { type Cpf, isTestCpf } from '../values/cpf.ts';
import type { LeadId } from '../values/ids.ts';
import type { Centavos } from '../values/money.ts';
import { fold } from '../values/nearest-name.ts';
import type { Environment } from '../values/tenancy.ts';
import type { Instant } from '../values/time.ts';

export const MARITAL_STATUSES = ['solteiro', 'casado', 'uniao', 'divorciado', 'viuvo', 'separado'] as const;
export type MaritalStatus = (typeof MARITAL_STATUSES)[number];

const text = <T extends string = string>() => z.custom<T>((value) => typeof value === 'string');

/**
 * What a partner says of a person, as it is sealed in the lead's row; everything but name and CPF may be missing. The
 * schemas of contract/lead.ts say what a partner may send of it, and under which name.
 */
export const leadDraft = z.object({
  name: text(),
  cpf: text<Cpf>(),
  phone: z.optional(text()),
  email: z.optional(text()),
  birthDate: z.optional(text<Day>()),
  income: z.optional(z.custom<Centavos>((value) => typeof value === 'number')),
  maritalStatus: z.optional(z.enum(MARITAL_STATUSES)),
  origin: z.optional(text()),
  note: z.optional(text()),
});

export type LeadDraft = Readonly<z.infer<typeof leadDraft>>;

export interface Lead extends LeadDraft {
  readonly id: LeadId;
  /** Grows by one with each write: two changes of one lead never overwrite each other. */
  readonly version: number;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  /** When its CPF was last sent again, and in the sandbox when a submission of it was first replayed. */
  readonly reusedAt?: Instant | undefined;
  readonly replayedAt?: Instant | undefined;
  /** How often something was hung on it: a simulation, a submission. */
  readonly uses?: number | undefined;
  /** Says when its data end unless it is used; see retention.ts. */
  readonly notice?: RetentionNotice | undefined;
}

/** What lies open of a lead: nothing of its person. */
export type LeadTrace = Omit<Lead, keyof LeadDraft>;

/** When a lead's data end, and what was seen of its use and the terms when that was said. */
export interface RetentionNotice {
  readonly endsAt: Instant;
  readonly seen: string;
}

/** Changes asked of a lead; null clears an optional field. Never the CPF: an index finds the lead by it. */
export type LeadPatch = {
  readonly [Field in Exclude<keyof LeadDraft, 'cpf'>]?: LeadDraft[Field] | Cleared<LeadDraft[Field]>;
};
type Cleared<T> = undefined extends T ? null : undefined;

const isField = (name: string): name is keyof LeadDraft => Object.hasOwn(leadDraft.shape, name);

const isPatchField = (name: string): name is keyof LeadPatch => name !== 'cpf' && isField(name);

const fieldsOf = (draft: LeadDraft) => Object.keys(draft).filter(isField);

/** Whether a CPF is a test CPF in the sandbox: nobody's, so that its lead is called as the last call says. */
const isNobodys = (environment: Environment, cpf: Cpf) => environment === 'sandbox' && isTestCpf(cpf);

/** The fields that a known lead lacks and a new draft brings; what the lead already has stays, but the name of nobody. */
export function missingFrom(
  lead: LeadDraft,
  draft: LeadDraft,
  environment: Environment = 'producao',
): Partial<LeadDraft> {
  const renamed = isNobodys(environment, draft.cpf) && lead.name !== draft.name;
  const missing = fieldsOf(draft).filter(
    (field) => (lead[field] === undefined && draft[field] !== undefined) || (field === 'name' && renamed),
  );
  return Object.fromEntries(missing.map((field) => [field, draft[field]]));
}

/** Fields in which a new draft differs from the known lead, whose value is kept; never the CPF. */
export function conflictingFields(
  lead: LeadDraft,
  draft: LeadDraft,
  environment: Environment = 'producao',
): (keyof LeadDraft)[] {
  return fieldsOf(draft).filter((field) => {
    if (field === 'name') return !isNobodys(environment, draft.cpf) && fold(lead.name) !== fold(draft.name);
    return field !== 'cpf' && draft[field] !== undefined && lead[field] !== undefined && draft[field] !== lead[field];
  });
}

/** The lead after a patch, and the names of the fields whose value really changed. */
export function applyPatch(lead: Lead, patch: LeadPatch): { lead: Lead; changed: (keyof LeadPatch)[] } {
  const fields = Object.keys(patch).filter(isPatchField);
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

/** The lead with the birth date that it lacks, as its next version; undefined where it has one. */
export const withBirthDate = (lead: Lead, birthDate: Day, now: Instant): Lead | undefined =>
  lead.birthDate === undefined ? { ...lead, birthDate, version: lead.version + 1, updatedAt: now } : undefined;
