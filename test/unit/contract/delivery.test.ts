import { expect, it } from 'vitest';
import { deliveryListBody } from '#shared/contract/delivery.ts';
import type { Delivery } from '#shared/domain/webhooks/delivery.ts';
import { makeDelivery } from '#test/makers/delivery.ts';

const bodyOf = (delivery: Delivery) =>
  deliveryListBody({ items: [delivery], more: false }, { limit: 20, offset: 0 }).entregas;

it('the list of deliveries names the analysis of each event', () => {
  const delivery = makeDelivery();
  expect(bodyOf(delivery)).toMatchObject([{ tipo: delivery.type, analise_id: delivery.analysisId }]);
});

it('the list of deliveries throws for an event of the account, which has no analysis', () => {
  const delivery = makeDelivery({ type: 'conta.alterada', analysisId: undefined });
  expect(() => bodyOf(delivery)).toThrow(`event ${delivery.eventId} is about no analysis`);
});

it('the list of deliveries throws for an event that lacks its analysis', () => {
  const delivery = makeDelivery({ analysisId: undefined });
  expect(() => bodyOf(delivery)).toThrow(`event ${delivery.eventId} is about no analysis`);
});
