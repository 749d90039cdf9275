import { AdministrationFailure, orNotFound } from '#shared/administration/failures.ts';
import { rotateKey } from '#shared/administration/keys.ts';
import { administrationChange } from '#shared/http/administration/endpoint.ts';
import { emit } from '#shared/runtime/metrics.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = administrationChange(rotateKey, wiring.noted, { apiKeys: wiring.apiKeys }).handler(
  async ({ params: { key_id }, body: { partner_id, token } }, { clock, apiKeys }) => {
    const known = (await apiKeys.list(partner_id)).find(({ id }) => id === key_id);
    const { unitId, environment, live } = orNotFound(known, `key ${key_id} of partner ${partner_id}`);
    // With a token, the call may repeat a rotation whose answer was lost. That rotation has already ended the key.
    if (!live && token === undefined)
      throw new AdministrationFailure('refused', { text: `Key ${key_id} is not live.` });
    return {
      about: partner_id,
      needsApproval: environment === 'producao',
      target: { environment, replaced: key_id },
      change: async () => {
        const { keyId, text } = await apiKeys.rotate(partner_id, key_id, clock(), token);
        if (environment === 'producao') emit({}, { ProductionKeysMade: 1 });
        return { partner_id, unit_id: unitId, environment, key_id: keyId, text, replaced: key_id };
      },
      result: (rotated) => ({ key: rotated.key_id }),
    };
  },
);
