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
import { type Blueprint, blueprintOf } from '#infra/local/blueprint.ts';
import { REGION, readAssembly, Template } from '#infra/local/template.ts';
import type { Scope } from '#shared/domain/partners/partner.ts';
import { drawId, type PartnerId, type UnitId } from '#shared/domain/values/ids.ts';
import type { Environment } from '#shared/domain/values/tenancy.ts';
import { sendMetricsTo } from '#shared/runtime/metrics.ts';
import { createKey } from '#shared/table/partners/api-keys.ts';
import { createPartner, createUnit, setLimits, validatePartner } from '#shared/table/partners/partner-register.ts';
import { forgetServiceKeys } from '#shared/table/rows/encryption.ts';
import { newServiceKeys } from '#shared/table/sealing/service-keys.ts';
import { overhear } from './overheard.ts';
import { peersTime } from './test-clock.ts';

/** A line of CloudWatch's embedded metric format. */
export interface EmittedLine {
  readonly _aws: {
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
  /** What this process has emitted since the peers were started. */
  readonly metrics: readonly EmittedLine[];
  readonly blueprint: Blueprint;
  readonly secrets: SecretStore;
  /** The wire that makes them behave as AWS does; undefined where nothing stands before them. */
  readonly awsLike: AwsLike | undefined;
  close(): Promise<void>;
}

export interface PeerOptions {
  /** Puts the AWS-like wire before the peers. @default what AWS_LIKE says (`default`, `harsh`, a seed, `harsh:<seed>`) */
  readonly awsLike?: AwsLikeSettings | undefined;
  /** Told of each call that the wire answers. */
  readonly observed?: ((call: ObservedCall) => void) | undefined;
}

/** An AWS-like wire on which nothing conflicts for longer than it takes, and no read shows the past. */
export const CALM: AwsLikeSettings = {
  ...awsLikeSettings('default', 1),
  ...{ transactionHold: [0, 0], indexLag: [0, 0], readLag: [0, 0] },
};

function awsLikeOfRun(): AwsLikeSettings | undefined {
  const wanted = process.env['AWS_LIKE'];
  return wanted ? parseAwsLike(wanted) : undefined;
}

type Engines = Awaited<ReturnType<typeof startEngines>>;

/** Starts the servers behind the peers, empty; the table's engine may stand already. */
async function startEngines(options: PeerOptions, table?: Pick<LocalDynamoDb, 'endpoint'>) {
  const { awsLike: settings = awsLikeOfRun(), observed } = options;
  const queues = await startQueues();
  const own = table ? undefined : await startOwnTable();
  const dynamoDb = table ?? own!;
  let store = new SecretStore(undefined);
  const secrets = await startSecrets({ act: (action, body) => store.act(action, body) });
  const urls = { dynamodb: dynamoDb.endpoint, sqs: queues.endpoint, secretsmanager: secrets.url };
  const awsLike = settings && (await startAwsLike(urls, settings, peersTime, observed));
  if (settings) console.log(`peers like AWS: ${describeSettings(settings)}`);
  return {
    dynamoDb,
    queues,
    secrets,
    /** Serves a new store of secrets from now on. */
    newStore: () => {
      store = new SecretStore(undefined);
      return store;
    },
    awsLike,
    close: async () => {
      await awsLike?.close();
      await Promise.all([own?.close(), secrets.close(), queues.close()]);
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

/** What the files of one process share, also where a file has loaded modules of its own. */
const shared = globalThis as { partnerCreditEngines?: Promise<Engines> };

/** This process's engines: the run has started a table's engine for each of its workers. */
function sharedEngines(): Promise<Engines> {
  const endpoint = inject('tables')[Number(process.env['VITEST_POOL_ID']) - 1];
  shared.partnerCreditEngines ??= startEngines({}, endpoint === undefined ? undefined : { endpoint });
  return shared.partnerCreditEngines;
}

/**
 * Starts the peers and points this process's environment at them, so that adapters and handlers run here as on AWS.
 * `assembly` is the folder of the synthesised dev stage: in tests the one that all files share.
 */
export async function startPeers(assembly = inject('assembly'), options: PeerOptions = {}): Promise<Peers> {
  const engines = await startEngines(options);
  return { ...(await furnish(engines, assembly)), close: engines.close };
}

/** Gives the engines the template's tables, queues and secrets, all empty but for new keys, and this process their addresses. */
async function furnish(engines: Engines, assembly: string): Promise<Omit<Peers, 'close'>> {
  const { dynamoDb, queues, secrets, awsLike } = engines;
  const sqs = awsLike?.url ?? queues.endpoint;
  const blueprint = blueprintOf(new Template(readAssembly(assembly), sqs));
  await makeTables(dynamoDb.endpoint, blueprint, true);
  await queues.make(blueprint.queues);
  const store = engines.newStore();
  store.make(blueprint.secrets);
  for (const { name } of blueprint.secrets) {
    if (name.endsWith('/keys')) store.initialise(name, newServiceKeys);
    if (name.endsWith('/operator')) store.initialise(name, () => 'the-operator-token');
  }
  Object.assign(process.env, ...blueprint.functions.map(({ environment }) => environment), {
    AWS_REGION: REGION,
    AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
    AWS_ENDPOINT_URL_DYNAMODB: awsLike?.url ?? dynamoDb.endpoint,
    AWS_ENDPOINT_URL_SQS: sqs,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: awsLike?.url ?? secrets.url,
    ERASURE_LEDGER_NAME: blueprint.erasureLedger.TableName,
  });
  forgetServiceKeys();
  const metrics: EmittedLine[] = [];
  sendMetricsTo((line) => {
    overhear(line);
    metrics.push(JSON.parse(line));
  });
  return { metrics, blueprint, secrets: store, awsLike };
}

/**
 * The peers of a test file, up from its first test to its last: its worker's engines with empty tables and queues. With
 * options the file has engines of its own, and must stand in a project whose files share no modules: their clients keep
 * the address that they began with. The environment is put back at the end.
 */
export function usePeers(options?: PeerOptions): Omit<Peers, 'close'> {
  const peers = {} as Omit<Peers, 'close'>;
  let environment: NodeJS.ProcessEnv;
  let own: Engines | undefined;
  beforeAll(async () => {
    environment = { ...process.env };
    own = options && (await startEngines(options));
    Object.assign(peers, await furnish(own ?? (await sharedEngines()), inject('assembly')));
  });
  afterAll(async () => {
    for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
    Object.assign(process.env, environment);
    await own?.close();
  });
  return peers;
}

/** A partner in the table with one unit, and what a test needs to call as it. */
export interface MadePartner {
  readonly partnerId: PartnerId;
  readonly unitId: UnitId;
  /** A key without scopes, by environment. */
  readonly keys: Readonly<Record<Environment, string>>;
  /** Another key of the partner, by default of the same unit and the sandbox. */
  addKey(options?: { unitId?: UnitId; environment?: Environment; scopes?: readonly Scope[] }): Promise<string>;
  addUnit(): Promise<UnitId>;
}

let drawn = 0;
/** A moment of its own for each id that is drawn here: a test may hold the clock, and two of one millisecond may collide. */
const moment = () => Date.now() + ++drawn;

/** A new partner; `limit` is its calls a minute in each environment. */
export async function makePartner(limit = 1_000_000): Promise<MadePartner> {
  const now = Date.now();
  const partnerId = drawId<PartnerId>(moment());
  const addUnit = async () => {
    const unitId = drawId<UnitId>(moment());
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
