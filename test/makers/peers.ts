import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, inject } from 'vitest';
import {
  type AwsLikeSettings,
  awsLikeSettings,
  describeSettings,
  parseAwsLike,
} from '#infra/local/aws/aws-like/settings.ts';
import { type AwsLike, type ObservedCall, startAwsLike } from '#infra/local/aws/aws-like.ts';
import { CREDENTIALS, type LocalDynamoDb, makeTables, startDynamoDb } from '#infra/local/aws/dynamodb.ts';
import { startQueues } from '#infra/local/aws/event-sources.ts';
import { SecretStore, startSecrets } from '#infra/local/aws/secrets.ts';
import { type PublishedTicket, startTickets } from '#infra/local/aws/tickets.ts';
import { type Blueprint, blueprintOf } from '#infra/local/blueprint.ts';
import { secretNamed } from '#infra/local/engines.ts';
import { REGION, readAssembly, Template } from '#infra/local/template.ts';
import type { Scope } from '#shared/domain/partners/partner.ts';
import { drawId, type PartnerId, type UnitId } from '#shared/domain/values/ids.ts';
import type { Environment } from '#shared/domain/values/tenancy.ts';
import { sendMetricsTo } from '#shared/runtime/metrics.ts';
import { createKey } from '#shared/table/partners/api-keys.ts';
import { createPartner, createUnit, setLimits, validatePartner } from '#shared/table/partners/partner-register.ts';
import { forgetServiceKeys } from '#shared/table/rows/encryption.ts';
import { newServiceKeys } from '#shared/table/sealing/service-keys.ts';
import { captureText } from './overheard.ts';
import { peersTime } from './test-clock.ts';

/** A line of CloudWatch's embedded metric format. */
export interface EmittedLine {
  readonly _aws: {
    readonly Timestamp: number;
    readonly CloudWatchMetrics: readonly {
      readonly Namespace: string;
      readonly Dimensions: readonly (readonly string[])[];
      readonly Metrics: readonly { readonly Name: string; readonly Unit: string }[];
    }[];
  };
  readonly [name: string]: unknown;
}

/** The service's peers as real servers, made from the template: DynamoDB, SQS and Secrets Manager. */
export interface Peers {
  /** What this process has emitted since the peers started. */
  readonly metrics: readonly EmittedLine[];
  readonly blueprint: Blueprint;
  readonly secrets: SecretStore;
  /** Messages that were published to the topic of tickets, in order. */
  readonly tickets: readonly PublishedTicket[];
  /** The wire that makes the peers behave as AWS does. Undefined if the peers have no such wire. */
  readonly awsLike: AwsLike | undefined;
  close(): Promise<void>;
}

export interface PeerOptions {
  /**
   * Puts the AWS-like wire in front of the peers. @default what AWS_LIKE says (`default`, `harsh`, a seed,
   * `harsh:<seed>`)
   */
  readonly awsLike?: AwsLikeSettings | undefined;
  /** Called with each call that the wire answers. */
  readonly observed?: ((call: ObservedCall) => void) | undefined;
}

/**
 * Settings of an AWS-like wire without lag. A transaction holds its rows only while it runs, and no read shows the
 * past.
 */
export const CALM: AwsLikeSettings = {
  ...awsLikeSettings('default', 1),
  ...{ transactionHold: [0, 0], indexLag: [0, 0], readLag: [0, 0] },
};

function awsLikeOfRun(): AwsLikeSettings | undefined {
  const setting = process.env['AWS_LIKE'];
  return setting ? parseAwsLike(setting) : undefined;
}

type Engines = Awaited<ReturnType<typeof startEngines>>;

/** Starts the servers behind the peers, empty. `table` is the address of a table engine that runs already. */
async function startEngines(options: PeerOptions, table?: Pick<LocalDynamoDb, 'endpoint'>) {
  const { awsLike: settings = awsLikeOfRun(), observed } = options;
  const queues = await startQueues();
  const ownTable = table ? undefined : await startOwnTable();
  const dynamoDb = table ?? ownTable!;
  let store = new SecretStore(undefined);
  const secrets = await startSecrets({ act: (action, body) => store.act(action, body) });
  let published: PublishedTicket[] = [];
  const tickets = await startTickets((ticket) => published.push(ticket));
  const urls = { dynamodb: dynamoDb.endpoint, sqs: queues.endpoint, secretsmanager: secrets.url };
  const awsLike = settings && (await startAwsLike(urls, settings, peersTime, observed));
  if (settings) console.log(`peers like AWS: ${describeSettings(settings)}`);
  return {
    dynamoDb,
    queues,
    secrets,
    tickets,
    /** From now on, published tickets are in the returned list. */
    newTickets: () => {
      published = [];
      return published;
    },
    /** From now on the secrets server has a new store. */
    newStore: () => {
      store = new SecretStore(undefined);
      return store;
    },
    awsLike,
    close: async () => {
      await awsLike?.close();
      await Promise.all([ownTable?.close(), secrets.close(), queues.close(), tickets.close()]);
    },
  };
}

async function startOwnTable(): Promise<LocalDynamoDb> {
  const folder = mkdtempSync(join(tmpdir(), 'partner-credit-peers-'));
  const { endpoint, close } = await startDynamoDb(folder, undefined, (message) => {
    throw new Error(message);
  });
  return { endpoint, close: () => close().finally(() => rmSync(folder, { recursive: true, force: true })) };
}

/** Engines that the files of one process share, even if a file has loaded modules of its own. */
const processGlobals = globalThis as { partnerCreditEngines?: Promise<Engines> };

/** Returns the engines of this process. The run has started a table engine for each of its workers. */
function sharedEngines(): Promise<Engines> {
  const endpoint = inject('tables')[Number(process.env['VITEST_POOL_ID']) - 1];
  processGlobals.partnerCreditEngines ??= startEngines({}, endpoint === undefined ? undefined : { endpoint });
  return processGlobals.partnerCreditEngines;
}

/**
 * Starts the peers and points this process's environment at them, so that adapters and handlers run here as on AWS.
 * `assembly` is the folder of the synthesised dev stage. In tests all files share one.
 */
export async function startPeers(assembly = inject('assembly'), options: PeerOptions = {}): Promise<Peers> {
  const engines = await startEngines(options);
  return { ...(await makeResources(engines, assembly)), close: engines.close };
}

/**
 * Makes the template's tables, queues and secrets in the engines, empty except for new keys. Sets their addresses in
 * this process's environment.
 */
async function makeResources(engines: Engines, assembly: string): Promise<Omit<Peers, 'close'>> {
  const { dynamoDb, queues, secrets, tickets, awsLike } = engines;
  const sqs = awsLike?.url ?? queues.endpoint;
  const blueprint = blueprintOf(new Template(readAssembly(assembly), sqs));
  await makeTables(dynamoDb.endpoint, blueprint, true);
  await queues.make(blueprint.queues);
  const store = engines.newStore();
  store.make(blueprint.secrets);
  store.initialise(secretNamed(blueprint, 'keys'), newServiceKeys);
  store.initialise(secretNamed(blueprint, 'operator'), () => 'the-operator-token');
  Object.assign(process.env, ...blueprint.functions.map(({ environment }) => environment), {
    AWS_REGION: REGION,
    AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
    AWS_ENDPOINT_URL_DYNAMODB: awsLike?.url ?? dynamoDb.endpoint,
    AWS_ENDPOINT_URL_SQS: sqs,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: awsLike?.url ?? secrets.url,
    AWS_ENDPOINT_URL_SNS: tickets.url,
    ERASURE_LEDGER_NAME: blueprint.erasureLedger.TableName,
  });
  forgetServiceKeys();
  const metrics: EmittedLine[] = [];
  sendMetricsTo((line) => {
    captureText(line);
    metrics.push(JSON.parse(line));
  });
  return { metrics, blueprint, secrets: store, tickets: engines.newTickets(), awsLike };
}

/**
 * Peers of a test file, from its first test to its last: the engines of its worker, with empty tables and queues. With
 * options the file gets engines of its own. Then it must be in a project whose files share no modules, because clients
 * keep the address that they began with. At the end the environment is as it was before.
 */
export function usePeers(options?: PeerOptions): Omit<Peers, 'close'> {
  const peers = {} as Omit<Peers, 'close'>;
  let environment: NodeJS.ProcessEnv;
  let ownEngines: Engines | undefined;
  beforeAll(async () => {
    environment = { ...process.env };
    ownEngines = options && (await startEngines(options));
    Object.assign(peers, await makeResources(ownEngines ?? (await sharedEngines()), inject('assembly')));
  });
  afterAll(async () => {
    for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
    Object.assign(process.env, environment);
    await ownEngines?.close();
  });
  return peers;
}

/** A partner in the table with one unit, and what a test needs to call as this partner. */
export interface MadePartner {
  readonly partnerId: PartnerId;
  readonly unitId: UnitId;
  /** One key without scopes for each environment. */
  readonly keys: Readonly<Record<Environment, string>>;
  /** Makes another key of the partner. By default it has the same unit and the sandbox. */
  addKey(options?: { unitId?: UnitId; environment?: Environment; scopes?: readonly Scope[] }): Promise<string>;
  addUnit(): Promise<UnitId>;
}

let momentsGiven = 0;
/** Returns a different moment each time. A test may hold the clock, and two ids of one millisecond may be equal. */
const nextMoment = () => Date.now() + ++momentsGiven;

/** Makes a partner. `limit` is its number of calls a minute in each environment. */
export async function makePartner(limit = 1_000_000): Promise<MadePartner> {
  const now = Date.now();
  const partnerId = drawId<PartnerId>(nextMoment());
  const addUnit = async () => {
    const unitId = drawId<UnitId>(nextMoment());
    await createUnit(partnerId, unitId, 'Unidade de teste', now);
    return unitId;
  };
  await createPartner(partnerId, 'Parceiro de teste', now);
  await validatePartner(partnerId, now);
  await setLimits(partnerId, { sandbox: limit, producao: limit });
  const unitId = await addUnit();
  const addKey: MadePartner['addKey'] = async (options = {}) =>
    (await createKey({ partnerId, unitId, environment: 'sandbox', ...options }, now)).text;
  const [sandbox, producao] = [await addKey(), await addKey({ environment: 'producao' })];
  return { partnerId, unitId, keys: { sandbox, producao }, addKey, addUnit };
}
