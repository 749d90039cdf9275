import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { handler as poll } from '#functions/pollers/poll-bank-outcomes.ts';
import { handler as sweepDeliveries } from '#functions/pollers/sweep-deliveries.ts';
import { handler as sweepErasures } from '#functions/pollers/sweep-erasures.ts';
import { handler as deliver } from '#functions/workers/deliver-webhook.ts';
import type { AdministrationOperation } from '#shared/administration/operations.ts';
import { timestamp } from '#shared/domain/values/clock.ts';
import type { Milliseconds } from '#shared/domain/values/time.ts';
import { type AdministrationCall, administration } from '../makers/administration.ts';
import { api, type Operation } from '../makers/api.ts';
import { type CallAnswer, type CallOptions, lambdaContext } from '../makers/call.ts';
import type { Scene } from '../makers/scene.ts';
import { QueueView, sqsEvent } from '../makers/sqs.ts';
import { passTime } from '../makers/test-clock.ts';
import { withTwoPeople } from './acts.ts';

/**
 * One step of a replay: a partner or one of our people makes a call, a schedule starts a poller or a sweeper, the queue
 * gives the worker a message, or time passes.
 */
export type Step =
  | { readonly partner: Operation; readonly call: CallOptions }
  | {
      readonly administration: AdministrationOperation;
      readonly call: AdministrationCall;
      /** Whether the stage asks for another person's approval. @default false */
      readonly twoPeople?: boolean;
    }
  | { readonly tick: keyof typeof TICKS }
  | { readonly message: string }
  | { readonly later: Milliseconds };

const tick = () => ({ time: timestamp(Date.now()) });
const TICKS = {
  'poll-bank-outcomes': () => poll({ ...tick(), shard: 0, shards: 1 }, lambdaContext(55_000)),
  'sweep-deliveries': () => sweepDeliveries(tick(), lambdaContext(55_000)),
  'sweep-erasures': () => sweepErasures(tick(), lambdaContext(55_000)),
};

/** Metrics that say which rows a tick has found. */
const FOUND: ReadonlySet<string> = new Set([
  'Pending',
  'DeliveriesDue',
  'DeliveriesSuspended',
  'DeliveriesExhausted',
  'SweeperRepairs',
  'EndpointsDisabled',
  'EndpointsFailing',
  'LeadsNoticed',
  'LeadsEnded',
  'ErasuresFailed',
  'WebhookFailures',
]);

/** Takes a step. A tick and a message answer with the sum of each metric that says what was found. */
export async function take(step: Step, scene: Scene): Promise<Pick<CallAnswer, 'status' | 'body'>> {
  if ('later' in step) {
    passTime(step.later);
    return { status: 200, body: {} };
  }
  // A replay begins a moment later than the recording process remembers that keys were revoked.
  passTime(1);
  if ('tick' in step) return whileCounting(scene, TICKS[step.tick]);
  if ('message' in step) return whileCounting(scene, () => deliverMessage(step.message));
  if ('partner' in step) {
    const { status, body = {} } = await api(step.partner, step.call);
    return { status, body };
  }
  const call = () => administration(step.administration, step.call);
  return step.twoPeople ? withTwoPeople(call) : call();
}

/** Empties the queue, sends the message to it, and starts the worker with what the queue then has. */
async function deliverMessage(MessageBody: string): Promise<void> {
  const QueueUrl = process.env['DELIVERY_QUEUE_URL']!;
  const queue = new QueueView(QueueUrl);
  await queue.purge();
  await new SQSClient({}).send(new SendMessageCommand({ QueueUrl, MessageBody }));
  await deliver(sqsEvent(await queue.receive()), lambdaContext(55_000));
}

async function whileCounting(
  { peers }: Scene,
  run: () => Promise<unknown>,
): Promise<Pick<CallAnswer, 'status' | 'body'>> {
  const before = peers.metrics.length;
  await run();
  const sums: Record<string, number> = {};
  for (const line of peers.metrics.slice(before)) {
    for (const [name, value] of Object.entries(line))
      if (FOUND.has(name) && typeof value === 'number') sums[name] = (sums[name] ?? 0) + value;
  }
  return { status: 200, body: sums };
}

/** Returns the name of a step, for sentences. */
export function nameOf(step: Step): string {
  if ('tick' in step) return step.tick;
  if ('later' in step) return `${step.later} ms later`;
  if ('message' in step) return 'deliver-webhook';
  return 'partner' in step ? step.partner : step.administration;
}
