import { orNotFound } from '#shared/administration/failures.ts';
import { keyBody, listKeys } from '#shared/administration/keys.ts';
import { administrationRead } from '#shared/http/administration/endpoint.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = administrationRead(listKeys, {
  register: wiring.partnerRegister,
  apiKeys: wiring.apiKeys,
}).handler(async ({ query: { partner_id } }, { register, apiKeys }) => {
  const [partner, keys] = await Promise.all([register.get(partner_id), apiKeys.list(partner_id)]);
  orNotFound(partner, `partner ${partner_id}`);
  return { keys: keys.map((key) => keyBody(partner_id, key)) };
});
