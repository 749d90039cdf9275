// The services that functions call, on this machine: DynamoDB, SQS and Secrets Manager, and the wire before them.

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
  /** An empty service that leaves nothing behind; else data is kept in `.local`. */
  readonly fresh: boolean;
  /** Time between ticks of every schedule. @default the template's rates */
  readonly pollEvery: Milliseconds | undefined;
  /** Calls a minute of the demo partner. */
  readonly rate: number;
  /** Shows all that functions write. */
  readonly verbose: boolean;
  /** Where data is kept, and where a fresh run keeps what it needs while it runs. */
  readonly folder: string;
  /** Where the addresses, keys and tokens are written to: whoever works on the run finds it by this file. */
  readonly serviceFile: string;
  /** Whether another person has to approve what one may not do alone. @default false */
  readonly approvals?: boolean | undefined;
  /** Another DynamoDB than the embedded one. */
  readonly dynamoDbEndpoint: string | undefined;
  /** The dev stage as it was synthesised before. @default synthesised anew */
  readonly assembly: string | undefined;
  /** The dev stage of another release, whose functions take every second run. @default none */
  readonly canary: string | undefined;
  /** Puts a wire before table, queues and secrets that adds what AWS does and they do not. */
  readonly awsLike: AwsLikeSettings | undefined;
}

/** Where progress, accesses, events and warnings are shown. */
export interface Screen {
  step(text: string): void;
  line(text: string): void;
  /** Called where something has ended that the run needs. */
  lost(text: string): void;
}

export interface Engines {
  /** The address of the table's own engine, behind the wire. */
  readonly dynamoDbEndpoint: string;
  readonly queues: LocalQueues;
  readonly secrets: SecretStore;
  /** Where functions find the services, as the SDK reads it: at the engines, or at the wire before them. */
  readonly environment: Readonly<Record<(typeof VARIABLES)[keyof typeof VARIABLES], string>>;
}

const VARIABLES = {
  dynamodb: 'AWS_ENDPOINT_URL_DYNAMODB',
  sqs: 'AWS_ENDPOINT_URL_SQS',
  secretsmanager: 'AWS_ENDPOINT_URL_SECRETS_MANAGER',
} as const;

/** The file of that name in which a run keeps its data; undefined where it leaves nothing behind. */
export type Kept = (name: string) => string | undefined;

/**
 * Starts them, empty or as an earlier run has left them. `observed` is told of each call; only a wire sees
 * them. Throws a StartError where one does not start.
 */
export async function startEngines(
  folder: string,
  kept: Kept,
  { dynamoDbEndpoint: given, awsLike }: Pick<LocalOptions, 'dynamoDbEndpoint' | 'awsLike'>,
  observed: (call: ObservedCall) => void,
  screen: Screen,
  closers: Closers,
): Promise<Engines> {
  const queues = await startQueues();
  closers.add(queues.close);
  screen.step('queues (SQS) in memory');

  const dynamoDbEndpoint = given ?? (await embeddedDynamoDb(folder, kept('dynamodb.sqlite'), screen, closers));
  if (given) screen.step(`DynamoDB at ${given} (AWS_ENDPOINT_URL_DYNAMODB)`);

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

/** Makes what the template asks of them: tables, queues, and the secrets with their first values. */
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

/** Name of the template's secret whose name ends so. Throws an Error if the template has none. */
export function secretNamed({ secrets }: Blueprint, end: 'keys' | 'operator' | 'probe'): string {
  const found = secrets.find(({ name }) => name.endsWith(`/${end}`));
  if (!found) throw new Error(`the template has no secret whose name ends with /${end}`);
  return found.name;
}
