import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { deliver } from '#shared/domain/webhooks/deliver.ts';
import { ClockByMessages, queueRun } from '#shared/runtime/background-runs.ts';
import { logError } from '#shared/runtime/log.ts';
import * as wiring from '#shared/wiring.ts';

const makePorts = () => ({
  queue: wiring.deliveryQueue(),
  deliveries: wiring.deliveries(),
  endpoints: wiring.webhookEndpoints(),
  sender: wiring.sender(),
  clock: wiring.clock(),
  random: Math.random,
  observer: wiring.attemptObserver(),
});
let ports: ReturnType<typeof makePorts> | undefined;
const clockByMessages = new ClockByMessages();

/**
 * Makes the attempt that a record asks for. Returns true if its message is finished. Otherwise the message stays in the
 * queue, hidden until its next attempt.
 */
async function attemptOf(record: SQSRecord): Promise<boolean> {
  ports ??= makePorts();
  const outcome = await deliver(ports.queue.read(record.body), ports);
  if (outcome.kind === 'done') return true;
  await ports.queue.hide(record.receiptHandle, outcome.after);
  return false;
}

/**
 * Makes the webhook attempts that a batch of messages asks for. Throws the first error if every message threw one: then
 * the worker itself fails, and Lambda's count of errors, which releases and an alarm watch, must show it. The messages
 * come back in any case.
 */
export async function handler(event: SQSEvent, context: Context): Promise<SQSBatchResponse> {
  const errors: unknown[] = [];
  const attempts = async () => {
    const unfinished = await Promise.all(
      event.Records.map(async (record) => {
        try {
          return (await attemptOf(record)) ? [] : [{ itemIdentifier: record.messageId }];
        } catch (error) {
          logError('request_failed', error);
          errors.push(error);
          return [{ itemIdentifier: record.messageId }];
        }
      }),
    );
    return { batchItemFailures: unfinished.flat() };
  };
  const response = await queueRun('deliver-webhook', event, context, clockByMessages, attempts);
  if (errors.length > 0 && errors.length === event.Records.length) throw errors[0];
  return response;
}
