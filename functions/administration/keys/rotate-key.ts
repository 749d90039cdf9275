import { AdministrationFailure, orNotFound } from '#shared/administration/failures.ts';
import { rotateKey } from '#shared/administration/keys.ts';
import { administrationChange } from '#shared/http/administration/endpoint.ts';
import { emit } from '#shared/runtime/metrics.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = administrationChange(rotateKey, wiring.noted, {
  register: wiring.partnerRegister,
  apiKeys: wiring.apiKeys,
}).handler(async ({ params: { key_id }, body: { partner_id, token } }, { clock, register, apiKeys }) => {
  const [keys, partner, units] = await Promise.all([
    apiKeys.list(partner_id),
    register.get(partner_id),
    register.units(partner_id),
  ]);
  const known = keys.find(({ id }) => id === key_id);
  const { unitId, environment, scopes, consultant, live } = orNotFound(known, `key ${key_id} of partner ${partner_id}`);
  // A call with a token may repeat a rotation that has ended the key already.
  if (!live && token === undefined) throw new AdministrationFailure('refused', { text: `Key ${key_id} is not live.` });
  return {
    about: partner_id,
    needsApproval: environment === 'producao',
    details: {
      partner_id: { name: partner?.name },
      unit_id: { value: unitId, name: units.find(({ id }) => id === unitId)?.name },
      environment: { value: environment },
      scopes: { value: scopes.join(', ') || 'all' },
      'consultant.id': { value: consultant },
    },
    target: { environment, replaced: key_id },
    change: async () => {
      const { keyId, text } = await apiKeys.rotate(partner_id, key_id, clock(), token);
      if (environment === 'producao') emit({}, { ProductionKeysMade: 1 });
      return { partner_id, unit_id: unitId, environment, key_id: keyId, text, replaced: key_id };
    },
    result: (rotated) => ({ key: rotated.key_id }),
  };
});
