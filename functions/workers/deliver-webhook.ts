import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { deliver } from '#shared/domain/webhooks/deliver.ts';
import type { DueDelivery } from '#shared/domain/webhooks/delivery.ts';
import { ClockByMessages, queueRun } from '#shared/runtime/background-runs.ts';
import { logError, RunFailed } from '#shared/runtime/log.ts';
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
 * Returns true if the message is finished. Otherwise the message stays in the queue: hidden until its next attempt, or
 * until its visibility timeout ends if the attempt threw. `failed`: called if the attempt threw, after its error was
 * logged with the event.
 */
async function attemptOf(record: SQSRecord, failed: () => void): Promise<boolean> {
  let due: DueDelivery | undefined;
  try {
    ports ??= makePorts();
    due = ports.queue.read(record.body);
    const outcome = await deliver(due, ports);
    if (outcome.kind === 'done') return true;
    await ports.queue.hide(record.receiptHandle, outcome.after);
  } catch (error) {
    logError('request_failed', error, { event: due?.eventId });
    failed();
  }
  return false;
}

/**
 * Throws RunFailed if every attempt threw an error. Then the worker itself fails, and Lambda's count of errors must
 * show it: releases and an alarm watch the count.
 */
export async function handler(event: SQSEvent, context: Context): Promise<SQSBatchResponse> {
  let failures = 0;
  const attempts = async () => {
    const unfinished = await Promise.all(
      event.Records.map(async (record) => {
        const isFinished = await attemptOf(record, () => {
          failures += 1;
        });
        return isFinished ? [] : [{ itemIdentifier: record.messageId }];
      }),
    );
    return { batchItemFailures: unfinished.flat() };
  };
  const response = await queueRun('deliver-webhook', event, context, clockByMessages, attempts);
  if (failures > 0 && failures === event.Records.length) throw new RunFailed();
  return response;
}
