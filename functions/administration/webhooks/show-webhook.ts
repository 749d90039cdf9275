import { orNotFound } from '#shared/administration/failures.ts';
import { showWebhook, webhookBody } from '#shared/administration/webhooks.ts';
import { keptFor } from '#shared/domain/webhooks/waiting.ts';
import { administrationRead } from '#shared/http/administration/endpoint.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = administrationRead(showWebhook, {
  clock: wiring.clock,
  register: wiring.partnerRegister,
  webhooks: wiring.webhookViews,
  settings: wiring.webhookSettings,
  archive: wiring.deliveryArchive,
}).handler(async ({ params: { partner_id }, inTime }, { clock, register, webhooks, settings, archive }) => {
  const [partner, view] = await Promise.all([register.get(partner_id), webhooks.view(partner_id)]);
  orNotFound(partner, `partner ${partner_id}`);
  if (!view) return { webhook: null };
  const [kept, opens] = await Promise.all([keptFor(partner_id, archive, inTime), settings.opens(partner_id)]);
  return { webhook: webhookBody(partner_id, view, { kept, opens, now: clock() }) };
});
