import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { handler as submitAnalyses } from '../../functions/api/analyses/submit-analyses.ts';
import { handler as createLead } from '../../functions/api/leads/create-lead.ts';
import { handler as pollOutcomes } from '../../functions/pollers/poll-bank-outcomes.ts';
import { handler as deliverWebhook } from '../../functions/workers/deliver-webhook.ts';
import { verify } from '../../infra/local/inbox.ts';
import { ROUTES } from '../../shared/contract/routes.ts';
import { setWebhook } from '../../shared/table/webhook-endpoints.ts';
import { newWebhookSecret } from '../../shared/webhook/sign.ts';
import { callHandler, lambdaContext } from '../makers/call.ts';
import { makePartner, usePeers } from '../makers/peers.ts';
import { analysisBody, leadBody } from '../makers/people.ts';
import { type Receiver, startPlainReceiver } from '../makers/receiver.ts';
import { QueueView, sqsEvent } from '../makers/sqs.ts';

usePeers();
let receiver: Receiver;
const got: { headers: Record<string, string | string[] | undefined>; raw: string }[] = [];

beforeAll(async () => {
  process.env['LOCAL_WEBHOOK_TARGETS'] = 'true';
  receiver = await startPlainReceiver(async (request, response) => {
    let raw = '';
    for await (const chunk of request) raw += chunk;
    got.push({ headers: request.headers, raw });
    response.writeHead(200).end();
  });
  // Only the clock is held: connections keep their timers. The queue runs in this process and goes by the same clock.
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterAll(async () => {
  vi.useRealTimers();
  await receiver.stop();
});

const route = (operation: string) => ROUTES.find((row) => row.operation === operation)!;
const pass = (milliseconds: number) => vi.setSystemTime(Date.now() + milliseconds);

test('the test CPF 900.000.009-22: the first attempt fails, the second arrives and verifies', async () => {
  const cpf = '900.000.009-22';
  const { partnerId, keys } = await makePartner();
  const secret = newWebhookSecret();
  await setWebhook(partnerId, `http://127.0.0.1:${receiver.port}/`, secret, Date.now());
  const lead = await callHandler(createLead, route('create-lead'), { key: keys.sandbox, body: leadBody({ cpf }) });
  const submission = await callHandler(submitAnalyses, route('submit-analyses'), {
    key: keys.sandbox,
    body: analysisBody(lead.body.lead_id, { cpf }),
    headers: { 'idempotency-key': 'one' },
  });
  expect(submission.status).toBe(202);
  pass(70_000);
  await pollOutcomes({ shard: 0, shards: 1 }, lambdaContext(55_000));

  const queue = new QueueView(process.env['DELIVERY_QUEUE_URL']!);
  const [message] = await queue.receive();
  expect(await deliverWebhook(sqsEvent([message!]), lambdaContext())).toEqual({
    batchItemFailures: [{ itemIdentifier: message!.MessageId }],
  });
  expect(got).toEqual([]);
  expect(await queue.receive()).toEqual([]);

  pass(7_000);
  const [again] = await queue.receive();
  expect(await deliverWebhook(sqsEvent([again!]), lambdaContext())).toEqual({ batchItemFailures: [] });
  expect(got).toHaveLength(1);
  const { headers, raw } = got[0]!;
  expect(headers).toMatchObject({ 'x-service-event': 'analise.resultado', 'x-service-attempt': '2' });
  expect(JSON.parse(raw)).toMatchObject({ ambiente: 'sandbox', sequencia: 1, data: { situacao: 'aprovado' } });
  expect(verify(secret, headers, raw)).toEqual({ service: true, standard: true });
});
