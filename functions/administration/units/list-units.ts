import { orNotFound } from '#shared/administration/failures.ts';
import { listUnits, unitBody } from '#shared/administration/units.ts';
import { administrationRead } from '#shared/http/administration/endpoint.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = administrationRead(listUnits, { register: wiring.partnerRegister }).handler(
  async ({ query: { partner_id } }, { register }) => {
    const [partner, units] = await Promise.all([register.get(partner_id), register.units(partner_id)]);
    orNotFound(partner, `partner ${partner_id}`);
    return { units: units.map((unit) => unitBody(partner_id, unit)) };
  },
);
