import * as z from 'zod';
import type { AuditFacts } from '../domain/audit/ports.ts';
import type { Erasure } from '../domain/leads/erasure.ts';
import { ERASURE_STATES } from '../domain/leads/erasure.ts';
import { timestamp } from '../domain/values/clock.ts';
import type { LeadId, PartnerId, UnitId } from '../domain/values/ids.ts';
import type { Environment } from '../domain/values/tenancy.ts';
import { answered, cpf, cursor, type Exchange, environment, id, moment, nextCursor, previewed } from './fields.ts';

// What a person may ask for under the LGPD. A CPF travels in these bodies alone.

const place = {
  partner_id: id<PartnerId>('The partner.'),
  unit_id: id<UnitId>("The partner's unit."),
  environment: environment(),
  lead_id: id<LeadId>('The lead: a person in one unit and environment.'),
};

const who = {
  ...place,
  cpf: cpf().optional().describe('Where the person is known by it: the audit then bears a keyed hash of it.'),
};

export const findLeads = {
  body: z.strictObject({
    cpf: cpf(),
    partner_id: id<PartnerId>('Only at a partner.').optional(),
    unit_id: id<UnitId>("Only in one of the partner's units; needs partner_id.").optional(),
    environment: environment('Only in one environment.').optional(),
    cursor: cursor().optional(),
  }),
  answer: answered({
    found: z
      .array(z.object(place))
      .describe('Where the person is known. One who was erased is found by lead_id alone.'),
    done: z.int().describe('Partners looked at so far.'),
    total: z.int().describe('Partners to look at.'),
    next_cursor: nextCursor(),
  }),
} satisfies Exchange;

export const exportLead = {
  body: z.strictObject({
    ...who,
    raw: z.boolean().default(false).describe('true: as the service keeps it: centavos, milliseconds, its own names.'),
  }),
  answer: answered({
    person: z
      .looseObject({ parceiro: z.int(), unidade: z.int(), ambiente: environment() })
      .describe('Everything that is kept of the person there: reais, ISO dates, Portuguese names.'),
  }),
} satisfies Exchange;

const count = (what: string) => z.int().describe(what);

const erasureView = z
  .object({
    ...place,
    state: z
      .enum(ERASURE_STATES)
      .describe(
        'aguardando: an analysis is pending, it goes on by itself; apagando: it goes on by itself; apagado: erased.',
      ),
    requested_at: moment('When it was asked for.'),
    pending: count('Analyses that it waits for.'),
    passes: z
      .array(
        z.object({
          opportunities: count('Simulations deleted.'),
          forms: count('Forms deleted.'),
          analyses: count('Analyses kept as evidence.'),
          consents: count('Consents kept as evidence.'),
          at: moment('When the pass ended.'),
        }),
      )
      .describe('At most two.'),
    next_check_at: moment('When the sweeper goes on; null once both passes have ended.').nullable(),
  })
  .meta({ id: 'Erasure' });

export const eraseLead = {
  body: z.strictObject(who),
  preview: previewed({
    known: z.boolean().describe('Whether there is such a lead, erased or not.'),
    erasure: erasureView.nullable().describe('How far its erasure is; null where none was asked for.'),
  }),
  answer: answered({ erasure: erasureView.describe('How far it is. Repeated, the call goes on with it, or says so.') }),
} satisfies Exchange;

export const applyErasureLedger = {
  body: z.strictObject({ cursor: cursor().optional() }),
  answer: answered({
    entries: z.int().describe('Of this page: names in the ledger.'),
    erasures: z.array(erasureView).describe('Of this page: those whose leads the table holds, erased again.'),
    next_cursor: nextCursor(),
  }),
} satisfies Exchange;

export function erasureBody(erasure: Erasure): z.input<typeof erasureView> {
  return {
    partner_id: erasure.partnerId,
    unit_id: erasure.unitId,
    environment: erasure.environment,
    lead_id: erasure.leadId,
    state: erasure.state,
    requested_at: timestamp(erasure.requestedAt),
    pending: erasure.pending,
    passes: erasure.passes.map(({ at, ...counts }) => ({ ...counts, at: timestamp(at) })),
    next_check_at: erasure.nextCheckAt === undefined ? null : timestamp(erasure.nextCheckAt),
  };
}

/** A person as the audit names one: by the lead, and by a keyed hash where a CPF was given. */
export function personFacts(
  { unit_id, environment: of, lead_id }: { unit_id: UnitId; environment: Environment; lead_id: LeadId },
  pseudonym: string | undefined,
): AuditFacts {
  return { unit: unit_id, environment: of, lead: lead_id, ...(pseudonym !== undefined && { cpf: pseudonym }) };
}
