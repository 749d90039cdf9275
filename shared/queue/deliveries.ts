import {
  ChangeMessageVisibilityCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import * as z from 'zod/mini';
import type { EventId, PartnerId } from '../domain/values/ids.ts';
import { type Instant, type Milliseconds, minutes, type Seconds, seconds } from '../domain/values/time.ts';
import type { Delivery, DueDelivery } from '../domain/webhooks/delivery.ts';
import type { DeliveryQueue } from '../domain/webhooks/ports.ts';
import { underDeadline } from '../runtime/deadline.ts';
import { deadLetterQueue, deliveryQueue } from '../runtime/env.ts';
import { logError } from '../runtime/log.ts';

const messageFormat = z.object({
  eventId: z.custom<EventId>((value) => typeof value === 'string'),
  partnerId: z.custom<PartnerId>((value) => typeof value === 'number' && Number.isFinite(value)),
  attempt: z.int().check(z.positive()),
  dueAt: z.number(),
});

/** The longest delay that SQS takes. */
const LONGEST_DELAY: Milliseconds = minutes(15);
/** The most messages that SQS takes at once. */
const BATCH = 10;

let client: SQSClient | undefined;

/** The client of every queue, with time-outs of its own. */
export function queue(): SQSClient {
  client ??= new SQSClient({
    maxAttempts: 3,
    requestHandler: { connectionTimeout: 2000, requestTimeout: 4000, throwOnRequestTimeout: true },
  });
  return client;
}

/** The attempt that a message names. Throws where the text is no such message. */
export const readMessage = (text: string): DueDelivery => messageFormat.parse(JSON.parse(text));

/** A delay as SQS takes it: whole seconds, rounded up. */
const delayOf = (time: Milliseconds): Seconds => Math.ceil(Math.min(LONGEST_DELAY, Math.max(0, time)) / seconds(1));

const wire = ({ eventId, partnerId, attempt, dueAt }: DueDelivery) =>
  JSON.stringify({ eventId, partnerId, attempt, dueAt });

export function sqsDeliveryQueue(): DeliveryQueue {
  return {
    async send(messages, now) {
      let refused = 0;
      for (let start = 0; start < messages.length; start += BATCH) {
        const batch = messages.slice(start, start + BATCH);
        const output = await queue().send(
          new SendMessageBatchCommand({
            QueueUrl: deliveryQueue(),
            Entries: batch.map((message, index) => ({
              Id: String(index),
              MessageBody: wire(message),
              // Fair queues: one partner's backlog does not delay another's events.
              MessageGroupId: String(message.partnerId),
              DelaySeconds: delayOf(message.dueAt - now),
            })),
          }),
          underDeadline(),
        );
        refused += (output.Failed ?? []).length;
      }
      // A delivery whose message was not sent is still due: the sweeper finds its row.
      if (refused > 0) throw new Error(`the queue refused ${refused} messages`);
    },

    async hide(receipt, time) {
      await queue().send(
        new ChangeMessageVisibilityCommand({
          QueueUrl: deliveryQueue(),
          ReceiptHandle: receipt,
          VisibilityTimeout: delayOf(time),
        }),
        underDeadline(),
      );
    },

    async giveUp(message) {
      await queue().send(
        new SendMessageCommand({
          QueueUrl: deadLetterQueue(),
          MessageBody: wire(message),
          MessageGroupId: String(message.partnerId),
        }),
        underDeadline(),
      );
    },
  };
}

/** Sends messages for deliveries that were just booked. One whose message is not sent is still due: the sweeper finds its row. */
export async function publishOutbox(queue: DeliveryQueue, booked: readonly Delivery[], now: Instant): Promise<void> {
  const due = booked.map(({ eventId, partnerId, dueAt }) => ({ eventId, partnerId, attempt: 1, dueAt }));
  await publishDue(queue, due, now);
}

/** Sends messages for attempts that are due. One whose message is not sent is still due: the sweeper finds its row. */
export async function publishDue(queue: DeliveryQueue, due: readonly DueDelivery[], now: Instant): Promise<void> {
  if (due.length === 0) return;
  try {
    await queue.send(due, now);
  } catch (error) {
    logError('queue_send_failed', error);
  }
}
