import * as z from 'zod/mini';
import { described } from '../contract/described.ts';
import type { RecordedWithdrawal } from '../domain/analyses/ports.ts';
import type { AuditFacts } from '../domain/audit/ports.ts';
import type { Erasure, ErasureSubject } from '../domain/leads/erasure.ts';
import { ERASURE_STATES } from '../domain/leads/erasure.ts';
import { type KnownPerson, ROLES, type Role } from '../domain/personal-data/find-person.ts';
import type { NamedSpouse, PersonalRecords } from '../domain/personal-data/ports.ts';
import { BANKS } from '../domain/values/bank.ts';
import { timestamp } from '../domain/values/clock.ts';
import type { Cpf } from '../domain/values/cpf.ts';
import type { LeadId, PartnerId, UnitId } from '../domain/values/ids.ts';
import type { Environment, Tenancy } from '../domain/values/tenancy.ts';
import { AdministrationFailure } from './failures.ts';
import {
  answered,
  channelName,
  cpf,
  cursor,
  environment,
  id,
  moment,
  momentMeant,
  nextCursor,
  ofPage,
  pastDay,
  previewed,
  token,
} from './fields.ts';
import { noun, PRIVACY, type RowKind } from './operation.ts';
import { toWire } from './wire.ts';

const { notedRead, change } = noun('leads');

// Only the bodies of these operations hold a CPF.

const ERASING = ['GetItem', 'BatchGetItem', 'Query', 'DeleteItem', 'ConditionCheckItem'] as const;
export const ERASED: readonly RowKind[] = ['LEAD', 'LEADS', 'CPF', 'SPOUSE', 'IDEMPOTENCY', 'OPPORTUNITY', 'FORM'];

const place = {
  partner_id: id<PartnerId>('The partner.'),
  unit_id: id<UnitId>("The partner's unit."),
  environment: environment(),
  lead_id: id<LeadId>('The lead: a person in one unit and environment.'),
};
const placeView = z.object(place);
const knownView = z.object({
  ...place,
  role: described(
    z.enum(ROLES),
    "holder: the lead is the person's; spouse: forms of the lead name the person as a spouse.",
  ),
});

const person = {
  ...place,
  cpf: described(
    z.optional(cpf()),
    'The CPF, if the person is known by it. It must lead to the lead, unless the lead is erased by now. The audit then holds a keyed hash of it.',
  ),
  role: described(
    z._default(z.enum(ROLES), 'holder'),
    "spouse: the holder's spouse, as forms of the lead name them. Only the spouse's own fields are meant. It needs the cpf.",
  ),
};

export const findLeads = notedRead('find-leads', 'POST /v1/leads/find', {
  english: 'find out where a person is known',
  portuguese: 'Procurar pessoa',
  duties: PRIVACY,
  permission: {
    table: ['GetItem', 'BatchGetItem', 'Query'],
    reads: ['PARTNER', 'PARTNERS', 'CPF', 'SPOUSE'],
    writes: [],
    secrets: ['keys'],
  },
  body: z.strictObject({
    cpf: cpf(),
    partner_id: z.optional(id<PartnerId>('Only at this partner.')),
    unit_id: z.optional(id<UnitId>('Only in this unit of the partner; needs partner_id.')),
    environment: z.optional(environment('Only in this environment.')),
    cursor: z.optional(cursor()),
  }),
  answer: answered({
    found: described(z.array(knownView), 'Where the person is known. An erased person is found only by lead_id.'),
    done: described(z.int(), 'Number of partners looked at so far.'),
    total: described(z.int(), 'Number of partners to look at.'),
    next_cursor: nextCursor(),
  }),
});

const personView = z.looseObject({ parceiro: z.int(), unidade: z.int(), ambiente: environment() });
type PersonPage = z.output<typeof personView>;

export function joinPages(earlier: PersonPage, later: PersonPage): PersonPage {
  const lists = Object.entries(later).filter(([, value]) => Array.isArray(value));
  return { ...later, ...Object.fromEntries(lists.map(([name, rows]) => [name, [earlier[name], rows].flat()])) };
}

export const exportLead = notedRead('export-lead', 'POST /v1/leads/export', {
  english: 'lead, simulations, analyses, forms and consents of a person: reais, ISO dates, Portuguese names',
  portuguese: 'Exportar dados de pessoa',
  duties: PRIVACY,
  approval: 'always',
  permission: {
    table: ['GetItem', 'BatchGetItem', 'Query'],
    reads: ['PARTNER', 'LEAD', 'CPF', 'CUTOFF', 'SPOUSE', 'OPPORTUNITY', 'FORM', 'ANALYSIS', 'CONSENT'],
    writes: [],
    secrets: ['keys'],
  },
  body: z.strictObject({
    ...person,
    raw: described(
      z._default(z.boolean(), false),
      'true: in the form in which the service keeps it: centavos, milliseconds, its own names.',
    ),
    token: token(
      'For the next pages, and for repeating the call after a lost answer: the same token needs no further approval.',
    ),
    cursor: z.optional(cursor()),
  }),
  answer: answered({
    person: described(
      personView,
      'Lead, simulations, analyses, forms, consents and withdrawals of the person there: reais, ISO dates, Portuguese names. Each list is newest first, and continues on the next page; the other fields are on every page. Webhook events, answers stored for Idempotency-Keys and the audit are left out.',
    ),
    next_cursor: nextCursor(),
  }),
});

const count = (what: string) => described(z.int(), what);

const erasureView = described(
  z.object({
    ...place,
    state: described(
      z.enum(ERASURE_STATES),
      'aguardando: an analysis is pending, the erasure continues by itself afterwards; apagando: it continues by itself; apagado: the person is erased.',
    ),
    requested_at: moment('When the erasure was asked for, or began by itself.'),
    cause: described(
      z.optional(z.literal('retention')),
      "retention: nobody asked for it, but the lead's time without use is over. Absent if a person asked for it.",
    ),
    pending: count('Pending analyses that the erasure waits for.'),
    passes: described(
      z.array(
        z.object({
          opportunities: count('Simulations deleted.'),
          forms: count('Forms deleted; for a spouse: forms from which the fields of the spouse were removed.'),
          analyses: count('Analyses kept as evidence.'),
          consents: count('Consents kept as evidence.'),
          at: moment('When the pass ended.'),
        }),
      ),
      'The passes: at most two, for a spouse one.',
    ),
    next_check_at: z.nullable(moment('When the sweeper continues; null once both passes have ended.')),
  }),
  { id: 'Erasure' },
);

export const eraseLead = change('erase-lead', 'POST /v1/leads/erase', {
  english:
    'erase a person: consents and credit queries stay as evidence, without a name; copies of the table keep the person until they end',
  portuguese: 'Apagar dados de pessoa',
  duties: PRIVACY,
  confirm: { fields: ['lead_id'] },
  permission: {
    table: ERASING,
    reads: ['PARTNER', 'LEAD', 'CPF', 'CUTOFF', 'SPOUSE', 'FORM', 'ANALYSIS', 'DELIVERY', 'RECORDS'],
    writes: ERASED.concat('ANALYSIS', 'CUTOFF', 'DELIVERY', 'ENCRYPTIONS'),
    deletes: ERASED,
    indexes: ['byList'],
    secrets: ['keys'],
    ledger: ['PutItem'],
  },
  body: z.strictObject(person),
  preview: previewed({
    known: described(z.boolean(), 'Whether the lead exists, erased or not.'),
    erasure: described(z.nullable(erasureView), 'How far the erasure is; null if none was asked for.'),
  }),
  notedPreview: true,
  answer: answered({
    erasure: described(
      erasureView,
      'How far the erasure is. If the call is repeated, it continues the erasure, or says that it has ended.',
    ),
  }),
});

export const correctLead = change('correct-lead', 'POST /v1/leads/correct', {
  english:
    "correct a person's CPF or birth date: no analysis may be pending; the audit names the fields, and a keyed hash of the CPF",
  portuguese: 'Corrigir dados de pessoa',
  duties: PRIVACY,
  permission: {
    table: ERASING,
    reads: ['PARTNER', 'LEAD', 'CPF', 'CUTOFF', 'ANALYSIS'],
    writes: ['LEAD', 'CPF', 'CUTOFF', 'ENCRYPTIONS'],
    deletes: ['CPF'],
    secrets: ['keys'],
  },
  body: z.strictObject({
    ...place,
    cpf: described(
      z.optional(cpf()),
      'The right CPF. It must have no other lead there. From then on the lead is found by it.',
    ),
    birth_date: described(z.optional(pastDay()), 'The right date of birth. Send at least one of cpf and birth_date.'),
  }),
  answer: answered({
    corrected: described(
      z.array(z.enum(['cpf', 'birth_date'])),
      'The fields that changed; none if the call is repeated. Simulations, and the data that banks have, stay as they are.',
    ),
  }),
});

export const CORRECTION_REFUSED = {
  erasing: 'The erasure of the person was asked for.',
  pending: 'An analysis is pending, and its bank has the old data. Wait until it ends.',
  cpf_known: 'The CPF has another lead there (find-leads shows it): erase the wrong lead.',
} as const;

const affectedAnalysis = z.object({
  analysis_id: id('A pending analysis that rests on a withdrawn consent.'),
  bank: z.enum(BANKS),
  is_sent: described(
    z.boolean(),
    'true: the bank has the query, and the analysis continues. false: nobody knows yet whether the bank has it. If not, the analysis ends in cancelado and is sent no more. A sending that was under way may still reach the bank, in about a minute: then the analysis continues, or ends in erro if it is refused.',
  ),
});

export const withdrawLeadConsent = change('withdraw-lead-consent', 'POST /v1/leads/withdraw-consent', {
  english: 'record that a holder withdraws consent: later analyses need a newer consent (LGPD, art. 8)',
  portuguese: 'Registrar revogação do consentimento',
  duties: PRIVACY,
  confirm: { fields: ['lead_id'] },
  permission: {
    table: ['BatchGetItem', 'Query', 'ConditionCheckItem'],
    reads: ['PARTNER', 'LEAD', 'ANALYSIS', 'CONSENT'],
    writes: ['LEAD', 'CONSENT', 'ENCRYPTIONS'],
    keepsConsents: true,
    secrets: ['keys'],
  },
  body: z.strictObject({
    ...place,
    withdrawn_at: momentMeant(
      'When the holder withdrew. All consents up to 5 minutes after this moment end, since clocks differ. Not in the future.',
    ),
    channel: channelName(
      'By which channel the holder withdrew: e-mail, letter, telephone. Never an address or a number.',
    ),
  }),
  answer: answered({
    withdrawal_id: id('The withdrawal that counts. It is evidence, and is kept for five years.'),
    withdrawn_at: moment('When the holder withdrew.'),
    channel: z.string(),
    is_new: described(
      z.boolean(),
      'false: a withdrawal of this moment or of a later one was recorded before. It counts, and nothing was changed.',
    ),
    analyses: described(z.array(affectedAnalysis), 'Pending analyses that rest on a withdrawn consent, newest first.'),
  }),
});

export const applyErasureLedger = change('apply-erasure-ledger', 'POST /v1/leads/apply-ledger', {
  english: 'after a restore, before any traffic: erase again everybody who had been erased',
  portuguese: 'Reaplicar registro de exclusões',
  duties: PRIVACY,
  confirm: { fields: [], otherwise: 'ledger' },
  permission: {
    table: ERASING,
    reads: ['LEAD', 'CUTOFF', 'FORM', 'ANALYSIS', 'DELIVERY', 'RECORDS'],
    writes: ERASED.concat('ANALYSIS', 'CUTOFF', 'DELIVERY', 'ENCRYPTIONS'),
    deletes: ERASED,
    indexes: ['byList'],
    secrets: ['keys'],
    ledger: ['PutItem', 'Scan'],
  },
  body: z.strictObject({ cursor: z.optional(cursor()) }),
  answer: answered({
    entries: ofPage('Entries of the ledger on this page.'),
    erasures: described(
      z.array(erasureView),
      'Persons of this page whose leads the table holds: they are erased again.',
    ),
    failed: described(
      z.array(placeView),
      'Leads of this page whose erasure broke off. A started erasure continues by itself. If the call is repeated, all are tried again.',
    ),
    unreadable: ofPage(
      'Entries of this page that cannot be read. The log names them, and nobody is erased because of them.',
    ),
    next_cursor: nextCursor(),
  }),
});

export const LEAD_OPERATIONS = [
  findLeads,
  exportLead,
  correctLead,
  withdrawLeadConsent,
  eraseLead,
  applyErasureLedger,
] as const;

export const subjectBody = (subject: ErasureSubject) => toWire(placeView, subject);

export const knownBody = (known: KnownPerson) => toWire(knownView, known);

export const erasureBody = (erasure: Erasure) => toWire(erasureView, erasure);

export function withdrawalBody({ withdrawal, isNew, affected }: RecordedWithdrawal) {
  return {
    withdrawal_id: withdrawal.id,
    withdrawn_at: timestamp(Date.parse(withdrawal.withdrawnAt)),
    channel: withdrawal.channel,
    is_new: isNew,
    analyses: affected.map(({ id: analysis_id, bank, isSent: is_sent }) => ({ analysis_id, bank, is_sent })),
  };
}

/** Refuses a CPF of another lead: the audit would name another person than the call. */
export function foreignCpf(): AdministrationFailure {
  const reason = 'does not lead to this lead: leave it out, or name the lead that find-leads gives';
  return new AdministrationFailure('field_invalid', { fields: [{ field: 'cpf', reason }] });
}

/** Throws `field_invalid` if no form names the spouse. An erased spouse is no longer found. */
export async function requireSpouse(
  records: Pick<PersonalRecords, 'spouseByCpf'>,
  tenancy: Tenancy,
  { lead_id, cpf }: { lead_id: LeadId; cpf?: Cpf | undefined },
): Promise<readonly NamedSpouse[]> {
  const named = cpf ? await records.spouseByCpf(tenancy, cpf) : [];
  const ofLead = named.filter(({ leadId }) => leadId === lead_id);
  if (ofLead.length === 0) throw foreignCpf();
  return ofLead;
}

export function searchFacts(
  pseudonym: string,
  unit: UnitId | undefined,
  environment: Environment | undefined,
): AuditFacts {
  const facts: Record<string, string | number> = { cpf: pseudonym };
  if (unit !== undefined) facts['unit'] = unit;
  if (environment !== undefined) facts['environment'] = environment;
  return facts;
}

export function personFacts(
  about: { unit_id: UnitId; environment: Environment; lead_id: LeadId; role: Role },
  pseudonym: string | undefined,
): AuditFacts {
  const { unit_id, environment: of, lead_id, role } = about;
  const facts: Record<string, string | number> = { unit: unit_id, environment: of, lead: lead_id };
  if (role === 'spouse') facts['role'] = role;
  if (pseudonym !== undefined) facts['cpf'] = pseudonym;
  return facts;
}
