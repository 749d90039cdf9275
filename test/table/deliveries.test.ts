import { expect, test } from 'vitest';
import type { EventId, PartnerId } from '#shared/domain/values/ids.ts';
import { putRow, transact } from '#shared/table/rows/client.ts';
import { deliveryDue, deliveryKey } from '#shared/table/rows/keys.ts';
import { writeOutbox } from '#shared/table/rows/outbox.ts';
import { TableDeliveries } from '#shared/table/webhooks/deliveries.ts';
import { deleteReceiverTexts } from '#shared/table/webhooks/receiver-texts.ts';
import { TableUnitDeliveries } from '#shared/table/webhooks/unit-deliveries.ts';
import { disableWebhook, enableWebhook, setWebhook } from '#shared/table/webhooks/webhook-endpoints.ts';
import { bookDeliveries, bookDelivery, firstMessage, newDelivery } from '../makers/booked.ts';
import { usePeers } from '../makers/peers.ts';
import { describeDeliveries } from './deliveries.suite.ts';

usePeers();
const NOW = 1_767_300_000_000;
const deliveries = new TableDeliveries(() => NOW);
const book = () => bookDelivery(3 as PartnerId);

describeDeliveries(() => ({
  deliveries,
  keep: (overrides) => bookDelivery(3 as PartnerId, overrides),
  resend: (delivery, now) => new TableUnitDeliveries(() => now).makeDue(delivery, delivery.eventId, now),
  deleteTexts: (delivery, now) => deleteReceiverTexts(delivery, delivery.analysisId!, now),
  manager: {
    set: setWebhook,
    enable: enableWebhook,
    disable: (owner, now) => disableWebhook(owner, 'manager', now),
  },
}));

test('writeOutbox refuses a second delivery of an event and leaves the first as it is', async () => {
  const booked = await book();
  expect(await transact([writeOutbox({ ...booked, body: 'other' })])).not.toBe('written');
  expect(await deliveries.get(booked.eventId)).toEqual(booked);
});

test('listDue leaves out and counts a row that cannot be read, and returns the other deliveries', async () => {
  const booked = await book();
  const eventId = 'evt_junk' as EventId;
  const junk = { pk: deliveryKey(eventId).pk, sk: 'DELIVERY', event: eventId };
  await putRow({ Item: { ...junk, ...deliveryDue(0, eventId) } });
  const { items, unreadable } = await deliveries.listDue(Number.MAX_SAFE_INTEGER);
  expect(unreadable).toBe(1);
  expect(items).toContainEqual(firstMessage(booked));
  expect(items.map(({ eventId }) => eventId)).not.toContain('evt_junk');
});

test('listDue returns each delivery of every partition once, page after page', async () => {
  const dueAt = NOW + 50 * 86_400_000;
  // In some of the eight partitions more deliveries than two pages hold, in others fewer.
  const booked = await bookDeliveries(Array.from({ length: 800 }, () => newDelivery(3 as PartnerId, { dueAt })));
  const found: string[] = [];
  let pages = 0;
  let after: string | undefined;
  do {
    const page = await deliveries.listDue(dueAt + 600_000, after);
    found.push(...page.items.filter((due) => due.dueAt === dueAt).map(({ eventId }) => eventId));
    after = page.next;
    pages += 1;
  } while (after !== undefined);
  expect(pages).toBeGreaterThan(1);
  expect(found.sort()).toEqual(booked.map(({ eventId }) => eventId).sort());
});
