import { describe, expect, test } from 'vitest';
import type { Environment } from '../../shared/domain/values/tenancy.ts';
import type { AttemptResult } from '../../shared/domain/webhooks/delivery.ts';
import { sweep } from '../../shared/domain/webhooks/sweep.ts';
import { tableDeliveries } from '../../shared/table/deliveries.ts';
import { tableWebhookEndpoints } from '../../shared/table/webhook-endpoints.ts';
import { bookMany, bookOne, firstMessage, newDelivery } from '../makers/booked.ts';
import { DeliveryWorld } from '../makers/delivery-world.ts';
import { makeWebhookPartner } from '../makers/endpoint.ts';
import { usePeers } from '../makers/peers.ts';
import { passPeersTime } from '../makers/test-clock.ts';

usePeers();

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
// Friday, 2 January 2026, 18:00 in São Paulo.
const FRIDAY = Date.UTC(2026, 0, 2, 21);
const MONDAY = Date.UTC(2026, 0, 5, 12);

const failure = { delivered: false, milliseconds: 80, detail: 'x'.repeat(2048) } as const;
const plain: AttemptResult = { ...failure, failure: 'http_5xx', status: 500 };
const limited: AttemptResult = { ...failure, failure: 'http_4xx', status: 429 };
const later = (retryAfter: number): AttemptResult => ({ ...failure, failure: 'http_5xx', status: 503, retryAfter });
const timeout: AttemptResult = { ...failure, failure: 'timeout', milliseconds: 15_000 };

const hours = (...list: number[]) => list.map((h) => h * HOUR);
const SCHEDULE = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, ...hours(2, 5, 10, 10, 10, 10, 10, 10)];
const DOUBLED = [10 * SECOND, 10 * MINUTE, HOUR, ...hours(4, 6, 10, 10, 10, 10, 10, 10)];
const SANDBOX = [5 * SECOND, 30 * SECOND, 2 * MINUTE];

describe('an endpoint that never takes the event', () => {
  test.each<[string, Environment, AttemptResult, readonly number[], number]>([
    ['a plain 500', 'producao', plain, SCHEDULE, 0],
    ['a plain 500 and the most jitter', 'producao', plain, SCHEDULE.map((wait) => 1.1 * wait), 1],
    ['429 without Retry-After', 'producao', limited, SCHEDULE, 0],
    ['503 with Retry-After 6 h', 'producao', later(6 * HOUR), DOUBLED, 0],
    ['a timeout', 'producao', timeout, SCHEDULE, 0],
    ['a plain 500 in the sandbox', 'sandbox', plain, SANDBOX, 0],
  ])('is tried at the contract times: %s', async (_, environment, answer, waits, random) => {
    const partnerId = await makeWebhookPartner(FRIDAY);
    const world = new DeliveryWorld({ start: FRIDAY, answer: () => answer, random: () => random });
    const booked = await bookOne(partnerId, { environment, dueAt: FRIDAY, createdAt: FRIDAY });
    await world.queue.send([firstMessage(booked)], FRIDAY);
    await world.run();

    const row = (await tableDeliveries(() => world.now).get(booked.eventId))!;
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
    // The newest attempt keeps its 2 KB, the row stays small.
    expect(row.history.map(({ number }) => number)).toEqual(world.sends.map(({ attempt }) => attempt));
    expect(row.history.at(-1)!.result).toEqual(answer);
    expect(JSON.stringify(row).length).toBeLessThan(6 * 1024);
  });
});

describe('the sweeper', () => {
  test('sends what the queue has lost, once in ten minutes while the queue is far behind', async () => {
    const partnerId = await makeWebhookPartner(FRIDAY);
    const world = new DeliveryWorld({ start: FRIDAY, answer: () => plain });
    const events = [];
    for (let index = 0; index < 3; index++)
      events.push((await bookOne(partnerId, { dueAt: FRIDAY, createdAt: FRIDAY })).eventId);
    const lost: number[] = [];
    for (let minute = 1; minute <= 24; minute++) {
      world.now = FRIDAY + minute * MINUTE;
      passPeersTime(MINUTE);
      await world.tick();
      lost.push(world.sweeps.at(-1)!.repaired);
    }
    expect(lost).toEqual([0, 0, 3, ...Array(10).fill(0), 3, ...Array(10).fill(0)]);
    await world.work();
    expect(world.sends.map(({ eventId }) => eventId).sort()).toEqual(events.sort());
    await world.run();
  });

  test('reads page after page, and none after its time is over', async () => {
    const partnerId = await makeWebhookPartner(FRIDAY);
    const world = new DeliveryWorld({
      start: FRIDAY,
      answer: () => ({ delivered: true, status: 200, milliseconds: 1 }),
    });
    await bookMany(Array.from({ length: 450 }, () => newDelivery(partnerId, { dueAt: FRIDAY, createdAt: FRIDAY })));
    const now = FRIDAY + 3 * MINUTE;
    const run = (inTime: () => boolean) => {
      passPeersTime(MINUTE);
      return sweep({
        ...{ deliveries: tableDeliveries(), endpoints: tableWebhookEndpoints() },
        ...{ queue: world.queue, now, inTime },
      });
    };
    // A page takes at most 50 of each of the 8 parts of the queue's deliveries: how many each has, their ids say.
    const first = await run(() => false);
    expect(first).toMatchObject({ due: 0, released: 0 });
    expect(first.repaired).toBeGreaterThan(0);
    expect(first.repaired).toBeLessThanOrEqual(400);
    expect(await run(() => true)).toEqual({ due: 0, repaired: 450 - first.repaired, released: 0 });
    expect(await run(() => true)).toEqual({ due: 0, repaired: 0, released: 0 });
    world.now = now;
    await world.work();
    expect(new Set(world.sends.map(({ eventId }) => eventId)).size).toBe(450);
    expect(world.sends.length).toBe(450);
  });
});
