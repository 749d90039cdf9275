import * as z from 'zod/mini';
import { orNotFound } from '#shared/administration/failures.ts';
import { id } from '#shared/administration/fields.ts';
import { exportLead, foreignCpf, personFacts, requireSpouse } from '#shared/administration/leads.ts';
import { requireUnit } from '#shared/administration/units.ts';
import { personalDataBody, spouseDataBody } from '#shared/contract/personal-data.ts';
import type { ConsentId, OpportunityId, SubmissionId, WithdrawalId } from '#shared/domain/values/ids.ts';
import { cursorOf, placeIn } from '#shared/http/administration/cursor.ts';
import { administrationChange } from '#shared/http/administration/endpoint.ts';
import * as wiring from '#shared/wiring.ts';

const before = <Id extends number>() => z.optional(id<Id>('Before which row of the list the page begins.'));
// Any caller can make a cursor, so it names no row: it only leaves out rows of the lead that the call names.
const PLACE = z.object({
  opportunity: before<OpportunityId>(),
  submission: before<SubmissionId>(),
  consent: before<ConsentId>(),
  withdrawal: before<WithdrawalId>(),
});

export const handler = administrationChange(exportLead, wiring.noted, {
  register: wiring.partnerRegister,
  records: wiring.personalRecords,
}).handler(async ({ body }, { register, records }) => {
  const { partner_id, unit_id: unitId, environment, lead_id, cpf, role, raw, cursor } = body;
  const from = placeIn(PLACE, cursor);
  const tenancy = { unitId, environment };
  const [unit, partner] = await Promise.all([requireUnit(register, partner_id, unitId), register.get(partner_id)]);
  const pseudonym = cpf && (await records.pseudonym(cpf));
  const facts = personFacts(body, pseudonym);
  return {
    about: partner_id,
    needsApproval: true,
    details: {
      partner_id: { name: partner?.name },
      unit_id: { name: unit.name },
      cpf: { value: pseudonym },
    },
    target: raw ? { ...facts, raw } : facts,
    // The audit notes the caller before a person's data are read, and before the CPF is checked.
    change: async () => {
      const spouse = role === 'spouse' ? await requireSpouse(records, tenancy, body) : undefined;
      if (!spouse && cpf && (await records.leadByCpf(tenancy, cpf)) !== lead_id) throw foreignCpf();
      const place = { parceiro: partner_id, unidade: unitId, ambiente: environment };
      if (spouse) {
        const { page: forms, next } = await records.ofSpouse(tenancy, spouse, from);
        if (forms.some(({ form }) => String(form['conjuge_cpf']) !== cpf)) throw foreignCpf();
        const content = raw ? { forms } : spouseDataBody(forms);
        return { person: { ...place, ...content }, next_cursor: cursorOf(next) };
      }
      const { page: data, next } = orNotFound(await records.of(tenancy, lead_id, from), `lead ${lead_id} there`);
      // Somebody with access to the table may have put another lead's number into the row of the CPF. Only the sealed CPF
      // proves whose data this is.
      if (cpf && data.lead && data.lead.cpf !== cpf) throw foreignCpf();
      const content = raw ? data : personalDataBody(data);
      return { person: { ...place, ...content }, next_cursor: cursorOf(next) };
    },
  };
});
