import {
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  DeleteQueueCommand,
  ListQueuesCommand,
  type Message,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import type { SQSRecord } from 'aws-lambda';
import { buildApp } from 'fauxqs';
import * as z from 'zod/mini';
import type { Instant, Milliseconds, Seconds } from '#shared/domain/values/time.ts';
import type { QueuePlan, SchedulePlan, SourcePlan } from '../blueprint.ts';
import { serve } from '../listen.ts';
import { ACCOUNT, REGION } from '../template.ts';
import type { Containers } from './containers.ts';
import { CREDENTIALS } from './dynamodb.ts';

// Longest wait that SQS allows.
const LONG_POLL: Seconds = 20;
const MOST_LOOPS = 2;

/**
 * Feeds functions from queues as Lambda does. Messages that a function reports as failed come back when their
 * visibility timeout ends. If the function throws, the whole batch comes back.
 */
export function startEventSources(
  plans: readonly SourcePlan[],
  endpoint: string,
  containers: Pick<Containers, 'invoke'>,
  failed: (message: string) => void,
) {
  const client = new SQSClient({ endpoint, region: REGION, credentials: CREDENTIALS, maxAttempts: 1 });
  const stop = new AbortController();
  const loops = plans.flatMap((plan) =>
    Array.from({ length: Math.min(plan.maxConcurrency, MOST_LOOPS) }, () =>
      loop(plan, client, endpoint, containers, stop.signal, failed),
    ),
  );
  return {
    close: async () => {
      stop.abort();
      await Promise.all(loops);
      client.destroy();
    },
  };
}

async function loop(
  plan: SourcePlan,
  client: SQSClient,
  endpoint: string,
  containers: Pick<Containers, 'invoke'>,
  signal: AbortSignal,
  failed: (message: string) => void,
): Promise<void> {
  const QueueUrl = `${endpoint}/${ACCOUNT}/${plan.queueArn.split(':').at(-1)}`;
  while (!signal.aborted) {
    try {
      const { Messages = [] } = await client.send(
        new ReceiveMessageCommand({
          QueueUrl,
          MaxNumberOfMessages: Math.min(plan.batchSize, 10),
          WaitTimeSeconds: LONG_POLL,
          MessageSystemAttributeNames: ['All'],
        }),
        { abortSignal: signal },
      );
      if (Messages.length === 0) continue;
      const done = await handled(plan, Messages, containers);
      if (done.length === 0) continue;
      const Entries = done.map(({ MessageId, ReceiptHandle }) => ({ Id: MessageId, ReceiptHandle }));
      await client.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
    } catch (error) {
      if (signal.aborted) return;
      failed(`${plan.function}: ${String(error)}`);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}

/** No message failed if the answer is null or undefined. */
const batchResponse = z.nullish(
  z.object({ batchItemFailures: z.optional(z.nullable(z.array(z.object({ itemIdentifier: z.unknown() })))) }),
);

export async function handled(
  plan: SourcePlan,
  messages: readonly Message[],
  containers: Pick<Containers, 'invoke'>,
): Promise<readonly Message[]> {
  let response: unknown;
  try {
    response = await containers.invoke(plan.function, { Records: messages.map((message) => recordOf(message, plan)) });
  } catch {
    return [];
  }
  if (!plan.reportsFailures) return messages;
  const read = batchResponse.safeParse(response);
  if (!read.success) return [];
  const failures = read.data?.batchItemFailures ?? [];
  const ids = failures.map(({ itemIdentifier }) => itemIdentifier);
  // An identifier that is empty or belongs to no message makes Lambda treat the whole batch as failed.
  if (ids.some((id) => !messages.some(({ MessageId }) => MessageId === id))) return [];
  return messages.filter(({ MessageId }) => !ids.includes(MessageId));
}

function recordOf(message: Message, plan: SourcePlan): SQSRecord {
  const { Attributes = {} } = message;
  return {
    messageId: message.MessageId ?? '',
    receiptHandle: message.ReceiptHandle ?? '',
    body: message.Body ?? '',
    attributes: {
      ...Attributes,
      ApproximateReceiveCount: Attributes.ApproximateReceiveCount ?? '',
      SentTimestamp: Attributes.SentTimestamp ?? '',
      SenderId: Attributes.SenderId ?? '',
      ApproximateFirstReceiveTimestamp: Attributes.ApproximateFirstReceiveTimestamp ?? '',
    },
    messageAttributes: {},
    md5OfBody: message.MD5OfBody ?? '',
    eventSource: 'aws:sqs',
    eventSourceARN: plan.queueArn,
    awsRegion: REGION,
  };
}

/**
 * Starts SQS in this process, in memory. If a restart loses messages, the sweeper finds their deliveries in the table.
 */
export async function startQueues() {
  // startFauxqs would listen on every interface of the machine. Its option `host` only changes queue URLs.
  const app = buildApp({ logger: false, defaultRegion: REGION });
  await app.ready();
  // A connection that the server closes while it is idle would look like a lost request.
  const server = await serve(app.routing, { server: { keepAliveTimeout: 0 } });
  return {
    endpoint: server.url,
    make: (plans: readonly QueuePlan[]) => makeQueues(server.url, plans),
    close: async () => {
      await app.close();
      await server.close();
    },
  };
}
export type LocalQueues = Awaited<ReturnType<typeof startQueues>>;

async function makeQueues(endpoint: string, plans: readonly QueuePlan[]): Promise<void> {
  const client = new SQSClient({ endpoint, region: REGION, credentials: CREDENTIALS, maxAttempts: 1 });
  const { QueueUrls = [] } = await client.send(new ListQueuesCommand({}));
  for (const QueueUrl of QueueUrls) await client.send(new DeleteQueueCommand({ QueueUrl }));
  // Dead-letter queues first, because the other queues refer to them.
  const ordered = plans.toSorted(
    (a, b) => Number('RedrivePolicy' in a.attributes) - Number('RedrivePolicy' in b.attributes),
  );
  for (const { name, attributes } of ordered) {
    await client.send(new CreateQueueCommand({ QueueName: name, Attributes: attributes }));
  }
  client.destroy();
}

/** The time of an event has whole seconds: `2026-11-27T08:00:00Z`. */
export function scheduledEvent({ input, times }: Pick<SchedulePlan, 'input' | 'times'>, at: Instant): unknown {
  const time = `${new Date(at).toISOString().slice(0, 19)}Z`;
  return JSON.parse(times.reduce((text, name) => text.replaceAll(`<${name}>`, JSON.stringify(time)), input));
}

export function startSchedules(
  plans: readonly SchedulePlan[],
  containers: Pick<Containers, 'invoke'>,
  every: (plan: SchedulePlan) => Milliseconds = (plan) => plan.every,
): { close(): void } {
  const timers = plans.map((plan) => {
    let running = false;
    return setInterval(() => {
      // Otherwise fast ticks would pile up behind a long run.
      if (running) return;
      running = true;
      containers
        .invoke(plan.function, scheduledEvent(plan, Date.now()))
        // The container has logged the error. The next tick is the retry.
        .catch(() => undefined)
        .finally(() => {
          running = false;
        });
    }, every(plan));
  });
  return {
    close: () => {
      for (const timer of timers) clearInterval(timer);
    },
  };
}
