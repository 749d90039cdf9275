import { beforeEach, describe, expect, test } from 'vitest';
import { drawId, type PartnerId } from '#shared/domain/values/ids.ts';
import { type Delivery, type DueDelivery, FAILURE_CLASSES, type NextStep } from '#shared/domain/webhooks/delivery.ts';
import type { EndpointOwner } from '#shared/domain/webhooks/endpoint.ts';
import type { Deliveries } from '#shared/domain/webhooks/ports.ts';
import { newWebhookSecret } from '#shared/domain/webhooks/secret.ts';
import { firstMessage } from '../makers/booked.ts';
import { type AnalysisDelivery, failed, success } from '../makers/delivery.ts';
import type { EndpointManager } from './webhook-endpoints.suite.ts';

const NOW = 1_767_300_000_000;
/** Longer than a worker may run. */
const LEASE = 60_000;
const later = (dueAt = NOW + 5000): NextStep => ({ state: 'pendente', dueAt });
/** Later than a message waits in the queue. */
const HOUR_LATER = NOW + 3_600_000;

/** An adapter, and how its deliveries are made and changed by other code. */
interface DeliveriesScene {
  readonly deliveries: Deliveries;
  /** Books a delivery of a new event. */
  readonly keep: (overrides: Partial<Delivery>) => Promise<AnalysisDelivery>;
  /** Changes endpoints as the manager does. */
  readonly manager: Pick<EndpointManager, 'set' | 'enable' | 'disable'>;
  /** Makes a delivery due at `now` for its partner, even if a worker has claimed it. */
  readonly resend: (delivery: AnalysisDelivery, now: number) => Promise<unknown>;
  /** Deletes the receiver's texts of a delivery as the erasure of its person does. */
  readonly deleteTexts: (delivery: AnalysisDelivery, now: number) => Promise<unknown>;
}

/** The conformance suite of the port Deliveries. */
export function describeDeliveries(make: () => DeliveriesScene): void {
  let deliveries: Deliveries;
  let keep: DeliveriesScene['keep'];
  let resend: DeliveriesScene['resend'];
  let deleteTexts: DeliveriesScene['deleteTexts'];
  let manager: DeliveriesScene['manager'];
  beforeEach(() => {
    ({ deliveries, keep, resend, deleteTexts, manager } = make());
  });

  const book = () => keep({ partnerId: 3 as PartnerId, dueAt: NOW, createdAt: NOW });
  async function claimed(message: DueDelivery, now: number): Promise<Delivery> {
    const claim = await deliveries.claim(message, now);
    if (claim.kind !== 'claimed') throw new Error(claim.kind);
    return claim.delivery;
  }

  describe('claim', () => {
    test('claim gives an attempt to one of 20 workers that ask at once', async () => {
      const booked = await book();
      const claims = await Promise.all(Array.from({ length: 20 }, () => deliveries.claim(firstMessage(booked), NOW)));
      expect(claims.filter(({ kind }) => kind === 'claimed')).toEqual([
        { kind: 'claimed', delivery: { ...booked, attempts: 1 } },
      ]);
      expect(claims.filter(({ kind }) => kind === 'nothing')).toHaveLength(19);
    });

    test('claim gives the attempt of a dead worker to another worker once the lease is over', async () => {
      const booked = await book();
      await claimed(firstMessage(booked), NOW);
      expect(await deliveries.claim(firstMessage(booked), NOW + LEASE)).toEqual({ kind: 'nothing' });
      expect(await claimed(firstMessage(booked), NOW + LEASE + 1)).toMatchObject({ attempts: 1 });
      expect(await deliveries.claim(firstMessage(booked), NOW + LEASE + 2)).toEqual({ kind: 'nothing' });
    });

    test('claim before the due moment returns early if the attempt is due within 15 minutes, and else nothing', async () => {
      for (const [dueAt, outcome] of [
        [NOW + 5000, { kind: 'early', dueAt: NOW + 5000 }],
        [HOUR_LATER, { kind: 'nothing' }],
      ] as const) {
        const booked = await book();
        await deliveries.record(await claimed(firstMessage(booked), NOW), failed, later(dueAt), NOW);
        expect(await deliveries.claim(firstMessage(booked), NOW + 4999)).toEqual(outcome);
        // An older message may bring the next attempt once it is due.
        expect(await claimed(firstMessage(booked), dueAt)).toMatchObject({ attempts: 2 });
      }
    });

    test('claim returns nothing for a later attempt and for an unknown delivery', async () => {
      const booked = await book();
      expect(await deliveries.claim({ ...firstMessage(booked), attempt: 2 }, NOW)).toEqual({ kind: 'nothing' });
      expect(await deliveries.claim({ ...firstMessage(booked), eventId: 'evt_x' as never }, NOW)).toEqual({
        kind: 'nothing',
      });
    });
  });

  describe('record', () => {
    test('record drops a late failure if another worker failed with the attempt, but a late success counts', async () => {
      const booked = await book();
      const slow = await claimed(firstMessage(booked), NOW);
      const quick = await claimed(firstMessage(booked), NOW + LEASE + 1);
      expect(await deliveries.record(quick, failed, later(NOW + 2 * LEASE), NOW)).toBe('written');
      expect(await deliveries.record(slow, failed, { state: 'esgotada' }, NOW)).toBe('overtaken');
      expect(await deliveries.get(booked.eventId)).toMatchObject({ state: 'pendente', attempts: 1 });
      expect(await deliveries.record(slow, success, { state: 'entregue' }, NOW)).toBe('written');
      expect(await deliveries.get(booked.eventId)).toMatchObject({ state: 'entregue', attempts: 1 });
      expect(await deliveries.record(quick, failed, later(), NOW)).toBe('overtaken');
      // The next attempt is due at the moment that both workers had claimed. Only its number tells the attempts apart.
      const again = await book();
      const late = await claimed(firstMessage(again), NOW);
      const other = await claimed(firstMessage(again), NOW + LEASE + 1);
      expect(await deliveries.record(other, failed, later(late.dueAt), NOW)).toBe('written');
      expect(await deliveries.record(late, failed, { state: 'esgotada' }, NOW)).toBe('overtaken');
    });

    test('record does not replace a success by a late failure', async () => {
      const booked = await book();
      const slow = await claimed(firstMessage(booked), NOW);
      const quick = await claimed(firstMessage(booked), NOW + LEASE + 1);
      // The success has the same attempt's number. Only the state refuses the late failure.
      expect(await deliveries.record(quick, success, { state: 'entregue' }, NOW)).toBe('written');
      expect(await deliveries.record({ ...slow, attempts: 2 }, failed, later(), NOW)).toBe('overtaken');
      expect(await deliveries.get(booked.eventId)).toMatchObject({ state: 'entregue', attempts: 1 });
    });

    test.each(FAILURE_CLASSES)(
      'record of %s ends the lease, so that the next attempt can be claimed',
      async (failure) => {
        const booked = await book();
        const result = { ...failed, failure };
        await deliveries.record(await claimed(firstMessage(booked), NOW), result, later(NOW + 1), NOW);
        expect(await claimed(firstMessage(booked), NOW + 1)).toMatchObject({
          attempts: 2,
          history: [{ number: 1, at: NOW, result }],
        });
      },
    );

    test('record without a result counts no attempt', async () => {
      const booked = await book();
      await deliveries.record(await claimed(firstMessage(booked), NOW), undefined, { state: 'sem_destino' }, NOW);
      expect(await deliveries.get(booked.eventId)).toEqual({ ...booked, state: 'sem_destino' });
    });
  });

  describe('record after a resend', () => {
    test.each([later(), later(HOUR_LATER), { state: 'esgotada' }, { state: 'sem_destino' }] as const)(
      'record of a failure neither puts off nor ends a resend that came meanwhile: %o',
      async (next) => {
        const booked = await book();
        const delivery = await claimed(firstMessage(booked), NOW);
        await resend(booked, NOW + 9);
        expect(await deliveries.claim(firstMessage(booked), NOW + 9)).toEqual({ kind: 'nothing' });
        expect(await deliveries.record(delivery, failed, next, NOW + 10)).toBe('resent');
        expect(await deliveries.get(booked.eventId)).toMatchObject({
          state: 'pendente',
          attempts: 0,
          dueAt: NOW + 9,
          wishedAt: NOW + 9,
        });
        // A retry that is due now puts nothing off, so it is written, and the attempt is counted.
        expect(await deliveries.record(delivery, failed, later(NOW + 10), NOW + 10)).toBe('written');
        expect(await claimed(firstMessage(booked), NOW + 10)).toMatchObject({ attempts: 2, history: [{ number: 1 }] });
      },
    );

    test('record writes a success though a resend came during the attempt', async () => {
      const booked = await book();
      const delivery = await claimed(firstMessage(booked), NOW);
      await resend(booked, NOW + 9);
      expect(await deliveries.record(delivery, success, { state: 'entregue' }, NOW + 10)).toBe('written');
      expect(await deliveries.record(delivery, failed, later(), NOW + 10)).toBe('overtaken');
      expect(await deliveries.get(booked.eventId)).toMatchObject({ state: 'entregue', attempts: 1 });
    });

    test('record returns overtaken after a resend if another worker has continued the delivery', async () => {
      const booked = await book();
      const slow = await claimed(firstMessage(booked), NOW);
      await resend(booked, NOW + 9);
      const quick = await claimed(firstMessage(booked), NOW + LEASE + 1);
      expect(await deliveries.record(quick, failed, later(NOW + 2 * LEASE), NOW)).toBe('written');
      expect(await deliveries.record(slow, failed, later(), NOW)).toBe('overtaken');
      expect(await deliveries.get(booked.eventId)).toMatchObject({ attempts: 1, dueAt: NOW + 2 * LEASE });
    });
  });

  describe('record and the erasure of the person', () => {
    const details = async ({ eventId }: Delivery) =>
      (await deliveries.get(eventId))?.history.map(({ result }) => (result.delivered ? undefined : result.detail));

    /** Books a delivery whose first attempt has failed, and claims its second attempt. */
    async function secondAttempt(to: Partial<Delivery> = { partnerId: 3 as PartnerId }) {
      const booked = await keep({ ...to, dueAt: NOW, createdAt: NOW });
      await deliveries.record(await claimed(firstMessage(booked), NOW), failed, later(NOW + 1), NOW);
      expect(await details(booked)).toEqual(['no']);
      return { booked, delivery: await claimed(firstMessage(booked), NOW + 1) };
    }

    test.each([later(), later(HOUR_LATER), { state: 'esgotada' }, { state: 'sem_destino' }] as const)(
      'record of a failure keeps no text if the texts were deleted during the attempt: %o',
      async (next) => {
        const { booked, delivery } = await secondAttempt();
        await deleteTexts(booked, NOW + 2);
        expect(await details(booked)).toEqual(['']);
        expect(await deliveries.record(delivery, failed, next, NOW + 3)).toBe('written');
        expect(await details(booked)).toEqual(['', '']);
        expect(await deliveries.get(booked.eventId)).toMatchObject({ state: next.state, textsDeletedAt: NOW + 2 });
      },
    );

    test('record of a success writes back no text that was deleted during the attempt', async () => {
      const { booked, delivery } = await secondAttempt();
      await deleteTexts(booked, NOW + 2);
      expect(await deliveries.record(delivery, success, { state: 'entregue' }, NOW + 3)).toBe('written');
      expect(await details(booked)).toEqual(['', undefined]);
    });

    test('record without a result writes back no text that was deleted during the claim', async () => {
      const { booked, delivery } = await secondAttempt();
      await deleteTexts(booked, NOW + 2);
      expect(await deliveries.record(delivery, undefined, { state: 'sem_destino' }, NOW + 3)).toBe('written');
      expect(await details(booked)).toEqual(['']);
    });

    test('record keeps no text of an attempt that is claimed after an erasure, not even of a resend', async () => {
      const { booked, delivery } = await secondAttempt();
      await deleteTexts(booked, NOW + 2);
      await deliveries.record(delivery, failed, { state: 'esgotada' }, NOW + 3);
      await resend(booked, NOW + 4);
      const third = await claimed({ ...firstMessage(booked), attempt: 3 }, NOW + 4);
      expect(await deliveries.record(third, failed, later(), NOW + 5)).toBe('written');
      expect(await details(booked)).toEqual(['', '', '']);
    });

    test('record suspends a delivery without the text of an attempt during which an erasure came', async () => {
      const owner = { partnerId: drawId<PartnerId>(Date.now()), environment: 'producao' } as const;
      await manager.set(owner, 'https://hooks.parceiro.com.br/', newWebhookSecret(), NOW);
      const { booked, delivery } = await secondAttempt(owner);
      await deleteTexts(booked, NOW + 2);
      expect(await deliveries.record(delivery, failed, { state: 'suspensa' }, NOW + 3)).toBe('enabled');
      await manager.disable(owner, NOW + 3);
      expect(await deliveries.record(delivery, failed, { state: 'suspensa' }, NOW + 3)).toBe('written');
      expect(await details(booked)).toEqual(['', '']);
      expect(await deliveries.record(delivery, failed, { state: 'suspensa' }, NOW + 3)).toBe('overtaken');
    });

    test('record returns resent and overtaken for a delivery whose texts were deleted during the attempt', async () => {
      const { booked, delivery: slow } = await secondAttempt();
      await deleteTexts(booked, NOW + 2);
      await resend(booked, NOW + 9);
      expect(await deliveries.record(slow, failed, later(), NOW + 10)).toBe('resent');
      expect(await details(booked)).toEqual(['']);
      const quick = await claimed({ ...firstMessage(booked), attempt: 2 }, NOW + LEASE + 10);
      expect(await deliveries.record(quick, failed, later(NOW + 2 * LEASE), NOW)).toBe('written');
      expect(await deliveries.record(slow, failed, later(), NOW)).toBe('overtaken');
      expect(await details(booked)).toEqual(['', '']);
    });
  });

  describe.each([
    { environment: 'sandbox', other: 'producao' },
    { environment: 'producao', other: 'sandbox' },
  ] as const)(
    'a partner with an endpoint in each environment, of which that of $environment is disabled',
    ({ environment, other }) => {
      /** Makes the partner. Returns the owner of the disabled endpoint, and that of the enabled endpoint. */
      async function both(): Promise<{ own: EndpointOwner; foreign: EndpointOwner }> {
        const partnerId = drawId<PartnerId>(Date.now());
        const [own, foreign] = [{ partnerId, environment } as const, { partnerId, environment: other } as const];
        for (const owner of [own, foreign])
          await manager.set(owner, 'https://hooks.parceiro.com.br/', newWebhookSecret(), NOW);
        await manager.disable(own, NOW);
        return { own, foreign };
      }
      const bookFor = ({ partnerId, environment: of }: EndpointOwner) =>
        keep({ partnerId, environment: of, dueAt: NOW, createdAt: NOW });
      async function suspended(owner: EndpointOwner): Promise<Delivery> {
        const delivery = await claimed(firstMessage(await bookFor(owner)), NOW);
        expect(await deliveries.record(delivery, undefined, { state: 'suspensa' }, NOW)).toBe('written');
        return delivery;
      }
      const stateOf = async ({ eventId }: Delivery) => (await deliveries.get(eventId))?.state;

      test('record keeps an event only if the endpoint of its environment is disabled', async () => {
        const { own, foreign } = await both();
        expect(await stateOf(await suspended(own))).toBe('suspensa');
        const delivery = await claimed(firstMessage(await bookFor(foreign)), NOW);
        expect(await deliveries.record(delivery, undefined, { state: 'suspensa' }, NOW)).toBe('enabled');
        expect(await stateOf(delivery)).toBe('pendente');
      });

      test('release makes only events of its environment due, and leaves what the other one keeps', async () => {
        const { own, foreign } = await both();
        await manager.disable(foreign, NOW);
        const [kept, left] = [await suspended(own), await suspended(foreign)];
        await manager.enable(own, NOW + 1);
        const { items, next } = await deliveries.release(own, NOW + 2);
        expect(items).toMatchObject([{ eventId: kept.eventId, dueAt: NOW + 2 }]);
        expect(next).toBeUndefined();
        expect(await stateOf(kept)).toBe('pendente');
        expect(await stateOf(left)).toBe('suspensa');
        expect((await deliveries.release(foreign, NOW + 2)).items).toMatchObject([{ eventId: left.eventId }]);
      });
    },
  );

  test('reopen makes an exhausted delivery due once, and only by the message that names the next attempt', async () => {
    const booked = await book();
    await deliveries.record(await claimed(firstMessage(booked), NOW), failed, { state: 'esgotada' }, NOW);
    const dead = { ...firstMessage(booked), attempt: 2 };
    expect(await deliveries.claim(firstMessage(booked), NOW)).toEqual({ kind: 'nothing' });
    expect(await deliveries.reopen(firstMessage(booked), NOW)).toBe(false);
    expect(await deliveries.claim(dead, NOW + 9)).toEqual({ kind: 'redriven' });
    expect(await deliveries.reopen(dead, NOW + 9)).toBe(true);
    expect(await deliveries.reopen(dead, NOW + 9)).toBe(false);
    expect(await claimed(dead, NOW + 9)).toMatchObject({
      state: 'pendente',
      attempts: 2,
      dueAt: NOW + 9,
      wishedAt: NOW + 9,
    });
    expect(await deliveries.claim(dead, NOW + 9)).toEqual({ kind: 'nothing' });
  });

  test('listDue returns deliveries by the moment of the look, until markEnqueued puts them off', async () => {
    const from = NOW + 10 * 86_400_000;
    const made: Delivery[] = [];
    for (const age of [30, 10, 20])
      made.push(await keep({ partnerId: 3 as PartnerId, dueAt: from + age, createdAt: from }));
    const checkedFrom = (await deliveries.listDue(Number.MAX_SAFE_INTEGER)).items;
    const own = checkedFrom.filter(({ eventId }) => made.some((one) => one.eventId === eventId));
    expect(own).toEqual([made[1]!, made[2]!, made[0]!].map(firstMessage));
    expect((await deliveries.listDue(from + 120_010)).items).not.toContainEqual(own[0]);
    expect((await deliveries.listDue(from + 120_011)).items).toContainEqual(own[0]);

    expect(await deliveries.markEnqueued(own[0]!, from + 3_600_000)).toBe(true);
    expect((await deliveries.listDue(from + 3_600_000)).items).not.toContainEqual(own[0]);
    expect((await deliveries.listDue(from + 3_600_001)).items).toContainEqual(own[0]);
    await claimed(own[1]!, own[1]!.dueAt);
    await deliveries.record(await claimed(own[2]!, own[2]!.dueAt), success, { state: 'entregue' }, own[2]!.dueAt);
    expect(await deliveries.markEnqueued(own[2]!, from + 3_600_000)).toBe(false);
  });
}
