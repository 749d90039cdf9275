import { orNotFound } from '#shared/administration/failures.ts';
import { partnerDetailsBody, showPartner } from '#shared/administration/partners.ts';
import { ENVIRONMENTS } from '#shared/domain/values/tenancy.ts';
import { administrationRead } from '#shared/http/administration/endpoint.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = administrationRead(showPartner, {
  register: wiring.partnerRegister,
  keys: wiring.apiKeys,
  webhooks: wiring.webhookViews,
}).handler(async ({ params: { partner_id } }, { register, keys: apiKeys, webhooks }) => {
  const viewWebhooks = ENVIRONMENTS.map(async (environment) => ({
    environment,
    view: await webhooks.view({ partnerId: partner_id, environment }),
  }));
  const [profile, auth, units, keys, ...views] = await Promise.all([
    register.get(partner_id),
    apiKeys.state(partner_id),
    register.units(partner_id),
    apiKeys.list(partner_id),
    ...viewWebhooks,
  ]);
  const found = orNotFound(profile, `partner ${partner_id}`);
  return { partner: partnerDetailsBody(found, { auth, units, keys, webhooks: views }) };
});
