import { AdministrationFailure, orNotFound } from '../../../shared/administration/failures.ts';
import { presentUnit, unitBody } from '../../../shared/administration/units.ts';
import { administrationChange } from '../../../shared/http/administration-endpoint.ts';
import * as wiring from '../../../shared/wiring.ts';

export const handler = administrationChange(
  'present-unit',
  presentUnit,
  { clock: wiring.clock, audit: wiring.auditTrail, register: wiring.partnerRegister },
  async ({ params: { unit_id }, body: { partner_id, ...texts } }, { register }) => {
    const known = (await register.units(partner_id)).find(({ id }) => id === unit_id);
    orNotFound(known, `unit ${unit_id} of partner ${partner_id}`);
    if (Object.keys(texts).length === 0)
      throw new AdministrationFailure('field_required', {
        fields: [{ field: 'name', reason: 'is missing: send name, creci or contact' }],
      });
    return {
      about: partner_id,
      target: { unit: unit_id },
      change: async () => ({
        unit: unitBody(partner_id, await register.presentUnit(partner_id, unit_id, texts)),
      }),
    };
  },
);
