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
}).handler(async ({ body, dry }, { register, records, ...ports }) => {
  const { partner_id: partnerId, unit_id: unitId, environment, lead_id: leadId, cpf, role } = body;
  await requireUnit(register, partnerId, unitId);
  const subject = { partnerId, unitId, environment, leadId };
  const erased = (one: Erasure | undefined, what: string) => ({ erasure: erasureBody(orNotFound(one, what)) });
  const result = ({ erasure: { state, pending, passes } }: ReturnType<typeof erased>) => {
    return { state, pending, ...totalsOf(passes) };
  };
  const pseudonym = cpf && (await records.pseudonym(subject, cpf));
  const noted = { about: partnerId, target: personFacts(body, pseudonym), result };
  if (role === 'spouse') {
    const named = dry ? [] : await requireSpouse(records, subject, body);
    const spouses = named.map(({ submissionId }) => ({ ...subject, submissionId }));
    return {
      ...noted,
      // A dry run is not audited, so the preview must not show whether the CPF belongs to a person here.
      preview: async () => ({ known: await ports.erasures.exists(subject), erasure: null }),
      change: async () => erased(await eraseSpouse(spouses, ports), `spouse in lead ${leadId}`),
    };
  }
  const known = await ports.erasures.exists(subject);
  if (!dry) orNotFound(known || undefined, `lead ${leadId} there`);
  if (!dry && cpf && !(await isCpfOf(subject, cpf, { ...ports, records }))) throw foreignCpf();
  return {
    ...noted,
    preview: async () => {
      const begun = await ports.erasures.get(subject, leadId);
      return { known, erasure: begun ? erasureBody(begun) : null };
    },
    change: async () => erased(await erasePerson(subject, ports), `lead ${leadId} there`),
  };
});
