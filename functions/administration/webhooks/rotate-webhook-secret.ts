import { orNotFound } from '#shared/administration/failures.ts';
import { rotateWebhookSecret } from '#shared/administration/webhooks.ts';
import { timestamp } from '#shared/domain/values/clock.ts';
import { ROTATION_OVERLAP } from '#shared/domain/webhooks/endpoint.ts';
import { newWebhookSecret } from '#shared/domain/webhooks/secret.ts';
import { administrationChange } from '#shared/http/administration/endpoint.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = administrationChange(rotateWebhookSecret, wiring.noted, {
  register: wiring.partnerRegister,
  webhooks: wiring.webhookViews,
  settings: wiring.webhookSettings,
}).handler(async ({ params: { partner_id }, body }, { clock, register, webhooks, settings }) => {
  const [partner, view] = await Promise.all([register.get(partner_id), webhooks.view(partner_id)]);
  orNotFound(view, `webhook of partner ${partner_id}`);
  const inProduction = partner?.validatedAt !== undefined;
  const { overlap, drop_previous: dropPrevious, token } = body;
  return {
    about: partner_id,
    needsApproval: inProduction,
    target: { overlap, dropPrevious },
    change: async () => {
      const rotation = { overlap: overlap ? ROTATION_OVERLAP : 0, dropPrevious, token };
      const rotated = await settings.rotate(partner_id, newWebhookSecret(), rotation, clock(), { inProduction });
      const { secret, previousUntil } = rotated;
      return { partner_id, secret, previous_until: previousUntil === undefined ? null : timestamp(previousUntil) };
    },
  };
});
