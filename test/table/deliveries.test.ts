import { describe, expect, test } from 'vitest';
import type { PartnerId } from '../../shared/domain/values/ids.ts';
import { putRow, transact } from '../../shared/table/client.ts';
import { tableDeliveries, writeOutbox } from '../../shared/table/deliveries.ts';
import { bookOne, firstMessage } from '../makers/booked.ts';
import { usePeers } from '../makers/peers.ts';
import { describeDeliveries } from './deliveries.suite.ts';

usePeers();
const NOW = 1_767_300_000_000;
const deliveries = tableDeliveries(() => NOW);
const book = () => bookOne(3 as PartnerId);

describeDeliveries(() => ({ deliveries, keep: (overrides) => bookOne(3 as PartnerId, overrides) }));

describe('a booking', () => {
  test('is made once: the same event never has two rows, nor is a row begun anew', async () => {
    const booked = await book();
    expect(await transact([writeOutbox({ ...booked, body: 'other' })])).not.toBe('written');
    expect(await deliveries.get(booked.eventId)).toEqual(booked);
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
