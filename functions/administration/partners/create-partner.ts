import { createPartner, partnerBody } from '#shared/administration/partners.ts';
import { drawId, type PartnerId } from '#shared/domain/values/ids.ts';
import { administrationChange } from '#shared/http/administration/endpoint.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = administrationChange(createPartner, wiring.noted, { register: wiring.partnerRegister }).handler(
  async ({ body: { name } }, { clock, register }) => {
    const createdAt = clock();
    const id = drawId<PartnerId>(createdAt);
    return {
      about: id,
      target: {},
      change: async () => {
        await register.create(id, name, createdAt);
        return { partner: partnerBody({ id, name, createdAt }) };
      },
    };
  },
);
