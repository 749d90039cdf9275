import { AdministrationFailure, orNotFound } from '#shared/administration/failures.ts';
import { CORRECTION_REFUSED, correctLead, personFacts } from '#shared/administration/leads.ts';
import { requireUnit } from '#shared/administration/units.ts';
import { type Day, dayInSaoPaulo } from '#shared/domain/values/clock.ts';
import type { Cpf } from '#shared/domain/values/cpf.ts';
import { administrationChange } from '#shared/http/administration/endpoint.ts';
import { invalidField } from '#shared/http/administration/fields.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = administrationChange(correctLead, wiring.noted, {
  register: wiring.partnerRegister,
  records: wiring.personalRecords,
}).handler(async ({ body }, { clock, register, records }) => {
  const { partner_id, unit_id: unitId, environment, lead_id, cpf, birth_date: birthDate } = body;
  if (cpf === undefined && birthDate === undefined) throw invalidField('cpf', 'send cpf, birth_date or both');
  if (birthDate !== undefined && birthDate > dayInSaoPaulo(clock()))
    throw invalidField('birth_date', 'lies in the future');
  await requireUnit(register, partner_id, unitId);
  const correction: { cpf?: Cpf; birthDate?: Day } = {};
  if (cpf !== undefined) correction.cpf = cpf;
  if (birthDate !== undefined) correction.birthDate = birthDate;
  const pseudonym = cpf && (await records.pseudonym(cpf));
  const wire = { cpf: 'cpf', birthDate: 'birth_date' } as const;
  return {
    about: partner_id,
    target: personFacts({ ...body, role: 'holder' }, pseudonym),
    change: async () => {
      const corrected = await records.correct({ unitId, environment }, lead_id, correction);
      const outcome = orNotFound(corrected === 'no_lead' ? undefined : corrected, `lead ${lead_id} there`);
      if (typeof outcome === 'string')
        throw new AdministrationFailure('refused', { text: CORRECTION_REFUSED[outcome] });
      return { corrected: outcome.fields.map((field) => wire[field]) };
    },
    result: ({ corrected }) => ({ corrected: corrected.join(',') }),
  };
});
