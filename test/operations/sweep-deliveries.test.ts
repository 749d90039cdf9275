import { beforeAll, beforeEach, expect, test } from 'vitest';
import { handler } from '#functions/pollers/sweep-deliveries.ts';
import { timestamp } from '#shared/domain/values/clock.ts';
import type { EventId } from '#shared/domain/values/ids.ts';
import type { Environment } from '#shared/domain/values/tenancy.ts';
import { type Delivery, DUE_BUCKETS } from '#shared/domain/webhooks/delivery.ts';
import type { EndpointOwner } from '#shared/domain/webhooks/endpoint.ts';
import { readMessage } from '#shared/queue/deliveries.ts';
import { putRow, transact } from '#shared/table/rows/client.ts';
import { deliveryDue, deliveryKey } from '#shared/table/rows/keys.ts';
import { TableDeliveries } from '#shared/table/webhooks/deliveries.ts';
import { disableWebhook } from '#shared/table/webhooks/webhook-endpoints.ts';
import { bookDelivery, claimAttempt, firstMessage, makeWebhookPartner, moveToState } from '../makers/booked.ts';
import { lambdaContext } from '../makers/call.ts';
import { failed } from '../makers/delivery.ts';
import { withPagesOfOne } from '../makers/pages-of-one.ts';
import { usePeers } from '../makers/peers.ts';
import { clearTable, setFields } from '../makers/rows.ts';
import { QueueView } from '../makers/sqs.ts';

const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;
const peers = usePeers();
let queue: QueueView;
beforeAll(async () => {
  queue = new QueueView(process.env['DELIVERY_QUEUE_URL']!);
});
beforeEach(() => queue.purge());

const deliveries = new TableDeliveries();
const tick = (remaining?: number) => handler({ time: timestamp(Date.now()) }, lambdaContext(remaining));

/** Returns a delivery whose first attempt has failed. No message waits for its second attempt, at `dueAt`. */
async function waiting(dueAt: number): Promise<Delivery> {
  const booked = await bookDelivery(await makeWebhookPartner(0), { dueAt: 0, createdAt: 0 });
  const next = { state: 'pendente', dueAt } as const;
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
  const key = { ...deliveryKey('evt_junk' as EventId), ...deliveryDue(0, 'evt_junk' as EventId) };
  await putRow({ Item: key });
  for (let ticks = 0; ticks < 2; ticks++) {
    await tick();
    expect(peers.metrics.findLast((line) => 'SweeperRepairs' in line)).toMatchObject({ SweeperRepairs: 1 });
  }
  await transact([{ Delete: { Key: deliveryKey('evt_junk' as EventId) } }]);
});

const suspend = async (owner: EndpointOwner, createdAt = Date.now()) =>
  moveToState('suspensa', await bookDelivery(owner, { dueAt: 0, createdAt }), createdAt);
const disabled = async (cause: 'failing' | 'gone', environment: Environment = 'producao') => {
  const owner = await makeWebhookPartner(0, { environment });
  await disableWebhook(owner, cause, Date.now());
  return owner;
};
test('sweep-deliveries counts disabled endpoints and their suspended deliveries by environment', async () => {
  await disabled('failing');
  await suspend(await disabled('gone', 'sandbox'));
  const owner = await disabled('gone');
  for (let made = 0; made < 3; made++) await suspend(owner);
  await tick();
  const gauges = peers.metrics.filter((line) => 'EndpointsDisabled' in line).slice(-2);
  expect(gauges).toMatchObject([
    { environment: 'sandbox', EndpointsDisabled: 1, DeliveriesSuspended: 1 },
    { environment: 'producao', EndpointsDisabled: 1, DeliveriesSuspended: 3 },
  ]);
});

test('sweep-deliveries counts for each partner of production what waits for a person', async () => {
  await clearTable();
  const kept = await disabled('gone');
  await suspend(kept);
  await suspend(await disabled('gone', 'sandbox'));
  const lost = await makeWebhookPartner(0, { environment: 'producao' });
  for (let made = 0; made < 2; made++)
    await moveToState('esgotada', await bookDelivery(lost, { dueAt: 0, createdAt: Date.now() }), Date.now());
  const from = peers.metrics.length;
  await tick();
  const counted = peers.metrics.slice(from).filter((line) => 'PartnerUnreached' in line);
  expect(counted).toMatchObject([
    { environment: 'producao', partner: String(kept.partnerId), kind: 'disabled', PartnerUnreached: 1 },
    { environment: 'producao', partner: String(lost.partnerId), kind: 'given_up', PartnerUnreached: 2 },
  ]);
});

/** Returns the sum of a metric that the lines of `work` have in production, or without an environment. */
async function emittedBy(work: () => Promise<unknown>, ...names: readonly string[]): Promise<Record<string, number>> {
  const from = peers.metrics.length;
  await work();
  const lines = peers.metrics.slice(from).filter(({ environment = 'producao' }) => environment === 'producao');
  const sumOf = (name: string) => lines.reduce((sum, line) => sum + Number(line[name] ?? 0), 0);
  return Object.fromEntries(names.map((name) => [name, sumOf(name)]));
}

/** Time that the function has left, in milliseconds, at which a run reads only one page of each list. */
const NEARLY_OVER = 5_000;

test('sweep-deliveries does one page of each of its works if its time is nearly over, and the next tick the rest', async () => {
  await clearTable();
  const old = Date.now() - 91 * DAY;
  for (const cause of ['failing', 'gone'] as const) {
    const owner = await disabled(cause);
    for (let made = 0; made < 2; made++) await suspend(owner, old);
  }
  // One more than the partitions of the index, so that some partition has two pages.
  for (let made = 0; made <= DUE_BUCKETS; made++) await waiting(Date.now() - 1);
  const names = ['WebhookExhausted', 'EndpointsDisabled', 'DeliveriesSuspended', 'DeliveriesDue'];
  const late = await emittedBy(() => withPagesOfOne(() => tick(NEARLY_OVER)), ...names);
  const { DeliveriesDue: sent = 0, ...others } = late;
  expect(others).toEqual({ WebhookExhausted: 1, EndpointsDisabled: 1, DeliveriesSuspended: 1 });
  expect(sent).toBeLessThanOrEqual(DUE_BUCKETS);
  const whole = await emittedBy(() => withPagesOfOne(() => tick()), ...names);
  const left = DUE_BUCKETS + 1 - sent;
  expect(whole).toEqual({ WebhookExhausted: 3, EndpointsDisabled: 0, DeliveriesSuspended: 0, DeliveriesDue: left });
});

test('sweep-deliveries fails after its other work if a suspended delivery cannot be given up', async () => {
  await clearTable();
  const owner = await disabled('gone');
  const old = Date.now() - 91 * DAY;
  const [broken] = [await suspend(owner, old), await suspend(owner, old)];
  await setFields(deliveryKey(broken.eventId), { eventId: 7 });
  const names = ['WebhookExhausted', 'DeliveriesSuspended', 'SweeperRepairs'];
  const emitted = await emittedBy(() => expect(tick()).rejects.toThrow('The run failed'), ...names);
  expect(emitted).toEqual({ WebhookExhausted: 1, DeliveriesSuspended: 1, SweeperRepairs: 0 });
  expect(peers.metrics.at(-1)).toMatchObject({ SweeperRepairs: 0 });
});
