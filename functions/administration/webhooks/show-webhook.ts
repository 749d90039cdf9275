import { orNotFound } from '../../../shared/administration/failures.ts';
import { showWebhook, webhookBody } from '../../../shared/administration/webhooks.ts';
import { administrationRead } from '../../../shared/http/administration-endpoint.ts';
import * as wiring from '../../../shared/wiring.ts';

export const handler = administrationRead(
  'show-webhook',
  showWebhook,
  {
    clock: wiring.clock,
    register: wiring.partnerRegister,
    webhooks: wiring.webhookViews,
    settings: wiring.webhookSettings,
    archive: wiring.deliveryArchive,
  },
  async ({ params: { partner_id } }, { clock, register, webhooks, settings, archive }) => {
    const [partner, view] = await Promise.all([register.get(partner_id), webhooks.view(partner_id)]);
    orNotFound(partner, `partner ${partner_id}`);
    if (!view) return { webhook: null };
    const [kept, opens] = await Promise.all([archive.countSuspended(partner_id), settings.opens(partner_id)]);
    return { webhook: webhookBody(partner_id, view, { kept, opens, now: clock() }) };
  },
);
