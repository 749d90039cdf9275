import { type SendMessageBatchCommandInput, SQSClient } from '@aws-sdk/client-sqs';
import { beforeEach, expect, test, vi } from 'vitest';
import type { PartnerId } from '#shared/domain/values/ids.ts';
import { readMessage, SqsDeliveryQueue } from '#shared/queue/deliveries.ts';
import { QueueNotifier } from '#shared/queue/notifier.ts';
import { deadlineSignal, withDeadline } from '#shared/runtime/deadline.ts';
import { newDelivery } from '../makers/booked.ts';
import { FakeDeliveryQueue } from '../makers/delivery-queue.ts';
import { usePeers } from '../makers/peers.ts';
import { QueueView } from '../makers/sqs.ts';
import { describeDeliveryQueue, due } from './delivery-queue.suite.ts';

usePeers();
const NOW = 1_767_571_200_000;
const queue = new SqsDeliveryQueue();
let view: QueueView;
beforeEach(async () => {
  view = new QueueView(process.env['DELIVERY_QUEUE_URL']!);
  await view.purge();
});

describeDeliveryQueue('SqsDeliveryQueue', async () => {
  const dead = new QueueView(process.env['DELIVERY_DLQ_URL']!);
  await dead.purge();
  return {
    queue,
    receive: async (within = 0) =>
      (await view.receive(within / 1000)).map(({ ReceiptHandle, Body }) => ({
        receipt: ReceiptHandle!,
        message: readMessage(Body!),
      })),
    deadLetters: async () => (await dead.receive()).map(({ Body }) => readMessage(Body!)),
  };
});

describeDeliveryQueue('FakeDeliveryQueue', async () => {
  let now = NOW;
  const fake = new FakeDeliveryQueue(() => now);
  return {
    queue: fake,
    receive: async (within = 0) => {
      now = Math.max(now, Math.min(fake.nextVisibleAt() ?? now, now + within));
      return fake.receive(10);
    },
    deadLetters: async () => fake.deadLetters,
  };
});

test('send groups the messages on SQS by partner', async () => {
  const sent = Array.from({ length: 23 }, (_, index) => due(index));
  const calls = vi.spyOn(SQSClient.prototype, 'send');
  await queue.send(sent, NOW);
  // The emulator does not return the group of a message, so the calls are read.
  const entries = calls.mock.calls.flatMap(
    ([command]) => (command.input as SendMessageBatchCommandInput).Entries ?? [],
  );
  calls.mockRestore();
  expect(entries.map(({ MessageGroupId }) => MessageGroupId)).toEqual(sent.map(({ partnerId }) => String(partnerId)));
});

test('send tries every batch, and throws if SQS refuses messages', async () => {
  const calls = vi.spyOn(SQSClient.prototype, 'send');
  calls.mockImplementationOnce(() => Promise.resolve({ Failed: [{ Id: '3' }, { Id: '4' }] }));
  const sent = Array.from({ length: 23 }, (_, index) => due(index));
  await expect(queue.send(sent, NOW)).rejects.toThrow('2 messages');
  calls.mockRestore();
  expect((await view.counts()).visible).toBe(13);
});

test.each(['{}', 'x', '{"event":"evt_1","partner":7,"attempt":0,"dueAt":1}'])(
  'readMessage throws for the text %s',
  (text) => {
    expect(() => readMessage(text)).toThrow();
  },
);

test('send, hide and giveUp pass the invocation’s abort signal to SQS', async () => {
  const send = vi.spyOn(SQSClient.prototype, 'send').mockImplementation((async () => ({})) as never);
  try {
    const within = withDeadline(1_000, async () => {
      await queue.send([due(1)], NOW);
      await queue.hide('receipt', 1_000);
      await queue.giveUp(due(1));
      return deadlineSignal();
    });
    const signal = await within;
    expect(signal).toBeDefined();
    const options = send.mock.calls.map(([, given]) => given as { abortSignal?: AbortSignal } | undefined);
    expect(options.map((given) => given?.abortSignal === signal)).toEqual([true, true, true]);
  } finally {
    send.mockRestore();
  }
});

test('QueueNotifier does not throw if the queue is out, since the events are stored', async () => {
  const out = {
    send: async () => {
      throw new Error('SQS is out');
    },
  };
  await expect(new QueueNotifier(out, () => NOW).booked([newDelivery(3 as PartnerId)])).resolves.toBeUndefined();
});
