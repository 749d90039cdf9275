/**
 * What a webhook costs, and whether partners wait for one another. One process receives over TLS; this one delivers: it
 * claims in the table, sends and records. Prints medians and ratios; never fails by a time.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:https';
import { setTimeout as wait } from 'node:timers/promises';
import { connect } from 'node:tls';
import type { PartnerId } from '../../shared/domain/values/ids.ts';
import { type AttemptReport, deliver } from '../../shared/domain/webhooks/deliver.ts';
import type { DueDelivery } from '../../shared/domain/webhooks/delivery.ts';
import type { WebhookSender } from '../../shared/domain/webhooks/ports.ts';
import { tableDeliveries } from '../../shared/table/deliveries.ts';
import { tableWebhookEndpoints } from '../../shared/table/webhook-endpoints.ts';
import { webhookSender } from '../../shared/webhook/send.ts';
import { bookMany, firstMessage, makeWebhookPartner, newDelivery } from '../makers/booked.ts';
import { makeAuthority } from '../makers/certificate.ts';
import { makeDelivery, makeEndpoint } from '../makers/delivery.ts';
import { FakeDeliveryQueue } from '../makers/delivery-queue.ts';
import { startRawReceiver, startReceiver } from '../makers/receiver.ts';
import { bench, median } from './bench.ts';

const HOST = 'hooks.parceiro.com.br';
const DEAD_HOST = 'dead.parceiro.com.br';
const ROUNDS = 5;
const DELIVERIES = 200;
const AT_ONCE = 10;

/** Events of the partner that never answers, and of the other one, which come while the former are worked on. */
const DEAD_EVENTS = 1000;
const LIVE_EVENTS = 20;
/** Workers, and messages that each takes at once, as the event source has them. */
const WORKERS = 10;
const BATCH = 5;
/** What an attempt at a dead receiver takes, in milliseconds: 15 s in production. */
const ATTEMPT = 1000;

interface Ports {
  readonly port: number;
  readonly dead: number;
  readonly ca: string;
}

/** The receivers' side. */
async function receive(): Promise<void> {
  const authority = makeAuthority();
  const receiver = await startReceiver(authority.certify(HOST), (incoming, response) => {
    incoming.resume().on('end', () => response.writeHead(200).end('ok'));
  });
  const silent = await startRawReceiver((socket) => socket.resume());
  process.send?.({ port: receiver.port, dead: silent.port, ca: authority.ca } satisfies Ports);
  process.on('disconnect', () => process.exit());
}

/** Deliveries per second and microseconds of this process's CPU per delivery. */
async function measure(work: readonly (() => Promise<unknown>)[]): Promise<{ rate: number; cpu: number }> {
  const [cpu, began] = [process.cpuUsage(), performance.now()];
  const left = [...work];
  const line = async () => {
    for (let next = left.pop(); next; next = left.pop()) await next();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, line));
  const { user, system } = process.cpuUsage(cpu);
  return { rate: (work.length / (performance.now() - began)) * 1000, cpu: (user + system) / work.length };
}

const line = (text: string, value: number, digits = 0) =>
  console.log(`${text.padEnd(64)}${value.toFixed(digits).padStart(8)}`);

function senderTo({ port, dead, ca }: Ports): WebhookSender {
  return webhookSender({
    resolve: async () => ['93.184.216.34'],
    allowLocal: false,
    clock: Date.now,
    ca,
    limits: { connect: ATTEMPT, total: ATTEMPT },
    connect: ({ url }, secure) =>
      connect({ ...secure, port: url.hostname === DEAD_HOST ? dead : port, host: '127.0.0.1' }).setNoDelay(true),
  });
}

function worker(sender: WebhookSender, queue: FakeDeliveryQueue, report: (report: AttemptReport) => void) {
  const ports = { deliveries: tableDeliveries(), endpoints: tableWebhookEndpoints(), queue, sender, report };
  return (message: DueDelivery) => deliver(message, { ...ports, clock: Date.now, random: Math.random });
}

const repeat = <T>(times: number, make: () => T): T[] => Array.from({ length: times }, make);

async function costs(ports: Ports): Promise<void> {
  const sender = senderTo(ports);
  const partnerId = await makeWebhookPartner(Date.now(), `https://${HOST}/eventos`);
  const work = worker(sender, new FakeDeliveryQueue(Date.now), ({ next }) => {
    if (next.state !== 'entregue') throw new Error(next.state);
  });
  const whole = async () => {
    const booked = await bookMany(repeat(DELIVERIES, () => newDelivery(partnerId, { dueAt: Date.now() })));
    return measure(booked.map((delivery) => () => work(firstMessage(delivery))));
  };
  const [endpoint, delivery] = [makeEndpoint({ url: `https://${HOST}/` }), makeDelivery()];
  const sending = () => measure(repeat(DELIVERIES, () => () => sender.send(endpoint, delivery, 1, Date.now())));
  const bare = () =>
    measure(
      repeat(DELIVERIES, () => async () => {
        const options = { host: '127.0.0.1', servername: HOST, method: 'POST', agent: false } as const;
        const sent = request({ ...options, port: ports.port, ca: ports.ca });
        sent.end(delivery.body);
        const [response] = await once(sent, 'response');
        response.resume();
        await once(response, 'end');
      }),
    );

  for (const warmUp of [whole, sending, bare]) await warmUp();
  const rounds: Record<'whole' | 'sending' | 'bare', Awaited<ReturnType<typeof measure>>>[] = [];
  for (let round = 0; round < ROUNDS; round++)
    rounds.push({ whole: await whole(), sending: await sending(), bare: await bare() });
  const of = (kind: 'whole' | 'sending' | 'bare', what: 'rate' | 'cpu') => median(rounds.map((all) => all[kind][what]));
  line(`deliveries a second, ${AT_ONCE} at once (claim, send, record)`, of('whole', 'rate'));
  line('CPU per delivery, microseconds', of('whole', 'cpu'));
  line('CPU of its sending alone (sign, vet, connect, TLS, POST, judge)', of('sending', 'cpu'));
  line('CPU of sending / that of node:https with a fresh connection', of('sending', 'cpu') / of('bare', 'cpu'), 2);
}

/** Milliseconds from each live event's message to its arrival, and those that a worker was busy with a batch of dead ones. */
async function delays(ports: Ports, fair: boolean): Promise<{ arrived: number[]; busy: number[] }> {
  const dead = await makeWebhookPartner(Date.now(), `https://${DEAD_HOST}/`);
  const live = await makeWebhookPartner(Date.now(), `https://${HOST}/`);
  const queue = new FakeDeliveryQueue(Date.now, { fair });
  const sentAt = new Map<string, number>();
  const arrived: number[] = [];
  const busy: number[] = [];
  const work = worker(senderTo(ports), queue, ({ delivery, next }) => {
    if (next.state === 'entregue') arrived.push(Date.now() - sentAt.get(delivery.eventId)!);
  });
  const send = async (partnerId: PartnerId, events: number) => {
    const booked = await bookMany(repeat(events, () => newDelivery(partnerId, { dueAt: Date.now() })));
    for (const { eventId } of booked) sentAt.set(eventId, Date.now());
    await queue.send(booked.map(firstMessage), Date.now());
  };
  await send(dead, DEAD_EVENTS);
  let open = true;
  const workers = repeat(WORKERS, async () => {
    while (open) {
      const batch = queue.receive(BATCH);
      const began = Date.now();
      await Promise.all(
        batch.map(async ({ receipt, message }) => {
          const outcome = await work(message);
          if (outcome.kind === 'done') queue.remove(receipt);
          else await queue.hide(receipt, outcome.after);
        }),
      );
      if (batch.length === 0) await wait(5);
      else if (batch.every(({ message }) => message.partnerId === dead)) busy.push(Date.now() - began);
    }
  });
  for (let event = 0; event < LIVE_EVENTS; event++) {
    await wait(ATTEMPT * (0.5 + Math.random() / 2));
    await send(live, 1);
  }
  // Without fairness the last come after the whole backlog: a minute is enough to show it.
  const until = Date.now() + 60_000;
  while (arrived.length < LIVE_EVENTS && Date.now() < until) await wait(20);
  open = false;
  await Promise.all(workers);
  return { arrived, busy };
}

async function measureAll(): Promise<void> {
  const child: ChildProcess = fork(import.meta.filename, ['receiver']);
  const [ports] = (await once(child, 'message')) as [Ports];
  try {
    await costs(ports);
    console.log(
      `\na dead partner with ${DEAD_EVENTS} events, ${WORKERS} workers x ${BATCH} messages; another's events wait,`,
    );
    console.log(
      'in attempts at the dead one (a partner is a group of an SQS fair queue, as modelled by the fake queue):',
    );
    for (const fair of [true, false]) {
      const { arrived, busy } = await delays(ports, fair);
      const attempt = median(busy);
      const name = fair ? 'fair queue' : 'first in, first out, for comparison';
      line(`  ${name}: one attempt with its table calls, milliseconds`, attempt);
      line(`  ${name}: arrived of ${LIVE_EVENTS}`, arrived.length);
      line(`  ${name}: median wait / attempt`, median(arrived) / attempt, 2);
      line(`  ${name}: longest wait / attempt`, Math.max(...arrived) / attempt, 2);
    }
  } finally {
    child.disconnect();
  }
}

if (process.argv[2] === 'receiver') await receive();
else await bench(measureAll);
