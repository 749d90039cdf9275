import { tableDeliveries } from '../../shared/table/deliveries.ts';
import { replay } from '../../shared/table/replays.ts';
import { tableUnitDeliveries } from '../../shared/table/unit-deliveries.ts';
import { disableWebhook, enableWebhook, tableWebhookEndpoints } from '../../shared/table/webhook-endpoints.ts';
import { bookMany, makeWebhookPartner } from '../makers/booked.ts';
import { TABLE_SWEEP } from '../makers/interleaved.ts';
import { usePeers } from '../makers/peers.ts';
import { describeDeliveryOverlaps } from './delivery-overlaps.suite.ts';

usePeers();

// More of the schedules with SOAK=1.
describeDeliveryOverlaps(
  (clock) => ({
    deliveries: tableDeliveries(clock),
    endpoints: tableWebhookEndpoints(),
    makePartner: makeWebhookPartner,
    book: async (delivery) => (await bookMany([delivery]))[0]!,
    enable: enableWebhook,
    disable: (partnerId, now) => disableWebhook(partnerId, 'manager', now),
    replay,
    resend: async (delivery, now) => {
      const made = await tableUnitDeliveries(clock).makeDue(delivery, delivery.eventId, now);
      if (made.kind !== 'due') throw new Error(made.kind);
      return made.due;
    },
  }),
  TABLE_SWEEP,
);
