import { beforeEach, expect, it, vi } from 'vitest';
import type { EventId, PartnerId } from '#shared/domain/values/ids.ts';
import type { Delivery, DueDelivery, NextStep } from '#shared/domain/webhooks/delivery.ts';
import { releaseKept, sweep } from '#shared/domain/webhooks/sweep.ts';
import { makeDelivery } from '#test/makers/delivery.ts';
import { FakeDeliveryQueue } from '#test/makers/delivery-queue.ts';
import { dueOf, MemoryWebhooks } from '#test/makers/memory-webhooks.ts';

const NOW = 1_763_640_000_000;
const MINUTE = 60_000;
const PARTNER = 3 as PartnerId;
const ALWAYS = () => true;

let memory: MemoryWebhooks;
let events: number;
let now: number;
let sent: DueDelivery[];
const queue = new (class extends FakeDeliveryQueue {
  override async send(messages: readonly DueDelivery[], at: number) {
    expect(at).toBe(now);
    sent.push(...messages);
  }
})(() => NOW);

beforeEach(async () => {
  memory = new MemoryWebhooks();
  memory.page = 3;
  [events, now, sent] = [0, NOW, []];
  await memory.manager.set(PARTNER, 'https://hooks.parceiro.com.br/', 'whsec_a', 0);
});

const book = (overrides: Partial<Delivery>) =>
  memory.book(makeDelivery({ eventId: `evt_${++events}` as EventId, createdAt: NOW + events, ...overrides }));
/** A delivery that has failed and is the sweeper's from `dueAt` on. */
async function failed(dueAt: number): Promise<Delivery> {
  const { eventId } = book({ dueAt: 0, attempts: 3 });
  const claim = await memory.deliveries.claim(dueOf(memory.delivery(eventId)!), 1);
  if (claim.kind !== 'claimed') throw new Error(claim.kind);
  const result = { delivered: false, failure: 'timeout', milliseconds: 15_000, detail: '' } as const;
  const next: NextStep = { state: 'pendente', dueAt, retryOwner: 'sweeper' };
  await memory.deliveries.record(claim.delivery, result, next, 1);
  return memory.delivery(eventId)!;
}
const tick = (inTime = ALWAYS, over: Partial<MemoryWebhooks['deliveries']> = {}) =>
  sweep({ ...memory, deliveries: { ...memory.deliveries, ...over }, queue, now, inTime });
const suspended = (count: number) => Array.from({ length: count }, () => book({ state: 'suspensa' }));

it('what falls due: is sent again where the queue does not bring it within two minutes, and then every ten', async () => {
  const [early, late] = [await failed(NOW - MINUTE), await failed(NOW + MINUTE / 2)];
  const seen: number[] = [];
  for (let minute = 0; minute <= 25; minute++) {
    const before = sent.length;
    await tick();
    if (sent.length > before) seen.push(minute);
    now += MINUTE;
  }
  expect(sent.filter(({ eventId }) => eventId === early.eventId)).toHaveLength(4);
  expect(sent.filter(({ eventId }) => eventId === late.eventId)).toHaveLength(4);
  // Ticks look strictly before their moment: two minutes and ten later, the next tick finds it.
  expect(seen).toEqual([0, 3, 14, 25]);
});

it('what falls due: is sent before it is noted: cut off between, the next tick sends it again', async () => {
  await failed(NOW);
  const markEnqueued = () => Promise.reject(new Error('the table is away'));
  await expect(tick(ALWAYS, { markEnqueued })).rejects.toThrow('the table is away');
  expect(sent).toHaveLength(1);
  expect((await tick()).due).toBe(1);
  expect(sent).toHaveLength(2);
});

it('what falls due: does not count where it has moved on meanwhile', async () => {
  await failed(NOW);
  book({ dueAt: NOW - 3 * MINUTE });
  expect(await tick(ALWAYS, { markEnqueued: async () => false })).toEqual({
    due: 0,
    repaired: 0,
    released: 0,
    unreadable: 0,
  });
});

it('what falls due: is left to the next tick from the page on at which the time ends', async () => {
  for (let made = 0; made < 7; made++) await failed(NOW);
  expect((await tick(() => sent.length < 6)).due).toBe(6);
  expect((await tick()).due).toBe(1);
});

it('what was kept for an endpoint that is enabled: is sent, and the endpoint looked at again', async () => {
  suspended(7);
  await memory.manager.enable(PARTNER, NOW - 60 * MINUTE);
  expect(await tick()).toEqual({ due: 0, repaired: 0, released: 7, unreadable: 0 });
  expect(await memory.endpoints.enabledLately()).toHaveLength(1);
  expect(await tick()).toMatchObject({ released: 0 });
  expect(await memory.endpoints.enabledLately()).toEqual([]);
});

it('what was kept for an endpoint that is enabled: is looked for until nothing was found a quarter of an hour after', async () => {
  await memory.manager.enable(PARTNER, NOW - 15 * MINUTE);
  await tick();
  expect(await memory.endpoints.enabledLately()).toHaveLength(1);
  now += 1;
  await tick();
  expect(await memory.endpoints.enabledLately()).toEqual([]);
});

it('what was kept for an endpoint that is enabled: is not taken for nothing where the time ran out before the last page', async () => {
  suspended(1);
  await memory.manager.enable(PARTNER, NOW - 60 * MINUTE);
  const first = async () => ({ items: [], next: 'second' });
  expect(await tick(() => false, { release: first })).toMatchObject({ released: 0 });
  expect(await memory.endpoints.enabledLately()).toHaveLength(1);
});

it('what was kept for an endpoint that is enabled: is left for the next tick, with the endpoints behind, where the time ends', async () => {
  const other = 4 as PartnerId;
  await memory.manager.set(other, 'https://hooks.outro.com.br/', 'whsec_b', 0);
  suspended(4);
  book({ state: 'suspensa', partnerId: other });
  await memory.manager.enable(PARTNER, NOW);
  await memory.manager.enable(other, NOW);
  expect(await tick(() => sent.length < 3)).toMatchObject({ released: 3 });
  expect(await tick()).toMatchObject({ released: 2 });
  expect(sent.at(-1)!.partnerId).toBe(other);
});

const release = (from: string | undefined, inTime: () => boolean) =>
  releaseKept(PARTNER, from, { ...memory, queue, clock: () => now, inTime });

it('the release that follows an enabling ends after the page at which the time ends, and says where it goes on', async () => {
  suspended(7);
  const reading = vi.spyOn(memory.deliveries, 'release');
  expect(await release(undefined, () => false)).toEqual({ released: 3, next: '1' });
  expect(await release('1', () => sent.length < 6)).toEqual({ released: 3, next: '2' });
  expect(await release('2', ALWAYS)).toEqual({ released: 1, next: undefined });
  expect(reading.mock.calls.map(([, , after]) => after)).toEqual([undefined, '1', '2']);
});
