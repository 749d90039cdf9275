import { expect, it } from 'vitest';
import { deliveryListBody, deliveryResentBody } from '#shared/contract/delivery.ts';
import type { Delivery } from '#shared/domain/webhooks/delivery.ts';
import { makeDelivery } from '#test/makers/delivery.ts';

const bodyOf = (delivery: Delivery) =>
  deliveryListBody({ items: [delivery], more: false, isCut: false }, { limit: 20, offset: 0 }).entregas;

it('the list of deliveries names the analysis of each event', () => {
  const delivery = makeDelivery();
  expect(bodyOf(delivery)).toMatchObject([{ tipo: delivery.type, analise_id: delivery.analysisId }]);
});

it('the list of deliveries has the body of an event of the sandbox, byte for byte', () => {
  const delivery = makeDelivery({ environment: 'sandbox', body: '{ "id": "evt_é" }' });
  expect(bodyOf(delivery)).toMatchObject([{ corpo: '{ "id": "evt_é" }' }]);
});

it('the list of deliveries has no body of an event of production', () => {
  const [listed] = bodyOf(makeDelivery({ environment: 'producao' }));
  expect(listed?.corpo).toBeUndefined();
});

it('the answer to a resend has no body of the event, not even in the sandbox', () => {
  const { entrega } = deliveryResentBody(makeDelivery({ environment: 'sandbox' }), 'enabled');
  expect(entrega).not.toHaveProperty('corpo');
});

it('the list of deliveries throws for an event of the account, which has no analysis', () => {
  const delivery = makeDelivery({ type: 'conta.alterada', analysisId: undefined });
  expect(() => bodyOf(delivery)).toThrow(`event ${delivery.eventId} is about no analysis`);
});

it('the list of deliveries throws for an event that lacks its analysis', () => {
  const delivery = makeDelivery({ analysisId: undefined });
  expect(() => bodyOf(delivery)).toThrow(`event ${delivery.eventId} is about no analysis`);
});

it('the list of deliveries says that it ends at the limit of the search', () => {
  const body = deliveryListBody({ items: [], more: false, isCut: true }, { limit: 20, offset: 0 });
  expect(body.avisos).toEqual([{ campo: 'offset', motivo: expect.stringContaining('os 10.000 eventos mais novos') }]);
});

it('the list of deliveries has the notices about its query next to the one about the limit of the search', () => {
  const avisos = [{ campo: 'limite', motivo: 'Campo desconhecido; quis dizer limit?' }];
  const body = deliveryListBody({ items: [], more: false, isCut: true }, { limit: 20, offset: 0, avisos });
  expect(body.avisos).toMatchObject([{ campo: 'offset' }, { campo: 'limite' }]);
});

it('the list of deliveries has no notice if it does not end at the limit of the search', () => {
  const body = deliveryListBody({ items: [], more: false, isCut: false }, { limit: 20, offset: 0 });
  expect(body.avisos).toBeUndefined();
});
