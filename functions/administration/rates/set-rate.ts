import { AdministrationFailure, orNotFound } from '#shared/administration/failures.ts';
import { setRate } from '#shared/administration/keys.ts';
import { DEFAULT_LIMIT } from '#shared/domain/partners/partner.ts';
import { administrationChange } from '#shared/http/administration/endpoint.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = administrationChange(setRate, wiring.noted, { register: wiring.partnerRegister }).handler(
  async ({ params: { partner_id }, body: { environment, limit, replaces } }, { register }) => {
    orNotFound(await register.get(partner_id), `partner ${partner_id}`);
    const newLimit = limit ?? DEFAULT_LIMIT;
    return {
      about: partner_id,
      target: { environment, limit: newLimit },
      change: async () => {
        if (!(await register.setLimits(partner_id, { [environment]: newLimit }, replaces)))
          throw new AdministrationFailure('changed_meanwhile', {
            text: `The limit of partner ${partner_id} was changed meanwhile: look at the partner again.`,
          });
        return { partner_id, environment, limit: newLimit };
      },
    };
  },
);
