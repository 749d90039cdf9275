import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { beforeEach, describe, expect, it } from 'vitest';
import type { EventId } from '#shared/domain/values/ids.ts';
import type { Delivery } from '#shared/domain/webhooks/delivery.ts';
import type { EndpointOwner } from '#shared/domain/webhooks/endpoint.ts';
import { newWebhookSecret } from '#shared/domain/webhooks/secret.ts';
import { readMessage, SqsDeliveryQueue } from '#shared/queue/deliveries.ts';
import { transact } from '#shared/table/rows/client.ts';
import { deliveryKey } from '#shared/table/rows/keys.ts';
import { replay } from '#shared/table/webhooks/replays.ts';
import { disableWebhook, setWebhook } from '#shared/table/webhooks/webhook-endpoints.ts';
import { administration, because, everyPage } from '#test/makers/administration.ts';
import { bookDeliveries, bookDelivery, moveToState, newDelivery } from '#test/makers/booked.ts';
import { intercepted, interceptTable } from '#test/makers/intercepted.ts';
import { type MadePartner, makePartner, usePeers } from '#test/makers/peers.ts';
import { drainQueue } from '#test/makers/sqs.ts';

usePeers();
let made: MadePartner;
const queue = () => process.env['DELIVERY_QUEUE_URL']!;
const graveyard = () => process.env['DELIVERY_DLQ_URL']!;
/** The owner of the partner's webhook of production. */
const production = (): EndpointOwner => ({ partnerId: made.partnerId, environment: 'producao' });
beforeEach(async () => {
  made = await makePartner();
  await drainQueue(queue());
  await drainQueue(graveyard());
});

const queued = async () => (await drainQueue(queue())).map((text) => readMessage(text).eventId);

it('list-deliveries lists newest first and page by page, and filters those of an analysis in the same way', async () => {
  const partner_id = made.partnerId;
  const [first, second] = await bookDeliveries([
    newDelivery(partner_id, { createdAt: 1_000, state: 'entregue' }),
    newDelivery(partner_id, { createdAt: 2_000, state: 'esgotada' }),
  ]);
  const list = async (query: object) =>
    (await everyPage('list-deliveries', { query: { partner_id, ...query } })).flatMap(({ deliveries }) =>
      deliveries.map(({ event_id }: { event_id: string }) => event_id),
    );
  const all = { environment: 'producao', unit_id: first!.unitId, since: '1970-01-01T00:00:01Z' };
  expect(await list({ ...all, limit: 1 })).toEqual([second!.eventId, first!.eventId]);
  expect(await list({ ...all, state: 'entregue', until: '1970-01-01T00:00:02Z' })).toEqual([first!.eventId]);
  const ofAnalysis = { analysis_id: second!.analysisId, unit_id: second!.unitId };
  for (const [filter, found] of [
    [{}, 1],
    [{ environment: 'sandbox' }, 0],
    [{ state: 'entregue' }, 0],
    [{ since: '1970-01-01T00:00:02Z' }, 1],
    [{ since: '1970-01-01T00:00:02.001Z' }, 0],
    [{ until: '1970-01-01T00:00:02.001Z' }, 1],
    [{ until: '1970-01-01T00:00:02Z' }, 0],
  ] as const)
    expect(await list({ ...ofAnalysis, ...filter }), JSON.stringify(filter)).toEqual(found ? [second!.eventId] : []);
  const query = { partner_id, analysis_id: second!.analysisId! };
  expect((await administration('list-deliveries', { query })).body.code).toBe('field_invalid');
});

it('list-deliveries shows the current row if its index is late, and omits a row that has left the state', async () => {
  const partner_id = made.partnerId;
  interceptTable();
  const listWhile = async (happens: (eventId: EventId) => Promise<unknown>, query: object = {}) => {
    const { eventId } = await bookDelivery(partner_id, { state: 'esgotada', createdAt: 1_000, attempts: 7 });
    const happening = {
      around: async <T>(name: string, call: () => Promise<T>) => {
        const answer = await call();
        if (name === 'table QueryCommand') await happens(eventId);
        return answer;
      },
    };
    const list = () => administration('list-deliveries', { query: { partner_id, ...query } });
    return (await intercepted(happening, list)).body.deliveries;
  };
  const replaying = (eventId: EventId) => replay(eventId, 2_000);
  const [shown] = await listWhile(replaying);
  expect(shown).toMatchObject({ state: 'pendente', attempts: 7 });
  expect(await listWhile(replaying, { state: 'esgotada' })).toEqual([]);
  const gone = (eventId: EventId) => transact([{ Delete: { Key: deliveryKey(eventId) } }]);
  expect(await listWhile(gone, { state: 'esgotada' })).toEqual([]);
});

it('show-delivery shows a delivery with each attempt', async () => {
  const result = { delivered: false, failure: 'http_5xx', status: 503, milliseconds: 12, detail: 'busy' } as const;
  const { eventId } = await bookDelivery(made.partnerId, { attempts: 1, history: [{ number: 1, at: 5_000, result }] });
  const { delivery } = (await administration('show-delivery', { params: { event_id: eventId } })).body;
  expect(delivery).toMatchObject({
    event_id: eventId,
    state: 'pendente',
    due_at: expect.stringMatching(/Z$/),
    body: { id: eventId },
    history: [{ number: 1, at: '1970-01-01T00:00:05.000Z', failure: 'http_5xx', status: 503, detail: 'busy' }],
  });
});

describe('replay-deliveries', () => {
  const replay = (body: object) => administration('replay-deliveries', { body: { ...because, ...body } });

  it.each(['pendente', 'entregue', 'esgotada'] as const)(
    'replay-deliveries sends one event that is %s, at most once a minute',
    async (state) => {
      const { eventId } = await bookDelivery(made.partnerId, { state, attempts: 3, dueAt: Date.now() + 3_600_000 });
      expect((await replay({ event_id: eventId, dry_run: true })).body.deliveries).toMatchObject([{ state }]);
      const first = await replay({ event_id: eventId });
      expect(first.body).toMatchObject({ partner_id: made.partnerId, sent: 1, skipped: 0, total: 1, suspended: false });
      expect(await queued()).toEqual([eventId]);
      const again = await replay({ event_id: eventId });
      expect(again.status).toBe(422);
      expect(again.body.error).toContain('wait a minute');
      expect(await queued()).toEqual([]);
    },
  );

  it('replay-deliveries keeps an event if the webhook is disabled, and answers 404 for an unknown event', async () => {
    await setWebhook(production(), 'https://parceiro.exemplo.com.br/e', newWebhookSecret(), Date.now());
    await disableWebhook(production(), 'manager', Date.now());
    const { eventId } = await bookDelivery(made.partnerId, { state: 'entregue' });
    expect((await replay({ event_id: eventId })).body).toMatchObject({ sent: 1, suspended: true });
    expect((await administration('show-delivery', { params: { event_id: eventId } })).body.delivery.state).toBe(
      'suspensa',
    );
    expect((await replay({ event_id: `evt_${'a'.repeat(32)}` })).status).toBe(404);
  });

  it('replay-deliveries sends an account event to its own address although the webhook is disabled', async () => {
    const { partnerId } = made;
    await setWebhook(production(), 'https://parceiro.exemplo.com.br/e', newWebhookSecret(), Date.now());
    await administration('create-key', {
      body: { ...because, partner_id: partnerId, unit_id: made.unitId, environment: 'producao' },
    });
    await disableWebhook(production(), 'manager', Date.now());
    const { deliveries } = (await administration('list-deliveries', { query: { partner_id: partnerId } })).body;
    expect(deliveries).toMatchObject([{ type: 'conta.alterada' }]);
    const [{ event_id }] = deliveries;
    expect((await replay({ event_id, dry_run: true })).body.suspended).toBe(false);
    expect((await replay({ event_id })).body).toMatchObject({ sent: 1, suspended: false });
    expect(await queued()).toEqual([event_id]);
  });

  it('replay-deliveries of an environment sends only its events, and asks only whether its webhook is disabled', async () => {
    const tested = { ...production(), environment: 'sandbox' } as const;
    for (const owner of [production(), tested])
      await setWebhook(owner, 'https://parceiro.exemplo.com.br/e', newWebhookSecret(), Date.now());
    await disableWebhook(tested, 'failing', Date.now());
    const createdAt = Date.now() - 1_000;
    const own = await bookDelivery(production(), { state: 'entregue', createdAt });
    const test = await bookDelivery(tested, { state: 'entregue', createdAt });
    const time = { partner_id: made.partnerId, since: new Date(createdAt - 60_000).toISOString() };
    const ofAnalysis = ({ analysisId, unitId }: Delivery) => ({
      partner_id: made.partnerId,
      unit_id: unitId,
      analysis_id: analysisId,
    });
    for (const which of [time, ofAnalysis(own)]) {
      const preview = (await replay({ ...which, environment: 'producao', dry_run: true })).body;
      expect(preview).toMatchObject({ suspended: false, deliveries: [{ event_id: own.eventId }] });
    }
    for (const which of [time, ofAnalysis(test)]) {
      const preview = (await replay({ ...which, environment: 'sandbox', dry_run: true })).body;
      expect(preview).toMatchObject({ suspended: true, deliveries: [{ event_id: test.eventId }] });
    }
    expect((await replay({ ...time, environment: 'producao' })).body).toMatchObject({
      sent: 1,
      total: 1,
      suspended: false,
    });
    expect(await queued()).toEqual([own.eventId]);
    expect((await replay({ event_id: test.eventId })).body).toMatchObject({ sent: 1, suspended: true });
    expect(await queued()).toEqual([]);
  });

  it('replay-deliveries of a period previews what it would send, oldest first, and then sends just that', async () => {
    const now = Date.now();
    const all = Array.from({ length: 450 }, (_, index) =>
      newDelivery(made.partnerId, {
        createdAt: now - 1_000 + index,
        state: index % 45 === 0 ? 'entregue' : 'esgotada',
        attempts: 12,
      }),
    );
    await bookDeliveries(all);
    const wanted = all.filter(({ state }) => state === 'esgotada').map(({ eventId }) => eventId);
    const which = {
      partner_id: made.partnerId,
      state: 'esgotada',
      environment: 'producao',
      since: new Date(now - 60_000).toISOString(),
    };
    const preview = await everyPage('replay-deliveries', { body: { ...which, dry_run: true } });
    const named = preview.flatMap(({ deliveries }) => deliveries.map(({ event_id }: { event_id: string }) => event_id));
    expect(named).toEqual(wanted);
    expect(await queued()).toEqual([]);

    const done = await everyPage('replay-deliveries', { body: { ...which, ...because } });
    expect(done.length).toBeGreaterThan(1);
    expect(done.map(({ total }) => total)).toEqual(done.map(() => wanted.length));
    expect(done.reduce((sum, { sent }) => sum + sent, 0)).toBe(wanted.length);
    expect((await queued()).sort()).toEqual([...wanted].sort());
    // A page that is asked for again after a lost answer finds these deliveries pending.
    expect((await replay(which)).body).toMatchObject({ sent: 0 });
  });

  it('the preview of replay-deliveries returns until, with which the change leaves later events out', async () => {
    const now = Date.now();
    const { eventId, analysisId, unitId } = await bookDelivery(made.partnerId, {
      createdAt: now - 5_000,
      state: 'entregue',
    });
    const { partnerId: partner_id } = made;
    const of = { partner_id, environment: 'producao' };
    const time = { ...of, since: new Date(now - 60_000).toISOString() };
    const analysis = { ...of, unit_id: unitId, analysis_id: analysisId };
    const look = async (which: object) => (await replay({ ...which, dry_run: true })).body;
    const { until } = await look(time);
    expect(Date.parse(until)).toBeGreaterThanOrEqual(now);
    expect(Date.parse((await look(analysis)).until)).toBeGreaterThanOrEqual(now);
    expect((await look({ ...time, until: '2099-01-01T00:00:00Z' })).until).toBe('2099-01-01T00:00:00.000Z');
    expect((await look({ event_id: eventId })).until).toBeNull();
    await bookDelivery(made.partnerId, { createdAt: Date.parse(until), state: 'entregue' });
    expect((await replay({ ...time, until })).body).toMatchObject({ sent: 1, total: 1 });
    const before = new Date(now - 5_000).toISOString();
    await bookDelivery(made.partnerId, { createdAt: now, state: 'entregue' });
    expect((await look({ ...analysis, until: before })).deliveries).toEqual([]);
    expect(await queued()).toEqual([eventId]);
  });

  it('replay-deliveries refuses fields that cannot narrow the choice: more would be sent than the audit says', async () => {
    const { eventId, analysisId, unitId } = await bookDelivery(made.partnerId, { state: 'entregue' });
    const event = { event_id: eventId };
    const analysis = {
      partner_id: made.partnerId,
      environment: 'producao',
      unit_id: unitId,
      analysis_id: analysisId,
    };
    const time = { state: 'esgotada', since: '2026-01-01T00:00:00Z', until: '2026-01-02T00:00:00Z' };
    for (const [which, beside] of [
      [event, { partner_id: 999, state: 'esgotada' }],
      [event, { unit_id: unitId, environment: 'producao', analysis_id: analysisId, ...time }],
      [analysis, { state: time.state, since: time.since }],
    ] as const) {
      for (const more of [because, { dry_run: true }]) {
        const answer = await administration('replay-deliveries', { body: { ...which, ...beside, ...more } });
        expect(answer.status).toBe(400);
        expect(answer.body.code).toBe('field_invalid');
        const named = answer.body.fields.map(({ field }: { field: string }) => field);
        expect(named.sort()).toEqual(Object.keys(beside).sort());
      }
    }
    expect(await queued()).toEqual([]);
    const { entries } = (await administration('list-audit', { query: { partner_id: made.partnerId } })).body;
    expect(entries).toEqual([]);
    expect((await replay(analysis)).body).toMatchObject({ sent: 1 });
  });

  it.each([
    [{}, 'partner_id'],
    [{ partner_id: 1, since: '2026-01-01T00:00:00Z' }, 'environment'],
    [{ partner_id: 1, unit_id: 3, analysis_id: 2 }, 'environment'],
    [{ partner_id: 1, environment: 'sandbox' }, 'since'],
    [{ partner_id: 1, environment: 'sandbox', analysis_id: 2 }, 'unit_id'],
  ])('replay-deliveries refuses a body that chooses no events: %o', async (body, field) => {
    const answer = await replay(body);
    expect(answer.body.code).toBe('field_required');
    expect(answer.body.fields[0].field).toBe(field);
  });
});

/** Returns an exhausted delivery, whose message is in the dead-letter queue. */
async function exhausted(partnerId = made.partnerId, attempts = 12): Promise<Delivery> {
  const delivery = await bookDelivery(partnerId, { state: 'esgotada', attempts, unitId: made.unitId });
  const { eventId, dueAt } = delivery;
  await new SqsDeliveryQueue().giveUp({ eventId, partnerId, attempt: attempts + 1, dueAt });
  return delivery;
}

it('list-dead-letters counts and shows letters, which stay in the queue', async () => {
  const { eventId } = await exhausted();
  await new SQSClient({}).send(new SendMessageCommand({ QueueUrl: graveyard(), MessageBody: 'by hand' }));
  const { body } = await administration('list-dead-letters');
  expect(body.waiting).toBe(2);
  expect(body.letters).toHaveLength(2);
  expect(body.letters).toContainEqual({
    event_id: eventId,
    partner_id: made.partnerId,
    state: 'esgotada',
    dead_since: expect.any(String),
  });
  expect(body.letters.filter((one: { event_id: unknown }) => one.event_id === null)).toHaveLength(1);
  const counted = (await administration('list-dead-letters', { query: { limit: 0 } })).body;
  expect(counted).toMatchObject({ waiting: 2, in_hand: 0, letters: [] });
});

it('redrive-dead-letters redrives the letters of one partner, and says if the webhook is disabled', async () => {
  const other = await makePartner();
  const [mine, theirs] = [await exhausted(), await exhausted(other.partnerId)];
  await setWebhook(production(), 'https://parceiro.exemplo.com.br/e', newWebhookSecret(), Date.now());
  await disableWebhook(production(), 'manager', Date.now());
  const body = { partner_id: made.partnerId };
  const preview = await administration('redrive-dead-letters', { body: { ...body, dry_run: true } });
  expect(preview.body).toMatchObject({ waiting: 2, suspended: true });
  for (const [{ eventId: event_id, partnerId: partner_id }, suspended] of [
    [mine, true],
    [theirs, false],
  ] as const)
    for (const which of [{ event_id }, { event_id, partner_id }])
      expect((await administration('redrive-dead-letters', { body: { ...which, dry_run: true } })).body).toMatchObject({
        suspended,
      });
  const { body: done } = await administration('redrive-dead-letters', { body: { ...body, ...because } });
  expect(done).toMatchObject({
    redriven: 1,
    suspended: 1,
    left: 1,
    total: 2,
    events: [mine.eventId],
    next_cursor: null,
  });
  expect(await queued()).toEqual([mine.eventId]);
  expect((await drainQueue(graveyard())).map((text) => readMessage(text).eventId)).toEqual([theirs.eventId]);
});

it('redrive-dead-letters sends a letter of production although the sandbox webhook is disabled', async () => {
  const { eventId } = await exhausted();
  const tested = { ...production(), environment: 'sandbox' } as const;
  for (const owner of [production(), tested])
    await setWebhook(owner, 'https://parceiro.exemplo.com.br/e', newWebhookSecret(), Date.now());
  await disableWebhook(tested, 'failing', Date.now());
  const which = { event_id: eventId };
  const preview = await administration('redrive-dead-letters', { body: { ...which, dry_run: true } });
  expect(preview.body.suspended).toBe(false);
  const done = await administration('redrive-dead-letters', { body: { ...which, ...because } });
  expect(done.body).toMatchObject({ redriven: 1, suspended: 0 });
});

it('discard-dead-letters takes exactly one of event, partner and foreign, with its confirmation', async () => {
  const { eventId } = await exhausted();
  await new SQSClient({}).send(new SendMessageCommand({ QueueUrl: graveyard(), MessageBody: 'by hand' }));
  const discard = (body: object) => administration('discard-dead-letters', { body: { ...because, ...body } });
  expect((await discard({ confirm: 'foreign' })).body.code).toBe('field_invalid');
  expect((await discard({ foreign: true, confirm: 'foreign' })).body).toMatchObject({ discarded: 1, left: 1 });
  expect((await discard({ event_id: eventId, confirm: eventId })).body).toMatchObject({ discarded: 1, left: 0 });
  const { entries } = (await administration('list-audit', { query: { partner_id: made.partnerId } })).body;
  expect(entries[0]).toMatchObject({ action: 'discard-dead-letters', target: { event: eventId } });
  expect(await drainQueue(graveyard())).toEqual([]);
});

it('a discarded delivery stays marked, leaves the list of exhausted deliveries, and can be sent again', async () => {
  const now = Date.now();
  const [first, second] = [newDelivery(made.partnerId, { dueAt: now }), newDelivery(made.partnerId, { dueAt: now })];
  for (const booked of await bookDeliveries([first, second])) await moveToState('esgotada', booked, now);
  const givenUp = async (query = {}) =>
    (await administration('list-deliveries', { query })).body.deliveries.filter(
      ({ partner_id }: { partner_id: number }) => partner_id === made.partnerId,
    );
  expect((await givenUp()).map(({ event_id }: { event_id: string }) => event_id).sort()).toEqual(
    [first.eventId, second.eventId].sort(),
  );
  expect(await givenUp({ environment: 'sandbox' })).toEqual([]);
  const { body: beside } = await administration('list-deliveries', { query: { state: 'entregue' } });
  expect(beside).toMatchObject({ code: 'field_invalid', fields: [{ field: 'state' }] });
  const event_id = first.eventId;
  const discard = () => administration('discard-dead-letters', { body: { event_id, confirm: event_id, ...because } });
  expect((await discard()).body).toMatchObject({ discarded: 1 });
  expect(await givenUp()).toMatchObject([{ event_id: second.eventId, discarded_at: null }]);
  expect((await administration('replay-deliveries', { body: { event_id, ...because } })).body.sent).toBe(1);
  expect((await discard()).body).toMatchObject({ discarded: 0 });
  const { delivery } = (await administration('show-delivery', { params: { event_id } })).body;
  expect(delivery).toMatchObject({ state: 'pendente', discarded_at: expect.stringMatching(/Z$/) });
});
