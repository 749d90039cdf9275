import { orNotFound } from '../../../shared/administration/failures.ts';
import { rotateWebhookSecret } from '../../../shared/administration/webhooks.ts';
import { timestamp } from '../../../shared/domain/values/clock.ts';
import { ROTATION_OVERLAP } from '../../../shared/domain/webhooks/endpoint.ts';
import { administrationChange } from '../../../shared/http/administration-endpoint.ts';
import * as wiring from '../../../shared/wiring.ts';

export const handler = administrationChange(
  'rotate-webhook-secret',
  rotateWebhookSecret,
  {
    clock: wiring.clock,
    audit: wiring.auditTrail,
    webhooks: wiring.webhookViews,
    settings: wiring.webhookSettings,
  },
  async ({ params: { partner_id }, body }, { clock, webhooks, settings }) => {
    orNotFound(await webhooks.view(partner_id), `webhook of partner ${partner_id}`);
    const { overlap, drop_previous: dropPrevious } = body;
    return {
      about: partner_id,
      target: { overlap, dropPrevious },
      change: async () => {
        const secret = wiring.newWebhookSecret();
        const now = clock();
        await settings.rotate(partner_id, secret, { overlap: overlap ? ROTATION_OVERLAP : 0, dropPrevious }, now);
        return { partner_id, secret, previous_until: overlap ? timestamp(now + ROTATION_OVERLAP) : null };
      },
    };
  },
);
