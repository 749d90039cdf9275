import { orNotFound } from '#shared/administration/failures.ts';
import { needsSecondPerson, ownerIn, rotateWebhookSecret, webhookNamed } from '#shared/administration/webhooks.ts';
import { timestamp } from '#shared/domain/values/clock.ts';
import { ROTATION_OVERLAP } from '#shared/domain/webhooks/endpoint.ts';
import { newWebhookSecret } from '#shared/domain/webhooks/secret.ts';
import { administrationChange } from '#shared/http/administration/endpoint.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = administrationChange(rotateWebhookSecret, wiring.noted, {
  register: wiring.partnerRegister,
  webhooks: wiring.webhookViews,
  settings: wiring.webhookSettings,
}).handler(async ({ params, body }, { clock, register, webhooks, settings }) => {
  const owner = ownerIn(params);
  const [partner, view] = await Promise.all([register.get(owner.partnerId), webhooks.view(owner)]);
  const { url } = orNotFound(view, webhookNamed(owner));
  const inProduction = partner?.validatedAt !== undefined;
  const { overlap, drop_previous: dropPrevious, token } = body;
  return {
    about: owner.partnerId,
    needsApproval: needsSecondPerson(owner, inProduction),
    details: { partner_id: { name: partner?.name }, url: { value: url } },
    target: { environment: owner.environment, overlap, dropPrevious },
    change: async () => {
      const rotation = { overlap: overlap ? ROTATION_OVERLAP : 0, dropPrevious, token };
      const rotated = await settings.rotate(owner, newWebhookSecret(), rotation, clock(), { inProduction });
      const { secret, previousUntil } = rotated;
      return { ...params, secret, previous_until: previousUntil === undefined ? null : timestamp(previousUntil) };
    },
  };
});
