import { orNotFound } from '#shared/administration/failures.ts';
import { createUnit, unitBody } from '#shared/administration/units.ts';
import { drawId, type UnitId } from '#shared/domain/values/ids.ts';
import { administrationChange } from '#shared/http/administration/endpoint.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = administrationChange(createUnit, wiring.noted, { register: wiring.partnerRegister }).handler(
  async ({ body: { partner_id, name } }, { clock, register }) => {
    orNotFound(await register.get(partner_id), `partner ${partner_id}`);
    const createdAt = clock();
    const id = drawId<UnitId>(createdAt);
    return {
      about: partner_id,
      target: { unit: id },
      change: async () => {
        await register.createUnit(partner_id, id, name, createdAt);
        return { unit: unitBody(partner_id, { id, name, createdAt }) };
      },
    };
  },
);
