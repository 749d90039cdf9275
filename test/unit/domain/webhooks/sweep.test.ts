import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { EventId, PartnerId } from '#shared/domain/values/ids.ts';
import type { Delivery, DueDelivery, NextStep } from '#shared/domain/webhooks/delivery.ts';
import type { EndpointOwner } from '#shared/domain/webhooks/endpoint.ts';
import { releaseSuspended, sweep } from '#shared/domain/webhooks/sweep.ts';
import { makeDelivery } from '#test/makers/delivery.ts';
import { FakeDeliveryQueue } from '#test/makers/delivery-queue.ts';
import { MemoryWebhooks, nextMessageOf } from '#test/makers/memory-webhooks.ts';

const NOW = 1_763_640_000_000;
const MINUTE = 60_000;
const OWNER: EndpointOwner = { partnerId: 3 as PartnerId, environment: 'producao' };
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
  await memory.manager.set(OWNER, 'https://hooks.parceiro.com.br/', 'whsec_a', 0);
});

const book = (overrides: Partial<Delivery>) =>
  memory.book(makeDelivery({ eventId: `evt_${++events}` as EventId, createdAt: NOW + events, ...overrides }));
/** Creates a delivery that has failed and that the sweeper sends from `dueAt` on. */
async function failed(dueAt: number): Promise<Delivery> {
  const { eventId } = book({ dueAt: 0, attempts: 3 });
  const claim = await memory.deliveries.claim(nextMessageOf(memory.delivery(eventId)!), 1);
  if (claim.kind !== 'claimed') throw new Error(claim.kind);
  const result = { delivered: false, failure: 'timeout', milliseconds: 15_000, detail: '' } as const;
  const next: NextStep = { state: 'pendente', dueAt };
  await memory.deliveries.record(claim.delivery, result, next, 1);
  return memory.delivery(eventId)!;
}
const tick = (inTime = ALWAYS, over: Partial<MemoryWebhooks['deliveries']> = {}) =>
  sweep({ ...memory, deliveries: { ...memory.deliveries, ...over }, queue, now, inTime });
const suspended = (count: number) => Array.from({ length: count }, () => book({ state: 'suspensa' }));

it('sweep sends a delivery again if the queue does not bring it within two minutes, and then every ten', async () => {
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
  // A tick sends only what was due before its own moment. So two minutes, and then ten minutes later, the next tick
  // finds the delivery.
  expect(seen).toEqual([0, 3, 14, 25]);
});

it('sweep sends a delivery before it notes it, so that the next tick repeats it after a crash in between', async () => {
  await failed(NOW);
  const markEnqueued = () => Promise.reject(new Error('the table is away'));
  await expect(tick(ALWAYS, { markEnqueued })).rejects.toThrow('the table is away');
  expect(sent).toHaveLength(1);
  expect((await tick()).due).toBe(1);
  expect(sent).toHaveLength(2);
});

it('sweep does not count deliveries that have moved on meanwhile', async () => {
  await failed(NOW);
  book({ dueAt: NOW - 3 * MINUTE });
  expect(await tick(ALWAYS, { markEnqueued: async () => false })).toEqual({
    due: 0,
    repaired: 0,
    released: 0,
    unreadable: 0,
  });
});

it('sweep counts a first look that is more than two minutes late as a repair', async () => {
  await failed(NOW - 2 * MINUTE);
  await failed(NOW - 2 * MINUTE - 1);
  expect(await tick()).toMatchObject({ due: 1, repaired: 1 });
});

it('sweep leaves the remaining pages to the next tick if the time is out', async () => {
  for (let made = 0; made < 7; made++) await failed(NOW);
  expect((await tick(() => sent.length < 6)).due).toBe(6);
  expect((await tick()).due).toBe(1);
});

it('sweep sends what was kept for an enabled endpoint, and looks at the endpoint again in the next tick', async () => {
  suspended(7);
  await memory.manager.enable(OWNER, NOW - 60 * MINUTE);
  expect(await tick()).toEqual({ due: 0, repaired: 0, released: 7, unreadable: 0 });
  expect(await memory.endpoints.enabledLately()).toHaveLength(1);
  expect(await tick()).toMatchObject({ released: 0 });
  expect(await memory.endpoints.enabledLately()).toEqual([]);
});

it('sweep releases nothing that is kept for the other environment of the same partner', async () => {
  const sandbox: EndpointOwner = { ...OWNER, environment: 'sandbox' };
  await memory.manager.set(sandbox, 'https://teste.parceiro.com.br/', 'whsec_b', 0);
  const [production, tested] = [book({ ...OWNER, state: 'suspensa' }), book({ ...sandbox, state: 'suspensa' })];
  await memory.manager.enable(sandbox, NOW);
  expect(await tick()).toMatchObject({ released: 1 });
  expect(memory.delivery(tested.eventId)?.state).toBe('pendente');
  expect(memory.delivery(production.eventId)?.state).toBe('suspensa');
});

it('sweep looks for suspended deliveries of an enabled endpoint for 15 minutes, and then until it finds none', async () => {
  await memory.manager.enable(OWNER, NOW - 15 * MINUTE);
  await tick();
  expect(await memory.endpoints.enabledLately()).toHaveLength(1);
  now += 1;
  await tick();
  expect(await memory.endpoints.enabledLately()).toEqual([]);
});

it('sweep continues to look at an enabled endpoint if the time was out before its last page', async () => {
  suspended(1);
  await memory.manager.enable(OWNER, NOW - 60 * MINUTE);
  const first = async () => ({ items: [], next: 'second' });
  expect(await tick(() => false, { release: first })).toMatchObject({ released: 0 });
  expect(await memory.endpoints.enabledLately()).toHaveLength(1);
});

describe('with two enabled endpoints, the first of which keeps many deliveries', () => {
  const other: EndpointOwner = { partnerId: 4 as PartnerId, environment: 'producao' };
  const sentTo = () => sent.map(({ partnerId }) => partnerId);

  beforeEach(async () => {
    await memory.manager.set(other, 'https://hooks.outro.com.br/', 'whsec_b', 0);
    suspended(10);
    await memory.manager.enable(OWNER, NOW);
    await memory.manager.enable(other, NOW);
  });

  it('sweep releases a page of one endpoint, then a page of the other', async () => {
    for (let made = 0; made < 4; made++) book({ state: 'suspensa', ...other });
    expect(await tick()).toMatchObject({ released: 14 });
    expect(sentTo()).toEqual([3, 3, 3, 4, 4, 4, 3, 3, 3, 4, 3, 3, 3, 3]);
  });

  it('sweep begins with another endpoint in the next tick, if each tick has time for only one page', async () => {
    book({ state: 'suspensa', ...other });
    await tick(() => false);
    now += MINUTE;
    await tick(() => false);
    expect(sentTo()).toEqual([3, 3, 3, 4]);
  });
});

const release = (from: string | undefined, inTime: () => boolean) =>
  releaseSuspended(OWNER, from, { ...memory, queue, clock: () => now, inTime });

it('releaseSuspended stops after the page at which the time is out, and returns where to continue', async () => {
  suspended(7);
  const reading = vi.spyOn(memory.deliveries, 'release');
  expect(await release(undefined, () => false)).toEqual({ released: 3, next: '1' });
  expect(await release('1', () => sent.length < 6)).toEqual({ released: 3, next: '2' });
  expect(await release('2', ALWAYS)).toEqual({ released: 1, next: undefined });
  expect(reading.mock.calls.map(([, , after]) => after)).toEqual([undefined, '1', '2']);
});
