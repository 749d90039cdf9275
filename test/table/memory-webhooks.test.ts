import type { PartnerId } from '#shared/domain/values/ids.ts';
import { newDelivery } from '../makers/booked.ts';
import { MemoryWebhooks } from '../makers/memory-webhooks.ts';
import { describeDeliveries } from './deliveries.suite.ts';
import { describeWebhookEndpoints } from './webhook-endpoints.suite.ts';

describeDeliveries(() => {
  const memory = new MemoryWebhooks();
  return {
    deliveries: memory.deliveries,
    keep: async (overrides) => memory.book(newDelivery(3 as PartnerId, overrides)),
    resend: async ({ eventId }, now) => memory.resend(eventId, now),
    deleteTexts: async ({ eventId }, now) => memory.deleteTexts(eventId, now),
    manager: memory.manager,
  };
});

describeWebhookEndpoints(() => new MemoryWebhooks());
