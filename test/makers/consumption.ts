import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Message, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { ASSUMED, BACKGROUND, type Consumption, type Standing } from '#infra/cost/cost.ts';
import type { FunctionPlan } from '#infra/local/blueprint.ts';
import { startInbox } from '#infra/local/inbox.ts';
import { startOperator } from '#infra/local/operator/operator.ts';
import type { StageName } from '#infra/stages.ts';
import { getDocs, ROUTES, type Route } from '#shared/contract/routes.ts';
import { makeApiKey } from '#shared/domain/partners/api-key.ts';
import { BANKS } from '#shared/domain/values/bank.ts';
import { timestamp } from '#shared/domain/values/clock.ts';
import { drawId, type EventId, type PartnerId } from '#shared/domain/values/ids.ts';
import { newWebhookSecret } from '#shared/domain/webhooks/secret.ts';
import * as env from '#shared/runtime/env.ts';
import { sendMetricsTo } from '#shared/runtime/metrics.ts';
import { putSecret } from '#shared/runtime/secret.ts';
import { tableClient } from '#shared/table/rows/client.ts';
import { setWebhook } from '#shared/table/webhooks/webhook-endpoints.ts';
import { handlerOf } from './api.ts';
import { bookDeliveries, newDelivery } from './booked.ts';
import { type CallOptions, gatewayEvent, lambdaContext } from './call.ts';
import { countUnits } from './counting.ts';
import { makePartner } from './peers.ts';
import { analysisBody, cpfFrom, leadBody, simulationBody, withdrawalBody } from './people.ts';
import { startPlainReceiver } from './receiver.ts';
import { sqsEvent } from './sqs.ts';
import { filledInProd, type Resource, Synthesised } from './synthesised.ts';
import { beginMinute, releaseClock } from './test-clock.ts';

/** SQS calls that the event source makes for one message: its share of a receive, and a deletion. */
const SOURCE_CALLS = 2;

/** Resources that a piece of work used. */
interface Usage {
  readonly calls: number;
  readonly read: number;
  readonly write: number;
  readonly queueCalls: number;
  readonly processorMs: number;
  readonly logBytes: number;
}

/** Runs a piece of work and returns what it used. Meanwhile the log is counted and not printed. */
type Measure = <T>(work: () => Promise<T>) => Promise<{ result: T; usage: Usage }>;

/** Starts counting in this process: calls to table and queue, and bytes written to the log. */
function startMeasuring(): Measure {
  const units = countUnits(tableClient());
  let queueCalls = 0;
  const send = SQSClient.prototype.send;
  SQSClient.prototype.send = function counting(this: SQSClient, ...call: unknown[]) {
    queueCalls += 1;
    return Reflect.apply(send, this, call);
  } as typeof send;
  let logBytes = 0;
  sendMetricsTo((line) => {
    logBytes += Buffer.byteLength(line) + 1;
  });
  return async (work) => {
    units.reset();
    queueCalls = 0;
    logBytes = 0;
    const write = process.stdout.write;
    process.stdout.write = ((text: string | Uint8Array) => {
      logBytes += Buffer.byteLength(text);
      return true;
    }) as typeof write;
    const cpuBefore = process.threadCpuUsage();
    try {
      const result = await work();
      const { user, system } = process.threadCpuUsage(cpuBefore);
      const { calls, read, write: written } = units.units;
      const counts = { calls: calls.length, read, write: written, queueCalls };
      return { result, usage: { ...counts, processorMs: (user + system) / 1000, logBytes } };
    } finally {
      process.stdout.write = write;
    }
  };
}

const figuresOf = (usage: Usage, figure: (name: keyof Usage) => number) =>
  Object.fromEntries(Object.keys(usage).map((name) => [name, figure(name as keyof Usage)])) as unknown as Usage;

/**
 * Returns the median of each figure over some runs. So it does not matter if one run cleaned something up, or asked
 * twice because a new minute began.
 */
const medianOf = (all: readonly Usage[]): Usage =>
  figuresOf(all[0]!, (name) => all.map((usage) => usage[name]).toSorted((a, b) => a - b)[Math.floor(all.length / 2)]!);

/** Returns (a - b) / pieces for each figure, at least 0. */
const perPiece = (a: Usage, b: Usage, pieces: number) =>
  figuresOf(a, (name) => Math.max(0, (a[name] - b[name]) / pieces));

type Handler = (event: unknown, context: unknown) => Promise<{ statusCode?: number; body?: string } | undefined>;

/**
 * Returns the handler of an operation. The function that reads files next to its code runs as its bundle. The others
 * run from source, because only their calls are counted here.
 */
async function countedHandler(operation: string, bundles: readonly FunctionPlan[] = []): Promise<Handler> {
  const bundle = operation === getDocs.operation && bundles.find((plan) => plan.operation === operation);
  if (!bundle) return handlerOf(operation);
  return (await import(/* @vite-ignore */ pathToFileURL(join(bundle.folder, 'index.mjs')).href)).handler;
}

/** The figures of a run without the function's memory, which infra/functions.ts says. */
export type Recorded = Omit<Consumption, 'memory'>;

/**
 * Records what one run of every function uses, in this process against the peers that its environment names. Routes are
 * called as a partner calls them, and the median of some rounds counts. The work in the background is recorded for each
 * tick, question and attempt. Throws an Error if a route has no example call or refuses it.
 */
export async function recordConsumption(rounds: number, bundles: readonly FunctionPlan[]): Promise<Recorded[]> {
  const operator = await startOperator({ token: 'the-operator-token', delayMs: 1_000_000_000 });
  const inbox = await startInbox(() => {});
  process.env['OPERATOR_URL'] = operator.url;
  process.env['LOCAL_WEBHOOK_TARGETS'] = 'true';
  const measure = startMeasuring();
  try {
    const routes = await recordRoutes(measure, rounds, bundles);
    const { keys, partnerId } = await makePartner();
    const secret = newWebhookSecret();
    await setWebhook({ partnerId, environment: 'producao' }, inbox.url, secret, Date.now());
    inbox.expect(secret);
    const priming = await recordPriming(measure);
    const poller = await recordPoller(measure, operator.control, keys.producao);
    return [
      ...routes,
      priming,
      ...poller,
      await recordSweeper('sweep-deliveries', BACKGROUND.sweep, measure),
      await recordSweeper('sweep-erasures', BACKGROUND.sweepErasures, measure),
      await recordProbe(measure),
      ...(await recordAttempts(measure, inbox.url, partnerId)),
    ];
  } finally {
    releaseClock();
    await Promise.all([operator.close(), inbox.close()]);
  }
}

async function call(measure: Measure, route: Route, options: CallOptions, bundles: readonly FunctionPlan[] = []) {
  const handle = await countedHandler(route.operation, bundles);
  const event = gatewayEvent(route, options);
  const { result, usage } = await measure(() => handle(event, lambdaContext()));
  if (!result?.statusCode || result.statusCode >= 400) {
    throw new Error(`${route.operation} answered ${result?.statusCode}: ${result?.body}`);
  }
  return { body: result.body ?? '', usage };
}

const routeOf = (operation: string): Route => ROUTES.find((route) => route.operation === operation)!;

/** Example calls of the routes that need more than a key. `round` makes the data of each call different. */
const EXAMPLES: Readonly<Record<string, { what: string; options: (world: World, round: number) => CallOptions }>> = {
  'create-lead': {
    what: 'a new lead, with an Idempotency-Key',
    options: (_, round) => ({ body: leadBody({ cpf: cpfFrom(round) }), once: `l${round}` }),
  },
  'get-lead': { what: 'one lead', options: ({ lead }) => ({ id: lead }) },
  'update-lead': {
    what: 'one field of a lead',
    options: ({ lead }, round) => ({ id: lead, body: { observacao: `ligar ${round}` } }),
  },
  'create-simulation': {
    what: 'all six banks, with an Idempotency-Key',
    options: ({ lead }, round) => ({ body: simulationBody(lead, { bancos: BANKS }), once: `s${round}` }),
  },
  'get-simulation': { what: 'six banks', options: ({ opportunity }) => ({ id: opportunity }) },
  'get-simulation-instalments': { what: '420 months or less', options: ({ simulation }) => ({ id: simulation }) },
  'get-simulation-pdf': { what: 'the document', options: ({ simulation }) => ({ id: simulation }) },
  'get-simulation-comparison': { what: 'six banks', options: ({ opportunity }) => ({ id: opportunity }) },
  'submit-analyses': {
    what: 'two banks in production',
    options: ({ lead }, round) => ({ body: analysisBody(lead, { bancos: ['itau', 'bradesco'] }), once: `a${round}` }),
  },
  'get-analysis-status': { what: 'one analysis', options: ({ analysis }) => ({ id: analysis }) },
  'list-lead-analyses': { what: 'a page of 20 or less', options: ({ lead }) => ({ id: lead }) },
  'list-lead-consents': { what: 'all of a lead', options: ({ lead }) => ({ id: lead }) },
  'withdraw-consent': {
    what: 'with an Idempotency-Key, one analysis pending',
    options: ({ waiting }, round) => ({ id: waiting, body: withdrawalBody(round), once: `w${round}` }),
  },
  'resend-delivery': {
    what: 'one event, its address enabled',
    options: ({ events }, round) => ({ id: events[round]! }),
  },
  'reset-sandbox': { what: 'an empty sandbox', options: ({ sandboxes }, round) => ({ key: sandboxes[round]! }) },
};

interface World {
  readonly lead: number;
  readonly opportunity: number;
  readonly simulation: number;
  readonly analysis: number;
  /** A lead with one pending analysis. */
  readonly waiting: number;
  /** One event for each round, because an event can be resent only once a minute. */
  readonly events: readonly EventId[];
  /** One key for each round, because a sandbox can be reset only once a minute. */
  readonly sandboxes: readonly string[];
}

async function recordRoutes(measure: Measure, rounds: number, bundles: readonly FunctionPlan[]): Promise<Recorded[]> {
  const { keys, partnerId, unitId } = await makePartner(10_000);
  const key = keys.producao;
  const create = async (operation: string, options: CallOptions) =>
    JSON.parse((await call(measure, routeOf(operation), { key, ...options })).body);
  const lead = (await create('create-lead', { body: leadBody() })).lead_id;
  const { resultado } = await create('create-simulation', { body: simulationBody(lead, { bancos: BANKS }) });
  const submitted = await create('submit-analyses', { body: analysisBody(lead), once: 'first' });
  const cpf = cpfFrom(999_999);
  const waiting = (await create('create-lead', { body: leadBody({ cpf }) })).lead_id;
  await create('submit-analyses', { body: analysisBody(waiting, { cpf }), once: 'waiting' });
  const booked = await bookDeliveries(Array.from({ length: rounds + 1 }, () => newDelivery(partnerId, { unitId })));
  const world: World = {
    lead,
    opportunity: resultado.id_oportunidade,
    simulation: resultado.resultados[0].simulacao_id,
    analysis: submitted.analises[0].analise_id,
    waiting,
    events: booked.map(({ eventId }) => eventId),
    sandboxes: await Promise.all(booked.map(async () => (await makePartner()).keys.sandbox)),
  };
  const recorded: Recorded[] = [];
  for (const route of ROUTES) {
    const example = EXAMPLES[route.operation];
    if (!example && (route.method !== 'GET' || route.path.includes('{'))) {
      throw new Error(`${route.operation} has no example call here`);
    }
    const options = (round: number): CallOptions => ({
      ...(route.scope !== 'public' && { key }),
      ...example?.options(world, round),
    });
    // The first run loads code and keys, so it is not counted.
    const first = await call(measure, route, options(0), bundles);
    const all: Usage[] = [];
    for (let round = 1; round <= rounds; round++) all.push((await call(measure, route, options(round), bundles)).usage);
    recorded.push({
      operation: route.operation,
      what: example?.what ?? 'as it is',
      ...medianOf(all),
      outsideMs: route.operation === 'submit-analyses' ? ASSUMED.operatorMs : 0,
      outBytes: Buffer.byteLength(first.body),
      route: true,
      runs: 1,
    });
  }
  return recorded;
}

/**
 * Records what a container asks for before its first call. The container of get-lead is recorded for all functions,
 * because a function that reads asks for most.
 */
async function recordPriming(measure: Measure): Promise<Recorded> {
  const operation = 'get-lead';
  const { prime } = (await handlerOf(operation)) as Handler & { prime(): Promise<void> };
  await measure(prime);
  const { usage } = await measure(prime);
  return {
    operation,
    what: BACKGROUND.priming,
    ...usage,
    // A refused write costs one unit like a successful one, but its answer does not report it.
    write: usage.write + 1,
    outsideMs: 0,
    outBytes: 0,
    route: false,
    runs: 0,
  };
}

type OperatorControl = Awaited<ReturnType<typeof startOperator>>['control'];

async function recordPoller(measure: Measure, operator: OperatorControl, key: string): Promise<Recorded[]> {
  const operation = 'poll-bank-outcomes';
  const poll = await handlerOf(operation);
  const tick = async () => {
    const event = { time: timestamp(Date.now()), shard: 0, shards: 1 };
    return (await measure(() => poll(event, lambdaContext(55_000)))).usage;
  };
  const decideAll = () => {
    for (const reference of Object.keys(operator.state().references)) operator.decide(reference, 'Aprovado');
  };
  // In another minute a tick would ask for further ranges of the index.
  beginMinute();
  decideAll();
  await tick();
  const idle = await tick();
  const lead = JSON.parse((await call(measure, routeOf('create-lead'), { key, body: leadBody() })).body);
  for (const round of [1, 2, 3, 4, 5]) {
    const body = analysisBody(lead.lead_id, { bancos: BANKS });
    await call(measure, routeOf('submit-analyses'), { key, body, once: `p${round}` });
  }
  const pieces = 5 * BANKS.length;
  await tick();
  const noNews = await tick();
  decideAll();
  const outcomes = await tick();
  const common = { operation, outBytes: 0, route: false };
  // The poller has twenty questions open at the same time.
  const question = { ...common, outsideMs: ASSUMED.operatorQueryMs / 20, runs: 0 };
  return [
    { ...common, what: BACKGROUND.idleTick, ...idle, outsideMs: 0, runs: 1 },
    { ...question, what: BACKGROUND.noNews, ...perPiece(noNews, idle, pieces) },
    { ...question, what: BACKGROUND.outcome, ...perPiece(outcomes, idle, pieces) },
  ];
}

async function recordSweeper(operation: string, what: string, measure: Measure): Promise<Recorded> {
  const sweep = await handlerOf(operation);
  const run = () => sweep({ time: timestamp(Date.now()) }, lambdaContext(55_000));
  await measure(run);
  const { usage } = await measure(run);
  const common = { operation, outsideMs: 0, outBytes: 0, route: false };
  return { ...common, what, ...usage, runs: 1 };
}

/** Records a run of the outside probe against a server that answers 200 to everything. */
async function recordProbe(measure: Measure): Promise<Recorded> {
  const operation = 'probe-service';
  const { port, stop } = await startPlainReceiver((_, response) => response.writeHead(200).end());
  process.env['PROBE_URL'] = `http://127.0.0.1:${port}`;
  const look = await handlerOf(operation);
  await putSecret(env.probe().keySecret, makeApiKey(drawId<PartnerId>(Date.now()), 'sandbox').text);
  const run = () => look({ time: timestamp(Date.now()) }, lambdaContext(15_000));
  await measure(run);
  const { usage } = await measure(run);
  await stop();
  const common = { operation, outBytes: 1024, route: false };
  return { ...common, what: BACKGROUND.probe, ...usage, outsideMs: ASSUMED.probeMs, runs: 1 };
}

async function recordAttempts(measure: Measure, inboxUrl: string, partnerId: PartnerId): Promise<Recorded[]> {
  const operation = 'deliver-webhook';
  const deliver = await handlerOf(operation);
  const attempt = async (message: Message) => {
    return (await measure(() => deliver(sqsEvent([message]), lambdaContext()))).usage;
  };
  const messages = await messagesOf(partnerId, 6);
  await attempt(messages[0]!);
  const delivered: Usage[] = [];
  for (const message of messages.slice(1, -1)) delivered.push(await attempt(message));
  await fetch(new URL('/fail-next?n=1&status=503', inboxUrl), { method: 'POST' });
  const failed = await attempt(messages.at(-1)!);
  const common = { operation, outsideMs: ASSUMED.receiverMs, outBytes: 1024, route: false };
  const withSource = (usage: Usage) => ({ ...usage, queueCalls: usage.queueCalls + SOURCE_CALLS });
  return [
    { ...common, what: BACKGROUND.delivered, ...withSource(medianOf(delivered)), runs: 1 },
    { ...common, what: BACKGROUND.failed, ...withSource(failed), runs: 1 },
  ];
}

/** Takes messages about a partner's events from the delivery queue, as the event source takes them. */
async function messagesOf(partnerId: PartnerId, wanted: number): Promise<Message[]> {
  const sqs = new SQSClient({});
  const messages: Message[] = [];
  for (let round = 0; messages.length < wanted && round < 50; round++) {
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({ QueueUrl: process.env['DELIVERY_QUEUE_URL'], MaxNumberOfMessages: 10 }),
    );
    messages.push(...Messages.filter(({ Body }) => JSON.parse(Body ?? '{}').partnerId === partnerId));
  }
  if (messages.length < wanted)
    throw new Error(`the queue has ${messages.length} messages of the partner, not ${wanted}`);
  return messages.slice(0, wanted);
}

/** Returns how many resources of a stage are paid by the month. For prod, as if all its values were filled in. */
export function fixedResourcesOf(stage: StageName): Standing {
  const { data, service, watch } = stage === 'prod' ? filledInProd() : Synthesised.of(stage);
  const ofType = (type: string) =>
    [data, service, watch].flatMap((stack) => Object.values(stack.findResources(type) as Record<string, Resource>));
  const alarms = ofType('AWS::CloudWatch::Alarm');
  const metricsOf = (properties: Resource['Properties']) => {
    const metrics = properties['Metrics'] as readonly { readonly MetricStat?: unknown }[] | undefined;
    // An alarm on a rule over the log costs as much as an alarm on one metric.
    return metrics ? Math.max(1, metrics.filter(({ MetricStat }) => MetricStat).length) : 1;
  };
  const acl = ofType('AWS::WAFv2::WebACL')[0];
  return {
    keys: ofType('AWS::KMS::Key').length,
    // A replica in another region costs as much as another secret.
    secrets: ofType('AWS::SecretsManager::Secret').reduce(
      (total, { Properties }) => total + 1 + ((Properties['ReplicaRegions'] ?? []) as unknown[]).length,
      0,
    ),
    alarmMetrics: alarms.reduce((total, { Properties }) => total + metricsOf(Properties), 0),
    compositeAlarms: ofType('AWS::CloudWatch::CompositeAlarm').length,
    dashboards: ofType('AWS::CloudWatch::Dashboard').length,
    insightRules: ofType('AWS::CloudWatch::InsightRule').length,
    firewallRules: ((acl?.Properties['Rules'] ?? []) as unknown[]).length,
  };
}
