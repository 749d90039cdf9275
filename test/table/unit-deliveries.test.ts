import { expect, it } from 'vitest';
import { drawId, type EventId, type PartnerId, type UnitId } from '../../shared/domain/values/ids.ts';
import { tableDeliveries } from '../../shared/table/deliveries.ts';
import { deliveryKey, deliverySuspended } from '../../shared/table/keys.ts';
import { tableUnitDeliveries } from '../../shared/table/unit-deliveries.ts';
import { disableWebhook, enableWebhook, setWebhook } from '../../shared/table/webhook-endpoints.ts';
import { newWebhookSecret } from '../../shared/webhook/sign.ts';
import { bookOne } from '../makers/booked.ts';
import { intercepted, interceptTable } from '../makers/intercepted.ts';
import { usePeers } from '../makers/peers.ts';
import { writeRows } from '../makers/rows.ts';
import { describeUnitDeliveries } from './unit-deliveries.suite.ts';

usePeers();
describeUnitDeliveries((clock) => ({
  own: tableUnitDeliveries(clock),
  deliveries: tableDeliveries(clock),
  keep: bookOne,
  setEndpoint: (partnerId, now) => setWebhook(partnerId, 'https://hooks.parceiro.com.br/', newWebhookSecret(), now),
  disable: (partnerId, now) => disableWebhook(partnerId, 'manager', now),
  enable: enableWebhook,
}));

it('a list by a state leaves out what has left it since the index was written', async () => {
  const now = Date.now();
  const owner = { partnerId: 7_001 as PartnerId, unitId: 7_002 as UnitId, environment: 'sandbox' } as const;
  const { eventId } = await bookOne(owner.partnerId, { ...owner, dueAt: now, createdAt: now });
  interceptTable();
  const deliveries = tableDeliveries(() => now);
  const message = { eventId, partnerId: owner.partnerId, attempt: 1, dueAt: now };
  const deliveredMeanwhile = {
    around: async <T>(name: string, call: () => Promise<T>) => {
      const answer = await call();
      if (name !== 'table QueryCommand') return answer;
      const claim = await deliveries.claim(message, now);
      if (claim.kind !== 'claimed') throw new Error('the delivery is not due');
      const result = { delivered: true, status: 200, milliseconds: 10 } as const;
      await deliveries.record(claim.delivery, result, { state: 'entregue' }, now);
      return answer;
    },
  };
  const list = () => tableUnitDeliveries(() => now).list(owner, { state: 'pendente' }, { limit: 20, offset: 0 });
  expect((await list()).items).toHaveLength(1);
  expect(await intercepted(deliveredMeanwhile, list)).toEqual({ items: [], more: false });
});

it('what is kept for a unit is counted behind a thousand events of another', async () => {
  const partnerId = drawId<PartnerId>(Date.now());
  const owner = { partnerId, unitId: 7_102 as UnitId, environment: 'sandbox' } as const;
  const keep = (unitId: number, count: number, since: number) =>
    writeRows(
      Array.from({ length: count }, (_, index) => {
        const eventId = `evt_${unitId}_${index}` as EventId;
        return { ...deliveryKey(eventId), ...deliverySuspended(partnerId, since, eventId), ...owner, unitId };
      }),
    );
  await keep(7_101, 1_000, 1);
  await keep(owner.unitId, 5, 2);
  expect(await tableUnitDeliveries(Date.now).countKept(owner)).toBe(5);
});
