import * as sqs from '@aws-sdk/client-sqs';
import type { SQSEvent } from 'aws-lambda';

/** A queue of the running peers, as an event source and an engineer see it. */
export class QueueView {
  private readonly client = new sqs.SQSClient({ maxAttempts: 1 });
  private readonly url: string;

  constructor(url: string) {
    this.url = url;
  }

  /** Receives up to 10 messages. Waits up to so many seconds if the queue has none. */
  async receive(seconds = 0): Promise<sqs.Message[]> {
    const { Messages = [] } = await this.client.send(
      new sqs.ReceiveMessageCommand({
        QueueUrl: this.url,
        MaxNumberOfMessages: 10,
        WaitTimeSeconds: seconds,
        MessageSystemAttributeNames: ['All'],
      }),
    );
    return Messages;
  }

  async remove({ ReceiptHandle }: sqs.Message): Promise<void> {
    await this.client.send(new sqs.DeleteMessageCommand({ QueueUrl: this.url, ReceiptHandle }));
  }

  async purge(): Promise<void> {
    await this.client.send(new sqs.PurgeQueueCommand({ QueueUrl: this.url }));
  }

  /** Returns the number of messages that are visible, taken and delayed. */
  async counts(): Promise<{ visible: number; taken: number; delayed: number }> {
    const { Attributes = {} } = await this.client.send(
      new sqs.GetQueueAttributesCommand({ QueueUrl: this.url, AttributeNames: ['All'] }),
    );
    return {
      visible: Number(Attributes['ApproximateNumberOfMessages']),
      taken: Number(Attributes['ApproximateNumberOfMessagesNotVisible']),
      delayed: Number(Attributes['ApproximateNumberOfMessagesDelayed']),
    };
  }
}

/**
 * Returns the event that Lambda makes of a batch. A message without attributes was sent just now, and is received for
 * the first time.
 */
export function sqsEvent(messages: readonly sqs.Message[]): SQSEvent {
  const now = String(Date.now());
  return {
    Records: messages.map(({ MessageId, ReceiptHandle, Body, Attributes }) => ({
      messageId: MessageId,
      receiptHandle: ReceiptHandle,
      body: Body,
      attributes: {
        ApproximateReceiveCount: '1',
        SentTimestamp: now,
        ApproximateFirstReceiveTimestamp: now,
        ...Attributes,
      },
    })),
  } as unknown as SQSEvent;
}

/** Deletes all messages of a queue. Returns their bodies. */
export async function drainQueue(QueueUrl: string): Promise<string[]> {
  const client = new sqs.SQSClient({});
  const bodies: string[] = [];
  for (;;) {
    const { Messages } = await client.send(new sqs.ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }));
    if (!Messages || Messages.length === 0) return bodies;
    for (const { Body, ReceiptHandle } of Messages) {
      bodies.push(Body!);
      await client.send(new sqs.DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
    }
  }
}
