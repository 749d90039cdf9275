import { type SendMessageBatchCommandInput, SQSClient } from '@aws-sdk/client-sqs';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { EventId, PartnerId } from '../../shared/domain/values/ids.ts';
import type { DueDelivery } from '../../shared/domain/webhooks/delivery.ts';
import { readMessage, sqsDeliveryQueue } from '../../shared/queue/deliveries.ts';
import { usePeers } from '../makers/peers.ts';
import { QueueView } from '../makers/sqs.ts';

const NOW = 1_767_571_200_000;
const queue = sqsDeliveryQueue();

usePeers();
let view: QueueView;
beforeEach(async () => {
  view = new QueueView(process.env['DELIVERY_QUEUE_URL']!);
  await view.purge();
});

const due = (index: number, dueAt = NOW): DueDelivery => ({
  eventId: `evt_${index}` as EventId,
  partnerId: (7 + (index % 2)) as PartnerId,
  attempt: 1 + index,
  dueAt,
});

describe('the queue of deliveries', () => {
  test('takes any number of messages, in groups by partner, and gives them back as they were', async () => {
    const sent = Array.from({ length: 23 }, (_, index) => due(index));
    const calls = vi.spyOn(SQSClient.prototype, 'send');
    await queue.send(sent, NOW);
    // The emulator gives no group back.
    const entries = calls.mock.calls.flatMap(
      ([command]) => (command.input as SendMessageBatchCommandInput).Entries ?? [],
    );
    calls.mockRestore();
    expect(entries.map(({ MessageGroupId }) => MessageGroupId)).toEqual(sent.map(({ partnerId }) => String(partnerId)));
    const got = [];
    for (let page = await view.receive(); page.length > 0; page = await view.receive()) got.push(...page);
    const read = got.map((message) => readMessage(message.Body!)).sort((a, b) => a.attempt - b.attempt);
    expect(read).toEqual(sent);
  });

  test('shows a message no earlier than it is due, to the second', async () => {
    await queue.send([due(1, NOW - 5000), due(2, NOW), due(3, NOW + 400_000), due(4, NOW + 3_600_000)], NOW);
    const got = await view.receive();
    expect(got.map((message) => readMessage(message.Body!).attempt).sort()).toEqual([2, 3]);
    expect(await view.counts()).toEqual({ visible: 0, taken: 2, delayed: 2 });
  });

  test('hides a taken message until its next attempt', async () => {
    await queue.send([due(1)], NOW);
    const [first] = await view.receive();
    await queue.hide(first!.ReceiptHandle!, 300);
    const [again] = await view.receive(5);
    expect(again!.MessageId).toBe(first!.MessageId);
    expect(again!.Attributes?.ApproximateReceiveCount).toBe('2');
    // Longer than SQS allows is as long as it allows; below zero is at once.
    await queue.hide(again!.ReceiptHandle!, 10 * 3_600_000);
    expect(await view.counts()).toMatchObject({ visible: 0, taken: 1 });
    await queue.hide(again!.ReceiptHandle!, -5);
    expect((await view.receive(5)).map(({ MessageId }) => MessageId)).toEqual([first!.MessageId]);
  });

  test('gives up to the dead-letter queue, readable as what a redrive sends', async () => {
    await queue.giveUp(due(12));
    const [dead] = await new QueueView(process.env['DELIVERY_DLQ_URL']!).receive();
    expect(readMessage(dead!.Body!)).toEqual(due(12));
  });

  test('tries every batch, and says so where messages were refused', async () => {
    const calls = vi.spyOn(SQSClient.prototype, 'send');
    calls.mockImplementationOnce(() => Promise.resolve({ Failed: [{ Id: '3' }, { Id: '4' }] }));
    const sent = Array.from({ length: 23 }, (_, index) => due(index));
    await expect(queue.send(sent, NOW)).rejects.toThrow('2 messages');
    calls.mockRestore();
    expect((await view.counts()).visible).toBe(13);
  });

  test.each(['{}', 'x', '{"event":"evt_1","partner":7,"attempt":0,"dueAt":1}'])('%s is no message', (text) => {
    expect(() => readMessage(text)).toThrow();
  });
});
