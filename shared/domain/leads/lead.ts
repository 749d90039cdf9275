import * as z from 'zod/mini';
import type { Day } from '../values/clock.ts';
import { type Cpf, isTestCpf } from '../values/cpf.ts';
import type { LeadId } from '../values/ids.ts';
import type { Centavos } from '../values/money.ts';
import { fold } from '../values/nearest-name.ts';
import { nationalPhone } from '../values/phone.ts';
import type { Environment } from '../values/tenancy.ts';
import type { Instant } from '../values/time.ts';

export const MARITAL_STATUSES = ['solteiro', 'casado', 'uniao', 'divorciado', 'viuvo', 'separado'] as const;
export type MaritalStatus = (typeof MARITAL_STATUSES)[number];

const text = <T extends string = string>() => z.custom<T>((value) => typeof value === 'string');

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
  /** A write names the version that it read, so that two changes never overwrite each other. */
  readonly version: number;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  readonly reusedAt?: Instant | undefined;
  readonly replayedAt?: Instant | undefined;
  readonly uses?: number | undefined;
  readonly consentWithdrawnAt?: Instant | undefined;
  readonly notice?: RetentionNotice | undefined;
}

/** These fields say nothing about the person. */
export type LeadTrace = Omit<Lead, keyof LeadDraft>;

/** `seen` is the trace of the lead's use and of the terms when the notice was written. */
export interface RetentionNotice {
  readonly endsAt: Instant;
  readonly seen: string;
}

/** Null clears an optional field. The CPF cannot change: an index leads from it to the lead. */
export type LeadPatch = {
  readonly [Field in Exclude<keyof LeadDraft, 'cpf'>]?: LeadDraft[Field] | Cleared<LeadDraft[Field]>;
};
type Cleared<T> = undefined extends T ? null : undefined;

const isField = (name: string): name is keyof LeadDraft => Object.hasOwn(leadDraft.shape, name);

const isPatchField = (name: string): name is keyof LeadPatch => name !== 'cpf' && isField(name);

const fieldsOf = (draft: LeadDraft) => Object.keys(draft).filter(isField);

/** A test CPF is nobody's, so its lead gets the name of the latest call. */
const isNobodys = (environment: Environment, cpf: Cpf) => environment === 'sandbox' && isTestCpf(cpf);

/** Fields that the lead has are kept, except for the name of a test CPF in the sandbox. */
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

function meansSame(field: keyof LeadDraft, kept: string | number, sent: string | number): boolean {
  const [one, other] = [String(kept), String(sent)];
  if (field === 'name') return fold(one) === fold(other);
  if (field === 'phone') return nationalPhone(one) === nationalPhone(other);
  // RFC 5321, 2.4 allows a mail system to distinguish ANA@ from ana@, but no usual system does.
  if (field === 'email') return one.toLowerCase() === other.toLowerCase();
  return kept === sent;
}

/** Leaves out the CPF, the name of a test CPF in the sandbox, and equal values in other spellings. */
export function conflictingFields(
  lead: LeadDraft,
  draft: LeadDraft,
  environment: Environment = 'producao',
): (keyof LeadDraft)[] {
  return fieldsOf(draft).filter((field) => {
    if (field === 'cpf' || (field === 'name' && isNobodys(environment, draft.cpf))) return false;
    const [kept, sent] = [lead[field], draft[field]];
    return kept !== undefined && sent !== undefined && !meansSame(field, kept, sent);
  });
}

export function applyPatch(lead: Lead, patch: LeadPatch): { lead: Lead; changed: (keyof LeadPatch)[] } {
  const fields = Object.keys(patch).filter(isPatchField);
  const changed = fields.filter((field) => patch[field] !== undefined && (patch[field] ?? undefined) !== lead[field]);
  const values = Object.fromEntries(changed.map((field) => [field, patch[field] ?? undefined]));
  return { lead: { ...lead, ...values }, changed };
}

export interface Holder {
  readonly name: string;
  readonly cpf: Cpf;
  readonly birthDate: Day;
}

/** Names are compared as `fold` returns them, and birth dates only if the lead has one. */
export function holderDifferences(lead: LeadDraft, holder: Holder): (keyof Holder)[] {
  const differences: (keyof Holder)[] = [];
  if (fold(lead.name) !== fold(holder.name)) differences.push('name');
  if (lead.cpf !== holder.cpf) differences.push('cpf');
  if (lead.birthDate !== undefined && lead.birthDate !== holder.birthDate) differences.push('birthDate');
  return differences;
}

export const withBirthDate = (lead: Lead, birthDate: Day, now: Instant): Lead | undefined =>
  lead.birthDate === undefined ? { ...lead, birthDate, version: lead.version + 1, updatedAt: now } : undefined;
