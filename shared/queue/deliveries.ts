import {
  ChangeMessageVisibilityCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import * as z from 'zod/mini';
import type { EventId, PartnerId } from '../domain/values/ids.ts';
import { type Instant, type Milliseconds, minutes, type Seconds, seconds } from '../domain/values/time.ts';
import type { DueDelivery } from '../domain/webhooks/delivery.ts';
import type { DeliveryQueue } from '../domain/webhooks/ports.ts';
import { underDeadline } from '../runtime/deadline.ts';
import { deadLetterQueue, deliveryQueue } from '../runtime/env.ts';

const messageFormat = z.object({
  eventId: z.custom<EventId>((value) => typeof value === 'string'),
  partnerId: z.custom<PartnerId>((value) => typeof value === 'number' && Number.isFinite(value)),
  attempt: z.int().check(z.positive()),
  dueAt: z.number(),
});

/** Longest delay that SQS accepts. */
const LONGEST_DELAY: Milliseconds = minutes(15);
/** Most messages that SQS accepts at once. */
const BATCH = 10;

let client: SQSClient | undefined;

export function queue(): SQSClient {
  client ??= new SQSClient({
    maxAttempts: 3,
    requestHandler: { connectionTimeout: 2000, requestTimeout: 4000, throwOnRequestTimeout: true },
  });
  return client;
}

/** Throws if the text is not the message of a delivery. */
export const readMessage = (text: string): DueDelivery => messageFormat.parse(JSON.parse(text));

const delayOf = (time: Milliseconds): Seconds => Math.ceil(Math.min(LONGEST_DELAY, Math.max(0, time)) / seconds(1));

const textOf = ({ eventId, partnerId, attempt, dueAt }: DueDelivery) =>
  JSON.stringify({ eventId, partnerId, attempt, dueAt });

export class SqsDeliveryQueue implements DeliveryQueue {
  async send(messages: readonly DueDelivery[], now: Instant): Promise<void> {
    let refused = 0;
    for (let start = 0; start < messages.length; start += BATCH) {
      const batch = messages.slice(start, start + BATCH);
      const output = await queue().send(
        new SendMessageBatchCommand({
          QueueUrl: deliveryQueue(),
          Entries: batch.map((message, index) => ({
            Id: String(index),
            MessageBody: textOf(message),
            // Fair queues: the backlog of one partner does not delay the events of another.
            MessageGroupId: String(message.partnerId),
            DelaySeconds: delayOf(message.dueAt - now),
          })),
        }),
        underDeadline(),
      );
      refused += (output.Failed ?? []).length;
    }
    // A delivery whose message was not sent is still due, and the sweeper finds its row.
    if (refused > 0) throw new Error(`the queue refused ${refused} messages`);
  }

  read(text: string): DueDelivery {
    return readMessage(text);
  }

  async hide(receipt: string, time: Milliseconds): Promise<void> {
    await queue().send(
      new ChangeMessageVisibilityCommand({
        QueueUrl: deliveryQueue(),
        ReceiptHandle: receipt,
        VisibilityTimeout: delayOf(time),
      }),
      underDeadline(),
    );
  }

  async giveUp(message: DueDelivery): Promise<void> {
    await queue().send(
      new SendMessageCommand({
        QueueUrl: deadLetterQueue(),
        MessageBody: textOf(message),
        MessageGroupId: String(message.partnerId),
      }),
      underDeadline(),
    );
  }
}
