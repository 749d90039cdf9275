import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { NAMESPACE } from '../../../shared/runtime/metrics.ts';
import type { FunctionRun } from '../aws/containers.ts';
import { CREDENTIALS } from '../aws/dynamodb.ts';
import type { Access } from '../aws/gateway.ts';
import type { Blueprint } from '../blueprint.ts';
import { ACCOUNT, REGION } from '../template.ts';
import type { MetricStore, Series } from './metric-store.ts';

/** Queue depths under CloudWatch's names, each with SQS's attribute for it. */
const DEPTHS = {
  ApproximateNumberOfMessagesVisible: 'ApproximateNumberOfMessages',
  ApproximateNumberOfMessagesNotVisible: 'ApproximateNumberOfMessagesNotVisible',
} as const;

/** Metrics of AWS that the local run counts in its place; all others exist only in AWS. */
const COUNTED: Readonly<Record<string, readonly string[]>> = {
  'AWS/ApiGateway': ['Count', '4XXError', '5XXError', 'Latency'],
  'AWS/Lambda': ['Invocations', 'Errors', 'Duration', 'ConcurrentExecutions'],
  'AWS/SQS': Object.keys(DEPTHS),
};

/** Whether the local run measures a metric: ours, and those of AWS that it counts itself. */
export function isCountedHere({ namespace, name }: Pick<Series, 'namespace' | 'name'>): boolean {
  return namespace === NAMESPACE || (COUNTED[namespace]?.includes(name) ?? false);
}

/** How often queues are looked at, in milliseconds. */
const LOOK = 5_000;

/** Counts a call as API Gateway does, for the API as a whole and for its route. */
export function measureAccess(
  store: MetricStore,
  api: { readonly name: string; readonly stage: string },
  { method, resource, status, milliseconds }: Access,
): void {
  const whole = { ApiName: api.name, Stage: api.stage };
  for (const dimensions of [whole, ...(resource ? [{ ...whole, Method: method, Resource: resource }] : [])]) {
    const add = (name: string, value: number) => store.add({ namespace: 'AWS/ApiGateway', name, dimensions }, [value]);
    add('Count', 1);
    add('4XXError', status >= 400 && status < 500 ? 1 : 0);
    add('5XXError', status >= 500 ? 1 : 0);
    add('Latency', milliseconds);
  }
}

/** Counts a run of a function as Lambda does. */
export function measureRun(store: MetricStore, { name, milliseconds, failed, running }: FunctionRun): void {
  const add = (metric: string, value: number, dimensions: Readonly<Record<string, string>>) =>
    store.add({ namespace: 'AWS/Lambda', name: metric, dimensions }, [value]);
  const own = { FunctionName: name };
  add('Invocations', 1, own);
  add('Errors', failed ? 1 : 0, own);
  add('Duration', milliseconds, own);
  add('ConcurrentExecutions', running, {});
}

/** Looks at the queues every few seconds, as SQS tells CloudWatch of them. */
export function watchQueues(store: MetricStore, plans: Blueprint['queues'], endpoint: string): { close(): void } {
  const client = new SQSClient({ endpoint, region: REGION, credentials: CREDENTIALS, maxAttempts: 1 });
  const look = async (queue: string) => {
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
  };
  // A look that fails is made up for by the next.
  const timer = setInterval(() => {
    for (const { name } of plans) void look(name).catch(() => undefined);
  }, LOOK);
  return {
    close: () => {
      clearInterval(timer);
      client.destroy();
    },
  };
}
