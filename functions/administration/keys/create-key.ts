import { orNotFound } from '#shared/administration/failures.ts';
import { createKey } from '#shared/administration/keys.ts';
import { administrationChange } from '#shared/http/administration/endpoint.ts';
import { emit } from '#shared/runtime/metrics.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = administrationChange(createKey, wiring.noted, {
  register: wiring.partnerRegister,
  apiKeys: wiring.apiKeys,
}).handler(async ({ body }, { clock, register, apiKeys }) => {
  const { partner_id, unit_id, environment, scopes = [], consultant, token } = body;
  const [found, units] = await Promise.all([register.get(partner_id), register.units(partner_id)]);
  const partner = orNotFound(found, `partner ${partner_id}`);
  const wanted = { partnerId: partner_id, unitId: unit_id, environment, scopes, consultant, token };
  return {
    about: partner_id,
    needsApproval: environment === 'producao',
    details: {
      partner_id: { name: partner.name },
      unit_id: { name: units.find(({ id }) => id === unit_id)?.name },
      scopes: { value: 'all' },
    },
    target: { unit: unit_id, environment, scopes: scopes.join(',') || 'all' },
    change: async () => {
      const { keyId, text } = await apiKeys.create(wanted, clock());
      if (environment === 'producao') emit({}, { ProductionKeysMade: 1 });
      return { partner_id, unit_id, environment, key_id: keyId, text };
    },
    result: ({ key_id }) => ({ key: key_id }),
  };
});
