import * as z from 'zod/mini';
import { AdministrationFailure, orNotFound } from '#shared/administration/failures.ts';
import { enableWebhook, ownerIn, webhookNamed } from '#shared/administration/webhooks.ts';
import { timestamp } from '#shared/domain/values/clock.ts';
import { releaseSuspended } from '#shared/domain/webhooks/sweep.ts';
import { MOST_SUSPENDED, suspendedFor } from '#shared/domain/webhooks/waiting.ts';
import { cursorOf, placeIn } from '#shared/http/administration/cursor.ts';
import { administrationChange } from '#shared/http/administration/endpoint.ts';
import * as wiring from '#shared/wiring.ts';

const PLACE = z.object({ after: z.string(), total: z.nullable(z.int()) });
/** Null if the count stopped before it had seen all events. */
const totalOf = (count: number) => (count === MOST_SUSPENDED ? null : count);

export const handler = administrationChange(enableWebhook, wiring.noted, {
  register: wiring.partnerRegister,
  webhooks: wiring.webhookViews,
  settings: wiring.webhookSettings,
  suspended: wiring.suspendedDeliveries,
  deliveries: wiring.deliveries,
  queue: wiring.deliveryQueue,
}).handler(async (request, { clock, register, webhooks, settings, suspended, deliveries, queue }) => {
  const { params, body, inTime } = request;
  const owner = ownerIn(params);
  const place = placeIn(PLACE, body.cursor);
  const [partner, view, total] = await Promise.all([
    register.get(owner.partnerId),
    webhooks.view(owner),
    // If the first page's count stops early, the later pages have no total either.
    place ? place.total : suspendedFor(owner, suspended, inTime).then(totalOf),
  ]);
  const seen = orNotFound(view, webhookNamed(owner));
  if (place && !seen.enabled)
    throw new AdministrationFailure('changed_meanwhile', {
      text: `The ${webhookNamed(owner)} was disabled meanwhile: look at it again.`,
    });
  const { disabledAt } = seen;
  return {
    about: owner.partnerId,
    // A person may have disabled the webhook to stop what another person does.
    needsApproval: owner.environment === 'producao' && seen.disabledBecause === 'manager',
    details: {
      partner_id: { name: partner?.name },
      url: { value: seen.url },
      disabled_at: { value: disabledAt === undefined ? null : timestamp(disabledAt) },
    },
    target: { environment: owner.environment },
    change: async () => {
      if (!place) await settings.enable(owner, clock(), seen);
      const { released, next } = await releaseSuspended(owner, place?.after, { deliveries, queue, clock, inTime });
      const next_cursor = cursorOf(next === undefined ? undefined : { after: next, total });
      return { ...params, enabled: true as const, released, total, next_cursor };
    },
    result: ({ released }) => ({ released }),
  };
});
