import { describe, expect, test } from 'vitest';
import type { Environment } from '#shared/domain/values/tenancy.ts';
import type { AttemptResult, Delivery } from '#shared/domain/webhooks/delivery.ts';
import type { EndpointOwner } from '#shared/domain/webhooks/endpoint.ts';
import type { SendingEndpoint } from '#shared/domain/webhooks/ports.ts';
import { newWebhookSecret } from '#shared/domain/webhooks/secret.ts';
import { TableDeliveries } from '#shared/table/webhooks/deliveries.ts';
import {
  changeWebhookUrl,
  enableWebhook,
  setWebhook,
  TableWebhookEndpoints,
} from '#shared/table/webhooks/webhook-endpoints.ts';
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
  const book = async (owner: EndpointOwner, overrides: Partial<Delivery> = {}) => {
    const booked = await bookDelivery(owner, { dueAt: world.now, createdAt: world.now, ...overrides });
    await world.queue.send([firstMessage(booked)], world.now);
    return booked;
  };
  return { own, world, book };
}

async function statesOf({ partnerId, environment }: EndpointOwner): Promise<Record<string, number>> {
  const states: Record<string, number> = {};
  for await (const { state } of listDeliveries(partnerId, { environment }, START))
    states[state] = (states[state] ?? 0) + 1;
  return states;
}
const endpointOf = async (owner: EndpointOwner) => (await new TableWebhookEndpoints().get(owner))!;

async function releaseAll(owner: EndpointOwner, world: DeliveryWorld): Promise<void> {
  const { items } = await new TableDeliveries().release(owner, world.now);
  await world.queue.send(items, world.now);
}

test('an endpoint that fails for five days is disabled, and its suspended events arrive once it is enabled', async () => {
  const owner = await makeWebhookPartner(START);
  const { own, world, book } = receiver(failed);
  // The last success was long before the first failure: it must not shorten the five days.
  world.now += 30 * DAY;
  const since = world.now;
  for (let day = 0; day < 5; day++) {
    for (let n = 0; n < 3; n++) await book(owner);
    await world.run(since + (day + 1) * DAY - 1);
    expect(await endpointOf(owner)).toMatchObject({ enabled: true, health: { failingSince: since } });
  }
  await book(owner);
  await world.run(since + 5 * DAY + HOUR);
  expect(await endpointOf(owner)).toMatchObject({ enabled: false, disabledBecause: 'failing' });
  expect(world.reports.filter(({ disabled }) => disabled).map(({ disabled }) => disabled)).toEqual(['failing']);

  await book(owner);
  await world.run();
  const sends = world.sends.length;
  const states = await statesOf(owner);
  expect(states).toEqual({ esgotada: states['esgotada'], suspensa: 17 - states['esgotada']! });
  expect(states['suspensa']).toBeGreaterThan(2);
  expect(world.queue.deadLetters.length).toBe(states['esgotada']);

  own.answer = success;
  await enableWebhook(owner, world.now);
  await releaseAll(owner, world);
  await world.run();
  expect(await statesOf(owner)).toEqual({ esgotada: states['esgotada'], entregue: states['suspensa'] });
  expect(world.sends.length).toBe(sends + states['suspensa']!);
});

test('a 410 disables the endpoint at once, and once enabled it gets each event with the next attempt number', async () => {
  const owner = await makeWebhookPartner(START);
  const { own, world, book } = receiver(gone);
  const first = await book(owner);
  await world.run();
  const second = await book(owner);
  await world.run();
  expect(await endpointOf(owner)).toMatchObject({ enabled: false, disabledBecause: 'gone' });
  expect(world.sends.map(({ eventId }) => eventId)).toEqual([first.eventId]);
  const deliveries = new TableDeliveries(() => START);
  expect(await deliveries.get(first.eventId)).toMatchObject({ state: 'suspensa', attempts: 1 });
  expect(await deliveries.get(second.eventId)).toMatchObject({ state: 'suspensa', attempts: 0, history: [] });

  own.answer = success;
  await changeWebhookUrl(owner, 'https://hooks.parceiro.com.br/novo', world.now);
  await enableWebhook(owner, world.now);
  await releaseAll(owner, world);
  await world.run();
  expect(new Map(world.sends.slice(1).map(({ eventId, attempt }) => [eventId, attempt]))).toEqual(
    new Map([
      [first.eventId, 2],
      [second.eventId, 1],
    ]),
  );
  expect(world.sends.length).toBe(3);
  expect(await statesOf(owner)).toEqual({ entregue: 2 });
});

describe.each([
  { environment: 'sandbox', other: 'producao' },
  { environment: 'producao', other: 'sandbox' },
] as const)(
  'a partner with a receiver for each environment, of which that of $environment is dead',
  ({ environment, other }) => {
    const DEAD = 'https://morto.parceiro.com.br/';

    /** Makes the partner. Every attempt at the dead receiver ends with `result`, every other attempt succeeds. */
    async function partner(result: AttemptResult) {
      const dead = await makeWebhookPartner(START, { environment, url: DEAD });
      const alive: EndpointOwner = { partnerId: dead.partnerId, environment: other };
      await setWebhook(alive, 'https://vivo.parceiro.com.br/', newWebhookSecret(), START);
      const answers: Record<string, AttemptResult> = { [DEAD]: result };
      const answer = (_message: unknown, _attempt: number, { url }: SendingEndpoint) => answers[url] ?? success;
      const world = new DeliveryWorld({ start: START, random: () => 0, answer });
      const book = async (owner: EndpointOwner) => {
        const booked = await bookDelivery(owner, { dueAt: world.now, createdAt: world.now });
        await world.queue.send([firstMessage(booked)], world.now);
        return booked;
      };
      const repair = () => {
        answers[DEAD] = success;
      };
      return { dead, alive, world, book, repair };
    }

    test('a receiver that is dead for five days is disabled, and the other environment gets its events meanwhile', async () => {
      const { dead, alive, world, book, repair } = await partner(failed);
      for (let day = 0; day < 5; day++) {
        for (const owner of [dead, alive]) await book(owner);
        await world.run(START + (day + 1) * DAY - 1);
        expect((await endpointOf(dead)).enabled).toBe(true);
      }
      for (const owner of [dead, alive]) await book(owner);
      await world.run(START + 5 * DAY + HOUR);
      expect(await endpointOf(dead)).toMatchObject({ enabled: false, disabledBecause: 'failing' });
      expect(await endpointOf(alive)).toMatchObject({ enabled: true, health: { failures: 0 } });
      expect(world.reports.filter(({ disabled }) => disabled)).toHaveLength(1);

      for (const owner of [dead, alive]) await book(owner);
      await world.run();
      expect(await statesOf(alive)).toEqual({ entregue: 7 });
      expect((await statesOf(dead))['suspensa']).toBeGreaterThanOrEqual(2);

      repair();
      const { suspensa: kept } = await statesOf(dead);
      await enableWebhook(dead, world.now);
      await world.run();
      expect((await statesOf(dead))['entregue']).toBe(kept);
      expect(await statesOf(alive)).toEqual({ entregue: 7 });
    });

    test('a 410 disables only the receiver that answered it, and the other environment gets the next event', async () => {
      const { dead, alive, world, book } = await partner(gone);
      await book(dead);
      await world.run();
      expect(await endpointOf(dead)).toMatchObject({ enabled: false, disabledBecause: 'gone' });
      expect((await endpointOf(alive)).enabled).toBe(true);
      for (const owner of [dead, alive]) await book(owner);
      await world.run();
      expect(await statesOf(dead)).toEqual({ suspensa: 2 });
      expect(await statesOf(alive)).toEqual({ entregue: 1 });
    });
  },
);

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
    const owner = await makeWebhookPartner(FRIDAY, { environment });
    const world = new DeliveryWorld({ start: FRIDAY, answer: () => answer, random: () => random });
    const booked = await bookDelivery(owner, { dueAt: FRIDAY, createdAt: FRIDAY });
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
