import { AdministrationFailure, orNotFound } from '#shared/administration/failures.ts';
import { attemptBody, pingWebhook } from '#shared/administration/webhooks.ts';
import { testEventOf } from '#shared/contract/event.ts';
import { administrationChange } from '#shared/http/administration/endpoint.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = administrationChange(pingWebhook, wiring.noted, {
  webhooks: wiring.webhookEndpoints,
  settings: wiring.webhookSettings,
  sender: wiring.sender,
}).handler(async ({ params: { partner_id } }, { clock, webhooks, settings, sender }) => {
  const [view, opens] = await Promise.all([webhooks.view(partner_id), settings.opens(partner_id)]);
  const seen = orNotFound(view, `webhook of partner ${partner_id}`);
  if (!opens)
    throw new AdministrationFailure('refused', {
      text: `The secret of partner ${partner_id} does not open: a rotation without overlap makes a new secret.`,
    });
  const now = clock();
  const event = testEventOf(partner_id, now);
  return {
    about: partner_id,
    target: { event: event.eventId },
    change: async () => {
      // Read right before the event is sent, since nothing can take a sent event back.
      const endpoint = await webhooks.get(partner_id);
      if (endpoint?.changedAt !== seen.changedAt)
        throw new AdministrationFailure('changed_meanwhile', {
          text: `The webhook of partner ${partner_id} was changed meanwhile: look at it again.`,
        });
      return {
        partner_id,
        event_id: event.eventId,
        ...attemptBody(await sender.send(endpoint, event, 1, now)),
      };
    },
    result: ({ delivered }) => ({ delivered }),
  };
});
