import { expect, test } from 'vitest';
import type { Environment } from '../../shared/domain/values/tenancy.ts';
import type { AttemptResult } from '../../shared/domain/webhooks/delivery.ts';
import { tableDeliveries } from '../../shared/table/deliveries.ts';
import { bookOne, firstMessage, makeWebhookPartner } from '../makers/booked.ts';
import { DeliveryWorld } from '../makers/delivery-world.ts';
import { usePeers } from '../makers/peers.ts';

usePeers();

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
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
  'an endpoint that never takes the event is tried at the contract times: %s',
  async (_, environment, answer, waits, random) => {
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
  },
);
