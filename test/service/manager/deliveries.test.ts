import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { EventId, UnitId } from '../../../shared/domain/values/ids.ts';
import { deliver } from '../../../shared/domain/webhooks/deliver.ts';
import type { Delivery, DueDelivery } from '../../../shared/domain/webhooks/delivery.ts';
import { countDeadLetters, sqsDeadLetters } from '../../../shared/queue/dead-letters.ts';
import { readMessage, sqsDeliveryQueue } from '../../../shared/queue/deliveries.ts';
import { webhookKey } from '../../../shared/table/keys.ts';
import * as wiring from '../../../shared/wiring.ts';
import { api } from '../../makers/api.ts';
import { bookOne } from '../../makers/booked.ts';
import { drained } from '../../makers/drained.ts';
import { countForEver } from '../../makers/endless-count.ts';
import { type MadePartner, makePartner, usePeers } from '../../makers/peers.ts';
import { damageSealed } from '../../makers/rows.ts';
import { useManager } from '../../makers/served-administration.ts';

const manager = useManager(usePeers());
let made: MadePartner;
beforeEach(async () => {
  made = await makePartner();
  await drained(process.env['DELIVERY_QUEUE_URL']!);
  await drained(process.env['DELIVERY_DLQ_URL']!);
});

const queued = async (): Promise<DueDelivery[]> =>
  (await drained(process.env['DELIVERY_QUEUE_URL']!)).map((body) => readMessage(body));
const dead = async (): Promise<string[]> => drained(process.env['DELIVERY_DLQ_URL']!);

const row = (eventId: EventId) => wiring.deliveries().get(eventId);

/** A delivery that the schedule has given up on, with its message in the dead-letter queue. */
async function exhausted(partnerId = made.partnerId, attempts = 12): Promise<Delivery> {
  const delivery = await bookOne(partnerId, { state: 'esgotada', attempts, unitId: made.unitId });
  // The row names the attempt that a redrive would be; so does the message that the worker left.
  await sqsDeliveryQueue().giveUp({
    eventId: delivery.eventId,
    partnerId,
    attempt: attempts + 1,
    dueAt: delivery.dueAt,
  });
  return delivery;
}

describe('deliveries list and show', () => {
  it('list by state, unit and environment, newest first, as many as asked for', async () => {
    const [first, second, third] = [
      await bookOne(made.partnerId, { createdAt: 1_000, state: 'entregue' }),
      await bookOne(made.partnerId, { createdAt: 2_000, state: 'esgotada' }),
      await bookOne(made.partnerId, {
        createdAt: 3_000,
        state: 'esgotada',
        environment: 'sandbox',
        unitId: 99 as UnitId,
      }),
    ];
    const list = async (...args: (string | number)[]) =>
      (await manager(['deliveries', 'list', '--partner', made.partnerId, ...args, '--json']))
        .json()
        .map(({ event }: { event: string }) => event);
    expect(await list()).toEqual([third.eventId, second.eventId, first.eventId]);
    expect(await list('--state', 'esgotada')).toEqual([third.eventId, second.eventId]);
    expect(await list('--environment', 'sandbox')).toEqual([third.eventId]);
    expect(await list('--unit', 99)).toEqual([third.eventId]);
    expect(await list('--limit', 1)).toEqual([third.eventId]);
    const { out } = await manager(['deliveries', 'list', '--partner', made.partnerId], { columns: 80 });
    for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
    expect(out).toContain(first.eventId);
  });

  it('show each attempt', async () => {
    const history = [
      {
        number: 1,
        at: 5_000,
        result: { delivered: false, failure: 'http_5xx', status: 503, milliseconds: 12, detail: 'busy\u001b[2J' },
      },
      { number: 2, at: 9_000, result: { delivered: true, status: 204, milliseconds: 7 } },
    ] as const;
    const { eventId } = await bookOne(made.partnerId, { state: 'entregue', attempts: 2, history });
    const { out } = await manager(['deliveries', 'show', eventId]);
    expect(out).toContain('attempt 1     1970-01-01 00:00:05Z  http_5xx 503, 12 ms: busy\n');
    expect(out).toContain('attempt 2     1970-01-01 00:00:09Z  delivered, 204, 7 ms\n');
  });
});

describe('deliveries replay', () => {
  const again = (...args: (string | number)[]) => manager(['deliveries', 'replay', ...args, '--json']);
  const why = ['--reason', 'INC-1', '--yes'];

  it('sends one event again, with the same id, as its next attempt', async () => {
    const { eventId, partnerId } = await bookOne(made.partnerId, { state: 'entregue', attempts: 3 });
    expect((await again(eventId, ...why)).json()).toEqual({ sent: 1, skipped: 0 });
    expect(await queued()).toEqual([{ eventId, partnerId: partnerId, attempt: 4, dueAt: expect.any(Number) }]);
    expect(await row(eventId)).toMatchObject({ state: 'pendente', attempts: 3 });
    const audit = (await manager(['audit', 'list', '--partner', partnerId, '--json'])).json();
    expect(audit[0]).toMatchObject({
      action: 'replay-deliveries',
      target: { event: eventId, sent: 1 },
      reason: 'INC-1',
    });
  });

  it('shows first what it would send, and stops there when asked to, or when nobody says yes', async () => {
    const { eventId } = await bookOne(made.partnerId, { state: 'esgotada', attempts: 12 });
    const dry = await again(eventId, '--dry-run');
    expect([dry.code, dry.json()]).toMatchObject([0, { dryRun: true, events: [{ event: eventId }] }]);
    const alone = await again(eventId, '--reason', 'r');
    expect([alone.code, alone.err]).toEqual([
      2,
      expect.stringContaining(`1 events would be sent again (1 esgotada), the newest ${eventId}`),
    ]);
    const declined = await manager(['deliveries', 'replay', eventId, '--reason', 'r'], { answers: ['no'] });
    expect(declined.code).toBe(1);
    expect(await row(eventId)).toMatchObject({ state: 'esgotada' });
    expect(await queued()).toEqual([]);
    expect((await manager(['audit', 'list', '--partner', made.partnerId, '--json'])).json()).toEqual([]);
  });

  it("sends a unit's events since a moment, oldest first, and no other's", async () => {
    const place = { unitId: made.unitId, state: 'esgotada', attempts: 1 } as const;
    const at = Date.parse('2026-01-02T00:00:00Z');
    await bookOne(made.partnerId, { ...place, createdAt: at - 1 });
    const wanted: EventId[] = [];
    for (let index = 0; index < 23; index++) {
      wanted.push((await bookOne(made.partnerId, { ...place, createdAt: at + index })).eventId);
    }
    await bookOne(made.partnerId, { ...place, createdAt: at + 50, state: 'pendente' });
    await bookOne(made.partnerId, { ...place, createdAt: at + 51, unitId: (made.unitId + 1) as UnitId });
    await bookOne(made.partnerId, { ...place, createdAt: at + 52, environment: 'sandbox' });
    const since = ['--partner', made.partnerId, '--unit', made.unitId, '--since', '2026-01-01T21:00:00-03:00'];
    expect((await again(...since, '--dry-run')).json().events).toHaveLength(23);
    expect((await again(...since, ...why)).json()).toEqual({ sent: 23, skipped: 0 });
    expect((await queued()).map(({ eventId }) => eventId).sort()).toEqual(wanted.sort());
  });

  it('takes a partner’s events by state and span, or those of one analysis, and counts them by state first', async () => {
    const place = { unitId: made.unitId, attempts: 1 } as const;
    const at = Date.parse('2026-01-02T00:00:00Z');
    const early = await bookOne(made.partnerId, { ...place, state: 'esgotada', createdAt: at });
    await bookOne(made.partnerId, { ...place, state: 'entregue', createdAt: at + 1 });
    const late = await bookOne(made.partnerId, { ...place, state: 'esgotada', createdAt: at + 5_000 });
    const partner = ['--partner', made.partnerId, '--since', '2026-01-01T21:00:00-03:00'];
    const all = await again(...partner, '--dry-run');
    expect(all.json().events).toHaveLength(3);
    expect(all.err).toContain('2 esgotada, 1 entregue');
    const found = async (...args: (string | number)[]) =>
      (await again(...partner, ...args, '--dry-run')).json().events.map(({ event }: { event: string }) => event);
    expect(await found('--state', 'esgotada')).toEqual([late.eventId, early.eventId]);
    expect(await found('--state', 'esgotada', '--until', '2026-01-02T00:00:05Z')).toEqual([early.eventId]);

    const one = await bookOne(made.partnerId, { ...place, state: 'esgotada', createdAt: at + 9_000 });
    const ofAnalysis = ['--partner', made.partnerId, '--unit', made.unitId, '--analysis', one.analysisId];
    expect((await again(...ofAnalysis, ...why)).json()).toEqual({ sent: 1, skipped: 0 });
    expect((await queued()).map(({ eventId }) => eventId)).toEqual([one.eventId]);
    const stranger = await makePartner();
    const foreign = await again('--partner', stranger.partnerId, '--unit', made.unitId, '--analysis', one.analysisId);
    expect([foreign.code, foreign.err]).toEqual([1, expect.stringContaining('nothing to replay there')]);
  });

  it('sends what was shown alone: not what was booked and delivered while the question stood open', async () => {
    const place = { unitId: made.unitId, attempts: 1 } as const;
    const shown = await bookOne(made.partnerId, { ...place, state: 'esgotada', createdAt: Date.now() - 5_000 });
    const booking = async () => {
      await bookOne(made.partnerId, { ...place, state: 'entregue', createdAt: Date.now() });
      return 'y';
    };
    const which = ['--partner', made.partnerId, '--since', '1h', '--reason', 'r', '--json'];
    const ran = await manager(['deliveries', 'replay', ...which], { answers: [booking] });
    expect(ran.err).toContain('Send 1 events again');
    expect(ran.json()).toEqual({ sent: 1, skipped: 0 });
    expect((await queued()).map(({ eventId }) => eventId)).toEqual([shown.eventId]);
  });

  it('refuses options that narrow nothing', async () => {
    const { eventId, analysisId } = await bookOne(made.partnerId, { state: 'entregue', unitId: made.unitId });
    const time = ['--state', 'esgotada', '--since', '2h', '--until', '1h'];
    const ofAnalysis = ['--partner', made.partnerId, '--unit', made.unitId, '--analysis', analysisId];
    const refusedFor = async (...args: (string | number)[]) => {
      const { code, err } = await again(...args, ...why);
      expect(code).toBe(2);
      return err;
    };
    expect(await refusedFor(...ofAnalysis, ...time)).toContain('--state, --since, --until narrows no analysis');
    expect(await refusedFor(eventId, ...ofAnalysis)).toContain('--partner, --unit, --analysis narrows no event');
    for (const option of [time.slice(0, 2), time.slice(2, 4), time.slice(4), ['--environment', 'producao']])
      expect(await refusedFor(eventId, ...option)).toContain(`${option[0]} narrows no event`);
    expect(await queued()).toEqual([]);
  });

  it('to a disabled webhook says that the events are kept, and for how long', async () => {
    await manager(['webhook', 'set', '--partner', made.partnerId, '--url', 'http://127.0.0.1:9/']);
    await manager(['webhook', 'disable', '--partner', made.partnerId, '--reason', 'r', '--yes']);
    const { eventId } = await bookOne(made.partnerId, { state: 'esgotada', attempts: 12 });
    const asked = await manager(['deliveries', 'replay', eventId, '--reason', 'r'], { answers: ['y'] });
    expect(asked.err).toContain('Stage local: Send 1 events again');
    expect(asked.err).toContain('Its webhook is disabled: they are kept until webhook enable.');
    expect(asked.out).toContain('1 kept until webhook enable');
    const letter = await exhausted();
    const redrive = await manager(['dlq', 'redrive', '--partner', made.partnerId, '--reason', 'r', '--yes']);
    expect(redrive.out).toContain('0 back with the worker');
    expect(redrive.out).toContain('1 are kept until webhook enable');
    expect((await queued()).map((message) => message.eventId).sort()).toEqual([eventId, letter.eventId].sort());
    const single = await exhausted();
    const one = await manager(['dlq', 'redrive', '--event', single.eventId, '--reason', 'r'], { answers: ['y'] });
    expect(one.err).toContain('Its webhook is disabled: it is kept until webhook enable.');
    expect(one.out).toContain('1 are kept until webhook enable');
  });

  it('leaves alone what is pending anyway', async () => {
    const { eventId } = await bookOne(made.partnerId);
    const ran = await again(eventId, ...why);
    expect([ran.code, ran.err]).toEqual([1, expect.stringContaining('is pending: its next attempt is due at')]);
  });
});

describe('the dead-letter queue', () => {
  it('is counted and looked at, and stays as it is', async () => {
    const [one, other] = [await exhausted(), await exhausted()];
    await new SQSClient({}).send(
      new SendMessageCommand({
        QueueUrl: process.env['DELIVERY_DLQ_URL'],
        MessageBody: 'rubbish',
        MessageGroupId: 'x',
      }),
    );
    expect((await manager(['dlq', 'count', '--json'])).json()).toEqual({ waiting: 3, inHand: 0 });
    for (let look = 0; look < 2; look++) {
      const seen = (await manager(['dlq', 'inspect', '--json'])).json() as { event?: string; state?: string }[];
      expect(seen.map(({ event, state }) => [event, state]).sort()).toEqual(
        [
          [one.eventId, 'esgotada'],
          [other.eventId, 'esgotada'],
          [undefined, undefined],
        ].sort(),
      );
    }
    expect((await manager(['dlq', 'inspect'])).out).toContain('(not a delivery)');
    expect(await dead()).toHaveLength(3);
  });

  it('gives each exactly one more attempt; what fails again comes back', async () => {
    const [one, other] = [await exhausted(), await exhausted()];
    const { partnerId } = made;
    await manager(['webhook', 'set', '--partner', partnerId, '--url', 'http://127.0.0.1:9/']);
    const ran = await manager(['dlq', 'redrive', '--reason', 'receiver is back', '--yes', '--json']);
    expect([ran.code, ran.json()]).toEqual([0, { redriven: 2, left: 0 }]);
    expect(await countDeadLetters()).toEqual({ waiting: 0, inHand: 0 });

    const attempts: string[] = [];
    const means = {
      deliveries: wiring.deliveries(),
      endpoints: wiring.webhookEndpoints(),
      queue: wiring.deliveryQueue(),
      clock: Date.now,
      random: Math.random,
      report: () => undefined,
      sender: {
        send: async (_: unknown, { eventId }: Delivery) => {
          attempts.push(eventId);
          return eventId === one.eventId
            ? ({ delivered: true, status: 200, milliseconds: 1 } as const)
            : ({ delivered: false, failure: 'timeout', milliseconds: 1, detail: '' } as const);
        },
      },
    };
    for (const message of await queued()) await deliver(message, means);
    expect(attempts.sort()).toEqual([one.eventId, other.eventId].sort());
    expect(await row(one.eventId)).toMatchObject({ state: 'entregue', attempts: 13 });
    expect(await row(other.eventId)).toMatchObject({ state: 'esgotada', attempts: 13 });
    expect((await dead()).map((body) => readMessage(body).eventId)).toEqual([other.eventId]);
    expect(await queued()).toEqual([]);
    const audit = (await manager(['audit', 'list', '--service', '--json'])).json();
    expect(audit[0]).toMatchObject({
      action: 'redrive-dead-letters',
      target: { redriven: 2 },
      reason: 'receiver is back',
    });
  });

  it('redrives one of many, or as many as asked for', async () => {
    const all = [await exhausted(), await exhausted(), await exhausted(), await exhausted()];
    const redrive = (...args: (string | number)[]) =>
      manager(['dlq', 'redrive', ...args, '--reason', 'r', '--yes', '--json']);
    expect((await redrive('--event', all[2]!.eventId)).json()).toEqual({ redriven: 1, left: 3 });
    expect((await queued()).map(({ eventId }) => eventId)).toEqual([all[2]!.eventId]);
    expect((await redrive('--max', 2)).json()).toEqual({ redriven: 2, left: 1 });
    expect(await queued()).toHaveLength(2);
    const absent = await redrive('--event', all[2]!.eventId);
    expect([absent.code, absent.err]).toEqual([1, expect.stringContaining('is not in the dead-letter queue')]);
    const [taken] = await sqsDeadLetters().take(1, 60);
    for (const args of [[], ['--event', all[2]!.eventId]]) {
      const unseen = await redrive(...args);
      expect([unseen.code, unseen.err]).toEqual([1, expect.stringMatching(/in sight, and 1 are in hand/)]);
    }
    await sqsDeadLetters().putBack(taken!);
    expect(await dead()).toHaveLength(1);
    const empty = await redrive();
    expect([empty.code, empty.err]).toEqual([1, expect.stringContaining('is empty: nothing to redrive')]);
  });
});

describe('the dead letters of one partner, and those of nobody', () => {
  const rubbish = () =>
    new SQSClient({}).send(
      new SendMessageCommand({
        QueueUrl: process.env['DELIVERY_DLQ_URL'],
        MessageBody: 'rubbish',
        MessageGroupId: 'x',
      }),
    );

  it('are redriven alone, and the audit names the partner and its events', async () => {
    const other = await makePartner();
    const [own, foreign] = [await exhausted(), await exhausted(other.partnerId)];
    await rubbish();
    const ran = await manager(['dlq', 'redrive', '--partner', made.partnerId, '--reason', 'r', '--yes', '--json']);
    expect(ran.json()).toEqual({ redriven: 1, left: 2 });
    expect((await queued()).map(({ eventId }) => eventId)).toEqual([own.eventId]);
    const audit = (await manager(['audit', 'list', '--partner', made.partnerId, '--json'])).json();
    expect(audit[0]).toMatchObject({
      action: 'redrive-dead-letters',
      target: { partners: String(made.partnerId), events: own.eventId, redriven: 1 },
    });
    const left = (await manager(['dlq', 'inspect', '--json'])).json() as { event?: string }[];
    expect(left.map(({ event }) => event)).toContain(foreign.eventId);
  });

  it('are discarded by event, by partner or as no delivery’s, after a question, and the rows stay', async () => {
    const [one, other] = [await exhausted(), await exhausted()];
    await rubbish();
    const discard = (...args: (string | number)[]) =>
      manager(['dlq', 'discard', ...args, '--reason', 'r', '--yes', '--json']);
    expect((await discard()).code).toBe(2);
    const declined = await manager(['dlq', 'discard', '--foreign', '--reason', 'r'], { answers: ['n'] });
    expect([declined.code, declined.err]).toEqual([1, expect.stringContaining('end for good')]);
    expect((await discard('--foreign')).json()).toEqual({ discarded: 1, left: 2 });
    expect((await discard('--event', one.eventId)).json()).toEqual({ discarded: 1, left: 1 });
    expect((await discard('--partner', made.partnerId)).json()).toEqual({ discarded: 1, left: 0 });
    expect(await dead()).toEqual([]);
    expect(await row(other.eventId)).toMatchObject({ state: 'esgotada' });
    expect(await queued()).toEqual([]);
    const audit = (await manager(['audit', 'list', '--partner', made.partnerId, '--json'])).json();
    expect(audit[0]).toMatchObject({ action: 'discard-dead-letters', target: { events: other.eventId, discarded: 1 } });
  });
});

describe('deliveries list', () => {
  it('of one analysis or since a moment, with the cause of the last failure', async () => {
    const history = [
      {
        number: 1,
        at: 5_000,
        result: { delivered: false, failure: 'http_5xx', status: 503, milliseconds: 12, detail: '' },
      },
    ] as const;
    const place = { unitId: made.unitId, createdAt: Date.now() - 60_000 };
    const failed = await bookOne(made.partnerId, { ...place, state: 'esgotada', attempts: 1, history });
    const old = await bookOne(made.partnerId, { ...place, state: 'entregue', createdAt: 1_000 });
    const list = async (...args: (string | number)[]) =>
      (await manager(['deliveries', 'list', '--partner', made.partnerId, ...args, '--json']))
        .json()
        .map(({ event, cause }: { event: string; cause?: string }) => [event, cause]);
    expect(await list()).toEqual([
      [failed.eventId, 'http_5xx 503'],
      [old.eventId, undefined],
    ]);
    expect(await list('--since', '1h')).toEqual([[failed.eventId, 'http_5xx 503']]);
    expect(await list('--unit', made.unitId, '--analysis', old.analysisId)).toEqual([[old.eventId, undefined]]);
    const { out } = await manager(['deliveries', 'list', '--partner', made.partnerId], { columns: 120 });
    expect(out).toContain('http_5xx 503');
  });
});

describe('webhooks', () => {
  const whose = () => ['--partner', made.partnerId] as const;
  const set = (url: string) => manager(['webhook', 'set', ...whose(), '--url', url, '--json']);

  it.each([
    ['https://169.254.169.254/latest', 'endereco_ip'],
    ['https://0x0a000001:8443/', 'endereco_ip'],
    ['http://hooks.parceiro.com.br/', 'https_obrigatorio'],
    ['https://user:pw@hooks.parceiro.com.br/', 'credenciais_na_url'],
    ['https://hooks.parceiro.com.br:22/', 'porta_nao_permitida'],
    ['https://metadata.internal/', 'dominio_nao_publico'],
    ['hooks', 'url_invalida'],
  ])('%s is refused with its reason, and nothing is saved', async (url, reason) => {
    const ran = await set(url);
    expect([ran.code, ran.out]).toEqual([1, '']);
    expect(ran.err).toContain(reason);
    expect(await wiring.webhookEndpoints().get(made.partnerId)).toBeUndefined();
  });

  it('keep secret and state when the address changes', async () => {
    const { secret } = (await set('http://127.0.0.1:9/a')).json();
    await manager(['webhook', 'disable', ...whose(), '--reason', 'r', '--yes']);
    const moved = await set('http://127.0.0.1:9/b');
    expect(moved.json()).toEqual({ partner: made.partnerId, url: 'http://127.0.0.1:9/b', enabled: false });
    expect(moved.err).toContain('still disabled');
    expect(await wiring.webhookEndpoints().get(made.partnerId)).toMatchObject({ secret, url: 'http://127.0.0.1:9/b' });
  });

  it('rotate with an overlap of 24 h, or at once', async () => {
    const { secret: first } = (await set('http://127.0.0.1:9/')).json();
    const rotate = async (...args: string[]) =>
      (await manager(['webhook', 'rotate', ...whose(), ...args, '--reason', 'r', '--yes', '--json'])).json();
    const began = Date.now();
    const { secret: second, previousUntil } = await rotate();
    expect(previousUntil - began).toBeGreaterThanOrEqual(86_400_000);
    expect(previousUntil - Date.now()).toBeLessThanOrEqual(86_400_000);
    expect(await wiring.webhookEndpoints().get(made.partnerId)).toMatchObject({
      secret: second,
      previousSecret: first,
      previousUntil,
    });
    const { secret: third } = await rotate('--no-overlap');
    const endpoint = await wiring.webhookEndpoints().get(made.partnerId);
    expect([endpoint!.secret, endpoint!.previousSecret, endpoint!.previousUntil]).toEqual([
      third,
      undefined,
      undefined,
    ]);
    expect(new Set([first, second, third]).size).toBe(3);
    const { out } = await manager(['webhook', 'show', ...whose()]);
    for (const secret of [first, second, third]) expect(out).not.toContain(secret);
  });

  it('ask before the address changes under events that wait, and are set once by two at the same time', async () => {
    const both = await Promise.all([set('http://127.0.0.1:9/a'), set('http://127.0.0.1:9/b')]);
    // Who came second has either been refused, or has found the first one's and moved its address: one secret was shown.
    expect(both.filter(({ out }) => out.includes('whsec_'))).toHaveLength(1);
    const shown = both.find(({ out }) => out.includes('whsec_'))!.json().secret;
    expect((await wiring.webhookEndpoints().get(made.partnerId))!.secret).toBe(shown);

    await bookOne(made.partnerId);
    const alone = await set('http://127.0.0.1:9/c');
    expect([alone.code, alone.err]).toEqual([2, expect.stringContaining('say why')]);
    const asked = await manager(['webhook', 'set', ...whose(), '--url', 'http://127.0.0.1:9/c', '--reason', 'r'], {
      answers: ['n'],
    });
    expect([asked.code, asked.err]).toEqual([1, expect.stringContaining('1 events of partner')]);
    expect((await wiring.webhookEndpoints().get(made.partnerId))!.url).not.toBe('http://127.0.0.1:9/c');
  });

  it('refuse a second rotation while the first one’s overlap runs', async () => {
    await set('http://127.0.0.1:9/');
    const rotate = (...args: string[]) =>
      manager(['webhook', 'rotate', ...whose(), ...args, '--reason', 'r', '--yes', '--json']);
    const { secret } = (await rotate()).json();
    const second = await rotate();
    expect([second.code, second.out]).toEqual([1, '']);
    expect(second.err).toContain('--drop-previous');
    expect((await rotate('--drop-previous')).code).toBe(0);
    expect((await wiring.webhookEndpoints().get(made.partnerId))!.previousSecret).toBe(secret);
  });

  it('show the secret of a rotation whose answer was lost: the command names the token to repeat it with', async () => {
    const { secret: first } = (await set('http://127.0.0.1:9/')).json();
    const rotate = (...args: string[]) =>
      manager(['webhook', 'rotate', ...whose(), ...args, '--reason', 'r', '--yes', '--json']);
    const fetched = globalThis.fetch;
    const losing = vi.spyOn(globalThis, 'fetch').mockImplementation(async (...call) => {
      const response = await fetched(...call);
      if (String(call[0]).endsWith('/rotate')) throw new TypeError('terminated');
      return response;
    });
    const lost = await rotate();
    losing.mockRestore();
    const token = /--token (\S+)/.exec(lost.err)?.[1];
    expect([lost.code, lost.out, token]).toEqual([1, '', expect.any(String)]);
    const { secret } = (await rotate('--token', token!)).json();
    const endpoint = await wiring.webhookEndpoints().get(made.partnerId);
    expect([endpoint!.secret, endpoint!.previousSecret]).toEqual([secret, first]);
  });

  it('whose secret does not open are shown, moved and given a new one; GET /v1/webhooks and reencrypt know of them', async () => {
    await set('http://127.0.0.1:9/');
    await damageSealed(webhookKey(made.partnerId));
    const show = await manager(['webhook', 'show', ...whose()]);
    expect([show.code, show.out]).toEqual([0, expect.stringContaining('does not open: webhook rotate --no-overlap')]);
    expect((await api('getWebhook', { key: made.keys.sandbox })).status).toBe(200);
    expect((await set('http://127.0.0.1:9/b')).code).toBe(0);
    const ping = await manager(['webhook', 'ping', ...whose()]);
    expect([ping.code, ping.err]).toEqual([1, expect.stringContaining('does not open')]);
    const counted = await manager(['keys', 'reencrypt', '--restart', '--json']);
    expect([counted.code, counted.json().brokenCount]).toEqual([1, 1]);
    const kept = await manager(['webhook', 'rotate', ...whose(), '--reason', 'r', '--yes']);
    expect([kept.code, kept.err]).toEqual([1, expect.stringContaining('--no-overlap')]);
    const fresh = await manager(['webhook', 'rotate', ...whose(), '--no-overlap', '--reason', 'r', '--yes', '--json']);
    expect((await wiring.webhookEndpoints().get(made.partnerId))!.secret).toBe(fresh.json().secret);
  });

  it('show how many events are kept', async () => {
    await set('http://127.0.0.1:9/');
    await manager(['webhook', 'disable', ...whose(), '--reason', 'r', '--yes']);
    const delivery = await bookOne(made.partnerId, { dueAt: 1 });
    const claim = await wiring.deliveries().claim({ ...delivery, attempt: 1 }, Date.now());
    if (claim.kind !== 'claimed') throw new Error(claim.kind);
    await wiring.deliveries().record(claim.delivery, undefined, { state: 'suspensa' }, Date.now());
    expect((await manager(['webhook', 'show', ...whose(), '--json'])).json()).toMatchObject({
      enabled: false,
      kept: 1,
    });
    const endless = countForEver(3_000);
    try {
      expect((await manager(['webhook', 'show', ...whose()])).out).toMatch(/kept events +10000 or more\n/);
      const ran = await manager(['webhook', 'enable', ...whose()]);
      expect([ran.code, ran.out]).toEqual([0, 'enabled; 1 kept events are on their way\n']);
    } finally {
      endless.end();
    }
  });

  it('release what was suspended when they are enabled, and nothing of others', async () => {
    await set('http://127.0.0.1:9/');
    await manager(['webhook', 'disable', ...whose(), '--reason', 'r', '--yes']);
    const stranger = await makePartner();
    const suspend = async (partnerId: typeof made.partnerId) => {
      const delivery = await bookOne(partnerId, { dueAt: 1 });
      const claim = await wiring.deliveries().claim({ ...delivery, attempt: 1 }, Date.now());
      if (claim.kind !== 'claimed') throw new Error(claim.kind);
      await wiring.deliveries().record(claim.delivery, undefined, { state: 'suspensa' }, Date.now());
      return delivery.eventId;
    };
    const eventIds = [await suspend(made.partnerId), await suspend(made.partnerId)];
    await manager(['webhook', 'set', '--partner', stranger.partnerId, '--url', 'http://127.0.0.1:9/']);
    await manager(['webhook', 'disable', '--partner', stranger.partnerId, '--reason', 'r', '--yes']);
    const other = await suspend(stranger.partnerId);
    const enabled = await manager(['webhook', 'enable', ...whose(), '--json']);
    expect(enabled.json()).toEqual({ partner: made.partnerId, enabled: true, released: 2 });
    expect((await queued()).map(({ eventId }) => eventId).sort()).toEqual(eventIds.sort());
    expect((await row(other))!.state).toBe('suspensa');
  });
});
