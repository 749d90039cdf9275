import { orNotFound } from '#shared/administration/failures.ts';
import { exportLead, foreignCpf, personFacts, requireSpouse } from '#shared/administration/leads.ts';
import { requireUnit } from '#shared/administration/units.ts';
import { personalDataBody, spouseDataBody } from '#shared/contract/personal-data.ts';
import { administrationChange } from '#shared/http/administration/endpoint.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = administrationChange(exportLead, wiring.noted, {
  register: wiring.partnerRegister,
  records: wiring.personalRecords,
}).handler(async ({ body }, { register, records }) => {
  const { partner_id, unit_id: unitId, environment, lead_id, cpf, role, raw } = body;
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
    // The audit notes who asks before any data of a person is read, and before it is checked whose CPF it is.
    change: async () => {
      const spouse = role === 'spouse' ? await requireSpouse(records, tenancy, body) : undefined;
      if (!spouse && cpf && (await records.leadByCpf(tenancy, cpf)) !== lead_id) throw foreignCpf();
      const place = { parceiro: partner_id, unidade: unitId, ambiente: environment };
      if (spouse) {
        const forms = await records.ofSpouse(tenancy, spouse);
        if (forms.some(({ form }) => String(form['conjuge_cpf']) !== cpf)) throw foreignCpf();
        const content = raw ? { forms } : spouseDataBody(forms);
        return { person: { ...place, ...content } };
      }
      const data = orNotFound(await records.of(tenancy, lead_id), `lead ${lead_id} there`);
      // Somebody with access to the table may have put another lead's number into the row of the CPF. Only the sealed CPF
      // proves whose data this is.
      if (cpf && data.lead && data.lead.cpf !== cpf) throw foreignCpf();
      const content = raw ? data : personalDataBody(data);
      return { person: { ...place, ...content } };
    },
  };
});
