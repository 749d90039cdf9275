import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { handler as sweep } from '#functions/pollers/sweep-deliveries.ts';
import { FORM_KEPT, PENDING_LIMIT } from '#shared/domain/analyses/analysis.ts';
import { timestamp } from '#shared/domain/values/clock.ts';
import type { LeadId, PartnerId } from '#shared/domain/values/ids.ts';
import { deliver } from '#shared/domain/webhooks/deliver.ts';
import {
  type AttemptResult,
  DELIVERY_KEPT,
  type DeliveryState,
  type DueDelivery,
} from '#shared/domain/webhooks/delivery.ts';
import type { EndpointOwner } from '#shared/domain/webhooks/endpoint.ts';
import { type Resend, resend } from '#shared/domain/webhooks/replay.ts';
import { TablePersonalRecords } from '#shared/table/personal-data/personal-data.ts';
import { getRow } from '#shared/table/rows/client.ts';
import { deliveryKey, deliverySuspended } from '#shared/table/rows/keys.ts';
import { TableDeliveries } from '#shared/table/webhooks/deliveries.ts';
import { deliveriesOfAnalysis, replay } from '#shared/table/webhooks/replays.ts';
import { TableSuspendedDeliveries } from '#shared/table/webhooks/suspended-deliveries.ts';
import { TableUnitDeliveries } from '#shared/table/webhooks/unit-deliveries.ts';
import { disableWebhook, enableWebhook, TableWebhookEndpoints } from '#shared/table/webhooks/webhook-endpoints.ts';
import { bookDelivery, firstMessage, listDeliveries, makeWebhookPartner, moveToState } from '../makers/booked.ts';
import { lambdaContext } from '../makers/call.ts';
import { type AnalysisDelivery, gone, success } from '../makers/delivery.ts';
import { FakeDeliveryQueue, NO_NOTIFIER } from '../makers/delivery-queue.ts';
import { intercepted, meanwhile } from '../makers/intercepted.ts';
import { rowsOf } from '../makers/rows.ts';
import { useScene } from '../makers/scene.ts';
import { QueueView } from '../makers/sqs.ts';
import { passPeersTime, passTime } from '../makers/test-clock.ts';

vi.mock('#shared/wiring.ts', async (real) => (await import('../makers/intercepted.ts')).openWiring(await real()));

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const MINUTE = 60_000;
const DAY = 86_400_000;

const scene = useScene();
const deliveries = new TableDeliveries(() => Date.now());
const tick = () => sweep({ time: timestamp(Date.now()) }, lambdaContext(55_000));
const giveUp = (owner: EndpointOwner) =>
  new TableSuspendedDeliveries().giveUp(owner, Date.now() - DELIVERY_KEPT, Date.now());

/** Books a delivery and brings it to a state at once. Returns the delivery. */
async function settled(state: Exclude<DeliveryState, 'pendente'>, owner: EndpointOwner): Promise<AnalysisDelivery> {
  const now = Date.now();
  const booked = await bookDelivery(owner, { dueAt: now, createdAt: now });
  return { ...(await moveToState(state, booked, now)), unitId: booked.unitId };
}

async function listed(partnerId: PartnerId): Promise<string[]> {
  const states: string[] = [];
  for await (const { state } of listDeliveries(partnerId)) states.push(state);
  return states;
}

/** Returns whether an event is found by its id, in its partner's list and by its analysis. */
async function found({ eventId, partnerId, unitId, environment, analysisId }: AnalysisDelivery): Promise<boolean[]> {
  return [
    (await deliveries.get(eventId)) !== undefined,
    (await listed(partnerId)).length > 0,
    (await deliveriesOfAnalysis({ unitId, environment }, analysisId!)).length > 0,
  ];
}

describe.each(['entregue', 'esgotada', 'sem_destino'] as const)('a delivery that is final as %s', (state) => {
  it('a final delivery is kept for 90 days, then neither shown nor sent, though its row waits for TTL', async () => {
    const booked = await settled(state, await makeWebhookPartner(Date.now()));
    const row = await getRow(deliveryKey(booked.eventId));
    passTime(DELIVERY_KEPT - MINUTE);
    expect(await found(booked)).toEqual([true, true, true]);
    passTime(MINUTE + 1_000);
    expect(await found(booked)).toEqual([false, false, false]);
    expect(await replay(booked.eventId, Date.now())).toEqual({ kind: 'absent' });
    const redriven = { ...firstMessage(booked), attempt: Number(row!['dueAttempt']) };
    expect(await deliveries.reopen(redriven, Date.now())).toBe(false);
    expect(await getRow(deliveryKey(booked.eventId))).toBeDefined();
  });

  it('a delivery that is final again after a replay is kept for another 90 days', async () => {
    const booked = await settled(state, await makeWebhookPartner(Date.now()));
    passTime(DELIVERY_KEPT - DAY);
    const again = await replay(booked.eventId, Date.now());
    if (again.kind !== 'due') throw new Error(again.kind);
    expect((await getRow(deliveryKey(booked.eventId)))!['expiresAt']).toBeUndefined();
    await moveToState('entregue', { ...booked, attempts: again.due.attempt - 1 }, Date.now());
    passTime(DELIVERY_KEPT - DAY);
    expect(await found(booked)).toEqual([true, true, true]);
    passTime(DAY + 1_000);
    expect(await found(booked)).toEqual([false, false, false]);
  });
});

describe('an event that is kept for a disabled endpoint', () => {
  let queue: QueueView;
  let owner: EndpointOwner;
  let booked: AnalysisDelivery;
  let emitted: number;
  beforeAll(() => {
    queue = new QueueView(process.env['DELIVERY_DLQ_URL']!);
  });
  beforeEach(async () => {
    owner = await makeWebhookPartner(Date.now());
    await disableWebhook(owner, 'manager', Date.now());
    booked = await settled('suspensa', owner);
    emitted = scene.peers.metrics.length;
  });
  afterEach(() => enableWebhook(owner, Date.now()));

  const values = (name: string) =>
    scene.peers.metrics
      .slice(emitted)
      .filter((line) => name in line && line['environment'] === 'producao')
      .map((line) => line[name]);

  it('an event kept for a disabled endpoint is given up after 90 days, counted, and kept for 90 more', async () => {
    passTime(DELIVERY_KEPT - MINUTE);
    await tick();
    expect(await listed(owner.partnerId)).toEqual(['suspensa']);
    passTime(2 * MINUTE);
    await tick();
    expect(await deliveries.get(booked.eventId)).toMatchObject({ state: 'esgotada', attempts: 0 });
    expect(values('WebhookExhausted')).toEqual([1]);
    passPeersTime(5_000);
    await tick();
    // No attempt has failed, so there is no dead letter, and the gauge of dead letters stays at 0.
    expect(values('WebhookExhausted')).toEqual([1]);
    expect(values('DeliveriesExhausted').at(-1)).toBe(0);
    expect(await queue.counts()).toEqual({ visible: 0, taken: 0, delayed: 0 });
    passTime(DELIVERY_KEPT + MINUTE);
    expect(await found(booked)).toEqual([false, false, false]);
  });

  it('an event given up after 90 days can be replayed, and is not released when its endpoint is enabled', async () => {
    passTime(DELIVERY_KEPT + MINUTE);
    await tick();
    await enableWebhook(owner, Date.now());
    passPeersTime(5_000);
    await tick();
    expect(await listed(owner.partnerId)).toEqual(['esgotada']);
    expect(await replay(booked.eventId, Date.now())).toMatchObject({ kind: 'due' });
  });

  it('the sweeper gives up no event that was replayed between its read and its write', async () => {
    passTime(DELIVERY_KEPT + MINUTE);
    const replaying = meanwhile('table TransactWriteItemsCommand', () => replay(booked.eventId, Date.now()));
    const { givenUp } = await intercepted(replaying, () => giveUp(owner));
    expect(replaying.calls).toBeGreaterThan(0);
    expect(givenUp).toBe(0);
    expect((await deliveries.get(booked.eventId))!.state).toBe('pendente');
  });
});

describe('an event older than 90 days that is resent or replayed', () => {
  let owner: EndpointOwner;
  let booked: AnalysisDelivery;
  beforeEach(async () => {
    owner = await makeWebhookPartner(Date.now());
    booked = await bookDelivery(owner, { dueAt: Date.now(), createdAt: Date.now() });
    passTime(2 * DAY);
    await moveToState('esgotada', booked, Date.now());
    // Less than 90 days have passed since the event's end.
    passTime(DELIVERY_KEPT - DAY);
  });
  afterEach(() => enableWebhook(owner, Date.now()));

  const disable = () => disableWebhook(owner, 'manager', Date.now());
  const state = async () => (await deliveries.get(booked.eventId))!.state;

  /** Runs the worker with a message. `send` is the answer of its receiver. */
  const work = (message: DueDelivery, send: () => Promise<AttemptResult> = async () => success) =>
    deliver(message, {
      deliveries,
      endpoints: new TableWebhookEndpoints(),
      queue: new FakeDeliveryQueue(Date.now),
      sender: { send },
      clock: Date.now,
      random: () => 0,
      observer: { attempted() {} },
    });
  const resent = (): Promise<Resend> =>
    resend(
      { deliveries: new TableUnitDeliveries(Date.now), notifier: NO_NOTIFIER },
      booked,
      booked.eventId,
      Date.now(),
    );
  async function due(wish: Promise<{ kind: string; due?: DueDelivery }>): Promise<DueDelivery> {
    const made = await wish;
    if (!made.due) throw new Error(made.kind);
    return made.due;
  }

  const WISHES: Readonly<Record<string, () => Promise<void>>> = {
    'resent by its partner while the address is off': async () => {
      await disable();
      expect(await resent()).toMatchObject({ kind: 'suspended' });
    },
    'replayed by the manager while the address is off': async () => {
      await disable();
      await work(await due(replay(booked.eventId, Date.now())));
    },
    'resent by its partner just before the address is off': async () => {
      const message = await due(resent());
      await disable();
      await work(message);
    },
    'replayed by the manager just before the address is off': async () => {
      const message = await due(replay(booked.eventId, Date.now()));
      await disable();
      await work(message);
    },
  };

  it.each(Object.entries(WISHES))('an old event %s is kept, and sent once the address is enabled', async (_, wish) => {
    await wish();
    passPeersTime(5_000);
    await tick();
    expect(await state()).toBe('suspensa');
    const row = (await getRow(deliveryKey(booked.eventId)))!;
    expect(row['expiresAt']).toBeUndefined();
    // The index names the new time, so no run of the sweeper tries in vain to give the event up.
    expect(row['dueSk']).toBe(deliverySuspended(owner, Number(row['wishedAt']), booked.eventId).dueSk);

    passTime(DELIVERY_KEPT - DAY);
    await tick();
    expect(await state()).toBe('suspensa');
    await enableWebhook(owner, Date.now());
    passPeersTime(5_000);
    await tick();
    expect(await state()).toBe('pendente');
    await work({ ...firstMessage(booked), attempt: 2 });
    expect(await state()).toBe('entregue');
  });

  it.each(Object.entries(WISHES))('an old event is given up 90 days after it was %s', async (_, wish) => {
    await wish();
    passTime(DELIVERY_KEPT + MINUTE);
    await tick();
    expect(await state()).toBe('esgotada');
  });

  it('a release does not lengthen the 90 days for which a resent event is kept', async () => {
    await disable();
    await resent();
    passTime(DELIVERY_KEPT - DAY);
    await enableWebhook(owner, Date.now());
    const { items } = await deliveries.release(owner, Date.now());
    await disable();
    await work(items[0]!);
    expect(await state()).toBe('suspensa');
    passTime(DAY + MINUTE);
    await tick();
    expect(await state()).toBe('esgotada');
  });

  it('a resent event is kept even if the index shows the resend late or not at all', async () => {
    // The event is resent during the attempt that gets 410 and disables the address.
    const message = await due(replay(booked.eventId, Date.now()));
    passTime(DELIVERY_KEPT + MINUTE);
    await work(message, async () => {
      await resent();
      return gone;
    });
    passPeersTime(5_000);
    await tick();
    expect(await state()).toBe('suspensa');

    // The event is resent once more between the sweeper's read and its write.
    passTime(DELIVERY_KEPT + MINUTE);
    const wishing = meanwhile('table TransactWriteItemsCommand', resent);
    const { givenUp } = await intercepted(wishing, () => giveUp(owner));
    expect(wishing.calls).toBeGreaterThan(0);
    expect(givenUp).toBe(0);
    expect(await state()).toBe('suspensa');
  });
});

it('a form is shown until 180 days after its last analysis is final, and has an end in any case', async () => {
  const person = await scene.person();
  const tenancy = { unitId: scene.partner.unitId, environment: scene.environment };
  const forms = async () =>
    (await new TablePersonalRecords(Date.now).of(tenancy, person.lead as LeadId))!.page.forms.length;
  const submittedAt = Date.now();
  const consented = { ...person.body, consentimento_timestamp: new Date(Date.now()).toISOString() };
  const ids: number[] = (await scene.submit({ ...person, body: consented }, ['itau', 'brb'], 'form')).body.analises.map(
    ({ analise_id }: { analise_id: number }) => analise_id,
  );
  for (const id of ids) scene.operator.control.decide(scene.reference(id), 'Em análise');
  await scene.settled(person, ['itau', 'brb']);
  const [row] = await rowsOf(`FORM#${tenancy.unitId}#`);
  expect(Number(row!['expiresAt']) * 1000).toBeGreaterThanOrEqual(submittedAt + PENDING_LIMIT + FORM_KEPT);
  expect(Number(row!['expiresAt']) * 1000).toBeLessThanOrEqual(Date.now() + PENDING_LIMIT + FORM_KEPT + 1_000);

  scene.operator.control.decide(scene.reference(ids[0]!), 'Aprovado');
  await scene.tick(person);
  passTime(10 * DAY);
  scene.operator.control.decide(scene.reference(ids[1]!), 'Aprovado');
  for (let hour = 0; hour < 3 && (await scene.status(ids[1]!)).body.analise.pendente; hour++) {
    passTime(60 * MINUTE);
    await scene.poll();
  }
  const lastFinal = Date.now();
  passTime(FORM_KEPT - MINUTE);
  expect(await forms()).toBe(1);
  passTime(2 * MINUTE);
  expect(Date.now() - lastFinal).toBeLessThan(FORM_KEPT + 2 * MINUTE);
  expect(await forms()).toBe(0);
});
