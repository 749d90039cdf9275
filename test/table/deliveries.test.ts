import { describe, expect, test } from 'vitest';
import type { PartnerId } from '../../shared/domain/values/ids.ts';
import type { AttemptResult, Delivery, DueDelivery, NextStep } from '../../shared/domain/webhooks/delivery.ts';
import { putRow, transact } from '../../shared/table/client.ts';
import { tableDeliveries, writeOutbox } from '../../shared/table/deliveries.ts';
import { bookOne, firstMessage } from '../makers/booked.ts';
import { usePeers } from '../makers/peers.ts';

usePeers();

const NOW = 1_767_300_000_000;
/** Longer than a worker may run. */
const LEASE = 60_000;
const deliveries = tableDeliveries();
const success: AttemptResult = { delivered: true, status: 200, milliseconds: 10 };
const failed: AttemptResult = { delivered: false, failure: 'http_5xx', status: 500, milliseconds: 10, detail: 'no' };
const later = (retryOwner: 'queue' | 'sweeper', dueAt = NOW + 5000): NextStep => ({
  state: 'pendente',
  dueAt,
  retryOwner,
});

const book = () => bookOne(3 as PartnerId, { dueAt: NOW, createdAt: NOW });
async function claimed(message: DueDelivery, now: number): Promise<Delivery> {
  const claim = await deliveries.claim(message, now);
  if (claim.kind !== 'claimed') throw new Error(claim.kind);
  return claim.delivery;
}

describe('a booking', () => {
  test('is made once: the same event never has two rows, nor is a row begun anew', async () => {
    const booked = await book();
    expect(await transact([writeOutbox({ ...booked, body: 'other' })])).not.toBe('written');
    expect(await deliveries.get(booked.eventId)).toEqual(booked);
  });
});

describe('a claim', () => {
  test('gives the attempt to one of many who ask at once', async () => {
    const booked = await book();
    const claims = await Promise.all(Array.from({ length: 20 }, () => deliveries.claim(firstMessage(booked), NOW)));
    expect(claims.filter(({ kind }) => kind === 'claimed')).toEqual([
      { kind: 'claimed', delivery: { ...booked, attempts: 1 } },
    ]);
    expect(claims.filter(({ kind }) => kind === 'nothing')).toHaveLength(19);
  });

  test('of a worker that died is taken over once its lease is over, for the same attempt', async () => {
    const booked = await book();
    await claimed(firstMessage(booked), NOW);
    expect(await deliveries.claim(firstMessage(booked), NOW + LEASE)).toEqual({ kind: 'nothing' });
    expect(await claimed(firstMessage(booked), NOW + LEASE + 1)).toMatchObject({ attempts: 1 });
    expect(await deliveries.claim(firstMessage(booked), NOW + LEASE + 2)).toEqual({ kind: 'nothing' });
  });

  test("waits for the queue's own message, and leaves to the sweeper what it keeps", async () => {
    for (const [retryOwner, outcome] of [
      ['queue', { kind: 'early', dueAt: NOW + 5000 }],
      ['sweeper', { kind: 'nothing' }],
    ] as const) {
      const booked = await book();
      await deliveries.record(await claimed(firstMessage(booked), NOW), failed, later(retryOwner), NOW);
      expect(await deliveries.claim(firstMessage(booked), NOW + 4999)).toEqual(outcome);
      // An older message may bring the attempt once it is due.
      expect(await claimed(firstMessage(booked), NOW + 5000)).toMatchObject({ attempts: 2 });
    }
  });

  test('for an attempt that is not due yet, or of no delivery, is nothing', async () => {
    const booked = await book();
    expect(await deliveries.claim({ ...firstMessage(booked), attempt: 2 }, NOW)).toEqual({ kind: 'nothing' });
    expect(await deliveries.claim({ ...firstMessage(booked), eventId: 'evt_x' as never }, NOW)).toEqual({
      kind: 'nothing',
    });
  });
});

describe('an outcome', () => {
  test('of a late worker is dropped where another has failed with the attempt, but a success counts', async () => {
    const booked = await book();
    const slow = await claimed(firstMessage(booked), NOW);
    const quick = await claimed(firstMessage(booked), NOW + LEASE + 1);
    expect(await deliveries.record(quick, failed, later('queue', NOW + 2 * LEASE), NOW)).toBe('written');
    expect(await deliveries.record(slow, failed, { state: 'esgotada' }, NOW)).toBe('overtaken');
    expect(await deliveries.get(booked.eventId)).toMatchObject({ state: 'pendente', attempts: 1 });
    expect(await deliveries.record(slow, success, { state: 'entregue' }, NOW)).toBe('written');
    expect(await deliveries.get(booked.eventId)).toMatchObject({ state: 'entregue', attempts: 1 });
    expect(await deliveries.record(quick, failed, later('queue'), NOW)).toBe('overtaken');
  });

  test('ends the lease: the next attempt can be claimed at once', async () => {
    const booked = await book();
    await deliveries.record(await claimed(firstMessage(booked), NOW), failed, later('queue', NOW + 1), NOW);
    expect(await claimed(firstMessage(booked), NOW + 1)).toMatchObject({
      attempts: 2,
      history: [{ number: 1, at: NOW, result: failed }],
    });
  });

  test('without an attempt counts none', async () => {
    const booked = await book();
    await deliveries.record(await claimed(firstMessage(booked), NOW), undefined, { state: 'sem_destino' }, NOW);
    expect(await deliveries.get(booked.eventId)).toEqual({ ...booked, state: 'sem_destino' });
  });
});

describe('what is to be swept', () => {
  test('comes without a row that cannot be read, which keeps no other from coming', async () => {
    const booked = await book();
    const junk = { pk: 'DELIVERY#evt_junk', sk: 'DELIVERY', event: 'evt_junk' };
    await putRow({ Item: { ...junk, duePk: 'DUE#queue', dueSk: '0' } });
    const { items } = await deliveries.listDue('queue', Number.MAX_SAFE_INTEGER);
    expect(items).toContainEqual(firstMessage(booked));
    expect(items.map(({ eventId }) => eventId)).not.toContain('evt_junk');
  });
});

describe('what was given up', () => {
  test('is opened once by the message that names the next attempt, and by no other', async () => {
    const booked = await book();
    await deliveries.record(await claimed(firstMessage(booked), NOW), failed, { state: 'esgotada' }, NOW);
    const dead = { ...firstMessage(booked), attempt: 2 };
    expect(await deliveries.claim(firstMessage(booked), NOW)).toEqual({ kind: 'nothing' });
    expect(await deliveries.reopen(firstMessage(booked), NOW)).toBe(false);
    expect(await deliveries.claim(dead, NOW + 9)).toEqual({ kind: 'redriven' });
    expect(await deliveries.reopen(dead, NOW + 9)).toBe(true);
    expect(await deliveries.reopen(dead, NOW + 9)).toBe(false);
    expect(await claimed(dead, NOW + 9)).toMatchObject({ state: 'pendente', attempts: 2, dueAt: NOW + 9 });
    expect(await deliveries.claim(dead, NOW + 9)).toEqual({ kind: 'nothing' });
  });
});
