import { beforeAll, describe, expect, it } from 'vitest';
import type { PartnerId } from '../../shared/domain/values/ids.ts';
import { ROTATION_OVERLAP } from '../../shared/domain/webhooks/endpoint.ts';
import { rotateWebhookSecret, tableWebhookEndpoints } from '../../shared/table/webhook-endpoints.ts';
import { newWebhookSecret } from '../../shared/webhook/sign.ts';
import { bookOne, firstMessage, makeWebhookPartner } from '../makers/booked.ts';
import { type CrashMoment, CrashPlan } from '../makers/crash.ts';
import { failed, success } from '../makers/delivery.ts';
import { DeliveryWorld } from '../makers/delivery-world.ts';
import { atEachCall, interceptTable, stoppedAt } from '../makers/intercepted.ts';
import { usePeers } from '../makers/peers.ts';

usePeers();
beforeAll(interceptTable);

const START = 1_767_571_200_000;
const HOUR = 3_600_000;

const rotate = (partnerId: PartnerId, secret: string, now: number) =>
  rotateWebhookSecret(partnerId, secret, { overlap: ROTATION_OVERLAP, dropPrevious: false }, now);
const endpointOf = async (partnerId: PartnerId) => (await tableWebhookEndpoints().get(partnerId))!;

/** One event whose first five attempts fail, over 7 h 35; the secret is rotated while the second is under way. */
async function play(plan: CrashPlan) {
  const partnerId = await makeWebhookPartner(START);
  const { secret: old } = await endpointOf(partnerId);
  const fresh = newWebhookSecret();
  let rotatedAt: number | undefined;
  const world: DeliveryWorld = new DeliveryWorld({
    start: START,
    wrap: plan.wrap,
    answer: async (_, attempt) => {
      if (attempt === 2 && rotatedAt === undefined) {
        rotatedAt = world.now;
        await rotate(partnerId, fresh, world.now);
      }
      return attempt < 6 ? failed : success;
    },
  });
  const booked = await bookOne(partnerId, { dueAt: START, createdAt: START });
  await world.queue.send([firstMessage(booked)], START);
  await world.run();
  return { world, old, fresh, rotatedAt: rotatedAt! };
}

describe('a rotation between the attempts of an event', () => {
  it('signs each attempt by the secret in force, and by the one before it for 24 hours, whatever call breaks off', async () => {
    const whole = new CrashPlan(0, 'before');
    await play(whole);
    const stride = process.env['SOAK'] ? 3 : 20;
    for (let number = 0; number <= whole.calls.length; number += stride) {
      for (const moment of ['before', 'after'] as const satisfies readonly CrashMoment[]) {
        const { world, old, fresh } = await play(new CrashPlan(number, moment));
        const where = `call ${number}, ${moment}`;
        expect(new Set(world.sends.map(({ attempt }) => attempt)), where).toEqual(new Set([1, 2, 3, 4, 5, 6]));
        for (const { attempt, signedBy } of world.sends) {
          // The second attempt read its secret before; made once more after a crash it reads the new one.
          const either = attempt === 2 ? [[old], [fresh, old]] : [attempt < 2 ? [old] : [fresh, old]];
          expect(either, `${where}, attempt ${attempt}`).toContainEqual(signedBy);
        }
      }
    }
  });
});

describe('a rotation that is stopped at any call', () => {
  it('has been made or has not, and asked for again keeps the secret that it promised to keep', async () => {
    const outcomes = new Set<string>();
    await atEachCall(async (point) => {
      const partnerId = await makeWebhookPartner(START);
      const { secret: old } = await endpointOf(partnerId);
      const [first, second] = [newWebhookSecret(), newWebhookSecret()];
      const { finished } = await stoppedAt(point, () => rotate(partnerId, first, START));
      const { secret, previousSecret } = await endpointOf(partnerId);
      expect([
        [old, undefined],
        [first, old],
      ]).toContainEqual([secret, previousSecret]);
      const made = secret === first;
      outcomes.add(made ? 'made' : 'not made');
      const again = await rotate(partnerId, second, START + HOUR).then(
        () => 'rotated',
        (error: Error) => error.message,
      );
      expect(again).toMatch(made ? /signs until .*another rotation ends it/ : /^rotated$/);
      expect(await endpointOf(partnerId)).toMatchObject({ secret: made ? first : second, previousSecret: old });
      return finished;
    });
    expect(outcomes).toEqual(new Set(['made', 'not made']));
  });
});
