import { readFileSync } from 'node:fs';
import { GetQueueUrlCommand, SQSClient } from '@aws-sdk/client-sqs';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import * as z from 'zod';
import { namesOf, STAGE_NAMES, stageNamed, stageValues } from '../../infra/stages.ts';
import { SafeError } from '../../shared/runtime/log.ts';
import { UsageError } from './errors.ts';

/** The local run as a stage. */
export const LOCAL = 'local';
export const STAGES: readonly string[] = [...STAGE_NAMES, LOCAL];

/** What the local run writes for this program: the environment that the service's adapters read. */
const endpointsFormat = z.object({
  AWS_REGION: z.string(),
  AWS_ACCESS_KEY_ID: z.string(),
  AWS_SECRET_ACCESS_KEY: z.string(),
  AWS_ENDPOINT_URL_DYNAMODB: z.url(),
  AWS_ENDPOINT_URL_SQS: z.url(),
  AWS_ENDPOINT_URL_SECRETS_MANAGER: z.url(),
  TABLE_NAME: z.string(),
  ERASURE_LEDGER_NAME: z.string(),
  KEYS_SECRET: z.string(),
  DELIVERY_QUEUE_URL: z.url(),
  DELIVERY_DLQ_URL: z.url(),
  OPERATOR_URL: z.url(),
  OPERATOR_TOKEN_SECRET: z.string(),
  PROBE_KEY_SECRET: z.string(),
  LOCAL_WEBHOOK_TARGETS: z.literal('true'),
});

/** Points the adapters of this process at a stage and gives who the caller is there. */
export async function reachStage(name: string, endpointsFile: string): Promise<string> {
  // Results go to standard output, where a log line would spoil them.
  process.env['POWERTOOLS_LOG_LEVEL'] = 'SILENT';
  if (name === LOCAL) return reachLocal(endpointsFile);
  const stage = stageValues(named(name));
  refuseEndpoints(name);
  const names = namesOf(stage);
  Object.assign(process.env, {
    AWS_REGION: stage.region,
    TABLE_NAME: names.table,
    ERASURE_LEDGER_NAME: names.erasureLedger,
    KEYS_SECRET: names.keysSecret,
    OPERATOR_URL: stage.operatorUrl,
    OPERATOR_TOKEN_SECRET: names.operatorSecret,
    PROBE_KEY_SECRET: names.probeSecret,
  });
  // Webhooks to this machine are the local run's alone, whatever the shell has set.
  delete process.env['LOCAL_WEBHOOK_TARGETS'];
  const { Account, Arn } = await new STSClient({}).send(new GetCallerIdentityCommand({}));
  if (stage.account !== undefined && Account !== stage.account) {
    throw new SafeError(
      `these credentials are of account ${Account}, stage ${name} is in ${stage.account}: use that account's profile (AWS_PROFILE)`,
    );
  }
  if (!Arn) throw new SafeError('AWS does not say who the caller is: sign in again');
  return Arn;
}

/**
 * Endpoints of the shell win over the stage's: what was meant for AWS would change the local run, or an emulator. An
 * emulated stage is named in MANAGER_EMULATED_STAGE, so that nobody reaches one unawares.
 */
function refuseEndpoints(name: string): void {
  if (process.env['MANAGER_EMULATED_STAGE'] === name) return;
  const set = Object.keys(process.env).filter((one) => one.startsWith('AWS_ENDPOINT_URL') && process.env[one]);
  if (set.length > 0)
    throw new UsageError(`${set.join(', ')} would lead elsewhere than to stage ${name}: unset them, or say --local`);
}

function named(name: string) {
  try {
    return stageNamed(name);
  } catch {
    throw new UsageError(`there is no stage ${JSON.stringify(name)}: use ${STAGES.join(', ')}`);
  }
}

function reachLocal(file: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new SafeError(`${file} is missing: start the local run first (npm start)`, { cause: error });
  }
  const parsed = endpointsFormat.safeParse(parseJson(text));
  if (!parsed.success) throw new SafeError(`${file} is none of the local run's: start it anew (npm start)`);
  // A profile or a session of the shell would win over the local run's credentials.
  for (const name of ['AWS_PROFILE', 'AWS_SESSION_TOKEN', 'AWS_ENDPOINT_URL']) delete process.env[name];
  Object.assign(process.env, parsed.data);
  return LOCAL;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Finds the URLs of a stage's queues, which the commands that use them ask for; the local run's file holds its own. */
export async function reachQueues(name: string): Promise<void> {
  if (name === LOCAL) return;
  const names = namesOf(stageValues(named(name)));
  const sqs = new SQSClient({});
  const url = async (QueueName: string) => (await sqs.send(new GetQueueUrlCommand({ QueueName }))).QueueUrl;
  const [deliveries, deadLetters] = await Promise.all([url(names.deliveryQueue), url(names.deadLetterQueue)]);
  process.env['DELIVERY_QUEUE_URL'] = deliveries;
  process.env['DELIVERY_DLQ_URL'] = deadLetters;
}
