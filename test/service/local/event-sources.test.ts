import { DeleteMessageCommand, ReceiveMessageCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { SQSEvent } from 'aws-lambda';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CREDENTIALS } from '../../../infra/local/aws/dynamodb.ts';
import { handled, type LocalQueues, startEventSources, startQueues } from '../../../infra/local/aws/event-sources.ts';
import type { SourcePlan } from '../../../infra/local/blueprint.ts';

const plan: SourcePlan = {
  queueArn: 'arn:aws:sqs:sa-east-1:000000000000:work',
  function: 'worker',
  batchSize: 5,
  maxConcurrency: 2,
  reportsFailures: true,
};

describe('against SQS', () => {
  let queues: LocalQueues;
  let client: SQSClient;
  const closers: (() => Promise<void>)[] = [];

  beforeEach(async () => {
    queues = await startQueues();
    client = new SQSClient({ endpoint: queues.endpoint, region: 'sa-east-1', credentials: CREDENTIALS });
    queues.make([
      {
        name: 'work',
        attributes: {
          VisibilityTimeout: '5',
          RedrivePolicy: JSON.stringify({
            deadLetterTargetArn: 'arn:aws:sqs:sa-east-1:000000000000:dead',
            maxReceiveCount: 2,
          }),
        },
      },
      { name: 'dead', attributes: {} },
    ]);
  });

  afterEach(async () => {
    for (const close of closers.splice(0)) await close();
    client.destroy();
    await queues.close();
  });

  const url = (name: string) => `${queues.endpoint}/000000000000/${name}`;
  const send = (body: string) =>
    client.send(
      new SendMessageCommand({
        QueueUrl: url('work'),
        MessageBody: body,
        MessageAttributes: { kind: { DataType: 'String', StringValue: 'test' } },
      }),
    );
  const feed = (invoke: (event: SQSEvent) => unknown) => {
    const source = startEventSources(
      [plan],
      queues.endpoint,
      { invoke: async (_, event) => invoke(event as SQSEvent) },
      () => undefined,
    );
    closers.push(source.close);
  };

  it('hands a message over as Lambda does, and deletes it', async () => {
    const events: SQSEvent[] = [];
    feed((event) => {
      events.push(event);
      return { batchItemFailures: [] };
    });
    await send('one');
    await expect.poll(() => events).toHaveLength(1);
    expect(events[0]!.Records).toEqual([
      expect.objectContaining({
        body: 'one',
        eventSource: 'aws:sqs',
        eventSourceARN: plan.queueArn,
        awsRegion: 'sa-east-1',
        attributes: expect.objectContaining({ ApproximateReceiveCount: '1' }),
        messageAttributes: {
          kind: { stringValue: 'test', dataType: 'String', stringListValues: [], binaryListValues: [] },
        },
      }),
    ]);
    await send('two');
    await expect.poll(() => events.flatMap(({ Records }) => Records.map(({ body }) => body))).toEqual(['one', 'two']);
  });

  it('lets what failed come back, and die after the last taking', async () => {
    const seen: string[] = [];
    feed(({ Records }) => {
      for (const { body, attributes } of Records) seen.push(`${body} ${attributes.ApproximateReceiveCount}`);
      return {
        batchItemFailures: Records.filter(({ body }) => body === 'bad').map(({ messageId }) => ({
          itemIdentifier: messageId,
        })),
      };
    });
    await send('bad');
    await send('good');
    const { Messages } = await client.send(new ReceiveMessageCommand({ QueueUrl: url('dead'), WaitTimeSeconds: 20 }));
    expect(Messages?.map(({ Body }) => Body)).toEqual(['bad']);
    await client.send(new DeleteMessageCommand({ QueueUrl: url('dead'), ReceiptHandle: Messages![0]!.ReceiptHandle }));
    expect(seen.sort()).toEqual(['bad 1', 'bad 2', 'good 1']);
  });
});

describe('what of a batch is dealt with', () => {
  const messages = [{ MessageId: 'a' }, { MessageId: 'b' }];
  const dealtWith = async (invoke: () => unknown, changes: Partial<SourcePlan> = {}) =>
    (await handled({ ...plan, ...changes }, messages, { invoke: async () => invoke() })).map(
      ({ MessageId }) => MessageId,
    );

  it.each([
    ['all where no failure is reported', { batchItemFailures: [] }, ['a', 'b']],
    ['all where nothing is answered', null, ['a', 'b']],
    ['the others where one is reported', { batchItemFailures: [{ itemIdentifier: 'a' }] }, ['b']],
    ['none where an unknown one is reported', { batchItemFailures: [{ itemIdentifier: 'c' }] }, []],
    ['none where an empty one is reported', { batchItemFailures: [{ itemIdentifier: '' }] }, []],
  ])('is %s', async (_, answer, expected) => {
    expect(await dealtWith(() => answer)).toEqual(expected);
  });

  it('is none where the function throws', async () => {
    expect(
      await dealtWith(() => {
        throw new Error('broken');
      }),
    ).toEqual([]);
  });

  it('is all, whatever is answered, where the mapping takes no reports', async () => {
    const answer = { batchItemFailures: [{ itemIdentifier: 'a' }] };
    expect(await dealtWith(() => answer, { reportsFailures: false })).toEqual(['a', 'b']);
  });
});
