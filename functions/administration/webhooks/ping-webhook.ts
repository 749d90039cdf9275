import { AdministrationFailure, orNotFound } from '#shared/administration/failures.ts';
import { attemptBody, ownerIn, pingWebhook, webhookNamed } from '#shared/administration/webhooks.ts';
import { testEventOf } from '#shared/contract/event.ts';
import { administrationChange } from '#shared/http/administration/endpoint.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = administrationChange(pingWebhook, wiring.noted, {
  webhooks: wiring.webhookEndpoints,
  settings: wiring.webhookSettings,
  sender: wiring.sender,
}).handler(async ({ params }, { clock, webhooks, settings, sender }) => {
  const owner = ownerIn(params);
  const [view, opens] = await Promise.all([webhooks.view(owner), settings.opens(owner)]);
  const seen = orNotFound(view, webhookNamed(owner));
  if (!opens)
    throw new AdministrationFailure('refused', {
      text: `The secret of the ${webhookNamed(owner)} does not open: a rotation without overlap makes a new secret.`,
    });
  const now = clock();
  const event = testEventOf(owner, now);
  return {
    about: owner.partnerId,
    target: { environment: owner.environment, event: event.eventId },
    change: async () => {
      // The endpoint is read right before the event is sent, since nothing can take a sent event back.
      const endpoint = await webhooks.get(owner);
      if (endpoint?.changedAt !== seen.changedAt)
        throw new AdministrationFailure('changed_meanwhile', {
          text: `The ${webhookNamed(owner)} was changed meanwhile: look at it again.`,
        });
      return {
        ...params,
        event_id: event.eventId,
        ...attemptBody(await sender.send(endpoint, event, 1, now)),
      };
    },
    result: ({ delivered }) => ({ delivered }),
  };
});
