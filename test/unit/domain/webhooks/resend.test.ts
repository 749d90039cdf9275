import { describe, expect, it } from 'vitest';
import type { EventId, PartnerId } from '../../../../shared/domain/values/ids.ts';
import type { Delivery } from '../../../../shared/domain/webhooks/delivery.ts';
import type { EndpointView } from '../../../../shared/domain/webhooks/endpoint.ts';
import type { DeliveryOwner, UnitDeliveries } from '../../../../shared/domain/webhooks/ports.ts';
import { resend } from '../../../../shared/domain/webhooks/resend.ts';
import { makeDelivery, makeEndpoint } from '../../../makers/delivery.ts';
import { dueOf } from '../../../makers/memory-webhooks.ts';

const NOW = 1_763_640_000_000;
const delivery = makeDelivery({ state: 'esgotada', attempts: 12 });
const owner: DeliveryOwner = { ...delivery, partnerId: 3 as PartnerId };

interface Scene {
  readonly endpoint?: EndpointView | undefined;
  /** What keeping it comes to. */
  readonly kept?: Awaited<ReturnType<UnitDeliveries['keep']>>;
  /** When it was resent a moment ago. */
  readonly resentAt?: number;
  readonly absent?: true;
}

/** What a resend comes to, and the writes that it makes. */
async function resent({ endpoint, kept = { kind: 'kept', delivery }, resentAt, absent }: Scene) {
  const writes: [string, EventId, number][] = [];
  const none = () => Promise.reject(new Error('a resend has no need of it'));
  const made: Delivery = { ...delivery, state: 'pendente', dueAt: NOW };
  const port: UnitDeliveries = {
    list: none,
    countKept: none,
    look: async (asked, eventId) =>
      absent || asked !== owner || eventId !== delivery.eventId ? undefined : { delivery, endpoint },
    keep: async (_owner, { eventId }, at) => {
      writes.push(['keep', eventId, at]);
      return kept;
    },
    makeDue: async (_owner, eventId, at) => {
      writes.push(['makeDue', eventId, at]);
      return resentAt === undefined
        ? { kind: 'due', delivery: made, due: dueOf(made) }
        : { kind: 'too_soon', resentAt };
    },
  };
  const outcome = await resend(port, owner, delivery.eventId, NOW);
  return { outcome, writes };
}

const DUE = ['makeDue', delivery.eventId, NOW];
const KEEP = ['keep', delivery.eventId, NOW];
const disabled = makeEndpoint({ enabled: false, disabledBecause: 'failing' });

describe('an event that its partner wants once more', () => {
  it('is due now where the endpoint is enabled', async () => {
    const { outcome, writes } = await resent({ endpoint: makeEndpoint() });
    const due = { ...dueOf(delivery), dueAt: NOW };
    expect(outcome).toMatchObject({ kind: 'due', due, endpoint: true, delivery: { state: 'pendente' } });
    expect(writes).toEqual([DUE]);
  });

  it('is due now without an endpoint too, and the answer says that none is set', async () => {
    const { outcome, writes } = await resent({});
    expect(outcome).toMatchObject({ kind: 'due', endpoint: false });
    expect(writes).toEqual([DUE]);
  });

  it('is kept where the endpoint is disabled, and not made due', async () => {
    const { outcome, writes } = await resent({ endpoint: disabled });
    expect(outcome).toEqual({ kind: 'kept', delivery });
    expect(writes).toEqual([KEEP]);
  });

  it('is due now where the endpoint was enabled since it was looked at', async () => {
    const { outcome, writes } = await resent({ endpoint: disabled, kept: 'enabled' });
    expect(outcome).toMatchObject({ kind: 'due', endpoint: true });
    expect(writes).toEqual([KEEP, DUE]);
  });

  it('is refused where it was resent a moment ago, to be sent or to be kept', async () => {
    const refused = { kind: 'too_soon', resentAt: NOW - 1 } as const;
    expect((await resent({ endpoint: makeEndpoint(), resentAt: NOW - 1 })).outcome).toEqual(refused);
    expect((await resent({ endpoint: disabled, kept: refused })).outcome).toEqual(refused);
  });

  it('is nothing where the owner has no such event: nothing is written', async () => {
    expect(await resent({ absent: true })).toEqual({ outcome: { kind: 'absent' }, writes: [] });
  });
});
