import { beforeAll, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { scheduledEvent } from '#infra/local/aws/event-sources.ts';
import { blueprintOf } from '#infra/local/blueprint.ts';
import { readAssembly, Template } from '#infra/local/template.ts';
import * as routes from '#shared/contract/routes.ts';
import { PENDING_LIMIT } from '#shared/domain/analyses/analysis.ts';
import { beginErasure } from '#shared/domain/leads/erasure.ts';
import type { LeadId } from '#shared/domain/values/ids.ts';
import { days, hours, type Milliseconds, minutes } from '#shared/domain/values/time.ts';
import { SqsDeliveryQueue } from '#shared/queue/deliveries.ts';
import { putSecret } from '#shared/runtime/secret.ts';
import { TableErasures } from '#shared/table/leads/lead-erasure.ts';
import { api, handlerOf, OPERATIONS } from '../makers/api.ts';
import { bookDelivery, firstMessage, makeWebhookPartner } from '../makers/booked.ts';
import { lambdaContext } from '../makers/call.ts';
import { startPlainReceiver } from '../makers/receiver.ts';
import { everyRow } from '../makers/rows.ts';
import { useScene } from '../makers/scene.ts';
import { QueueView, sqsEvent } from '../makers/sqs.ts';
import { passTime, withWrongClock } from '../makers/test-clock.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const blueprint = blueprintOf(new Template(readAssembly(inject('assembly')), 'http://127.0.0.1'));
/** Every function that a schedule or a queue starts, by the template. */
const STARTED = Array.from(
  new Set([...blueprint.schedules, ...blueprint.sources].map((plan) => operationOf(plan.function))),
).sort();

function operationOf(name: string): string {
  const plan = blueprint.functions.find((candidate) => candidate.name === name);
  if (!plan) throw new Error(`the template has no function ${name}`);
  return plan.operation;
}

const scene = useScene();
let queue: QueueView;
let publicName: string;
/** Number of calls that the receivers of webhooks and the public name have got. */
let received = 0;

beforeAll(async () => {
  const { port, stop } = await startPlainReceiver((_, response) => {
    received += 1;
    response.writeHead(200).end();
  });
  publicName = `http://127.0.0.1:${port}`;
  process.env['LOCAL_WEBHOOK_TARGETS'] = 'true';
  process.env['PROBE_URL'] = publicName;
  await putSecret(String(process.env['PROBE_KEY_SECRET']), scene.partner.keys.sandbox);
  queue = new QueueView(String(process.env['DELIVERY_QUEUE_URL']));
  return stop;
});
beforeEach(() => queue.purge());

let submissions = 0;
/** Submits a new person to a bank, which has this text about it. Returns the id of the analysis. */
async function submitted(text: string): Promise<number> {
  const person = await scene.person();
  const { body } = await scene.submit(person, ['itau'], `key-${++submissions}`);
  const id: number = body.analises[0].analise_id;
  scene.operator.control.decide(scene.reference(id), text);
  return id;
}

/** Books an event for a partner that takes it, `age` ago. */
async function bookedEvent(age: Milliseconds) {
  const at = Date.now() - age;
  return bookDelivery(await makeWebhookPartner(at, { url: `${publicName}/` }), { dueAt: at, createdAt: at });
}

/** Returns the event of a function's schedule at this moment. */
function eventOf(operation: string): unknown {
  const plan = blueprint.schedules.find((schedule) => operationOf(schedule.function) === operation);
  if (!plan) throw new Error(`${operation} has no schedule`);
  return scheduledEvent(plan, Date.now());
}

/** Makes work that a function does as soon as it is started, and returns the event that starts it. By operation. */
const WORK: Readonly<Record<string, () => Promise<unknown>>> = {
  'deliver-webhook': async () => {
    await new SqsDeliveryQueue().send([firstMessage(await bookedEvent(0))], Date.now());
    return sqsEvent(await queue.receive(5));
  },
  'poll-bank-outcomes': async () => {
    await submitted('Aprovado');
    passTime(minutes(2));
    return eventOf('poll-bank-outcomes');
  },
  'probe-service': async () => eventOf('probe-service'),
  'sweep-deliveries': async () => {
    await bookedEvent(minutes(10));
    return eventOf('sweep-deliveries');
  },
  'sweep-erasures': async () => {
    const { partnerId, unitId } = scene.partner;
    const { lead } = await scene.person();
    const subject = { partnerId, unitId, environment: scene.environment, leadId: lead as LeadId };
    const now = Date.now();
    await new TableErasures(() => now).begin(beginErasure(subject, now, now - minutes(1)));
    return eventOf('sweep-erasures');
  },
};

async function eventWithWork(operation: string): Promise<unknown> {
  const make = WORK[operation];
  if (!make) throw new Error(`${operation} has no work in WORK`);
  return make();
}

/** Everything that a run can change: the rows, the messages, and the calls to the operator and to receivers. */
async function world() {
  const { visible, taken, delayed } = await queue.counts();
  const rows = Object.fromEntries((await everyRow()).map((row) => [`${row['pk']} ${row['sk']}`, row]));
  const { calls } = scene.operator.control.state();
  return { rows, messages: visible + taken + delayed, calls: { ...calls }, received };
}

/** Runs a function, and returns its answer and the metrics that it has emitted. */
async function run(operation: string, event: unknown, wrongBy: Milliseconds = 0) {
  const handler = await handlerOf(operation);
  const before = scene.peers.metrics.length;
  const answer: unknown = await withWrongClock(wrongBy, () => handler(event, lambdaContext(55_000)));
  return { answer, metrics: scene.peers.metrics.slice(before) };
}

it('WORK has every function that the template starts by a schedule or a queue', () => {
  expect(Object.keys(WORK).sort()).toEqual(STARTED);
});

describe.each(STARTED.map((operation) => [operation]))('%s', (operation) => {
  it.each([
    ['ahead', days(2)],
    ['behind', -days(2)],
  ])(`${operation} changes, sends and asks nothing if its clock is two days %s`, async (_, wrongBy) => {
    const event = await eventWithWork(operation);
    const before = await world();
    const { metrics } = await run(operation, event, wrongBy);
    expect(await world()).toEqual(before);
    const [counted, ...others] = metrics;
    expect(others).toEqual([]);
    expect(counted).toMatchObject({ RunsWithWrongClock: 1 });
    // AWS's time, not that of the clock, which is two days off.
    expect(Math.abs(Number(counted?._aws.Timestamp) - Date.now())).toBeLessThan(hours(1));
  });

  it(`${operation} does its work if it begins three minutes after its event`, async () => {
    const event = await eventWithWork(operation);
    const before = await world();
    passTime(minutes(3));
    const { metrics } = await run(operation, event);
    expect(await world()).not.toEqual(before);
    expect(metrics.filter((line) => 'RunsWithWrongClock' in line)).toEqual([]);
  });
});

it('deliver-webhook gives its messages back to the queue if its clock is wrong', async () => {
  await new SqsDeliveryQueue().send([firstMessage(await bookedEvent(0))], Date.now());
  const messages = await queue.receive(5);
  const { answer } = await run('deliver-webhook', sqsEvent(messages), days(2));
  expect(answer).toEqual({ batchItemFailures: messages.map(({ MessageId }) => ({ itemIdentifier: MessageId })) });
});

it('a poller whose clock is two days ahead cancels no analysis of 29 days', async () => {
  const id = await submitted('Em análise');
  passTime(PENDING_LIMIT - days(1));
  await run('poll-bank-outcomes', eventOf('poll-bank-outcomes'), days(2));
  expect((await scene.status(id)).body.analise.situacao).toBe('em_analise');
  passTime(days(2));
  await run('poll-bank-outcomes', eventOf('poll-bank-outcomes'));
  expect((await scene.status(id)).body.analise.situacao).toBe('cancelado');
});

const isRead = (operation: (typeof OPERATIONS)[number]) => routes[operation].method === 'GET';

it.each(OPERATIONS.filter((operation) => !isRead(operation)))(
  'a partner gets 503 from %s, and nothing is stored, if its clock and the gateway differ by two days',
  async (operation) => {
    const { key } = scene;
    const { lead } = await scene.person();
    const id = operation === 'resendDelivery' ? (await bookedEvent(0)).eventId : lead;
    await api('getAccount', { key });
    const stored = async () => (await everyRow()).filter(({ sk }) => sk !== 'AUTH');
    const [rows, metrics] = [await stored(), scene.peers.metrics.length];
    for (const receivedAt of [Date.now() - days(2), Date.now() + days(2)]) {
      const answer = await api(operation, { key, id, body: {}, once: 'clock', receivedAt });
      expect(answer.status).toBe(503);
      expect(answer.body.codigo).toBe('servico_indisponivel');
      expect(answer.headers['retry-after']).toBeDefined();
    }
    expect(await stored()).toEqual(rows);
    expect(scene.peers.metrics.slice(metrics).filter((line) => 'RunsWithWrongClock' in line)).toHaveLength(2);
  },
);

it('a partner still gets the answer of a GET if its clock and the gateway differ by two days', async () => {
  const { key } = scene;
  const { lead } = await scene.person();
  expect((await api('getLead', { key, id: lead, receivedAt: Date.now() - days(2) })).status).toBe(200);
});

it('a submission that meets a clock of three days ago is refused, and the same call is accepted by a right clock', async () => {
  const { key } = scene;
  const { body } = await scene.person();
  const receivedAt = Date.now();
  const refused = await withWrongClock(-days(3), () => api('submitAnalyses', { key, body, once: 'again', receivedAt }));
  expect(refused.status).toBe(503);
  expect((await api('submitAnalyses', { key, body, once: 'again' })).status).toBe(202);
});
