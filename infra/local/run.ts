import { join, resolve } from 'node:path';
import { parseApiKey } from '#shared/domain/partners/api-key.ts';
import type { PartnerId } from '#shared/domain/values/ids.ts';
import { alarmsOf } from '../alarms.ts';
import { boardsOf } from '../dashboards.ts';
import { administrationFunction, DELIVERY_WORKER, PANEL_PATH, PROBE } from '../functions.ts';
import { stageNamed, stageValues } from '../stages.ts';
import { Containers, type FunctionLogs, functionLogs, lambdaEnvironment } from './aws/containers.ts';
import { startEventSources, startSchedules } from './aws/event-sources.ts';
import { type Access, dutyTokens, startGateway } from './aws/gateway.ts';
import { type SignIn, startSignIn } from './aws/sign-in.ts';
import { startTickets } from './aws/tickets.ts';
import { type Blueprint, blueprintOf, type FunctionPlan } from './blueprint.ts';
import type { MetricStore } from './dashboards/metric-store.ts';
import {
  localMetricStore,
  measureAccess,
  measureAccessLine,
  measureLine,
  measureRun,
  measureTable,
  watchQueues,
} from './dashboards/platform-metrics.ts';
import { DASHBOARDS_PATH, dashboardsPage, type KnownPartner } from './dashboards/serve.ts';
import { DEMO_NAMES, type DemoPartner, makeProbePartner, PROBE_PARTNER, seedDemoPartner } from './demo-partner.ts';
import {
  type Engines,
  fillEngines,
  type Kept,
  type LocalOptions,
  type Screen,
  secretNamed,
  startEngines,
} from './engines.ts';
import { type InboxEvent, startInbox } from './inbox.ts';
import { Closers, checkPort } from './listen.ts';
import { startOperator } from './operator/operator.ts';
import { claimState, writePrivate } from './state.ts';
import { readAssembly, synthesise, Template } from './template.ts';

export interface LocalService extends DemoPartner {
  readonly url: string;
  readonly dashboards: string;
  readonly administration: {
    readonly url: string;
    /** Address of the panel's page. People without a token sign in there. */
    readonly panel: string;
    readonly password: string;
    readonly tokens: Readonly<Record<string, string>>;
  };
  readonly logs: string;
  readonly table: string;
  readonly operator: string;
}

interface Start {
  readonly options: LocalOptions;
  readonly screen: Screen;
  readonly closers: Closers;
  readonly folder: string;
  readonly kept: Kept;
  readonly metrics: MetricStore;
}

export function startLocal(project: string, options: LocalOptions, screen: Screen) {
  const closers = new Closers();
  const ready = start(project, options, screen, closers).catch(async (error: unknown) => {
    await closers.close();
    throw error;
  });
  return {
    /** Rejects with a StartError that says what to do. Everything that was started until then is ended. */
    ready,
    close: () => closers.close(),
  };
}
export type LocalRun = ReturnType<typeof startLocal>;

async function start(project: string, options: LocalOptions, screen: Screen, closers: Closers): Promise<LocalService> {
  // The port is checked first, because everything else takes seconds.
  await checkPort(options.port);
  const { folder, release } = claimState(options.folder, options.fresh);
  closers.add(release);
  const kept: Kept = (name) => (options.fresh ? undefined : join(folder, name));
  const metrics = localMetricStore();
  const begun: Start = { options, screen, closers, folder, kept, metrics };

  const [assembly, engines] = await Promise.all([
    options.assembly ?? assemblyIn(project, begun),
    startEngines(folder, kept, options, (call) => measureTable(metrics, tableName(), call), screen, closers),
  ]);
  const blueprint = plansIn(assembly, engines.environment);
  // No call reaches the table before the template has said its name.
  const tableName = () => String(blueprint.table.TableName);
  await fillEngines(engines, blueprint, options.fresh, screen);

  const operator = await startPeerOperator(begun, engines, blueprint);
  const signIn = await startSignIn(blueprint.signIn);
  closers.add(signIn.close);
  const tickets = await startTickets(({ subject, text }) => screen.line(`ticket: ${subject}: ${text}`));
  closers.add(tickets.close);
  const environmentOf = makeEnvironments(engines, options, { operator: operator.url, tickets: tickets.url }, signIn);
  const everything: Record<string, string> = Object.assign({}, ...blueprint.functions.map(environmentOf));
  const { demo, known } = await startPartners(begun, engines, blueprint, everything);

  const logsFolder = resolve(folder, 'logs');
  const logs = functionLogs(logsFolder, options.verbose, screen.line);
  closers.add(() => logs.close());
  const containers = startContainers(begun, blueprint, engines, environmentOf, logs);
  const url = await startPartnersGateway(begun, blueprint, containers, logs, known);
  const administration = await startAdministration(begun, blueprint, containers, logs, signIn);
  const pushToken = administration.tokens['operator'];
  if (pushToken === undefined) throw new Error('the template has no duty by which the operator sends outcomes');
  operator.control.pushTo({ url: administration.url, token: pushToken });
  startClockwork(begun, engines, blueprint, containers);

  const service: LocalService = {
    url,
    dashboards: `${url}${DASHBOARDS_PATH}`,
    keys: demo.keys,
    inbox: demo.inbox,
    administration,
    logs: logsFolder,
    table: engines.dynamoDbEndpoint,
    operator: operator.url,
  };
  // The file is written last: other programs take it as the sign that the run is ready.
  writePrivate(options.serviceFile, service);
  return service;
}

async function assemblyIn(project: string, { folder, screen, closers }: Start): Promise<string> {
  const assembly = join(folder, 'assembly');
  await synthesise(project, assembly, closers.signal);
  screen.step('template and bundles synthesised');
  return assembly;
}

const plansIn = (assembly: string, { AWS_ENDPOINT_URL_SQS }: Engines['environment']) =>
  blueprintOf(new Template(readAssembly(assembly), AWS_ENDPOINT_URL_SQS));

async function startPeerOperator({ kept, screen, closers }: Start, { secrets }: Engines, blueprint: Blueprint) {
  const operator = await startOperator({
    token: secrets.current(secretNamed(blueprint, 'operator')),
    dbFile: kept('operator.jsonl'),
  });
  closers.add(operator.close);
  screen.step(`operator, a stand-in: ${operator.url}`);
  return operator;
}

/** Functions that send webhooks or check addresses. Here, the addresses may be plain http and on this machine. */
const LOCAL_TARGETS: ReadonlySet<string> = new Set([
  DELIVERY_WORKER,
  'test-webhook',
  administrationFunction('set-webhook'),
  administrationFunction('ping-webhook'),
]);

type EnvironmentOf = (plan: FunctionPlan) => Record<string, string>;

/** The addresses of this run replace those of the template. */
function makeEnvironments(
  engines: Engines,
  { port, approvals }: LocalOptions,
  addresses: Readonly<Record<'operator' | 'tickets', string>>,
  signIn: SignIn,
): EnvironmentOf {
  const ofThisRun: Readonly<Record<string, string>> = {
    OPERATOR_URL: addresses.operator,
    PROBE_URL: `http://127.0.0.1:${port}`,
    SIGN_IN: JSON.stringify(signIn.facts),
  };
  return (plan) => {
    const environment: Record<string, string> = {
      ...lambdaEnvironment(plan),
      ...engines.environment,
      ...plan.environment,
      AWS_ENDPOINT_URL_COGNITO_IDENTITY_PROVIDER: `${signIn.url}/identity`,
      AWS_ENDPOINT_URL_SNS: addresses.tickets,
    };
    // A function gets only those addresses that its template names.
    for (const [name, value] of Object.entries(ofThisRun)) {
      if (name in plan.environment) environment[name] = value;
    }
    if (approvals && 'APPROVALS' in plan.environment) environment['APPROVALS'] = 'required';
    if (LOCAL_TARGETS.has(plan.operation)) environment['LOCAL_WEBHOOK_TARGETS'] = 'true';
    return environment;
  };
}

async function startPartners(
  { options, kept, screen, closers }: Start,
  { secrets }: Engines,
  blueprint: Blueprint,
  environment: Readonly<Record<string, string>>,
): Promise<{ readonly demo: DemoPartner; readonly known: readonly KnownPartner[] }> {
  const inbox = await startInbox((event) => screen.line(eventLine(event)));
  closers.add(inbox.close);
  const { rate } = options;
  const demo = await seedDemoPartner({ environment, inboxUrl: inbox.url, rate, file: kept('demo-partner.json') });
  inbox.expect(demo.inbox.secrets.sandbox, demo.inbox.secrets.producao);
  screen.step('demo partner');
  const probeSecret = secretNamed(blueprint, 'probe');
  if (!secrets.has(probeSecret)) secrets.put({ SecretId: probeSecret, SecretString: await makeProbePartner() });
  const known = [
    { partnerId: partnerOf(demo.keys.producao), name: DEMO_NAMES.partner },
    { partnerId: partnerOf(secrets.current(probeSecret)), name: PROBE_PARTNER },
  ];
  return { demo, known };
}

/** Throws an Error if the key is malformed; the error does not show the key. */
function partnerOf(key: string): PartnerId {
  const parsed = parseApiKey(key);
  if (!parsed) throw new Error('a key of the demo partner or of the probe has no form of ours');
  return parsed.partnerId;
}

function startContainers(
  { options, metrics, closers }: Start,
  blueprint: Blueprint,
  { environment }: Engines,
  environmentOf: EnvironmentOf,
  logs: FunctionLogs,
): Containers {
  const containers = new Containers(
    blueprint.functions,
    environmentOf,
    (operation, line) => {
      logs.take(operation, line);
      metrics.takeLine(line);
      measureLine(metrics, line);
    },
    (run) => measureRun(metrics, run),
    options.canary === undefined ? [] : plansIn(options.canary, environment).functions,
  );
  closers.add(() => containers.close());
  return containers;
}

async function startPartnersGateway(
  { options, screen, closers, metrics }: Start,
  { stage: name, api, functions }: Blueprint,
  containers: Containers,
  logs: FunctionLogs,
  known: readonly KnownPartner[],
): Promise<string> {
  const stage = { ...stageValues(stageNamed(name)), probeHasKey: true };
  const gateway = await startGateway(api, containers, options.port, {
    log: (access) => {
      logs.take('access', access.line);
      screen.line(shortAccess(access));
      measureAccess(metrics, api, access);
      measureAccessLine(metrics, access.line);
    },
    otherPages: dashboardsPage(boardsOf(stage, 'all'), alarmsOf(stage), metrics, known),
  });
  closers.add(gateway.close);
  screen.step(`gateway: ${gateway.url}, ${functions.length} functions`);
  return gateway.url;
}

async function startAdministration(
  { screen, closers }: Start,
  { administration, duties }: Blueprint,
  containers: Containers,
  logs: FunctionLogs,
  signIn: SignIn,
): Promise<LocalService['administration']> {
  const { authorize, tokens } = dutyTokens(administration, duties, signIn);
  const gateway = await startGateway(administration, containers, 0, {
    log: (access) => logs.take('administration-access', access.line),
    authorize,
  });
  closers.add(gateway.close);
  const panel = `${gateway.url}${PANEL_PATH}`;
  signIn.openFor(panel);
  screen.step(`administration: ${gateway.url}`);
  return { url: gateway.url, panel, password: signIn.password, tokens };
}

function startClockwork(
  { options, screen, closers, metrics }: Start,
  { queues }: Engines,
  blueprint: Blueprint,
  containers: Containers,
): void {
  const sources = startEventSources(blueprint.sources, queues.endpoint, containers, screen.line);
  closers.add(sources.close);
  const probe = blueprint.functions.find(({ operation }) => operation === PROBE)?.name;
  const schedules = startSchedules(blueprint.schedules, containers, (plan) =>
    // A faster clock is for earlier outcomes. The probe keeps the template's rate.
    plan.function === probe ? plan.every : (options.pollEvery ?? plan.every),
  );
  closers.add(schedules.close);
  const watched = watchQueues(metrics, blueprint.queues, queues.endpoint);
  closers.add(watched.close);
}

const shortAccess = ({ method, path, status, milliseconds, requestId }: Access): string =>
  `${method} ${path} ${status} ${milliseconds} ms ${requestId}`;

function eventLine({ type, id, attempt, status, verified }: InboxEvent): string {
  const signatures = verified.service && verified.standard ? 'both signatures hold' : 'A SIGNATURE DOES NOT HOLD';
  return `inbox: ${type} ${id} attempt ${attempt}, ${signatures}, answered ${status}`;
}
