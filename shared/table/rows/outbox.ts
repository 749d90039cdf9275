import * as z from 'zod/mini';
import type { AnalysisId, EventId, PartnerId, UnitId } from '#shared/domain/values/ids.ts';
import { ENVIRONMENTS } from '#shared/domain/values/tenancy.ts';
import {
  type Attempt,
  BOOKED_TYPES,
  DELIVERY_STATES,
  type Delivery,
  type DueDelivery,
  FAILURE_CLASSES,
  lookAt,
} from '#shared/domain/webhooks/delivery.ts';
import { logError } from '#shared/runtime/log.ts';
import type { Item, TransactItem } from './client.ts';
import { deliveryDue, deliveryKey, deliveryList } from './keys.ts';
import { type FieldsOf, numberOf, textOf } from './row-format.ts';

const resultFormat = z.discriminatedUnion('delivered', [
  z.object({ delivered: z.literal(true), status: z.number(), milliseconds: z.number() }),
  z.object({
    delivered: z.literal(false),
    failure: z.enum(FAILURE_CLASSES),
    status: z.optional(z.number()),
    milliseconds: z.number(),
    detail: z.string(),
    retryAfter: z.optional(z.number()),
  }),
]);

// The outbox: the delivery of an event is a row that is written in one transaction with the change that caused the
// event.

export const deliveryFormat = z.object({
  eventId: textOf<EventId>(),
  unitId: z.optional(numberOf<UnitId>()),
  environment: z.enum(ENVIRONMENTS),
  partnerId: numberOf<PartnerId>(),
  analysisId: z.optional(numberOf<AnalysisId>()),
  type: z.enum(BOOKED_TYPES),
  to: z.optional(z.string()),
  body: z.string(),
  state: z.enum(DELIVERY_STATES),
  attempts: z.number(),
  dueAt: z.number(),
  createdAt: z.number(),
  wishedAt: z.optional(z.number()),
  discardedAt: z.optional(z.number()),
  history: z.array(z.object({ number: z.number(), at: z.number(), result: resultFormat } satisfies FieldsOf<Attempt>)),
  textsDeletedAt: z.optional(z.number()),
  failFirst: z.optional(z.boolean()),
  requestId: z.optional(z.string()),
} satisfies FieldsOf<Delivery>);

const dueFormat = z.extend(z.pick(deliveryFormat, { eventId: true, partnerId: true, dueAt: true }), {
  dueAttempt: z.number(),
});

/** Refused if the event has a delivery. Without `messageWaits`, the sweeper sends the message within a minute. */
export function writeOutbox(delivery: Delivery, messageWaits = true): TransactItem {
  return {
    Put: {
      Item: {
        ...deliveryKey(delivery.eventId),
        ...deliveryList(delivery.partnerId, delivery.createdAt, delivery.eventId),
        ...deliveryDue(lookAt(delivery.dueAt, messageWaits), delivery.eventId),
        ...delivery,
        // `dueAttempt` is stored although it follows from `attempts`: the due index shows it, and conditions compare
        // it.
        dueAttempt: delivery.attempts + 1,
      },
      ConditionExpression: 'attribute_not_exists(pk)',
    },
  };
}

export const readDelivery = (item: Item): Delivery => deliveryFormat.parse(item);

/** All fields that this function reads are in the due index. */
export function readDue(item: Item): DueDelivery {
  const { dueAttempt, ...row } = dueFormat.parse(item);
  return { ...row, attempt: dueAttempt };
}

/** If the row cannot be read, logs it and returns undefined, so that the deliveries after it are sent. */
export function readableDue(item: Item): DueDelivery | undefined {
  try {
    return readDue(item);
  } catch (error) {
    logError('row_unreadable', error, { event: String(item['eventId']) });
    return undefined;
  }
}
