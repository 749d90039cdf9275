import { orNotFound } from '../../../shared/administration/failures.ts';
import { rotateKey } from '../../../shared/administration/keys.ts';
import { administrationChange } from '../../../shared/http/administration-endpoint.ts';
import * as wiring from '../../../shared/wiring.ts';

export const handler = administrationChange(
  'rotate-key',
  rotateKey,
  { clock: wiring.clock, audit: wiring.auditTrail, apiKeys: wiring.apiKeys },
  async ({ params: { key_id }, body: { partner_id, token } }, { clock, apiKeys }) => {
    const known = (await apiKeys.list(partner_id)).find(({ id }) => id === key_id);
    const { unitId, environment } = orNotFound(known, `key ${key_id} of partner ${partner_id}`);
    return {
      about: partner_id,
      target: { replaced: key_id },
      // Whether it is live is the write's own condition: a repetition with the same token finds it dead, rightly.
      change: async () => {
        const { keyId, text } = await apiKeys.rotate(partner_id, key_id, clock(), token);
        return { partner_id, unit_id: unitId, environment, key_id: keyId, text, replaced: key_id };
      },
      result: (made) => ({ key: made.key_id }),
    };
  },
);
