import { expect, test } from 'vitest';
import type { PartnerId } from '#shared/domain/values/ids.ts';
import type { Environment } from '#shared/domain/values/tenancy.ts';
import type { AttemptResult, Delivery } from '#shared/domain/webhooks/delivery.ts';
import { TableDeliveries } from '#shared/table/webhooks/deliveries.ts';
import { changeWebhookUrl, enableWebhook, TableWebhookEndpoints } from '#shared/table/webhooks/webhook-endpoints.ts';
import { bookDelivery, firstMessage, listDeliveries, makeWebhookPartner } from '../makers/booked.ts';
import { failed, gone, success } from '../makers/delivery.ts';
import { DeliveryWorld } from '../makers/delivery-world.ts';
import { usePeers } from '../makers/peers.ts';

usePeers();

const START = 1_767_571_200_000;
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Returns a receiver whose answer the test can change, with its world and a function that books events for it. */
function receiver(first: AttemptResult) {
  const own = { answer: first };
  const world = new DeliveryWorld({ start: START, random: () => 0, answer: () => own.answer });
  const book = async (partnerId: PartnerId, overrides: Partial<Delivery> = {}) => {
    const booked = await bookDelivery(partnerId, { dueAt: world.now, createdAt: world.now, ...overrides });
    await world.queue.send([firstMessage(booked)], world.now);
    return booked;
  };
  return { own, world, book };
}

async function statesOf(partnerId: PartnerId): Promise<Record<string, number>> {
  const states: Record<string, number> = {};
  for await (const { state } of listDeliveries(partnerId, {}, START)) states[state] = (states[state] ?? 0) + 1;
  return states;
}
const endpointOf = async (partnerId: PartnerId) => (await new TableWebhookEndpoints().get(partnerId))!;

async function releaseAll(partnerId: PartnerId, world: DeliveryWorld): Promise<void> {
  const { items } = await new TableDeliveries().release(partnerId, world.now);
  await world.queue.send(items, world.now);
}

test('an endpoint that fails for five days is disabled, and its kept events arrive once it is enabled', async () => {
  const partnerId = await makeWebhookPartner(START);
  const { own, world, book } = receiver(failed);
  // The last success was long before the first failure: it must not shorten the five days.
  world.now += 30 * DAY;
  const since = world.now;
  for (let day = 0; day < 5; day++) {
    for (let n = 0; n < 3; n++) await book(partnerId);
    await world.run(since + (day + 1) * DAY - 1);
    expect(await endpointOf(partnerId)).toMatchObject({ enabled: true, health: { failingSince: since } });
  }
  await book(partnerId);
  await world.run(since + 5 * DAY + HOUR);
  expect(await endpointOf(partnerId)).toMatchObject({ enabled: false, disabledBecause: 'failing' });
  expect(world.reports.filter(({ disabled }) => disabled).map(({ disabled }) => disabled)).toEqual(['failing']);

  await book(partnerId);
  await world.run();
  const sends = world.sends.length;
  const states = await statesOf(partnerId);
  expect(states).toEqual({ esgotada: states['esgotada'], suspensa: 17 - states['esgotada']! });
  expect(states['suspensa']).toBeGreaterThan(2);
  expect(world.queue.deadLetters.length).toBe(states['esgotada']);

  own.answer = success;
  await enableWebhook(partnerId, world.now);
  await releaseAll(partnerId, world);
  await world.run();
  expect(await statesOf(partnerId)).toEqual({ esgotada: states['esgotada'], entregue: states['suspensa'] });
  expect(world.sends.length).toBe(sends + states['suspensa']!);
});

test('a 410 disables the endpoint at once, and once enabled it gets each event with the next attempt number', async () => {
  const partnerId = await makeWebhookPartner(START);
  const { own, world, book } = receiver(gone);
  const first = await book(partnerId);
  await world.run();
  const second = await book(partnerId);
  await world.run();
  expect(await endpointOf(partnerId)).toMatchObject({ enabled: false, disabledBecause: 'gone' });
  expect(world.sends.map(({ eventId }) => eventId)).toEqual([first.eventId]);
  const deliveries = new TableDeliveries(() => START);
  expect(await deliveries.get(first.eventId)).toMatchObject({ state: 'suspensa', attempts: 1 });
  expect(await deliveries.get(second.eventId)).toMatchObject({ state: 'suspensa', attempts: 0, history: [] });

  own.answer = success;
  await changeWebhookUrl(partnerId, 'https://hooks.parceiro.com.br/novo', world.now);
  await enableWebhook(partnerId, world.now);
  await releaseAll(partnerId, world);
  await world.run();
  expect(new Map(world.sends.slice(1).map(({ eventId, attempt }) => [eventId, attempt]))).toEqual(
    new Map([
      [first.eventId, 2],
      [second.eventId, 1],
    ]),
  );
  expect(world.sends.length).toBe(3);
  expect(await statesOf(partnerId)).toEqual({ entregue: 2 });
});

// Friday, 2 January 2026, 18:00 in São Paulo.
const FRIDAY = Date.UTC(2026, 0, 2, 21);
const MONDAY = Date.UTC(2026, 0, 5, 12);

const failure = { delivered: false, milliseconds: 80, detail: 'x'.repeat(2048) } as const;
const plain: AttemptResult = { ...failure, failure: 'http_5xx', status: 500 };
const later = (retryAfter: number): AttemptResult => ({ ...failure, failure: 'http_5xx', status: 503, retryAfter });

const hours = (...list: number[]) => list.map((h) => h * HOUR);
const SCHEDULE = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, ...hours(2, 5, 10, 10, 10, 10, 10, 10)];
const DOUBLED = [10 * SECOND, 10 * MINUTE, HOUR, ...hours(4, 6, 10, 10, 10, 10, 10, 10)];
const SANDBOX = [5 * SECOND, 30 * SECOND, 2 * MINUTE];

test.each<[string, Environment, AttemptResult, readonly number[], number]>([
  ['a plain 500', 'producao', plain, SCHEDULE, 0],
  ['503 with Retry-After 6 h', 'producao', later(6 * HOUR), DOUBLED, 0],
  ['a plain 500 in the sandbox', 'sandbox', plain, SANDBOX, 0],
])(
  'an event that its endpoint never takes is tried at the times of the contract: %s',
  async (_, environment, answer, waits, random) => {
    const partnerId = await makeWebhookPartner(FRIDAY);
    const world = new DeliveryWorld({ start: FRIDAY, answer: () => answer, random: () => random });
    const booked = await bookDelivery(partnerId, { environment, dueAt: FRIDAY, createdAt: FRIDAY });
    await world.queue.send([firstMessage(booked)], FRIDAY);
    await world.run();

    const row = (await new TableDeliveries(() => world.now).get(booked.eventId))!;
    const attempts = waits.length + 1;
    expect(world.sends.map(({ attempt }) => attempt)).toEqual(Array.from({ length: attempts }, (_one, n) => n + 1));
    const gaps = world.sends.slice(1).map(({ at }, index) => at - world.sends[index]!.at);
    // The queue counts whole seconds: an attempt is never early and at most one second late.
    gaps.forEach((gap, index) => {
      expect(gap).toBeGreaterThanOrEqual(Math.floor(waits[index]!));
      expect(gap).toBeLessThanOrEqual(waits[index]! + SECOND);
    });
    expect(row).toMatchObject({ state: 'esgotada', attempts });
    if (environment === 'producao') {
      expect(world.sends.at(-1)!.at - FRIDAY).toBeGreaterThanOrEqual(67 * HOUR + 35 * MINUTE);
      expect(world.sends.at(-1)!.at).toBeGreaterThanOrEqual(MONDAY);
    }
    expect(world.queue.deadLetters).toMatchObject(
      environment === 'producao' ? [{ eventId: booked.eventId, attempt: attempts + 1 }] : [],
    );
    expect(world.sweeps.every(({ repaired }) => repaired === 0)).toBe(true);
    // The newest attempt keeps its 2 KB of detail, and the row still stays small.
    expect(row.history.map(({ number }) => number)).toEqual(world.sends.map(({ attempt }) => attempt));
    expect(row.history.at(-1)!.result).toEqual(answer);
    expect(JSON.stringify(row).length).toBeLessThan(6 * 1024);
  },
);
