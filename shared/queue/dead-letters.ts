import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
} from '@aws-sdk/client-sqs';
import type { Seconds } from '../domain/values/time.ts';
import type { DeadLetter, DeadLetters } from '../domain/webhooks/dead-letters.ts';
import type { DueDelivery } from '../domain/webhooks/delivery.ts';
import { underDeadline } from '../runtime/deadline.ts';
import { deadLetterQueue } from '../runtime/env.ts';
import { queue, readMessage } from './deliveries.ts';

/** Most messages that SQS returns at once. */
const BATCH = 10;
/** Longest time for which SQS looks for messages on all its servers before it answers that there are none. */
const LONGEST_WAIT: Seconds = 1;

function parseMessage(text: string): DueDelivery | undefined {
  try {
    return readMessage(text);
  } catch {
    return undefined;
  }
}

export class SqsDeadLetters implements DeadLetters {
  async count(): Promise<{ readonly waiting: number; readonly inHand: number }> {
    const { Attributes } = await queue().send(
      new GetQueueAttributesCommand({
        QueueUrl: deadLetterQueue(),
        AttributeNames: ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'],
      }),
      underDeadline(),
    );
    return {
      waiting: Number(Attributes?.['ApproximateNumberOfMessages'] ?? 0),
      inHand: Number(Attributes?.['ApproximateNumberOfMessagesNotVisible'] ?? 0),
    };
  }

  async take(most: number, time: Seconds): Promise<DeadLetter[]> {
    const { Messages } = await queue().send(
      new ReceiveMessageCommand({
        QueueUrl: deadLetterQueue(),
        MaxNumberOfMessages: Math.min(BATCH, most),
        VisibilityTimeout: time,
        WaitTimeSeconds: LONGEST_WAIT,
        MessageSystemAttributeNames: ['SentTimestamp'],
      }),
      underDeadline(),
    );
    return (Messages ?? []).map(({ ReceiptHandle, Body, Attributes }) => ({
      receipt: ReceiptHandle ?? '',
      message: parseMessage(Body ?? ''),
      sentAt: Number(Attributes?.SentTimestamp ?? 0),
    }));
  }

  async putBack({ receipt: ReceiptHandle }: DeadLetter): Promise<void> {
    const unhidden = { QueueUrl: deadLetterQueue(), ReceiptHandle, VisibilityTimeout: 0 };
    await queue().send(new ChangeMessageVisibilityCommand(unhidden), underDeadline());
  }

  async delete({ receipt: ReceiptHandle }: DeadLetter): Promise<void> {
    await queue().send(new DeleteMessageCommand({ QueueUrl: deadLetterQueue(), ReceiptHandle }), underDeadline());
  }
}
