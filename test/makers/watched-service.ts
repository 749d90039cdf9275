import { DeleteMessageBatchCommand, PurgeQueueCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll } from 'vitest';
import { alarmsOf } from '#infra/alarms.ts';
import { DELIVERY_WORKER, POLLERS, PROBE } from '#infra/functions.ts';
import { handled } from '#infra/local/aws/event-sources.ts';
import { alarmStates } from '#infra/local/dashboards/alarm-states.ts';
import type { MetricStore } from '#infra/local/dashboards/metric-store.ts';
import {
  localMetricStore,
  lookAtQueue,
  measureAccess,
  measureAccessLine,
  measureLine,
  measureRun,
  measureTable,
} from '#infra/local/dashboards/platform-metrics.ts';
import { startInbox } from '#infra/local/inbox.ts';
import { functionNameOf, namesOf, prefixOf, type Stage, stageValues } from '#infra/stages.ts';
import type { Route } from '#shared/contract/routes.ts';
import * as routes from '#shared/contract/routes.ts';
import { BANKS } from '#shared/domain/values/bank.ts';
import { timestamp } from '#shared/domain/values/clock.ts';
import { ENVIRONMENTS } from '#shared/domain/values/tenancy.ts';
import { newWebhookSecret } from '#shared/domain/webhooks/secret.ts';
import { putSecret } from '#shared/runtime/secret.ts';
import { transact } from '#shared/table/rows/client.ts';
import { forgetServiceKeys } from '#shared/table/rows/encryption.ts';
import { webhookKey } from '#shared/table/rows/keys.ts';
import { TableTroubledEndpoints } from '#shared/table/webhooks/troubled-endpoints.ts';
import { setWebhook } from '#shared/table/webhooks/webhook-endpoints.ts';
import { api, handlerOf, type Operation } from './api.ts';
import { type CallAnswer, type CallOptions, lambdaContext } from './call.ts';
import { type MadePartner, makePartner } from './peers.ts';
import { analysisBody, cpfFrom, leadBody } from './people.ts';
import { type Receiver, startPlainReceiver } from './receiver.ts';
import { everyRow } from './rows.ts';
import { type Scene, useScene } from './scene.ts';
import { beginMinute, passTime, withWrongClock } from './test-clock.ts';

const MINUTE = 60_000;
const DOMAIN = { name: 'api.example', certificateArn: 'none' };
export const STAGE = {
  ...stageValues('dev', {}),
  probeHasKey: true,
  domain: DOMAIN,
  firewall: stageValues('prod').firewall,
  evidence: stageValues('prod').evidence,
} as Stage;
/** The day of the test decides about `pricing-tables-old`: banks publish no new rate in these stories. */
export const WATCHED = alarmsOf(STAGE).filter(({ name }) => name !== 'pricing-tables-old');
const NO_FAULTS = { answerLost: 0, requestLost: 0, hang: 0, throttled: 0, error: 0 };
const NO_FAULTS_ANYWHERE = { dynamodb: NO_FAULTS, sqs: NO_FAULTS, secretsmanager: NO_FAULTS };
/**
 * Milliseconds between the calls of a minute, its poller and its sweeper. All three stay in one minute even on a slow
 * machine.
 */
const PAUSE = 10_000;
/** Number of messages in a batch of the event source. */
const BATCH = 5;

const BACKGROUND_FUNCTIONS = [...Object.values(POLLERS), DELIVERY_WORKER, PROBE];

/**
 * Runs the real functions on the peers, minute by minute on a clock that jumps, and measures what AWS would measure:
 * the gateway's calls, the functions' runs, the queues, the table and the rules over the log. A test takes parts out
 * and asks which alarms are on.
 */
export class WatchedService {
  readonly scene: Scene;
  store: MetricStore = localMetricStore();
  /** The scheduled functions and the worker that run in each minute. */
  readonly running = new Set<string>(BACKGROUND_FUNCTIONS);
  /** How far the clocks of functions are ahead, in milliseconds. The keys are the functions' operations. */
  readonly wrongClocks = new Map<string, number>();
  /** Status that the outside probe gets from the public name. */
  outside = 200;
  #publicName!: Receiver;
  #sqs!: SQSClient;
  #inbox!: Awaited<ReturnType<typeof startInbox>>;
  /**
   * Milliseconds that the operator takes for its next answer. The held clock jumps by them, so other work at the same
   * time takes as long.
   */
  nextAnswerTakes = 0;
  /** Whether the queue loses the messages that it gets. */
  losing = false;
  #metricsRead = 0;
  #lines: string[] = [];
  #minute = 0;
  #people = 0;

  constructor(scene: Scene) {
    this.scene = scene;
  }

  async open(): Promise<void> {
    process.env['LOCAL_WEBHOOK_TARGETS'] = 'true';
    this.#publicName = await startPlainReceiver((_, response) => {
      response.writeHead(this.outside).end();
      // An answer other than 200 does not come from the gateway, so the gateway does not count it.
      if (this.outside === 200) this.#countAnswer(routes.getHealth, 200, 1);
    });
    process.env['PROBE_URL'] = `http://127.0.0.1:${this.#publicName.port}`;
    await putSecret(process.env['PROBE_KEY_SECRET']!, this.scene.partner.keys.sandbox);
    this.#sqs = new SQSClient({ endpoint: process.env['AWS_ENDPOINT_URL_SQS']! });
    this.#inbox = await startInbox(() => {}, { answer: 200 });
    // Collects log lines for the rules that count them.
    const write = process.stdout.write.bind(process.stdout);
    process.stdout.write = ((text: string, ...rest: []) => {
      if (String(text).startsWith('{"level"')) this.#lines.push(String(text));
      return write(text, ...rest);
    }) as typeof process.stdout.write;
  }

  async close(): Promise<void> {
    await this.#inbox.close();
    await this.#publicName.stop();
    this.#sqs.destroy();
  }

  /** Makes everything run again, deletes everything that waits, and forgets all measurements. */
  async recover(): Promise<void> {
    const { operator, awsLike } = this.scene;
    operator.control.clear();
    awsLike.set({ faults: NO_FAULTS_ANYWHERE });
    forgetServiceKeys();
    this.wrongClocks.clear();
    for (const operation of BACKGROUND_FUNCTIONS) this.running.add(operation);
    // Circuits close, and calls that wait for a time continue.
    passTime(MINUTE);
    await this.loseMessages();
    const failing = (await new TableTroubledEndpoints().failing(Date.now(), 1_000)).items;
    const waiting = (await everyRow('byDue'))
      .concat(failing.map((owner) => ({ ...webhookKey(owner) })))
      .map(({ pk, sk }) => ({ Delete: { Key: { pk, sk } } }));
    for (let from = 0; from < waiting.length; from += 100) await transact(waiting.slice(from, from + 100));
    this.scene.partner = await this.newPartner();
    beginMinute();
    this.#measureNewLines(localMetricStore());
    this.store = localMetricStore();
    this.#minute = 0;
    this.losing = false;
    this.outside = 200;
  }

  /**
   * Makes a partner whose webhooks of both environments go to `receiver`. The default receiver answers 200 to
   * everything.
   */
  async newPartner(receiver = this.#inbox.url, limit?: number): Promise<MadePartner> {
    const partner = await makePartner(limit);
    const { partnerId } = partner;
    for (const environment of ENVIRONMENTS)
      await setWebhook({ partnerId, environment }, receiver, newWebhookSecret(), Date.now());
    return partner;
  }

  /** Makes a call in this process, and counts it as API Gateway and Lambda would. */
  async call(operation: Operation, options: CallOptions): Promise<CallAnswer> {
    const startedAt = Date.now();
    const answer = await api(operation, options);
    const milliseconds = Date.now() - startedAt;
    this.#countAnswer(routes[operation], answer.status, milliseconds);
    this.#countRun(routes[operation].operation, milliseconds, false);
    return answer;
  }

  /** Makes a lead for a new person and submits it to some banks. */
  async submit(banks: readonly string[] = BANKS, key = this.scene.key, forced?: string): Promise<CallAnswer> {
    const submit = await this.prepare(banks, key, forced);
    return submit();
  }

  /** Makes a lead for a new person. Returns a function that submits it. */
  async prepare(banks: readonly string[], key = this.scene.key, forced?: string): Promise<() => Promise<CallAnswer>> {
    const cpf = forced ?? cpfFrom(++this.#people);
    const lead = await this.call('createLead', { key, body: leadBody({ cpf }) });
    const body = { ...analysisBody(Number(lead.body.lead_id ?? 1), { cpf }), bancos: banks };
    const once = `k${++this.#people}`;
    return () => this.call('submitAnalyses', { key, body, once });
  }

  /**
   * Makes the calls of an ordinary minute: one read, and a submission. Every other submission goes to all banks, the
   * others to one bank in the sandbox.
   */
  async traffic(): Promise<void> {
    const { partner } = this.scene;
    await this.call('getAccount', { key: partner.keys.producao });
    if (this.#minute % 2 === 0) await this.submit();
    else await this.submit(['itau'], partner.keys.sandbox);
  }

  /**
   * Makes these calls, runs the background functions, and lets the minute end. Returns the names of the alarms that are
   * then on.
   */
  async minute(calls: () => Promise<unknown>): Promise<readonly string[]> {
    await calls();
    await this.#runBackground();
    for (const { name } of this.scene.peers.blueprint.queues)
      await lookAtQueue(this.store, this.#sqs, process.env['AWS_ENDPOINT_URL_SQS']!, name);
    this.#measureNewLines(this.store);
    this.#minute += 1;
    beginMinute();
    return this.alarmsOn();
  }

  /**
   * Returns the names of the alarms that are on now, without those that only join others. An alarm that notifies separately of several things is named once
   * for each: `bank-failing inter`.
   */
  alarmsOn(): readonly string[] {
    const views = this.#views();
    return WATCHED.filter(({ when, level }) => !('alarms' in when) && level !== 'clock').flatMap(({ name }) => {
      const view = views.get(name);
      if (view?.state !== 'ALARM') return [];
      return view.contributors.length === 0 ? [name] : view.contributors.map((contributor) => `${name} ${contributor}`);
    });
  }

  /** Returns the names of the pages that are on now. */
  pagesOn(): readonly string[] {
    const views = Array.from(this.#views().values());
    return views.filter(({ state, level }) => state === 'ALARM' && level === 'page').map(({ name }) => name);
  }

  #views() {
    return alarmStates(WATCHED, this.store, Date.now());
  }

  /** Number of minutes since the service last recovered. */
  get minutesSoFar(): number {
    return this.#minute;
  }

  /** Sets the shares of calls to the table that fail, 0 to 1. */
  faults(rates: Partial<typeof NO_FAULTS>): void {
    this.scene.awsLike.set({ faults: { ...NO_FAULTS_ANYWHERE, dynamodb: { ...NO_FAULTS, ...rates } } });
  }

  /** Lets this time pass, and then six minutes in which only the background functions run. */
  async jump(milliseconds: number): Promise<void> {
    passTime(milliseconds);
    for (let minute = 0; minute < 6; minute++) await this.minute(async () => undefined);
    beginMinute();
  }

  /** Deletes the messages in the queue. */
  private async loseMessages(): Promise<void> {
    await this.#sqs.send(new PurgeQueueCommand({ QueueUrl: process.env['DELIVERY_QUEUE_URL']! }));
  }

  async #runBackground(): Promise<void> {
    // As on AWS, a run that fails is counted and not repeated. AWS's time in the event is right, whatever the clock of
    // the container says.
    const tick = (operation: string, input: object) =>
      this.#run(operation, { ...input, time: timestamp(Date.now()) }).catch(() => undefined);
    passTime(PAUSE);
    if (this.running.has('poll-bank-outcomes')) await tick('poll-bank-outcomes', { shard: 0, shards: 1 });
    passTime(PAUSE);
    if (this.running.has('sweep-deliveries')) await tick('sweep-deliveries', {});
    if (this.running.has('sweep-erasures')) await tick('sweep-erasures', {});
    if (this.running.has('probe-service')) await tick('probe-service', {});
    if (this.losing) await this.loseMessages();
    if (this.running.has('deliver-webhook')) await this.#deliverMessages();
  }

  async #run(operation: string, event: unknown): Promise<unknown> {
    const startedAt = Date.now();
    let failed = true;
    try {
      const handler = await handlerOf(operation);
      const result = await withWrongClock<unknown>(this.wrongClocks.get(operation) ?? 0, async () =>
        handler(event, lambdaContext(55_000)),
      );
      failed = false;
      return result;
    } finally {
      this.#countRun(operation, Date.now() - startedAt, failed);
    }
  }

  #countAnswer({ method, path }: Pick<Route, 'method' | 'path'>, status: number, milliseconds: number): void {
    measureAccess(this.store, { name: prefixOf(STAGE), stage: STAGE.name }, { status, milliseconds });
    const line = { method, route: path, status: String(status), latency_ms: milliseconds };
    measureAccessLine(this.store, JSON.stringify(line));
  }

  #countRun(operation: string, milliseconds: number, failed: boolean): void {
    measureRun(this.store, { name: functionNameOf(STAGE, operation), milliseconds, failed, running: 1 });
  }

  /** Gives the worker all visible messages, as Lambda's event source does. */
  async #deliverMessages(): Promise<void> {
    const QueueUrl = process.env['DELIVERY_QUEUE_URL']!;
    const plan = { ...this.scene.peers.blueprint.sources[0]!, batchSize: BATCH };
    const invoke = async (_: string, event: unknown) => this.#run('deliver-webhook', event);
    for (;;) {
      const { Messages = [] } = await this.#sqs.send(
        new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: BATCH, MessageSystemAttributeNames: ['All'] }),
      );
      if (Messages.length === 0) return;
      const handledMessages = await handled(plan, Messages, { invoke });
      const Entries = handledMessages.map(({ MessageId, ReceiptHandle }) => ({
        Id: MessageId!,
        ReceiptHandle: ReceiptHandle!,
      }));
      if (Entries.length > 0) await this.#sqs.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
    }
  }

  /** Moves into a store what the functions have written since the last time. */
  #measureNewLines(store: MetricStore): void {
    const { metrics } = this.scene.peers;
    for (const line of metrics.slice(this.#metricsRead)) store.takeLine(JSON.stringify(line));
    this.#metricsRead = metrics.length;
    for (const line of this.#lines.splice(0)) measureLine(store, line);
  }
}

/** The watched service of a test file, from its first test to its last. The operator decides after three minutes. */
export function useWatchedService(): WatchedService {
  let service: WatchedService;
  const scene = useScene({
    delayMs: 3 * MINUTE,
    called: () => {
      passTime(service.nextAnswerTakes);
      service.nextAnswerTakes = 0;
    },
    awsLike: { seed: 1, transactionHold: [0, 0], indexLag: [0, 0], readLag: [0, 0], faults: NO_FAULTS_ANYWHERE },
    observed: (call) => measureTable(service.store, namesOf(STAGE).table, call),
  });
  service = new WatchedService(scene);
  beforeAll(() => service.open());
  afterAll(() => service.close());
  return service;
}
