import { expect, test, vi } from 'vitest';
import { seededRandom } from '../../infra/local/seeded-random.ts';
import type { EventId, PartnerId } from '../../shared/domain/values/ids.ts';
import type { Delivery } from '../../shared/domain/webhooks/delivery.ts';
import { tableDeliveries } from '../../shared/table/deliveries.ts';
import { bookMany, firstMessage, listDeliveries, makeWebhookPartner, newDelivery } from '../makers/booked.ts';
import { failed, success } from '../makers/delivery.ts';
import { DeliveryWorld, type Send } from '../makers/delivery-world.ts';
import { usePeers } from '../makers/peers.ts';

usePeers();

const START = 1_767_571_200_000;
const DUPLICATES = 0.3;
vi.setConfig({ testTimeout: 600_000 });

const MESSAGES = process.env['SOAK'] ? 3_000 : 1_000;
const SEEDS = process.env['SOAK'] ? [2, 3, 257_881] : [1];

async function bookAll(count: number): Promise<Delivery[]> {
  const partnerIds: PartnerId[] = [];
  for (let index = 0; index < 5; index++) partnerIds.push(await makeWebhookPartner(START));
  return bookMany(
    Array.from({ length: count }, (_, index) =>
      newDelivery(partnerIds[index % partnerIds.length]!, {
        dueAt: START,
        createdAt: START + index,
        environment: index % 3 ? 'producao' : 'sandbox',
      }),
    ),
  );
}

function byEvent(sends: readonly Send[]): Map<EventId, Send[]> {
  const map = new Map<EventId, Send[]>();
  for (const send of sends) map.set(send.eventId, [...(map.get(send.eventId) ?? []), send]);
  return map;
}

test.each(SEEDS)(
  `seed %i: of ${MESSAGES} messages, a third of them twice and in any order, none is lost and none sent twice`,
  async (seed) => {
    const random = seededRandom(seed);
    const booked = await bookAll(Math.round(MESSAGES / (1 + DUPLICATES)));
    // Events of the sandbox (`bookAll`): chance alone exhausts one in some hundred, and with some seeds none.
    const unheard = new Set(booked.filter((_, index) => index % 60 === 0).map(({ eventId }) => eventId));
    let sentByQueue = 0;
    const world = new DeliveryWorld({
      start: START,
      random,
      habits: {
        shuffle: random,
        duplicates: () => {
          const twice = random() < DUPLICATES;
          sentByQueue += twice ? 2 : 1;
          return twice;
        },
      },
      answer: ({ eventId }) => (unheard.has(eventId) || random() < 0.35 ? failed : success),
    });
    await world.queue.send(booked.map(firstMessage), START);
    expect(sentByQueue).toBeGreaterThan(0.9 * MESSAGES);
    await world.run();

    const sends = byEvent(world.sends);
    const states = new Map<string, number>();
    for (const partnerId of new Set(booked.map((delivery) => delivery.partnerId))) {
      for await (const row of listDeliveries(partnerId, {}, START)) {
        const own = sends.get(row.eventId) ?? [];
        // The n-th send of an event was its n-th attempt: none lost, none twice, none after a success.
        expect(own.map(({ attempt }) => attempt)).toEqual(Array.from({ length: row.attempts }, (_, n) => n + 1));
        states.set(row.state, (states.get(row.state) ?? 0) + 1);
      }
    }
    expect([...states.values()].reduce((sum, count) => sum + count, 0)).toBe(booked.length);
    expect([...states.keys()].sort()).toEqual(['entregue', 'esgotada']);
    // Of the sandbox's events none is dead.
    expect(world.queue.deadLetters).toEqual([]);
    const deliveries = tableDeliveries(() => START);
    for (const { eventId } of booked.slice(0, 50)) {
      const row = (await deliveries.get(eventId))!;
      expect(row.history.map(({ result }) => result.delivered)).toEqual(
        row.history.map((_, index) => row.state === 'entregue' && index === row.attempts - 1),
      );
    }
  },
  1_800_000,
);
