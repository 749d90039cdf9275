import { expect, test } from 'vitest';
import { drawId, type EventId, type PartnerId, type UnitId } from '#shared/domain/values/ids.ts';
import {
  DELIVERY_KEPT,
  type Delivery,
  type DeliveryState,
  type DueDelivery,
  type ListedDelivery,
  REPLAYABLE,
} from '#shared/domain/webhooks/delivery.ts';
import type { EndpointOwner } from '#shared/domain/webhooks/endpoint.ts';
import { tableClient } from '#shared/table/rows/client.ts';
import { TableDeliveries } from '#shared/table/webhooks/deliveries.ts';
import { pageOfDeliveries, replay, TableDeliveryArchive } from '#shared/table/webhooks/replays.ts';
import { disableWebhook, enableWebhook } from '#shared/table/webhooks/webhook-endpoints.ts';
import {
  bookDeliveries,
  bookDelivery,
  listDeliveries,
  makeWebhookPartner,
  moveToState,
  newDelivery,
} from '../makers/booked.ts';
import { countUnits } from '../makers/counting.ts';
import { intercepted, interceptTable, meetingAt } from '../makers/intercepted.ts';
import { usePeers } from '../makers/peers.ts';

usePeers();

const NOW = 1_767_300_000_000;
const deliveries = new TableDeliveries(() => NOW);

/** Makes a partner with an endpoint of production, and returns the owner of the endpoint. */
const newOwner = () => makeWebhookPartner(NOW);

/** Returns a delivery in a state: after one attempt, or after none if there was no endpoint. */
async function inState(
  owner: EndpointOwner,
  state: DeliveryState,
  overrides: Partial<Delivery> = {},
): Promise<Delivery> {
  const booked = await bookDelivery(owner, { dueAt: NOW, createdAt: NOW, ...overrides });
  if (state === 'pendente') return booked;
  if (state === 'suspensa') await disableWebhook(owner, 'manager', NOW);
  return moveToState(state, booked, NOW);
}

async function taken<T>(rows: AsyncIterable<T>, most = Number.POSITIVE_INFINITY): Promise<T[]> {
  const all: T[] = [];
  for await (const row of rows) {
    all.push(row);
    if (all.length >= most) break;
  }
  return all;
}
const events = (rows: readonly { readonly eventId: EventId }[]) => rows.map(({ eventId }) => eventId);

test('pageOfDeliveries lists one partner’s deliveries, newest first, by state, unit, environment and time', async () => {
  const [owner, other] = [await newOwner(), await newOwner()];
  const { partnerId } = owner;
  const [unitId, second] = [11 as UnitId, 12 as UnitId];
  const made = [];
  for (const [index, state] of (['entregue', 'pendente', 'esgotada', 'sem_destino'] as const).entries()) {
    const places = { unitId: index < 2 ? unitId : second, environment: index % 2 ? 'sandbox' : 'producao' } as const;
    made.push(await inState(owner, state, { createdAt: NOW + index, ...places }));
  }
  await inState(other, 'entregue');
  const [delivered, waiting, exhausted, nowhere] = events(made);
  const listed = async (filter: Parameters<typeof listDeliveries>[1]) =>
    events(await taken(listDeliveries(partnerId, filter, NOW)));

  expect(await listed({})).toEqual([nowhere, exhausted, waiting, delivered]);
  const next = async (limit: number) => (await pageOfDeliveries(partnerId, {}, 'newest', limit, undefined, NOW)).next;
  expect(await next(3)).toEqual(expect.any(String));
  expect(await next(4)).toBeUndefined();
  expect(await listed({ states: ['esgotada', 'entregue'] })).toEqual([exhausted, delivered]);
  expect(await listed({ unitId: second })).toEqual([nowhere, exhausted]);
  expect(await listed({ environment: 'sandbox' })).toEqual([nowhere, waiting]);
  expect(await listed({ since: NOW + 2 })).toEqual([nowhere, exhausted]);
  expect((await taken(listDeliveries(partnerId, {}, NOW), 1))[0]).toEqual({
    eventId: nowhere!,
    unitId: second,
    environment: 'sandbox',
    type: 'analise.resultado',
    state: 'sem_destino',
    attempts: 0,
    createdAt: NOW + 3,
  } satisfies ListedDelivery);
  const since = (environment: 'producao' | 'sandbox', moment: number, until?: number) =>
    listDeliveries(
      partnerId,
      { ...{ states: REPLAYABLE, unitId, environment, since: moment }, ...(until !== undefined && { until }) },
      NOW,
    );
  expect(events(await taken(since('producao', NOW, NOW)))).toEqual([]);
  expect(events(await taken(since('producao', NOW)))).toEqual([delivered]);
  expect(events(await taken(since('sandbox', NOW)))).toEqual([]);
});

test('pageOfDeliveries reads 1,000 rows a query if the first 100 rows do not fill the page', async () => {
  const partnerId = drawId<PartnerId>(Date.now());
  const listed = (index: number, state: DeliveryState) =>
    newDelivery(partnerId, { createdAt: NOW + index, dueAt: NOW + 10 * 86_400_000, state });
  const given = Array.from({ length: 1_250 }, (_, index) => listed(index, 'entregue'));
  const [oldest] = await bookDeliveries([listed(-1, 'esgotada'), ...given]);
  const page = (state: DeliveryState) => new TableDeliveryArchive().page(partnerId, { states: [state] }, 'newest', 50);
  const { units, reset } = countUnits(tableClient());
  expect(events((await page('esgotada')).items)).toEqual([oldest!.eventId]);
  expect(units.calls).toEqual(['Query', 'Query', 'Query']);
  reset();
  expect((await page('entregue')).items).toHaveLength(50);
  expect(units.calls).toEqual(['Query']);
});

test.each(['entregue', 'esgotada', 'suspensa', 'sem_destino'] as const)(
  'replay of a delivery that is %s makes one more attempt due, with the same id and bytes',
  async (state) => {
    const before = await inState(await newOwner(), state);
    const outcome = await replay(before.eventId, NOW + 5);
    const due: DueDelivery = {
      eventId: before.eventId,
      partnerId: before.partnerId,
      attempt: before.attempts + 1,
      dueAt: NOW + 5,
    };
    expect(outcome).toEqual({ kind: 'due', due });
    expect(await deliveries.claim(due, NOW + 5)).toEqual({
      kind: 'claimed',
      delivery: { ...before, state: 'pendente', attempts: due.attempt, dueAt: NOW + 5, wishedAt: NOW + 5 },
    });
    expect(await deliveries.claim(due, NOW + 5)).toEqual({ kind: 'nothing' });
  },
);

test('the sweeper finds a replayed delivery of which the queue got no message', async () => {
  const { eventId } = await inState(await newOwner(), 'entregue');
  await replay(eventId, NOW);
  const found = await deliveries.listDue(NOW + 120_001);
  expect(events(found.items)).toContain(eventId);
});

test('replay changes nothing for a delivery that has left the states that were asked for', async () => {
  const { eventId } = await inState(await newOwner(), 'entregue');
  const before = await deliveries.get(eventId);
  expect(await replay(eventId, NOW + 5, ['esgotada', 'suspensa'])).toEqual({ kind: 'moved_on' });
  expect(await deliveries.get(eventId)).toEqual(before);
  expect(await replay(eventId, NOW + 5, ['esgotada', 'entregue'])).toMatchObject({ kind: 'due' });
});

test('replay changes nothing for a delivery that is pending, or for an unknown event', async () => {
  const { eventId } = await inState(await newOwner(), 'pendente');
  expect(await replay(eventId, NOW + 5)).toEqual({ kind: 'pending' });
  expect((await deliveries.get(eventId))!.dueAt).toBe(NOW);
  expect(await replay('evt_none' as EventId, NOW)).toEqual({ kind: 'absent' });
});

test('replay returns absent for a delivery that has ended, though its row is still there', async () => {
  const { eventId } = await inState(await newOwner(), 'entregue');
  expect(await replay(eventId, NOW + DELIVERY_KEPT)).toEqual({ kind: 'absent' });
  expect(await replay(eventId, NOW + DELIVERY_KEPT - 1_000)).toMatchObject({ kind: 'due' });
});

test('release makes the suspended deliveries of one endpoint due, oldest first, and only once', async () => {
  const [owner, other] = [await newOwner(), await newOwner()];
  const kept: Delivery[] = [];
  for (const age of [0, 2, 1]) kept.push(await inState(owner, 'suspensa', { createdAt: NOW - age }));
  await inState(owner, 'entregue');
  const foreign = await inState(other, 'suspensa');

  await enableWebhook(owner, NOW + 1);
  const released = (await deliveries.release(owner, NOW + 2)).items;
  expect(released).toEqual(
    [kept[1]!, kept[2]!, kept[0]!].map(({ eventId }) => ({
      eventId,
      partnerId: owner.partnerId,
      attempt: 1,
      dueAt: NOW + 2,
    })),
  );
  expect((await deliveries.release(owner, NOW + 3)).items).toEqual([]);
  expect((await deliveries.get(foreign.eventId))!.state).toBe('suspensa');
  for (const due of released) expect((await deliveries.claim(due, NOW + 2)).kind).toBe('claimed');
});

test('release orders deliveries by their booking, or by the last request to send them again', async () => {
  const owner = await newOwner();
  const wished = await inState(owner, 'entregue', { createdAt: NOW - 9 });
  const again = await replay(wished.eventId, NOW + 1);
  if (again.kind !== 'due') throw new Error(again.kind);
  const other = await inState(owner, 'suspensa', { createdAt: NOW - 1 });
  await moveToState('suspensa', wished, NOW + 1);
  await enableWebhook(owner, NOW + 2);
  const released = await deliveries.release(owner, NOW + 2);
  expect(events(released.items)).toEqual([other.eventId, wished.eventId]);
  // Nobody has asked to send this delivery again.
  expect((await deliveries.get(other.eventId))!.wishedAt).toBeUndefined();
  expect((await deliveries.get(wished.eventId))!.wishedAt).toBe(NOW + 1);
});

test('release makes a delivery due once, though two runs have read it in the index', async () => {
  interceptTable();
  const suspended = await inState(await newOwner(), 'suspensa');
  const bothHaveRead = meetingAt('table UpdateItemCommand', 2);
  const runs = [1, 2].map((run) => intercepted(bothHaveRead, () => deliveries.release(suspended, NOW + run)));
  expect(events((await Promise.all(runs)).flatMap(({ items }) => items))).toEqual([suspended.eventId]);
});

test('record does not suspend a delivery once the endpoint is enabled, so that release misses none', async () => {
  const owner = await newOwner();
  const booked = await bookDelivery(owner, { dueAt: NOW });
  await expect(moveToState('suspensa', booked, NOW)).rejects.toThrow('enabled');
  expect((await deliveries.get(booked.eventId))!.state).toBe('pendente');
});
