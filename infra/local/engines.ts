import { randomBytes } from 'node:crypto';
import type { Milliseconds } from '#shared/domain/values/time.ts';
import { newServiceKeys } from '#shared/table/sealing/service-keys.ts';
import { type AwsLikeSettings, describeSettings } from './aws/aws-like/settings.ts';
import { type ObservedCall, startAwsLike } from './aws/aws-like.ts';
import { makeTables, startDynamoDb } from './aws/dynamodb.ts';
import { type LocalQueues, startQueues } from './aws/event-sources.ts';
import { SecretStore, startSecrets } from './aws/secrets.ts';
import type { Blueprint } from './blueprint.ts';
import type { Closers } from './listen.ts';

export interface LocalOptions {
  readonly port: number;
  readonly fresh: boolean;
  /** Time between ticks of every schedule. @default the template's rates */
  readonly pollEvery: Milliseconds | undefined;
  readonly rate: number;
  readonly verbose: boolean;
  /** A fresh run keeps its files there only while it runs. */
  readonly folder: string;
  /** Tools find the run by this file. */
  readonly serviceFile: string;
  /** Whether another person must approve what nobody may do alone. @default false */
  readonly approvals?: boolean | undefined;
  readonly dynamoDbEndpoint: string | undefined;
  /** @default the start synthesises the assembly */
  readonly assembly: string | undefined;
  /** Folder of another release's dev stage, whose functions take every second run. @default none */
  readonly canary: string | undefined;
  readonly awsLike: AwsLikeSettings | undefined;
}

export interface Screen {
  step(text: string): void;
  line(text: string): void;
  /** Called when something that the run needs has ended. */
  lost(text: string): void;
}

export interface Engines {
  /** Address of the table's own engine, without the wire. */
  readonly dynamoDbEndpoint: string;
  readonly queues: LocalQueues;
  readonly secrets: SecretStore;
  /** Addresses of the engines, or of the wire in front of them, as variables of the SDK. */
  readonly environment: Readonly<Record<(typeof VARIABLES)[keyof typeof VARIABLES], string>>;
}

const VARIABLES = {
  dynamodb: 'AWS_ENDPOINT_URL_DYNAMODB',
  sqs: 'AWS_ENDPOINT_URL_SQS',
  secretsmanager: 'AWS_ENDPOINT_URL_SECRETS_MANAGER',
} as const;

/** Returns the path of a kept file. Undefined if the run leaves nothing behind. */
export type Kept = (name: string) => string | undefined;

/** `observed` is called only if there is a wire. Throws a StartError if a service does not start. */
export async function startEngines(
  folder: string,
  kept: Kept,
  { dynamoDbEndpoint: otherEndpoint, awsLike }: Pick<LocalOptions, 'dynamoDbEndpoint' | 'awsLike'>,
  observed: (call: ObservedCall) => void,
  screen: Screen,
  closers: Closers,
): Promise<Engines> {
  const queues = await startQueues();
  closers.add(queues.close);
  screen.step('queues (SQS) in memory');

  const dynamoDbEndpoint = otherEndpoint ?? (await embeddedDynamoDb(folder, kept('dynamodb.sqlite'), screen, closers));
  if (otherEndpoint) screen.step(`DynamoDB at ${otherEndpoint} (AWS_ENDPOINT_URL_DYNAMODB)`);

  const secrets = new SecretStore(kept('secrets.json'));
  const served = await startSecrets(secrets);
  closers.add(served.close);

  let at = { dynamodb: dynamoDbEndpoint, sqs: queues.endpoint, secretsmanager: served.url };
  if (awsLike) {
    const { url, close } = await startAwsLike(at, awsLike, undefined, observed);
    closers.add(close);
    at = { dynamodb: url, sqs: url, secretsmanager: url };
    screen.step(`like AWS: ${describeSettings(awsLike)}`);
  }
  const environment = {
    [VARIABLES.dynamodb]: at.dynamodb,
    [VARIABLES.sqs]: at.sqs,
    [VARIABLES.secretsmanager]: at.secretsmanager,
  };
  return { dynamoDbEndpoint, queues, secrets, environment };
}

async function embeddedDynamoDb(folder: string, database: string | undefined, screen: Screen, closers: Closers) {
  const { endpoint, close } = await startDynamoDb(folder, database, screen.lost);
  closers.add(close);
  screen.step(`DynamoDB ${database ? 'kept in .local' : 'in memory'}`);
  return endpoint;
}

export async function fillEngines(
  { dynamoDbEndpoint, queues, secrets }: Engines,
  blueprint: Blueprint,
  fresh: boolean,
  screen: Screen,
): Promise<void> {
  await makeTables(dynamoDbEndpoint, blueprint, fresh);
  screen.step(`table ${blueprint.table.TableName}`);
  await queues.make(blueprint.queues);
  secrets.make(blueprint.secrets);
  secrets.initialise(secretNamed(blueprint, 'keys'), newServiceKeys);
  secrets.initialise(secretNamed(blueprint, 'operator'), () => randomBytes(24).toString('base64url'));
  screen.step('secrets');
}

/** Throws an Error if the template has no secret whose name ends with `end`. */
export function secretNamed({ secrets }: Blueprint, end: 'keys' | 'retired-keys' | 'operator' | 'probe'): string {
  const found = secrets.find(({ name }) => name.endsWith(`/${end}`));
  if (!found) throw new Error(`the template has no secret whose name ends with /${end}`);
  return found.name;
}
