import { beforeEach, expect, it, test } from 'vitest';
import { accountEventOf } from '#shared/contract/event.ts';
import { drawId, type EventId, type PartnerId, type UnitId } from '#shared/domain/values/ids.ts';
import { DELIVERY_KEPT, DELIVERY_STATES, type Delivery } from '#shared/domain/webhooks/delivery.ts';
import type { DeliveryOwner } from '#shared/domain/webhooks/ports.ts';
import { RESEND_PAUSE } from '#shared/domain/webhooks/replay.ts';
import { newWebhookSecret } from '#shared/domain/webhooks/secret.ts';
import { deliveryKey, deliverySuspended } from '#shared/table/rows/keys.ts';
import { TableDeliveries } from '#shared/table/webhooks/deliveries.ts';
import { TableSuspendedDeliveries } from '#shared/table/webhooks/suspended-deliveries.ts';
import { TableUnitDeliveries } from '#shared/table/webhooks/unit-deliveries.ts';
import { disableWebhook, enableWebhook, setWebhook } from '#shared/table/webhooks/webhook-endpoints.ts';
import { bookDeliveries, bookDelivery, firstMessage, moveToState } from '../makers/booked.ts';
import { intercepted, interceptTable, meanwhile } from '../makers/intercepted.ts';
import { usePeers } from '../makers/peers.ts';
import { writeRows } from '../makers/rows.ts';
import { newTenancy } from '../makers/tenancy.ts';

const NOW = 1_780_000_000_000;
const ALL = { limit: 20, offset: 0 };

usePeers();
let now: number;
const clock = () => now;
const [own, deliveries] = [new TableUnitDeliveries(clock), new TableDeliveries(clock)];
const disable = () => disableWebhook(owner, 'manager', NOW);
let owner: DeliveryOwner;
let strangers: readonly DeliveryOwner[];
beforeEach(async () => {
  now = NOW;
  owner = { ...newTenancy('sandbox'), partnerId: drawId<PartnerId>(Date.now()) };
  strangers = [
    { ...owner, unitId: newTenancy().unitId },
    { ...owner, environment: 'producao' },
    { ...owner, unitId: newTenancy().unitId as UnitId, partnerId: drawId<PartnerId>(Date.now() + 1) },
  ];
  await setWebhook(owner, 'https://hooks.parceiro.com.br/', newWebhookSecret(), NOW);
});

const keep = ({ partnerId, unitId, environment }: DeliveryOwner, overrides: Partial<Delivery> = {}) =>
  bookDelivery(partnerId, { unitId, environment, dueAt: NOW, createdAt: NOW, ...overrides });
/** Delivers an event at `now`. The delivery ends DELIVERY_KEPT later. */
const countOf = async (of: DeliveryOwner) =>
  (await new TableSuspendedDeliveries().count(of, { most: 1_000, unitId: of.unitId })).count;
const delivered = (delivery: Delivery) => moveToState('entregue', delivery, now);

test('list returns a unit’s own deliveries, newest first, in pages without gap or repetition', async () => {
  expect(await own.list(owner, {}, ALL)).toEqual({ items: [], more: false, isCut: false });
  const kept = [];
  for (let index = 0; index < 5; index++) kept.unshift(await keep(owner, { createdAt: NOW + index }));
  for (const stranger of strangers) await keep(stranger);
  for (const offset of [0, 1, 2, 3, 4, 5, 9]) {
    expect(await own.list(owner, {}, { limit: 2, offset })).toEqual({
      items: kept.slice(offset, offset + 2),
      more: offset < 3,
      isCut: false,
    });
  }
});

test('list filters by state, by analysis, or by both', async () => {
  const waiting = await keep(owner);
  const spent = await keep(owner, { state: 'esgotada' });
  const { analysisId } = spent;
  for (const [filter, items] of [
    [{ state: 'pendente' }, [waiting]],
    [{ analysisId }, [spent]],
    [{ analysisId, state: 'esgotada' }, [spent]],
    [{ analysisId, state: 'pendente' }, []],
  ] as const) {
    expect(await own.list(owner, filter, ALL), JSON.stringify(filter)).toEqual({ items, more: false, isCut: false });
  }
  for (const stranger of strangers) {
    expect((await own.list(stranger, { analysisId }, ALL)).items).toEqual([]);
  }
});

test('list shows a delivery in its present state, and leaves out a delivery that has ended', async () => {
  const delivery = await keep(owner);
  await delivered(delivery);
  const [shown] = (await own.list(owner, {}, ALL)).items;
  expect(shown).toMatchObject({ state: 'entregue', attempts: 1, history: [{ number: 1, at: NOW }] });
  now += DELIVERY_KEPT;
  expect(await own.list(owner, {}, ALL)).toEqual({ items: [], more: false, isCut: false });
  expect((await own.list(owner, { analysisId: delivery.analysisId }, ALL)).items).toEqual([]);
});

test('look returns a delivery with its endpoint, if there is one', async () => {
  const delivery = await keep(owner);
  expect(await own.look(owner, delivery.eventId)).toMatchObject({ delivery, endpoint: { enabled: true } });
  await disable();
  expect(await own.look(owner, delivery.eventId)).toMatchObject({ delivery, endpoint: { enabled: false } });
  const bare = strangers[2]!;
  const other = await keep(bare);
  expect(await own.look(bare, other.eventId)).toEqual({ delivery: other, endpoint: undefined });
});

test('look returns undefined for another owner’s delivery, for an unknown one and for one that has ended', async () => {
  const delivery = await keep(owner);
  await delivered(delivery);
  for (const stranger of strangers) expect(await own.look(stranger, delivery.eventId)).toBeUndefined();
  expect(await own.look(owner, 'evt_x' as EventId)).toBeUndefined();
  now += DELIVERY_KEPT;
  expect(await own.look(owner, delivery.eventId)).toBeUndefined();
});

test.each(DELIVERY_STATES)(
  'makeDue makes a delivery that is %s due, and not again before the pause is over',
  async (state) => {
    const { eventId, body } = await keep(owner, { state, attempts: 2, dueAt: NOW + 3_600_000 });
    const made = await own.makeDue(owner, eventId, NOW);
    expect(made).toMatchObject({
      kind: 'due',
      delivery: { eventId, body, state: 'pendente', attempts: 2 },
      due: { eventId, partnerId: owner.partnerId, attempt: 3, dueAt: NOW },
    });
    const refused = { kind: 'too_soon', resentAt: NOW };
    expect(await own.makeDue(owner, eventId, NOW + RESEND_PAUSE - 1)).toEqual(refused);
    expect(await own.makeDue(owner, eventId, NOW + RESEND_PAUSE)).toMatchObject({ kind: 'due' });
  },
);

test('makeDue succeeds for one of 10 resends that come at once', async () => {
  const { eventId } = await keep(owner, { state: 'entregue' });
  const made = await Promise.all(Array.from({ length: 10 }, () => own.makeDue(owner, eventId, NOW)));
  expect(made.filter(({ kind }) => kind === 'due')).toHaveLength(1);
  expect(made.filter(({ kind }) => kind === 'too_soon')).toHaveLength(9);
});

test('makeDue returns absent for another owner’s delivery, and for a delivery that has ended', async () => {
  const delivery = await keep(owner);
  for (const stranger of strangers) {
    expect(await own.makeDue(stranger, delivery.eventId, NOW)).toEqual({ kind: 'absent' });
  }
  expect(await own.makeDue(owner, 'evt_x' as EventId, NOW)).toEqual({ kind: 'absent' });
  await delivered(delivery);
  now += DELIVERY_KEPT;
  expect(await own.makeDue(owner, delivery.eventId, now)).toEqual({ kind: 'absent' });
});

test('keep suspends a delivery for a disabled endpoint, once in a pause, until the endpoint is enabled', async () => {
  const delivery = await keep(owner, { state: 'esgotada', attempts: 4 });
  await disable();
  const kept = (wishedAt: number) =>
    ({ kind: 'suspended', delivery: { ...delivery, state: 'suspensa', wishedAt } }) as const;
  expect(await own.suspend(owner, delivery, NOW)).toEqual(kept(NOW));
  expect((await own.list(owner, {}, ALL)).items).toEqual([kept(NOW).delivery]);
  const refused = { kind: 'too_soon', resentAt: NOW };
  expect(await own.suspend(owner, delivery, NOW + RESEND_PAUSE - 1)).toEqual(refused);
  expect(await own.suspend(owner, delivery, NOW + RESEND_PAUSE)).toEqual(kept(NOW + RESEND_PAUSE));
  await enableWebhook(owner, NOW);
  const { items } = await deliveries.release(owner, NOW);
  expect(items.map(({ eventId }) => eventId)).toEqual([delivery.eventId]);
});

test('keep ends the lease of an attempt, so that the delivery can be claimed as soon as it is released', async () => {
  const delivery = await keep(owner);
  await deliveries.claim(firstMessage(delivery), NOW);
  await disable();
  await own.suspend(owner, delivery, NOW);
  await enableWebhook(owner, NOW);
  const [due] = (await deliveries.release(owner, NOW)).items;
  expect(await deliveries.claim(due!, NOW)).toMatchObject({ kind: 'claimed' });
});

test('look and keep ask only the endpoint of the environment of the delivery', async () => {
  const production = { ...owner, environment: 'producao' } as const;
  const delivery = await keep(production);
  await disable();
  expect(await own.look(production, delivery.eventId)).toEqual({ delivery, endpoint: undefined });
  expect(await own.suspend(production, delivery, NOW)).toBe('enabled');
  await setWebhook(production, 'https://producao.parceiro.com.br/', newWebhookSecret(), NOW);
  const looked = await own.look(production, delivery.eventId);
  expect(looked?.endpoint).toMatchObject({ url: 'https://producao.parceiro.com.br/', enabled: true });
  expect(await own.suspend(production, delivery, NOW)).toBe('enabled');
  await disableWebhook(production, 'manager', NOW);
  expect(await own.suspend(production, delivery, NOW)).toMatchObject({ kind: 'suspended' });
  expect(await countOf(owner)).toBe(0);
  expect(await countOf(production)).toBe(1);
});

test('keep suspends nothing if the endpoint is enabled, or if the delivery has ended', async () => {
  const delivery = await keep(owner);
  await delivered(delivery);
  expect(await own.suspend(owner, delivery, NOW)).toBe('enabled');
  expect((await own.look(owner, delivery.eventId))!.delivery.state).toBe('entregue');
  await disable();
  expect(await own.suspend(owner, delivery, NOW + DELIVERY_KEPT)).toEqual({ kind: 'absent' });
});

test('an account event that names a unit is in no unit’s list, and no partner’s call sends it again', async () => {
  const { partnerId, unitId, environment } = owner;
  const event = accountEventOf({ partnerId, unitId, environment, change: 'chave_criada' }, NOW);
  const booked: Delivery = { ...event, state: 'entregue', attempts: 1 };
  await bookDeliveries([booked]);
  expect(await own.list(owner, {}, ALL)).toEqual({ items: [], more: false, isCut: false });
  expect(await own.list(owner, { state: 'entregue' }, ALL)).toEqual({ items: [], more: false, isCut: false });
  // The account event is newer, but takes no place in a page.
  const older = await keep(owner, { createdAt: NOW - 1 });
  expect(await own.list(owner, {}, { limit: 1, offset: 0 })).toEqual({ items: [older], more: false, isCut: false });
  expect(await own.look(owner, booked.eventId)).toBeUndefined();
  expect(await own.makeDue(owner, booked.eventId, NOW)).toEqual({ kind: 'absent' });
  await disable();
  expect(await own.suspend(owner, booked, NOW)).toEqual({ kind: 'absent' });
});

test.each(['unit', 'partner'] as const)(
  'the manager can send an account event of the %s again, once in a pause',
  async (of) => {
    const { partnerId, environment } = owner;
    const unitId = of === 'unit' ? owner.unitId : undefined;
    const [booked] = await bookDeliveries([
      { ...accountEventOf({ partnerId, unitId, environment, change: 'chave_criada' }, NOW), attempts: 1 },
    ]);
    const { eventId } = booked!;
    const manager = { partnerId, environment, isManager: true } as const;
    const stranger = { ...manager, partnerId: strangers[2]!.partnerId };
    const production = { ...manager, environment: 'producao' } as const;
    for (const other of [stranger, production]) {
      expect(await own.look(other, eventId)).toBeUndefined();
      expect(await own.makeDue(other, eventId, NOW)).toEqual({ kind: 'absent' });
    }
    expect((await own.look(manager, eventId))?.delivery).toEqual(booked);
    expect(await own.makeDue(manager, eventId, NOW)).toMatchObject({ kind: 'due', due: { eventId, attempt: 2 } });
    expect(await own.makeDue(manager, eventId, NOW + 1)).toEqual({ kind: 'too_soon', resentAt: NOW });
  },
);

test('count counts the suspended deliveries of the unit and the environment', async () => {
  expect(await countOf(owner)).toBe(0);
  await disable();
  const production = { ...owner, environment: 'producao' } as const;
  await setWebhook(production, 'https://hooks.parceiro.com.br/', newWebhookSecret(), NOW);
  await disableWebhook(production, 'manager', NOW);
  // The last stranger belongs to another partner, which has no endpoint.
  for (const each of [owner, owner, ...strangers.slice(0, 2)]) await own.suspend(each, await keep(each), NOW);
  await keep(owner);
  expect(await countOf(owner)).toBe(2);
});

it('list by a state leaves out a delivery that has left the state since the index was written', async () => {
  const now = Date.now();
  const owner = { partnerId: 7_001 as PartnerId, unitId: 7_002 as UnitId, environment: 'sandbox' } as const;
  const booked = await bookDelivery(owner.partnerId, { ...owner, dueAt: now, createdAt: now });
  interceptTable();
  const deliveredMeanwhile = meanwhile('table QueryCommand', () => moveToState('entregue', booked, now), {
    when: 'after',
  });
  const list = () => new TableUnitDeliveries(() => now).list(owner, { state: 'pendente' }, { limit: 20, offset: 0 });
  expect((await list()).items).toHaveLength(1);
  expect(await intercepted(deliveredMeanwhile, list)).toEqual({ items: [], more: false, isCut: false });
});

it('count counts a unit’s deliveries behind 1,000 deliveries of another unit', async () => {
  const partnerId = drawId<PartnerId>(Date.now());
  const owner = { partnerId, unitId: 7_102 as UnitId, environment: 'sandbox' } as const;
  const keep = (unitId: number, count: number, since: number) =>
    writeRows(
      Array.from({ length: count }, (_, index) => {
        const eventId = `evt_${unitId}_${index}` as EventId;
        return { ...deliveryKey(eventId), ...deliverySuspended(owner, since, eventId), ...owner, unitId };
      }),
    );
  await keep(7_101, 1_000, 1);
  await keep(owner.unitId, 5, 2);
  expect(await countOf(owner)).toBe(5);
});

it('list says that it was cut if it has looked at as many deliveries of the partner as it may', async () => {
  const older = await keep(owner, { createdAt: NOW - 1 });
  for (const createdAt of [NOW, NOW + 1]) await keep(strangers[0]!, { createdAt });
  const listed = (searched: number, page = ALL) => new TableUnitDeliveries(clock, searched).list(owner, {}, page);
  expect(await listed(2)).toEqual({ items: [], more: false, isCut: true });
  expect(await listed(4)).toEqual({ items: [older], more: false, isCut: false });
  await keep(owner, { createdAt: NOW + 2 });
  expect(await listed(3, { limit: 1, offset: 0 })).toMatchObject({ more: false, isCut: true });
  // If more deliveries follow, the next page says it.
  await keep(owner, { createdAt: NOW + 3 });
  expect(await listed(3, { limit: 1, offset: 0 })).toMatchObject({ more: true, isCut: false });
});

it('list of one analysis is never cut', async () => {
  const { analysisId } = await keep(owner);
  await keep(strangers[0]!, { createdAt: NOW + 1 });
  const found = await new TableUnitDeliveries(clock, 1).list(owner, { analysisId }, ALL);
  expect(found.isCut).toBe(false);
  expect(found.items).toHaveLength(1);
});
