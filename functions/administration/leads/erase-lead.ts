import { orNotFound } from '../../../shared/administration/failures.ts';
import {
  eraseLead,
  erasureBody,
  foreignCpf,
  personFacts,
  requireSpouse,
} from '../../../shared/administration/leads.ts';
import { requireUnit } from '../../../shared/administration/units.ts';
import { erasePerson, eraseSpouse } from '../../../shared/domain/leads/erase-person.ts';
import { totalsOf } from '../../../shared/domain/leads/erasure.ts';
import { administrationChange } from '../../../shared/http/administration-endpoint.ts';
import * as wiring from '../../../shared/wiring.ts';

export const handler = administrationChange(
  eraseLead,
  {
    clock: wiring.clock,
    audit: wiring.auditTrail,
    register: wiring.partnerRegister,
    records: wiring.personalRecords,
    erasures: wiring.erasures,
    ledger: wiring.erasureLedger,
  },
  async ({ body, dry }, { clock, register, records, erasures, ledger }) => {
    const { partner_id: partnerId, unit_id: unitId, environment, lead_id: leadId, cpf, role } = body;
    await requireUnit(register, partnerId, unitId);
    const subject = { partnerId, unitId, environment, leadId };
    const target = personFacts(body, cpf && (await records.pseudonym(subject, cpf)));
    const result = ({ erasure }: { erasure: ReturnType<typeof erasureBody> }) => {
      return { state: erasure.state, pending: erasure.pending, ...totalsOf(erasure.passes) };
    };
    if (role === 'spouse') {
      const named = dry ? [] : await requireSpouse(records, subject, body);
      return {
        about: partnerId,
        ...{ target, result },
        preview: async () => {
          const spouses = cpf ? await records.spouseByCpf(subject, cpf) : [];
          return { known: spouses.some((one) => one.leadId === leadId), erasure: null };
        },
        change: async () => {
          const spouses = named.map(({ submissionId }) => ({ ...subject, submissionId }));
          const erasure = await eraseSpouse(spouses, { erasures, ledger, clock });
          return { erasure: erasureBody(orNotFound(erasure, `spouse in lead ${leadId}`)) };
        },
      };
    }
    const [known, led, erasure] = await Promise.all([
      erasures.exists(subject),
      cpf && records.leadByCpf(subject, cpf),
      cpf && erasures.get(subject, leadId),
    ]);
    if (!dry) {
      orNotFound(known || undefined, `lead ${leadId} there`);
      // From the first pass on nothing leads from the CPF to the lead: a repetition goes on without it.
      const begun = erasure && erasure.state !== 'aguardando';
      if (cpf && led !== leadId && !begun) throw foreignCpf();
    }
    return {
      about: partnerId,
      ...{ target, result },
      preview: async () => {
        const erasure = await erasures.get(subject, leadId);
        return { known, erasure: erasure ? erasureBody(erasure) : null };
      },
      change: async () => {
        const erasure = await erasePerson(subject, { erasures, ledger, clock });
        return { erasure: erasureBody(orNotFound(erasure, `lead ${leadId} there`)) };
      },
    };
  },
);
