import { expect, it } from 'vitest';
import type { EventId, PartnerId } from '../../../../shared/domain/values/ids.ts';
import type { Delivery } from '../../../../shared/domain/webhooks/delivery.ts';
import type { EndpointView } from '../../../../shared/domain/webhooks/endpoint.ts';
import type { DeliveryOwner, UnitDeliveries } from '../../../../shared/domain/webhooks/ports.ts';
import { resend } from '../../../../shared/domain/webhooks/replay.ts';
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

const enabled = makeEndpoint();
const refused = { kind: 'too_soon', resentAt: NOW - 1 } as const;

const due = { kind: 'due', due: { ...dueOf(delivery), dueAt: NOW }, delivery: { state: 'pendente' } };
it.each<[string, Scene, object, unknown[]]>([
  ['is due now where the endpoint is enabled', { endpoint: enabled }, { ...due, endpoint: true }, [DUE]],
  ['is due now where none is set, and the answer says so', {}, { ...due, endpoint: false }, [DUE]],
  ['is kept where the endpoint is disabled', { endpoint: disabled }, { kind: 'kept', delivery }, [KEEP]],
  ['is due now where it was enabled since', { endpoint: disabled, kept: 'enabled' }, due, [KEEP, DUE]],
  ['is not sent where it was a moment ago', { endpoint: enabled, resentAt: NOW - 1 }, refused, [DUE]],
  ['is not kept where it was a moment ago', { endpoint: disabled, kept: refused }, refused, [KEEP]],
  ['is nothing where the owner has no such event', { absent: true }, { kind: 'absent' }, []],
])('an event that its partner wants once more: %s', async (_, scene, outcome, writes) => {
  expect(await resent(scene)).toMatchObject({ outcome, writes });
});
