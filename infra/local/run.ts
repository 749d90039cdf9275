import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { parseApiKey } from '../../shared/domain/partners/api-key.ts';
import { newServiceKeys } from '../../shared/table/service-keys.ts';
import { alarmsOf } from '../alarms.ts';
import { boardsOf } from '../dashboards.ts';
import { administrationFunction, DELIVERY_WORKER, PROBE } from '../functions.ts';
import { stageNamed, stageValues } from '../stages.ts';
import { synthesise } from './assembly.ts';
import { type AwsLikeSettings, describeSettings, type Service } from './aws/aws-like/settings.ts';
import { type ObservedCall, startAwsLike } from './aws/aws-like.ts';
import { Containers, lambdaEnvironment } from './aws/containers.ts';
import { dutyTokens } from './aws/duty-tokens.ts';
import { makeTables, startDynamoDb } from './aws/dynamodb.ts';
import { startEventSources } from './aws/event-sources.ts';
import { type Access, startGateway } from './aws/gateway.ts';
import { startQueues } from './aws/queues.ts';
import { startSchedules } from './aws/schedules.ts';
import { SecretStore, startSecrets } from './aws/secrets.ts';
import { blueprintOf, type FunctionPlan } from './blueprint.ts';
import {
  localMetricStore,
  measureAccess,
  measureLine,
  measureRun,
  measureTable,
  watchQueues,
} from './dashboards/platform-metrics.ts';
import { DASHBOARDS_PATH, dashboardsPage } from './dashboards/serve.ts';
import { DEMO_NAMES, type DemoPartner, seedDemoPartner } from './demo-partner.ts';
import { writeEndpoints, writePrivate } from './endpoints-file.ts';
import { FunctionLogs } from './function-logs.ts';
import { type InboxEvent, startInbox } from './inbox.ts';
import { listen } from './listen.ts';
import { startOperator } from './operator/operator.ts';
import { makeProbePartner, PROBE_PARTNER } from './probe-partner.ts';
import { StartError } from './start-error.ts';
import { claimState } from './state.ts';
import { readAssembly, Template } from './template.ts';

export interface LocalOptions {
  readonly port: number;
  /** An empty service that leaves nothing behind; else data is kept in `.local`. */
  readonly fresh: boolean;
  /** Milliseconds between ticks of every schedule. @default the template's rates */
  readonly pollEvery: number | undefined;
  /** Calls a minute of the demo partner. */
  readonly rate: number;
  /** Shows all that functions write. */
  readonly verbose: boolean;
  /** Where data is kept, and where a fresh run keeps what it needs while it runs. */
  readonly folder: string;
  /** Where the addresses and keys are written to. */
  readonly serviceFile: string;
  /** Where the manager's command line finds table, queues and secrets. */
  readonly endpointsFile: string;
  /** Another DynamoDB than the embedded one. */
  readonly dynamoDbEndpoint: string | undefined;
  /** The dev stage as it was synthesised before. @default synthesised anew */
  readonly assembly: string | undefined;
  /** Puts a wire before table, queues and secrets that behaves as AWS does where they do not. */
  readonly awsLike: AwsLikeSettings | undefined;
}

export interface LocalService extends DemoPartner {
  readonly url: string;
  /** The operations page. */
  readonly dashboards: string;
  readonly administration: ReachedAdministration;
}

/** The API of the service's own people, and a bearer token for each duty in place of AWS signatures. */
export interface ReachedAdministration {
  readonly url: string;
  /** By duty. */
  readonly tokens: Readonly<Record<string, string>>;
}

/** Where progress, accesses, events and warnings are shown. */
export interface Screen {
  step(text: string): void;
  line(text: string): void;
  /** Something that the run cannot go on without has ended. */
  lost(text: string): void;
}

/** The functions for which webhooks may lead to plain http and to this machine: those that send, and the one that vets. */
const LOCAL_TARGETS: ReadonlySet<string> = new Set([
  DELIVERY_WORKER,
  administrationFunction('set-webhook'),
  administrationFunction('ping-webhook'),
]);

/** What has to be ended, the last begun first. Once the end has begun, whatever is added is ended at once. */
class Closers {
  private readonly closers: (() => unknown)[] = [];
  private readonly ending = new AbortController();

  /** Aborts as soon as the end begins. */
  get signal(): AbortSignal {
    return this.ending.signal;
  }

  add(closer: () => unknown): void {
    this.closers.push(closer);
    if (!this.signal.aborted) return;
    void this.close();
    throw new StartError('ended while it started');
  }

  async close(): Promise<void> {
    this.ending.abort();
    for (let closer = this.closers.pop(); closer; closer = this.closers.pop()) await closer();
  }
}

export interface LocalRun {
  /** Rejects with a StartError that names the cure; what was started by then is ended. */
  readonly ready: Promise<LocalService>;
  /** Ends everything, at any time. */
  close(): Promise<void>;
}

/**
 * Makes from the synthesised template what AWS would: gateway, functions, table, queues, event sources, schedules and
 * secrets, and fills it with a demo partner.
 */
export function startLocal(project: string, options: LocalOptions, screen: Screen): LocalRun {
  const closers = new Closers();
  const ready = start(project, options, screen, closers).catch(async (error: unknown) => {
    await closers.close();
    throw error;
  });
  return { ready, close: () => closers.close() };
}

async function start(project: string, options: LocalOptions, screen: Screen, closers: Closers): Promise<LocalService> {
  await checkPort(options.port);
  const state = claimState(options.folder, options.fresh);
  closers.add(state.release);
  const kept = (name: string): string | undefined => (options.fresh ? undefined : join(state.folder, name));

  const queues = await startQueues();
  closers.add(queues.close);
  screen.step('queues (SQS) in memory');

  const [dynamoDbEndpoint, assembly] = await Promise.all([
    tableEndpoint(state.folder, kept('dynamodb.sqlite'), options, screen, closers),
    options.assembly ?? assemblyIn(state.folder, project, screen, closers),
  ]);
  const store = new SecretStore(kept('secrets.json'));
  const secrets = await startSecrets(store);
  closers.add(secrets.close);
  const metrics = localMetricStore();
  const endpoints = await endpointsOf(
    { dynamodb: dynamoDbEndpoint, sqs: queues.endpoint, secretsmanager: secrets.url },
    options.awsLike,
    // Only a wire before the table sees what it refuses.
    (call) => measureTable(metrics, String(blueprint.table.TableName), call),
    screen,
    closers,
  );
  const blueprint = blueprintOf(new Template(readAssembly(assembly), endpoints.AWS_ENDPOINT_URL_SQS));

  await makeTables(dynamoDbEndpoint, blueprint, options.fresh);
  screen.step(`table ${blueprint.table.TableName}`);
  queues.make(blueprint.queues);

  store.make(blueprint.secrets);
  const secretNamed = (end: string): string => blueprint.secrets.find(({ name }) => name.endsWith(`/${end}`))!.name;
  store.initialise(secretNamed('keys'), newServiceKeys);
  store.initialise(secretNamed('operator'), () => randomBytes(24).toString('base64url'));
  screen.step('secrets');

  const operatorFile = kept('operator.jsonl');
  const operator = await startOperator({
    token: store.current(secretNamed('operator')),
    ...(operatorFile && { dbFile: operatorFile }),
  });
  closers.add(operator.close);
  screen.step(`operator, a stand-in: ${operator.url}`);

  const inbox = await startInbox((event) => screen.line(eventLine(event)));
  closers.add(inbox.close);

  const environmentOf = (plan: FunctionPlan): Record<string, string> => ({
    ...lambdaEnvironment(plan),
    ...endpoints,
    ...plan.environment,
    POWERTOOLS_TRACE_ENABLED: 'false',
    ...('OPERATOR_URL' in plan.environment && { OPERATOR_URL: operator.url }),
    ...('PROBE_URL' in plan.environment && { PROBE_URL: `http://127.0.0.1:${options.port}` }),
    ...(LOCAL_TARGETS.has(plan.operation) && { LOCAL_WEBHOOK_TARGETS: 'true' }),
  });

  const everything = Object.assign({}, ...blueprint.functions.map(environmentOf)) as Record<string, string>;
  const demo = await seedDemoPartner({
    environment: everything,
    inboxUrl: inbox.url,
    rate: options.rate,
    file: kept('demo-partner.json'),
  });
  inbox.expect(demo.inbox.secret);
  screen.step('demo partner');
  const probeSecret = secretNamed('probe');
  if (!store.has(probeSecret)) store.put({ SecretId: probeSecret, SecretString: await makeProbePartner() });

  const logs = new FunctionLogs(join(state.folder, 'logs'), options.verbose, screen.line);
  closers.add(() => logs.close());
  const containers = new Containers(
    blueprint.functions,
    environmentOf,
    (operation, line) => {
      logs.take(operation, line);
      metrics.takeLine(line);
      measureLine(metrics, line);
    },
    (run) => measureRun(metrics, run),
  );
  closers.add(() => containers.close());
  const stage = { ...stageValues(stageNamed(blueprint.stage)), probeHasKey: true };
  const gateway = await startGateway(blueprint.api, containers, options.port, {
    log: (access) => {
      logs.take('access', access.line);
      screen.line(shortAccess(access));
      measureAccess(metrics, blueprint.api, access);
    },
    aside: dashboardsPage(boardsOf(stage, 'all'), alarmsOf(stage), metrics, [
      { partnerId: parseApiKey(demo.keys.producao)!.partnerId, name: DEMO_NAMES.partner },
      { partnerId: parseApiKey(store.current(probeSecret))!.partnerId, name: PROBE_PARTNER },
    ]),
  });
  closers.add(gateway.close);
  screen.step(`gateway: ${gateway.url}, ${blueprint.functions.length} functions`);

  const people = dutyTokens(blueprint.administration, blueprint.duties);
  const administration = await startGateway(blueprint.administration, containers, 0, {
    log: (access) => logs.take('administration-access', access.line),
    authorize: people.authorize,
  });
  closers.add(administration.close);
  const reached = { url: administration.url, tokens: people.tokens };
  operator.control.pushTo({ url: administration.url, token: people.tokens['operator']! });
  screen.step(`administration: ${administration.url}`);

  const sources = startEventSources(blueprint.sources, queues.endpoint, containers, screen.line);
  closers.add(sources.close);
  const probe = blueprint.functions.find(({ operation }) => operation === PROBE)!.name;
  const schedules = startSchedules(blueprint.schedules, containers, (plan) =>
    // A faster clock brings outcomes sooner; it is no reason to look from outside more often.
    plan.function === probe ? plan.every : (options.pollEvery ?? plan.every),
  );
  closers.add(schedules.close);

  const watched = watchQueues(metrics, blueprint.queues, queues.endpoint);
  closers.add(watched.close);

  writeEndpoints(options.endpointsFile, { administration: reached, table: dynamoDbEndpoint, operator: operator.url });
  const dashboards = `${gateway.url}${DASHBOARDS_PATH}`;
  const service = { url: gateway.url, dashboards, keys: demo.keys, inbox: demo.inbox, administration: reached };
  // Whoever waits for the run waits for this file: it comes last.
  writePrivate(options.serviceFile, service);
  return service;
}

/** Fails early: everything else takes seconds. */
async function checkPort(port: number): Promise<void> {
  await (await listen(createServer(), port)).close();
}

async function tableEndpoint(
  folder: string,
  database: string | undefined,
  { dynamoDbEndpoint }: LocalOptions,
  screen: Screen,
  closers: Closers,
): Promise<string> {
  if (dynamoDbEndpoint) {
    screen.step(`DynamoDB at ${dynamoDbEndpoint} (AWS_ENDPOINT_URL_DYNAMODB)`);
    return dynamoDbEndpoint;
  }
  const dynamoDb = await startDynamoDb(folder, database, screen.lost);
  closers.add(dynamoDb.close);
  screen.step(`DynamoDB ${database ? 'kept in .local' : 'in memory'}`);
  return dynamoDb.endpoint;
}

async function assemblyIn(folder: string, project: string, screen: Screen, closers: Closers): Promise<string> {
  const assembly = join(folder, 'assembly');
  await synthesise(project, assembly, closers.signal);
  screen.step('template and bundles synthesised');
  return assembly;
}

/** Where functions find the services: at the engines, or at a wire before them. */
async function endpointsOf(
  engines: Readonly<Record<Service, string>>,
  settings: AwsLikeSettings | undefined,
  observed: (call: ObservedCall) => void,
  screen: Screen,
  closers: Closers,
) {
  let at = engines;
  if (settings) {
    const wire = await startAwsLike(engines, settings, undefined, observed);
    closers.add(wire.close);
    at = { dynamodb: wire.url, sqs: wire.url, secretsmanager: wire.url };
    screen.step(`like AWS: ${describeSettings(settings)}`);
  }
  return {
    AWS_ENDPOINT_URL_DYNAMODB: at.dynamodb,
    AWS_ENDPOINT_URL_SQS: at.sqs,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: at.secretsmanager,
  };
}

function shortAccess({ method, path, status, milliseconds, requestId }: Access): string {
  return `${method} ${path} ${status} ${milliseconds} ms ${requestId}`;
}

function eventLine({ type, id, attempt, status, verified }: InboxEvent): string {
  const signatures = verified.service && verified.standard ? 'both signatures hold' : 'A SIGNATURE DOES NOT HOLD';
  return `inbox: ${type} ${id} attempt ${attempt}, ${signatures}, answered ${status}`;
}
