import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { contributorOf, INSIGHT_RULES, RULE_NAMES } from '#infra/insight-rules.ts';
import type { Clock } from '#shared/domain/values/clock.ts';
import { seconds } from '#shared/domain/values/time.ts';
import type { ObservedCall } from '../aws/aws-like.ts';
import type { FunctionRun } from '../aws/containers.ts';
import { CREDENTIALS } from '../aws/dynamodb.ts';
import type { Access } from '../aws/gateway.ts';
import type { Blueprint } from '../blueprint.ts';
import { isObject, parsedJson } from '../listen.ts';
import { ACCOUNT, REGION } from '../template.ts';
import { MetricStore, RULES } from './metric-store.ts';

const DEPTHS = {
  ApproximateNumberOfMessagesVisible: 'ApproximateNumberOfMessages',
  ApproximateNumberOfMessagesNotVisible: 'ApproximateNumberOfMessagesNotVisible',
} as const;

/** Metrics of AWS that the local run counts. All others exist only on AWS. */
const COUNTED: Readonly<Record<string, readonly string[]>> = {
  'AWS/ApiGateway': ['Count', '4XXError', '5XXError', 'Latency'],
  'AWS/Lambda': ['Invocations', 'Errors', 'Duration', 'ConcurrentExecutions'],
  'AWS/SQS': Object.keys(DEPTHS),
};
const OF_THE_TABLE = ['ReadThrottleEvents', 'WriteThrottleEvents', 'SystemErrors', 'SuccessfulRequestLatency'];

export function localMetricStore(clock: Clock = Date.now): MetricStore {
  const store = new MetricStore(clock);
  for (const [namespace, names] of Object.entries(COUNTED)) store.measure(namespace, names);
  return store;
}

export function measureLine(store: MetricStore, text: string): void {
  if (text.includes('"code"')) countLine(store, 'functions', text);
}

export const measureAccessLine = (store: MetricStore, text: string): void => countLine(store, 'access', text);

function countLine(store: MetricStore, log: 'functions' | 'access', text: string): void {
  // Node's own messages are not JSON.
  const line = parsedJson(text);
  if (!isObject(line)) return;
  for (const rule of RULE_NAMES) {
    if (INSIGHT_RULES[rule].logs !== log) continue;
    const contributor = contributorOf(rule, line);
    if (contributor === undefined) continue;
    store.add({ namespace: RULES, name: rule, dimensions: { contributor } }, [1]);
  }
}

export function measureTable(
  store: MetricStore,
  table: string,
  { request, milliseconds, outcome }: ObservedCall,
): void {
  const { service, action } = request;
  if (service !== 'dynamodb') return;
  store.measure('AWS/DynamoDB', OF_THE_TABLE);
  const add = (name: string, value: number, dimensions: Readonly<Record<string, string>>) =>
    store.add({ namespace: 'AWS/DynamoDB', name, dimensions }, [value]);
  const reads = ['GetItem', 'BatchGetItem', 'Query'].includes(action);
  if (outcome === 'answered') add('SuccessfulRequestLatency', milliseconds, { TableName: table, Operation: action });
  if (outcome === 'failed') add('SystemErrors', 1, { TableName: table, Operation: action });
  if (outcome === 'throttled') add(reads ? 'ReadThrottleEvents' : 'WriteThrottleEvents', 1, { TableName: table });
}

const LOOK = seconds(5);

export function measureAccess(
  store: Pick<MetricStore, 'add'>,
  api: { readonly name: string; readonly stage: string },
  { status, milliseconds }: Pick<Access, 'status' | 'milliseconds'>,
): void {
  const dimensions = { ApiName: api.name, Stage: api.stage };
  const add = (name: string, value: number) => store.add({ namespace: 'AWS/ApiGateway', name, dimensions }, [value]);
  add('Count', 1);
  add('4XXError', status >= 400 && status < 500 ? 1 : 0);
  add('5XXError', status >= 500 ? 1 : 0);
  add('Latency', milliseconds);
}

export function measureRun(store: MetricStore, { name, milliseconds, failed, running }: FunctionRun): void {
  const add = (metric: string, value: number, dimensions: Readonly<Record<string, string>>) =>
    store.add({ namespace: 'AWS/Lambda', name: metric, dimensions }, [value]);
  const own = { FunctionName: name };
  add('Invocations', 1, own);
  add('Errors', failed ? 1 : 0, own);
  add('Duration', milliseconds, own);
  add('ConcurrentExecutions', running, {});
}

export function watchQueues(store: MetricStore, plans: Blueprint['queues'], endpoint: string): { close(): void } {
  const client = new SQSClient({ endpoint, region: REGION, credentials: CREDENTIALS, maxAttempts: 1 });
  // The next reading replaces a failed reading.
  const timer = setInterval(() => {
    for (const { name } of plans) void lookAtQueue(store, client, endpoint, name).catch(() => undefined);
  }, LOOK);
  return {
    close: () => {
      clearInterval(timer);
      client.destroy();
    },
  };
}

export async function lookAtQueue(
  store: MetricStore,
  client: SQSClient,
  endpoint: string,
  queue: string,
): Promise<void> {
  const { Attributes } = await client.send(
    new GetQueueAttributesCommand({
      QueueUrl: `${endpoint}/${ACCOUNT}/${queue}`,
      AttributeNames: Object.values(DEPTHS),
    }),
  );
  for (const [name, attribute] of Object.entries(DEPTHS)) {
    const series = { namespace: 'AWS/SQS', name, dimensions: { QueueName: queue } };
    store.add(series, [Number(Attributes?.[attribute] ?? 0)]);
  }
}
