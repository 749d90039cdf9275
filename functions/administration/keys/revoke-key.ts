import { AdministrationFailure, orNotFound } from '#shared/administration/failures.ts';
import { revokeKey } from '#shared/administration/keys.ts';
import { administrationChange } from '#shared/http/administration/endpoint.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = administrationChange(revokeKey, wiring.noted, { apiKeys: wiring.apiKeys }).handler(
  async ({ params: { key_id }, body: { partner_id } }, { clock, apiKeys }) => {
    const known = (await apiKeys.list(partner_id)).find(({ id }) => id === key_id);
    const { live } = orNotFound(known, `key ${key_id} of partner ${partner_id}`);
    if (!live) throw new AdministrationFailure('refused', { text: `Key ${key_id} is not live.` });
    return {
      about: partner_id,
      target: { key: key_id },
      change: async () => {
        await apiKeys.revoke(partner_id, key_id, clock());
        return { partner_id, key_id, state: 'revoked' as const };
      },
    };
  },
);
