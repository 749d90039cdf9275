import { DeleteMessageCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';

/** Takes all messages out of a queue, and gives their texts. */
export async function drained(QueueUrl: string): Promise<string[]> {
  const sqs = new SQSClient({});
  const bodies: string[] = [];
  for (;;) {
    const { Messages } = await sqs.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }));
    if (!Messages || Messages.length === 0) return bodies;
    for (const { Body, ReceiptHandle } of Messages) {
      bodies.push(Body!);
      await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
    }
  }
}
