import { orNotFound } from '#shared/administration/failures.ts';
import { personFacts, withdrawalBody, withdrawLeadConsent } from '#shared/administration/leads.ts';
import { requireUnit } from '#shared/administration/units.ts';
import { timestamp } from '#shared/domain/values/clock.ts';
import { administrationChange } from '#shared/http/administration/endpoint.ts';
import { invalidField } from '#shared/http/administration/fields.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = administrationChange(withdrawLeadConsent, wiring.noted, {
  register: wiring.partnerRegister,
  withdrawals: wiring.consentWithdrawals,
}).handler(async ({ body }, { clock, register, withdrawals }) => {
  const { partner_id, unit_id: unitId, environment, lead_id, withdrawn_at, channel } = body;
  if (withdrawn_at > clock()) throw invalidField('withdrawn_at', 'lies in the future');
  await requireUnit(register, partner_id, unitId);
  return {
    about: partner_id,
    target: personFacts({ ...body, role: 'holder' }, undefined),
    change: async () => {
      const draft = { withdrawnAt: timestamp(withdrawn_at), channel };
      const result = await withdrawals.record({ unitId, environment }, lead_id, draft);
      const recorded = result && 'done' in result ? result.done : undefined;
      return withdrawalBody(orNotFound(recorded, `lead ${lead_id} there, or its person is being erased`));
    },
    result: ({ withdrawal_id }) => ({ withdrawal: withdrawal_id }),
  };
});
