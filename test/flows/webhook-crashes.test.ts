import { describe, expect, test } from 'vitest';
import { drawId, type PartnerId } from '#shared/domain/values/ids.ts';
import type { Environment } from '#shared/domain/values/tenancy.ts';
import type { AttemptResult, Delivery, DeliveryState } from '#shared/domain/webhooks/delivery.ts';
import type { EndpointOwner } from '#shared/domain/webhooks/endpoint.ts';
import { TableDeliveries } from '#shared/table/webhooks/deliveries.ts';
import { disableWebhook, TableWebhookEndpoints } from '#shared/table/webhooks/webhook-endpoints.ts';
import { bookDelivery, firstMessage, makeWebhookPartner } from '../makers/booked.ts';
import { failed, gone, success } from '../makers/delivery.ts';
import { DeliveryWorld } from '../makers/delivery-world.ts';
import { failingAt, intercepted, recorded, type StopPoint } from '../makers/intercepted.ts';
import { usePeers } from '../makers/peers.ts';

usePeers();

const START = 1_767_571_200_000;

interface Story {
  readonly answers: readonly AttemptResult[];
  readonly ends: DeliveryState;
  readonly environment?: Environment;
  /** Whether the message of the booking never reaches the queue. */
  readonly unsent?: true;
  readonly endpoint?: 'none' | 'disabled' | 'failing';
  readonly failFirst?: true;
  /** Number of attempts that were made before the story begins. */
  readonly begun?: number;
  /** How often the dead letter is put back into the queue once nothing else happens. */
  readonly redrives?: number;
}

const MADE_TO_FAIL = { environment: 'sandbox', failFirst: true } as const;
const STORIES: Readonly<Record<string, Story>> = {
  'the first attempt arrives': { answers: [success], ends: 'entregue' },
  'the second attempt arrives, after a wait in the queue': { answers: [failed, success], ends: 'entregue' },
  'the fourth attempt arrives, after a wait with the sweeper': {
    answers: [failed, failed, failed, success],
    ends: 'entregue',
  },
  'the message of the booking is lost': { answers: [success], ends: 'entregue', unsent: true },
  'all four attempts of the sandbox fail': { answers: Array(4).fill(failed), ends: 'esgotada', environment: 'sandbox' },
  'a redriven attempt arrives': { answers: [failed, success], begun: 11, ends: 'entregue', redrives: 1 },
  'a redriven attempt fails': { answers: [failed, failed], begun: 11, ends: 'esgotada', redrives: 1 },
  'a message is redriven twice': { answers: [failed, failed], begun: 11, ends: 'esgotada', redrives: 2 },
  'the first attempt is made to fail': { ...{ answers: [success], ends: 'entregue' }, ...MADE_TO_FAIL },
  'the endpoint is gone': { answers: [gone], ends: 'suspensa' },
  'the endpoint is disabled': { answers: [], ends: 'suspensa', endpoint: 'disabled' },
  'there is no endpoint': { answers: [], ends: 'sem_destino', endpoint: 'none' },
  'the endpoint has failed before': { answers: [success], ends: 'entregue', endpoint: 'failing' },
};

async function ownerOf({ endpoint, environment = 'producao' }: Story): Promise<EndpointOwner> {
  if (endpoint === 'none') return { partnerId: drawId<PartnerId>(Date.now()), environment };
  const owner = await makeWebhookPartner(START, { environment });
  if (endpoint === 'disabled') await disableWebhook(owner, 'manager', START);
  if (endpoint === 'failing') {
    const endpoints = new TableWebhookEndpoints();
    await endpoints.countFailure(owner, (await endpoints.get(owner))!, START);
  }
  return owner;
}

/** Plays a story. At a point, the worker or the sweeper crashes. */
async function play(story: Story, point?: StopPoint) {
  const owner = await ownerOf(story);
  const { failFirst, begun = 0 } = story;
  const first = begun + (failFirst ? 2 : 1);
  const world = new DeliveryWorld({
    start: START,
    answer: (_, attempt) => story.answers[Math.min(attempt - first, story.answers.length - 1)]!,
  });
  const crashing = recorded(point && failingAt(point));
  const run = () => intercepted(crashing, () => world.run());
  const made = { failFirst, attempts: begun } as const;
  const booked = await bookDelivery(owner, { ...made, dueAt: START, createdAt: START });
  if (!story.unsent) await world.queue.send([{ ...firstMessage(booked), attempt: begun + 1 }], START);
  await run();
  const [dead] = world.queue.deadLetters;
  if (dead && story.redrives) {
    for (let sent = 0; sent < story.redrives; sent++) await world.queue.send([dead], world.now);
    await run();
  }
  const calls = crashing.calls.map(({ name }) => name);
  return { row: (await new TableDeliveries(() => world.now).get(booked.eventId))!, world, calls };
}

/** Whether an attempt may have been sent but not stored in the row when this call fails. */
function betweenAnswerAndRow(call: string, when: StopPoint['when']): boolean {
  if (call === 'sender send') return when === 'after';
  if (call === 'deliveries record') return when === 'before';
  return ['endpoints countFailure', 'endpoints disable', 'queue giveUp'].includes(call);
}

const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);
const numbersOf = ({ history }: Delivery) => history.map(({ number }) => number);

describe.each(Object.entries(STORIES))('%s', (_, story) => {
  const begun = story.begun ?? 0;
  const attempts = begun + story.answers.length + (story.failFirst ? 1 : 0);
  const numbers = story.answers.map((_answer, index) => begun + index + (story.failFirst ? 2 : 1));

  test('without a crash a delivery makes each of its attempts once', async () => {
    const { row, world } = await play(story);
    expect(row).toMatchObject({ state: story.ends, attempts });
    expect(world.sends.map(({ attempt }) => attempt)).toEqual(numbers);
    expect(numbersOf(row)).toEqual(upTo(attempts).slice(begun));
    expect(world.queue.deadLetters.map(({ attempt }) => attempt)).toEqual(deadLetters(story));
  });

  test('a crash at any call leads to the same end, loses no attempt and repeats at most one', async () => {
    const { calls } = await play(story);
    expect(calls.length).toBeGreaterThan(2);
    const stride = process.env['SOAK'] || calls.length < 15 ? 1 : 5;
    for (let at = 1; at <= calls.length; at += stride) {
      for (const when of ['before', 'after'] as const) {
        const { row, world, calls: made } = await play(story, { at, when });
        const broken = made[at - 1]!;
        const where = `call ${at}, ${when} ${broken}`;
        const sent = world.sends.map(({ attempt }) => attempt).sort((a, b) => a - b);
        // A 410 has disabled the endpoint, and the attempt with this answer is not stored. The attempt is made again
        // once the endpoint is enabled.
        const unknown =
          story.answers[0] === gone &&
          ['after endpoints disable', 'before deliveries record'].includes(`${when} ${broken}`);
        const counted = unknown ? 0 : attempts;
        expect(row, where).toMatchObject({ state: story.ends, attempts: counted });
        expect(Array.from(new Set(sent)), where).toEqual(numbers);
        expect(numbersOf(row), where).toEqual(upTo(counted).slice(begun));
        const twice = sent.length - numbers.length;
        expect(twice, where).toBe(betweenAnswerAndRow(broken, when) ? twice && 1 : 0);
      }
    }
  });
});

/**
 * Returns the attempts that the dead letters ask for: the one after the twelfth, and the next one after each failed
 * redrive. The sandbox has no dead letters.
 */
function deadLetters({ answers, ends, environment, begun = 0 }: Story): number[] {
  const failures = begun + (ends === 'esgotada' ? answers.length : answers.length - 1);
  return environment === 'sandbox' ? [] : upTo(failures + 1).slice(12);
}
