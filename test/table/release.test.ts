import { describe, expect, it } from 'vitest';
import { drawId, type EventId, type PartnerId } from '../../shared/domain/values/ids.ts';
import { DELIVERY_KEPT } from '../../shared/domain/webhooks/delivery.ts';
import { tableDeliveries } from '../../shared/table/deliveries.ts';
import { replay } from '../../shared/table/replays.ts';
import { setWebhook, tableWebhookSettings } from '../../shared/table/webhook-endpoints.ts';
import { newWebhookSecret } from '../../shared/webhook/sign.ts';
import { bookOne, firstMessage } from '../makers/booked.ts';
import { type Interception, intercepted, interceptTable, meetingAt } from '../makers/intercepted.ts';
import { usePeers } from '../makers/peers.ts';

usePeers();
const NOW = 1_767_300_000_000;
const deliveries = tableDeliveries(() => NOW);

/** A delivery of a new partner whose attempt ends in a state at NOW. */
async function inState(state: 'suspensa' | 'entregue'): Promise<{ partnerId: PartnerId; eventId: EventId }> {
  const partnerId = drawId<PartnerId>(Date.now());
  await setWebhook(partnerId, 'https://hooks.parceiro.com.br/', newWebhookSecret(), NOW);
  if (state === 'suspensa') await tableWebhookSettings().disable(partnerId, NOW);
  const booked = await bookOne(partnerId, { dueAt: NOW });
  const claim = await deliveries.claim(firstMessage(booked), NOW);
  if (claim.kind !== 'claimed') throw new Error(claim.kind);
  const result = state === 'entregue' ? ({ delivered: true, status: 200, milliseconds: 5 } as const) : undefined;
  expect(await deliveries.record(claim.delivery, result, { state }, NOW)).toBe('written');
  return { partnerId, eventId: booked.eventId };
}

describe('a delivery', () => {
  it('that the index still shows is released once, though two runs have read it', async () => {
    interceptTable();
    const { partnerId, eventId } = await inState('suspensa');
    const bothHaveRead: Interception = meetingAt('table UpdateItemCommand', 2);
    const runs = [1, 2].map((run) => intercepted(bothHaveRead, () => deliveries.release(partnerId, NOW + run)));
    const released = (await Promise.all(runs)).flatMap(({ items }) => items);
    expect(released.map((due) => due.eventId)).toEqual([eventId]);
  });

  it('past its time is not sent again, though its row is still there', async () => {
    const { eventId } = await inState('entregue');
    expect(await replay(eventId, NOW + DELIVERY_KEPT)).toEqual({ kind: 'absent' });
    expect(await replay(eventId, NOW + DELIVERY_KEPT - 1_000)).toMatchObject({ kind: 'due' });
  });
});
