import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { backgroundRun } from './deadline.ts';
import { logWarning } from './log.ts';
import { emit } from './metrics.ts';

// Background runs delete, submit and give up by the clock of their container. So each run first compares this clock
// with a time that AWS wrote into its event.

/**
 * A healthy run can begin three minutes late. EventBridge and Lambda each keep an event for up to a minute. Lambda may
 * hold a received message for as long as the queue hides it, which is 180 s.
 */
export const MOST_DIFFERENCE_MS = 5 * 60_000;

/** The event that a schedule sends. Our rules write it (infra/constructs/service-function.ts). */
export interface ScheduledEvent {
  /** When EventBridge made the event, in ISO 8601. */
  readonly time: string;
}

/**
 * Does `run` as a `backgroundRun`, but only if the clock is right. An event without a readable time does not prove it.
 */
export async function scheduledRun(
  operation: string,
  { time }: ScheduledEvent,
  context: Context,
  run: () => Promise<void>,
  facts: Readonly<Record<string, number>> = {},
): Promise<void> {
  const checked = async () => {
    if (isClockRight(Date.now() - Date.parse(time))) await run();
  };
  await backgroundRun(operation, context, checked, facts);
}

/**
 * Does `run` as a `backgroundRun` if the clock is right. Otherwise reports every message as failed: the queue keeps
 * them, and another container may get them when their visibility timeout ends.
 */
export async function queueRun(
  operation: string,
  event: SQSEvent,
  context: Context,
  clock: ClockByMessages,
  run: () => Promise<SQSBatchResponse>,
): Promise<SQSBatchResponse> {
  return backgroundRun(operation, context, async () => {
    if (isClockRight(clock.aheadMs(event.Records))) return run();
    return { batchItemFailures: event.Records.map(({ messageId }) => ({ itemIdentifier: messageId })) };
  });
}

/**
 * Whether the clock may be used. `aheadMs`: the clock minus AWS's time, NaN if AWS's time is not known. If the clock is
 * wrong, logs and counts the run but throws nothing: an error would take back a running deployment
 * (infra/constructs/gradual-release.ts), and no deployment repairs a clock.
 */
export function isClockRight(aheadMs: number): boolean {
  if (Math.abs(aheadMs) <= MOST_DIFFERENCE_MS) return true;
  const isKnown = Number.isFinite(aheadMs);
  logWarning('clock_wrong', { ahead_seconds: isKnown ? Math.round(aheadMs / 1000) : undefined });
  // Counted at AWS's time: CloudWatch drops values of the future and of long ago (infra/AWS.md, fact 53).
  emit({}, { RunsWithWrongClock: 1 }, Date.now() - (isKnown ? aheadMs : 0));
  return false;
}

/**
 * Longest time from the first receive of a message to its last. The queue gives a message up after 8 receives, and
 * hides the message for at most 15 minutes after each. The time is longer only if no worker could receive the message.
 */
export const LONGEST_RETURN_MS = 2 * 3_600_000;

/**
 * Measures how far the container's clock is ahead of the times that SQS writes into messages. Any message shows a clock
 * that is behind. Only a message on its first receive shows a clock that is ahead, because a later receive may have
 * waited. Without a first receive, the last known difference counts. If none is known, a message may be
 * `LONGEST_RETURN_MS` old.
 */
export class ClockByMessages {
  #lastAheadMs: number | undefined;

  /** Returns by how many milliseconds the clock is ahead of SQS's. Negative if it is behind. */
  aheadMs(records: readonly SQSRecord[]): number {
    // No message carries a later time than the present.
    const latestMs = Math.max(...records.map(latestTimeMs));
    const aheadMs = Date.now() - latestMs;
    if (aheadMs < 0 || records.some(isFirstReceive)) {
      this.#lastAheadMs = aheadMs;
      return aheadMs;
    }
    return this.#lastAheadMs ?? Math.max(0, aheadMs - LONGEST_RETURN_MS);
  }
}

const latestTimeMs = ({ attributes }: SQSRecord): number =>
  Math.max(Number(attributes.SentTimestamp), Number(attributes.ApproximateFirstReceiveTimestamp));

const isFirstReceive = ({ attributes }: SQSRecord): boolean => attributes.ApproximateReceiveCount === '1';
