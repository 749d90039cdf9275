import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
} from '@aws-sdk/client-sqs';
import type { DeadLetter, DeadLetters } from '../domain/webhooks/dead-letters.ts';
import type { DueDelivery } from '../domain/webhooks/delivery.ts';
import { deadLetterQueue } from '../runtime/env.ts';
import { queue, readMessage } from './deliveries.ts';

/** The most messages that SQS gives at once. */
const BATCH = 10;
/** Seconds for which SQS looks for messages on all its servers before it says that there are none. */
const LOOK = 1;

/** Messages in the dead-letter queue, and how many of them someone has taken; SQS counts both approximately. */
export async function countDeadLetters(): Promise<{ waiting: number; inHand: number }> {
  const { Attributes } = await queue().send(
    new GetQueueAttributesCommand({
      QueueUrl: deadLetterQueue(),
      AttributeNames: ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'],
    }),
  );
  return {
    waiting: Number(Attributes?.['ApproximateNumberOfMessages'] ?? 0),
    inHand: Number(Attributes?.['ApproximateNumberOfMessagesNotVisible'] ?? 0),
  };
}

/** Takes up to `most` messages and hides them from others for so many seconds. */
async function takeDeadLetters(most: number, seconds: number): Promise<DeadLetter[]> {
  const { Messages } = await queue().send(
    new ReceiveMessageCommand({
      QueueUrl: deadLetterQueue(),
      MaxNumberOfMessages: Math.min(BATCH, most),
      VisibilityTimeout: seconds,
      WaitTimeSeconds: LOOK,
      MessageSystemAttributeNames: ['SentTimestamp'],
    }),
  );
  return (Messages ?? []).map(({ ReceiptHandle, Body, Attributes }) => ({
    receipt: ReceiptHandle ?? '',
    message: parsed(Body ?? ''),
    sentAt: Number(Attributes?.SentTimestamp ?? 0),
  }));
}

function parsed(text: string): DueDelivery | undefined {
  try {
    return readMessage(text);
  } catch {
    return undefined;
  }
}

/** Lets others see a taken message again at once. */
async function putBackDeadLetter({ receipt }: DeadLetter): Promise<void> {
  await queue().send(
    new ChangeMessageVisibilityCommand({ QueueUrl: deadLetterQueue(), ReceiptHandle: receipt, VisibilityTimeout: 0 }),
  );
}

/** Deletes a taken message. */
async function deleteDeadLetter({ receipt }: DeadLetter): Promise<void> {
  await queue().send(new DeleteMessageCommand({ QueueUrl: deadLetterQueue(), ReceiptHandle: receipt }));
}

export function sqsDeadLetters(): DeadLetters {
  return { count: countDeadLetters, take: takeDeadLetters, putBack: putBackDeadLetter, delete: deleteDeadLetter };
}
