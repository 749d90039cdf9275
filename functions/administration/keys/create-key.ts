import { AdministrationFailure, orNotFound } from '#shared/administration/failures.ts';
import { createKey } from '#shared/administration/keys.ts';
import { requireUnit } from '#shared/administration/units.ts';
import { administrationChange } from '#shared/http/administration/endpoint.ts';
import { emit } from '#shared/runtime/metrics.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = administrationChange(createKey, wiring.noted, {
  register: wiring.partnerRegister,
  apiKeys: wiring.apiKeys,
}).handler(async ({ body }, { clock, register, apiKeys }) => {
  const { partner_id, unit_id, environment, scopes = [], consultant, token } = body;
  const [found, unit] = await Promise.all([register.get(partner_id), requireUnit(register, partner_id, unit_id)]);
  const partner = orNotFound(found, `partner ${partner_id}`);
  // This check comes before the request for an approval.
  if (environment === 'producao' && partner.validatedAt === undefined)
    throw new AdministrationFailure('refused', {
      text: `Partner ${partner_id} is not validated for production: use the sandbox, or validate the partner first.`,
    });
  const wanted = { partnerId: partner_id, unitId: unit_id, environment, scopes, consultant, token };
  return {
    about: partner_id,
    needsApproval: environment === 'producao',
    details: {
      partner_id: { name: partner.name },
      unit_id: { name: unit.name },
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
