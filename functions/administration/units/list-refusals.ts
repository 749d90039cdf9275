import { listRefusals, refusedCallBody, requireUnit } from '#shared/administration/units.ts';
import { administrationRead } from '#shared/http/administration/endpoint.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = administrationRead(listRefusals, {
  register: wiring.partnerRegister,
  refusals: wiring.refusedCalls,
  clock: wiring.clock,
}).handler(async ({ query: { partner_id, unit_id: unitId } }, { register, refusals, clock }) => {
  const [, calls] = await Promise.all([
    requireUnit(register, partner_id, unitId),
    refusals.newest({ unitId, environment: 'sandbox' }, clock()),
  ]);
  return { calls: calls.map(refusedCallBody) };
});
