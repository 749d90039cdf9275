import { inspect } from 'node:util';
import { SQSClient } from '@aws-sdk/client-sqs';
import type { SQSBatchResponse } from 'aws-lambda';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { handler } from '#functions/workers/deliver-webhook.ts';
import { verify } from '#infra/local/inbox.ts';
import { eventOf } from '#shared/contract/event.ts';
import { type AnalysisId, drawId, type LeadId, type UnitId } from '#shared/domain/values/ids.ts';
import { minutes } from '#shared/domain/values/time.ts';
import type { EndpointOwner } from '#shared/domain/webhooks/endpoint.ts';
import { SqsDeliveryQueue } from '#shared/queue/deliveries.ts';
import { tableClient } from '#shared/table/rows/client.ts';
import { TableDeliveries } from '#shared/table/webhooks/deliveries.ts';
import { deleteReceiverTexts } from '#shared/table/webhooks/receiver-texts.ts';
import { TableWebhookEndpoints } from '#shared/table/webhooks/webhook-endpoints.ts';
import { makeAnalysis } from '../makers/analysis.ts';
import { bookDeliveries, bookDelivery, firstMessage, makeWebhookPartner } from '../makers/booked.ts';
import { lambdaContext } from '../makers/call.ts';
import { countUnits } from '../makers/counting.ts';
import { usePeers } from '../makers/peers.ts';
import { type Receiver, startPlainReceiver } from '../makers/receiver.ts';
import { QueueView, sqsEvent } from '../makers/sqs.ts';
import { holdClock, passTime, releaseClock } from '../makers/test-clock.ts';

interface Got {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly raw: string;
}

const peers = usePeers();
let receiver: Receiver;
let queue: QueueView;
const got: Got[] = [];
/** Status that the receiver answers, by path. */
const statuses: Record<string, number> = {};
/** What happens once before the receiver answers, by path. */
const beforeAnswer: Record<string, () => Promise<unknown>> = {};

beforeAll(async () => {
  process.env['LOCAL_WEBHOOK_TARGETS'] = 'true';
  receiver = await startPlainReceiver(async (request, response) => {
    let raw = '';
    for await (const chunk of request) raw += chunk;
    got.push({ path: request.url!, headers: request.headers, raw });
    const happens = beforeAnswer[request.url!];
    delete beforeAnswer[request.url!];
    await happens?.();
    response.writeHead(statuses[request.url!] ?? 200).end('the answer');
  });
  queue = new QueueView(process.env['DELIVERY_QUEUE_URL']!);
});
afterAll(async () => {
  await receiver.stop();
});

const deliveries = new TableDeliveries();
let paths = 0;

async function made(status: number): Promise<{ owner: EndpointOwner; path: string; received: () => Got[] }> {
  const path = `/${++paths}`;
  statuses[path] = status;
  const owner = await makeWebhookPartner(Date.now(), { url: `http://127.0.0.1:${receiver.port}${path}` });
  return { owner, path, received: () => got.filter((one) => one.path === path) };
}

async function booked(owner: EndpointOwner, overrides: Parameters<typeof bookDelivery>[1] = {}) {
  const now = Date.now();
  const delivery = await bookDelivery(owner, { dueAt: now, createdAt: now, ...overrides });
  await new SqsDeliveryQueue().send([firstMessage(delivery)], now);
  return delivery;
}

/**
 * Receives the visible messages, gives them to the worker, and removes those that the worker did not report as failed.
 */
async function turn(seconds = 10): Promise<SQSBatchResponse> {
  const messages = await queue.receive(seconds);
  const response = await handler(sqsEvent(messages), lambdaContext());
  const kept = response.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
  await Promise.all(messages.flatMap((one) => (kept.includes(one.MessageId!) ? [] : [queue.remove(one)])));
  return response;
}

test('deliver-webhook sends a signed event once, and a duplicate of its message does nothing', async () => {
  const { owner, received } = await made(204);
  const delivery = await booked(owner);
  expect(await turn()).toEqual({ batchItemFailures: [] });
  await new SqsDeliveryQueue().send([firstMessage(delivery), firstMessage(delivery)], Date.now());
  expect(await turn()).toEqual({ batchItemFailures: [] });
  expect(await queue.counts()).toEqual({ visible: 0, taken: 0, delayed: 0 });

  const [event, ...others] = received();
  expect(others).toEqual([]);
  const { secret } = (await new TableWebhookEndpoints().get(owner))!;
  expect(verify(secret, event!.headers, event!.raw)).toEqual({ service: true, standard: true });
  expect(event!.raw).toBe(delivery.body);
  expect(event!.headers).toMatchObject({
    'webhook-id': delivery.eventId,
    'x-service-event': 'analise.resultado',
    'x-service-attempt': '1',
  });
  expect(await deliveries.get(delivery.eventId)).toMatchObject({
    state: 'entregue',
    attempts: 1,
    history: [{ number: 1, result: { delivered: true, status: 204 } }],
  });
});

test('deliver-webhook keeps the message of a failed attempt hidden until the second attempt', async () => {
  const { owner } = await made(503);
  const delivery = await booked(owner);
  const began = Date.now();
  const asked = vi.spyOn(SQSClient.prototype, 'send');
  const response = await turn();
  const seconds = asked.mock.calls.flatMap(([{ input }]) =>
    'VisibilityTimeout' in input ? input.VisibilityTimeout : [],
  );
  asked.mockRestore();
  expect(response.batchItemFailures).toHaveLength(1);
  expect(await queue.counts()).toEqual({ visible: 0, taken: 1, delayed: 0 });
  await queue.purge();
  const row = (await deliveries.get(delivery.eventId))!;
  expect(row).toMatchObject({
    state: 'pendente',
    attempts: 1,
    history: [{ number: 1, result: { failure: 'http_5xx', status: 503, detail: 'the answer' } }],
  });
  expect(row.dueAt).toBeGreaterThanOrEqual(began + 5000);
  // The wait is 5 s and at most a tenth more, rounded up to whole seconds.
  expect(seconds).toEqual([expect.toSatisfy((hidden) => hidden <= 6)]);
});

test('deliver-webhook works on the rest of a batch if a message cannot be read', async () => {
  const { owner, received } = await made(200);
  const delivery = await bookDelivery(owner, { dueAt: Date.now() });
  const batch = [
    { MessageId: 'bad', ReceiptHandle: 'r1', Body: 'not json' },
    { MessageId: 'good', ReceiptHandle: 'r2', Body: JSON.stringify(firstMessage(delivery)) },
  ];
  expect(await handler(sqsEvent(batch), lambdaContext())).toEqual({ batchItemFailures: [{ itemIdentifier: 'bad' }] });
  expect(received()).toHaveLength(1);
  await expect(handler(sqsEvent(batch.slice(0, 1)), lambdaContext())).rejects.toThrow();
});

test('deliver-webhook logs the event on which it fails, and throws an error without the text of the failure', async () => {
  const { owner } = await made(200);
  const delivery = await bookDelivery(owner, { dueAt: Date.now() });
  const message = { MessageId: 'm', ReceiptHandle: 'r', Body: JSON.stringify(firstMessage(delivery)) };
  const claim = vi.spyOn(TableDeliveries.prototype, 'claim').mockRejectedValueOnce(new Error('the table is away'));
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const ended = await handler(sqsEvent([message]), lambdaContext()).catch((error: unknown) => error);
  const lines = write.mock.calls.map(([line]) => String(line));
  write.mockRestore();
  claim.mockRestore();
  const failed = lines.filter((line) => line.includes('"code":"request_failed"')).map((line) => JSON.parse(line));
  expect(failed).toMatchObject([{ event: delivery.eventId }]);
  // Lambda logs the error of a run whole, and errors of libraries quote what they failed on.
  expect(ended).toBeInstanceOf(Error);
  expect(inspect(ended, { depth: null })).not.toContain('the table is away');
});

test('a delivery that succeeds costs at most 3 table calls and 5 write units, and fetches no secret', async () => {
  const { owner, received } = await made(200);
  await booked(owner);
  await turn();
  const counted = countUnits(tableClient());
  const fetches = vi.spyOn(peers.secrets, 'act');
  const now = Date.now();
  // The ids and texts are as long as in production.
  const ids = { id: drawId<AnalysisId>(now), unitId: drawId<UnitId>(now), leadId: drawId<LeadId>(now) };
  const { partnerId, environment } = owner;
  const rawStatus = 'APROVADO COM RESTRIÇÃO - AGUARDANDO DOCUMENTOS';
  const told = { bank: 'santander', situation: 'condicionado', queryNumber: 'SAN-2026-0001234567', rawStatus } as const;
  const [delivery] = await bookDeliveries([
    eventOf(makeAnalysis({ ...ids, ...told, partnerId, environment, sequence: 1 }), now),
  ]);
  counted.reset();
  await handler(
    sqsEvent([{ MessageId: 'm', ReceiptHandle: 'r', Body: JSON.stringify(firstMessage(delivery!)) }]),
    lambdaContext(),
  );
  expect(received()).toHaveLength(2);
  expect(counted.units.calls).toEqual(['Update', 'Get', 'Update']);
  expect(counted.units.write).toBeLessThanOrEqual(5);
  expect(counted.units.read).toBeLessThanOrEqual(1);
  expect(fetches).not.toHaveBeenCalled();
  const { history } = (await deliveries.get(delivery!.eventId))!;
  expect(history.map(({ result }) => Object.keys(result).sort())).toEqual([['delivered', 'milliseconds', 'status']]);
});

test('an attempt that an erasure overtakes keeps no text and costs one table call more, a later attempt none', async () => {
  const { owner, path } = await made(503);
  holdClock();
  const delivery = await booked(owner);
  // Without attributes the message counts as sent just now, whatever the clock says.
  const messages = (await queue.receive(10)).map((message) => ({ ...message, Attributes: undefined }));
  const { units, reset } = countUnits(tableClient());
  /** Makes the next attempt, as if the message had come back, and returns the calls of the table. */
  const attempt = async () => {
    reset();
    await handler(sqsEvent(messages), lambdaContext());
    return units.calls;
  };
  const usual = ['Update', 'Get', 'Update', 'Update'];
  expect(await attempt()).toEqual(usual);
  passTime(minutes(1));
  beforeAnswer[path] = async () => {
    await deleteReceiverTexts(delivery, delivery.analysisId!, Date.now());
    reset();
  };
  // After the erasure come three calls: one counts the failure, one is refused, and one writes the result without a text.
  expect(await attempt()).toEqual(['Update', 'Update', 'Update']);
  passTime(minutes(10));
  expect(await attempt()).toEqual(usual);
  const { history } = (await deliveries.get(delivery.eventId))!;
  await queue.purge();
  releaseClock();
  expect(history.map(({ result }) => (result.delivered ? undefined : result.detail))).toEqual(['', '', '']);
});
