import { orNotFound } from '#shared/administration/failures.ts';
import { eraseLead, erasureBody, foreignCpf, personFacts, requireSpouse } from '#shared/administration/leads.ts';
import { requireUnit } from '#shared/administration/units.ts';
import { erasePerson, eraseSpouse, isCpfOf } from '#shared/domain/leads/erase-person.ts';
import { type Erasure, totalsOf } from '#shared/domain/leads/erasure.ts';
import { administrationChange } from '#shared/http/administration/endpoint.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = administrationChange(eraseLead, wiring.noted, {
  register: wiring.partnerRegister,
  records: wiring.personalRecords,
  erasures: wiring.erasures,
  ledger: wiring.erasureLedger,
}).handler(async ({ body }, { register, records, ...ports }) => {
  const { partner_id: partnerId, unit_id: unitId, environment, lead_id: leadId, cpf, role } = body;
  await requireUnit(register, partnerId, unitId);
  const subject = { partnerId, unitId, environment, leadId };
  const erased = (one: Erasure | undefined, what: string) => ({ erasure: erasureBody(orNotFound(one, what)) });
  const result = ({ erasure: { state, pending, passes } }: ReturnType<typeof erased>) => {
    return { state, pending, ...totalsOf(passes) };
  };
  const pseudonym = cpf && (await records.pseudonym(cpf));
  const noted = { about: partnerId, target: personFacts(body, pseudonym), result };
  // As in export-lead, the audit notes the caller before lead and CPF are checked, also for a preview.
  if (role === 'spouse') {
    return {
      ...noted,
      preview: async () => ({ known: await ports.erasures.exists(subject), erasure: null }),
      change: async () => {
        const named = await requireSpouse(records, subject, body);
        const spouses = named.map(({ submissionId }) => ({ ...subject, submissionId }));
        return erased(await eraseSpouse(spouses, ports), `spouse in lead ${leadId}`);
      },
    };
  }
  return {
    ...noted,
    preview: async () => {
      const [known, begun] = await Promise.all([ports.erasures.exists(subject), ports.erasures.get(subject, leadId)]);
      return { known, erasure: begun ? erasureBody(begun) : null };
    },
    change: async () => {
      orNotFound((await ports.erasures.exists(subject)) || undefined, `lead ${leadId} there`);
      if (cpf && !(await isCpfOf(subject, cpf, { ...ports, records }))) throw foreignCpf();
      return erased(await erasePerson(subject, ports, cpf), `lead ${leadId} there`);
    },
  };
});
