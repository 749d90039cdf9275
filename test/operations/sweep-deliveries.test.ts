import { beforeAll, beforeEach, expect, test } from 'vitest';
import { handler } from '#functions/pollers/sweep-deliveries.ts';
import type { EventId, PartnerId } from '#shared/domain/values/ids.ts';
import type { Environment } from '#shared/domain/values/tenancy.ts';
import type { Delivery } from '#shared/domain/webhooks/delivery.ts';
import { readMessage } from '#shared/queue/deliveries.ts';
import { putRow, transact } from '#shared/table/rows/client.ts';
import { deliveryDue, deliveryKey } from '#shared/table/rows/keys.ts';
import { TableDeliveries } from '#shared/table/webhooks/deliveries.ts';
import { disableWebhook } from '#shared/table/webhooks/webhook-endpoints.ts';
import { bookDelivery, claimAttempt, firstMessage, makeWebhookPartner, moveToState } from '../makers/booked.ts';
import { lambdaContext } from '../makers/call.ts';
import { failed } from '../makers/delivery.ts';
import { usePeers } from '../makers/peers.ts';
import { QueueView } from '../makers/sqs.ts';

const MINUTE = 60_000;
const peers = usePeers();
let queue: QueueView;
beforeAll(async () => {
  queue = new QueueView(process.env['DELIVERY_QUEUE_URL']!);
});
beforeEach(() => queue.purge());

const deliveries = new TableDeliveries();
const tick = () => handler({}, lambdaContext());

/** Returns a delivery whose first attempt has failed. The sweeper keeps its second attempt until `dueAt`. */
async function waiting(dueAt: number): Promise<Delivery> {
  const booked = await bookDelivery(await makeWebhookPartner(0), { dueAt: 0, createdAt: 0 });
  const next = { state: 'pendente', dueAt, retryOwner: 'sweeper' } as const;
  await deliveries.record(await claimAttempt(firstMessage(booked), 1), failed, next, 1);
  return booked;
}

test('sweep-deliveries sends deliveries that are due before the next tick, and leaves the rest', async () => {
  const now = Date.now();
  const [past, soon] = [await waiting(now - 1000), await waiting(now + MINUTE / 2)];
  await waiting(now + 10 * MINUTE);
  await tick();
  expect(await queue.counts()).toEqual({ visible: 1, taken: 0, delayed: 1 });
  const [message] = await queue.receive();
  const due = { eventId: past.eventId, partnerId: past.partnerId, attempt: 2, dueAt: now - 1000 };
  expect(readMessage(message!.Body!)).toEqual(due);
  // Both deliveries are now with the queue: the next tick does not send them again.
  await tick();
  expect(await queue.counts()).toEqual({ visible: 0, taken: 1, delayed: 1 });
  expect(await deliveries.claim(readMessage(message!.Body!), now)).toMatchObject({ kind: 'claimed' });
  const message2 = { eventId: soon.eventId, partnerId: soon.partnerId, attempt: 2, dueAt: now + MINUTE / 2 };
  expect(await deliveries.claim(message2, now)).toEqual({ kind: 'early', dueAt: now + MINUTE / 2 });
});

test('sweep-deliveries counts an unreadable delivery as a repair, at each tick', async () => {
  const key = { ...deliveryKey('evt_junk' as EventId), ...deliveryDue('queue', 0, 'evt_junk' as EventId) };
  await putRow({ Item: key });
  for (let ticks = 0; ticks < 2; ticks++) {
    await tick();
    expect(peers.metrics.findLast((line) => 'SweeperRepairs' in line)).toMatchObject({ SweeperRepairs: 1 });
  }
  await transact([{ Delete: { Key: deliveryKey('evt_junk' as EventId) } }]);
});

const suspend = async (partnerId: PartnerId, environment: Environment) => {
  const [dueAt, createdAt] = [0, Date.now()];
  return moveToState('suspensa', await bookDelivery(partnerId, { dueAt, environment, createdAt }), createdAt);
};
const disabled = async (cause: 'failing' | 'gone') => {
  const partnerId = await makeWebhookPartner(0);
  await disableWebhook(partnerId, cause, Date.now());
  return partnerId;
};
test('sweep-deliveries counts disabled endpoints and their suspended deliveries by environment', async () => {
  const partnerId = await disabled('gone');
  await disabled('failing');
  await suspend(partnerId, 'sandbox');
  for (let made = 0; made < 3; made++) await suspend(partnerId, 'producao');
  await tick();
  const gauges = peers.metrics.filter((line) => 'EndpointsDisabled' in line).slice(-2);
  expect(gauges).toMatchObject([
    { environment: 'sandbox', EndpointsDisabled: 1, DeliveriesSuspended: 1 },
    { environment: 'producao', EndpointsDisabled: 1, DeliveriesSuspended: 3 },
  ]);
});
