import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { handler as sweep } from '../../functions/pollers/sweep-deliveries.ts';
import { FORM_KEPT, PENDING_LIMIT } from '../../shared/domain/analyses/analysis.ts';
import type { LeadId, PartnerId } from '../../shared/domain/values/ids.ts';
import { DELIVERY_KEPT, type Delivery, type DeliveryState } from '../../shared/domain/webhooks/delivery.ts';
import { getRow } from '../../shared/table/client.ts';
import { tableDeliveries } from '../../shared/table/deliveries.ts';
import { tableKeptDeliveries } from '../../shared/table/kept-deliveries.ts';
import { deliveryKey } from '../../shared/table/keys.ts';
import { personalData } from '../../shared/table/personal-data.ts';
import { deliveriesOfAnalysis, listDeliveries, replay } from '../../shared/table/replays.ts';
import { disableWebhook, enableWebhook } from '../../shared/table/webhook-endpoints.ts';
import { bookOne, firstMessage } from '../makers/booked.ts';
import { lambdaContext } from '../makers/call.ts';
import { makeWebhookPartner } from '../makers/endpoint.ts';
import { type Interception, intercepted } from '../makers/intercepted.ts';
import { rowsOf } from '../makers/rows.ts';
import { useScene } from '../makers/scene.ts';
import { QueueView } from '../makers/sqs.ts';
import { passPeersTime, passTime } from '../makers/test-clock.ts';

vi.mock('../../shared/wiring.ts', async (original) => {
  const { interceptable } = await import('../makers/intercepted.ts');
  return interceptable(await original());
});

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const MINUTE = 60_000;
const DAY = 86_400_000;
const SUCCESS = { delivered: true, status: 200, milliseconds: 5 } as const;

const scene = useScene();
const deliveries = tableDeliveries(() => Date.now());
const tick = () => sweep({}, lambdaContext(55_000));

/** A delivery that one attempt, or none, has brought to a state now. */
async function settled(state: Exclude<DeliveryState, 'pendente'>, partnerId: PartnerId): Promise<Delivery> {
  const now = Date.now();
  const booked = await bookOne(partnerId, { dueAt: now, createdAt: now });
  const claim = await deliveries.claim(firstMessage(booked), now);
  if (claim.kind !== 'claimed') throw new Error(claim.kind);
  const result = state === 'entregue' ? SUCCESS : undefined;
  expect(await deliveries.record(claim.delivery, result, { state }, now)).toBe('written');
  return booked;
}

async function listed(partnerId: PartnerId): Promise<string[]> {
  const states: string[] = [];
  for await (const { state } of listDeliveries(partnerId)) states.push(state);
  return states;
}

/** Whether an event is found on any way on which it is looked for. */
async function found({ eventId, partnerId, unitId, environment, analysisId }: Delivery): Promise<boolean[]> {
  return [
    (await deliveries.get(eventId)) !== undefined,
    (await listed(partnerId)).length > 0,
    (await deliveriesOfAnalysis({ unitId, environment }, analysisId)).length > 0,
  ];
}

describe.each(['entregue', 'esgotada', 'sem_destino'] as const)('a delivery that is final as %s', (state) => {
  it('is kept for 90 days, and after them is neither shown nor sent again, though its row waits for TTL', async () => {
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

  it('is kept anew from where it is final again', async () => {
    const booked = await settled(state, await makeWebhookPartner(Date.now()));
    passTime(DELIVERY_KEPT - DAY);
    const again = await replay(booked.eventId, Date.now());
    if (again.kind !== 'due') throw new Error(again.kind);
    expect((await getRow(deliveryKey(booked.eventId)))!['expiresAt']).toBeUndefined();
    const claim = await deliveries.claim(again.due, Date.now());
    if (claim.kind !== 'claimed') throw new Error(claim.kind);
    await deliveries.record(claim.delivery, SUCCESS, { state: 'entregue' }, Date.now());
    passTime(DELIVERY_KEPT - DAY);
    expect(await found(booked)).toEqual([true, true, true]);
    passTime(DAY + 1_000);
    expect(await found(booked)).toEqual([false, false, false]);
  });
});

describe('an event that is kept for a disabled endpoint', () => {
  let queue: QueueView;
  let partnerId: PartnerId;
  let booked: Delivery;
  let emitted: number;
  beforeAll(() => {
    queue = new QueueView(process.env['DELIVERY_DLQ_URL']!);
  });
  beforeEach(async () => {
    partnerId = await makeWebhookPartner(Date.now());
    await disableWebhook(partnerId, 'manager', Date.now());
    booked = await settled('suspensa', partnerId);
    emitted = scene.peers.metrics.length;
  });
  afterEach(() => enableWebhook(partnerId, Date.now()));

  const values = (name: string) =>
    scene.peers.metrics
      .slice(emitted)
      .filter((line) => name in line && line['environment'] === 'producao')
      .map((line) => line[name]);

  it('is given up after 90 days, counted, and kept for 90 more', async () => {
    passTime(DELIVERY_KEPT - MINUTE);
    await tick();
    expect(await listed(partnerId)).toEqual(['suspensa']);
    passTime(2 * MINUTE);
    await tick();
    expect(await deliveries.get(booked.eventId)).toMatchObject({ state: 'esgotada', attempts: 0 });
    expect(values('WebhookExhausted')).toEqual([1]);
    passPeersTime(5_000);
    await tick();
    expect([values('WebhookExhausted'), values('DeliveriesExhausted').at(-1)]).toEqual([[1], 1]);
    // No attempt has failed: nothing for the queue of dead letters.
    expect(await queue.counts()).toEqual({ visible: 0, taken: 0, delayed: 0 });
    passTime(DELIVERY_KEPT + MINUTE);
    expect(await found(booked)).toEqual([false, false, false]);
  });

  it('can be replayed until then, and is not released with what is still kept', async () => {
    passTime(DELIVERY_KEPT + MINUTE);
    await tick();
    await enableWebhook(partnerId, Date.now());
    passPeersTime(5_000);
    await tick();
    expect(await listed(partnerId)).toEqual(['esgotada']);
    expect(await replay(booked.eventId, Date.now())).toMatchObject({ kind: 'due' });
  });

  it('stays as it is where it was replayed between the sweeper’s look and its write', async () => {
    passTime(DELIVERY_KEPT + MINUTE);
    let replayed = false;
    const meanwhile: Interception = {
      async around(name, call) {
        if (name === 'table UpdateItemCommand' && !replayed) {
          replayed = true;
          await intercepted({ around: (_, own) => own() }, () => replay(booked.eventId, Date.now()));
        }
        return call();
      },
    };
    const { items } = await intercepted(meanwhile, () =>
      tableKeptDeliveries().giveUp(partnerId, Date.now() - DELIVERY_KEPT, Date.now()),
    );
    expect([replayed, items]).toEqual([true, []]);
    expect((await deliveries.get(booked.eventId))!.state).toBe('pendente');
  });

  it('is found behind more disabled endpoints than one page holds', async () => {
    const others = await Promise.all(
      Array.from({ length: 60 }, async () => {
        const other = await makeWebhookPartner(Date.now());
        await disableWebhook(other, 'manager', Date.now());
        await settled('suspensa', other);
        return other;
      }),
    );
    passTime(DELIVERY_KEPT + MINUTE);
    await tick();
    const states = await Promise.all(others.map(listed));
    expect(new Set(states.flat())).toEqual(new Set(['esgotada']));
    expect(values('WebhookExhausted')).toEqual([61]);
  });
});

describe('a form', () => {
  it('is shown until 180 days after the last of its analyses is final, and ends by itself in any case', async () => {
    const person = await scene.person();
    const tenancy = { unitId: scene.partner.unitId, environment: scene.environment };
    const forms = async () => (await personalData(tenancy, person.lead as LeadId))!.forms.length;
    const submittedAt = Date.now();
    const ids: number[] = (await scene.submit(person, ['itau', 'brb'], 'form')).body.analises.map(
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
});
