import type { Lead, LeadDraft } from '#shared/domain/leads/lead.ts';
import type { Leads } from '#shared/domain/leads/ports.ts';
import type { Day } from '#shared/domain/values/clock.ts';
import type { Cpf } from '#shared/domain/values/cpf.ts';
import type { LeadId } from '#shared/domain/values/ids.ts';
import { centavos } from '#shared/domain/values/money.ts';
import type { Tenancy } from '#shared/domain/values/tenancy.ts';

/** Returns what a partner says about a person. Every field has a value except the telephone. */
export function makeLeadDraft(overrides: Partial<LeadDraft> = {}): LeadDraft {
  return {
    name: 'Marina Duarte Alves',
    cpf: '90000000175' as Cpf,
    email: 'marina.duarte@exemplo.com.br',
    birthDate: '1988-03-14' as Day,
    income: centavos(1_800_000),
    maritalStatus: 'solteiro',
    origin: 'site',
    note: 'Prefere contato à tarde',
    ...overrides,
  };
}

/** Makes a lead through the port. Returns the lead as the port keeps it. */
export async function createLead(leads: Leads, tenancy: Tenancy, overrides: Partial<LeadDraft> = {}): Promise<Lead> {
  const answer = (leadId: LeadId) => ({ status: 201, body: String(leadId) });
  const outcome = await leads.createOrReuse(tenancy, makeLeadDraft(overrides), answer);
  if (!('done' in outcome)) throw new Error('an answer of an earlier call without a claim');
  return (await leads.get(tenancy, Number(outcome.done.body) as LeadId))!;
}
