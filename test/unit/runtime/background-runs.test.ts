import { inspect } from 'node:util';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { days, hours, type Instant, type Milliseconds, minutes, seconds } from '#shared/domain/values/time.ts';
import { ClockByMessages, LONGEST_RETURN_MS, queueRun, scheduledRun } from '#shared/runtime/background-runs.ts';
import { lambdaContext } from '#test/makers/call.ts';

/** What the clock of the container says. */
const NOW: Instant = Date.UTC(2026, 10, 27, 12);
/** The metrics and the log lines of a test, parsed. */
const emitted: object[] = [];
const logged: object[] = [];

beforeEach(() => {
  vi.useFakeTimers({ now: NOW });
  emitted.length = 0;
  logged.length = 0;
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    const line = JSON.parse(String(text));
    ('_aws' in line ? emitted : logged).push(line);
    return true;
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Returns how often the run of a schedule did its work, given the time of its event. */
async function worked(time: string): Promise<number> {
  const run = vi.fn(async () => undefined);
  await scheduledRun('sweep', { time }, lambdaContext(), run);
  return run.mock.calls.length;
}

/** A moment as EventBridge writes it, in whole seconds. */
const written = (at: Instant) => new Date(at).toISOString().replace('.000Z', 'Z');

describe('scheduledRun', () => {
  it.each([
    ['that is three minutes old', minutes(3)],
    ['that is five minutes old', minutes(5)],
    ['five minutes after its clock', -minutes(5)],
  ])('scheduledRun works for an event %s', async (_, age) => {
    expect(await worked(written(NOW - age))).toBe(1);
    expect(emitted).toEqual([]);
  });

  it.each<[string, Milliseconds]>([
    ['five minutes and a second ahead', minutes(5) + seconds(1)],
    ['two days ahead', days(2)],
    ['five minutes and a second behind', -minutes(5) - seconds(1)],
    ['two days behind', -days(2)],
  ])('scheduledRun does nothing and counts the run at AWS’s time if the clock is %s', async (_, ahead) => {
    expect(await worked(written(NOW - ahead))).toBe(0);
    expect(emitted).toHaveLength(1);
    expect(emitted[0]).toMatchObject({ RunsWithWrongClock: 1, _aws: { Timestamp: NOW - ahead } });
    const facts = { operation: 'sweep', ahead_seconds: ahead / seconds(1) };
    expect(logged).toMatchObject([{ level: 'WARN', code: 'clock_wrong', ...facts }]);
  });

  it.each([['no time'], ['']])('scheduledRun does nothing if the time of its event is "%s"', async (time) => {
    expect(await worked(time)).toBe(0);
    expect(emitted).toMatchObject([{ RunsWithWrongClock: 1, _aws: { Timestamp: NOW } }]);
  });

  describe('with work that throws an error which names a person', () => {
    /** Returns the error with which the run ends. */
    const ended = async (): Promise<unknown> => {
      const work = async () => {
        throw Object.assign(new RangeError('the row of Maria is unreadable'), { row: { name: 'Maria' } });
      };
      return scheduledRun('sweep', { time: written(NOW) }, lambdaContext(), work).catch((error: unknown) => error);
    };

    it('scheduledRun fails and counts no wrong clock', async () => {
      expect(await ended()).toBeInstanceOf(Error);
      expect(emitted).toEqual([]);
    });

    it('scheduledRun fails with an error without the text, the fields and the cause of its work’s error', async () => {
      // Lambda logs the error of a run whole.
      expect(inspect(await ended(), { depth: null })).not.toContain('Maria');
    });

    it('scheduledRun logs the name of the error, and not its text', async () => {
      await ended();
      expect(logged).toMatchObject([{ level: 'ERROR', code: 'run_failed', errors: [{ name: 'RangeError' }] }]);
      expect(JSON.stringify(logged)).not.toContain('Maria');
    });
  });
});

/** When a message was sent and first received, before the container's clock, and how often it was received. */
interface Seen {
  readonly sent: Milliseconds;
  readonly first: Milliseconds;
  readonly receives: number;
}

const recordsOf = (...messages: readonly Seen[]): SQSEvent['Records'] =>
  messages.map(({ sent, first, receives }, index) => ({
    messageId: `m${index}`,
    receiptHandle: 'r',
    body: '{}',
    attributes: {
      SentTimestamp: String(NOW - sent),
      ApproximateFirstReceiveTimestamp: String(NOW - first),
      ApproximateReceiveCount: String(receives),
      SenderId: 's',
    },
    messageAttributes: {},
    md5OfBody: '',
    eventSource: 'aws:sqs',
    eventSourceARN: 'arn:aws:sqs:sa-east-1:000000000000:deliveries',
    awsRegion: 'sa-east-1',
  }));

/** A message that is received for the first time, at the moment at which it was sent. */
const fresh = (ago: Milliseconds): Seen => ({ sent: ago, first: ago, receives: 1 });
/** A message that was received before. */
const returned = (ago: Milliseconds): Seen => ({ sent: ago, first: ago, receives: 2 });

describe('ClockByMessages', () => {
  it.each<[string, Seen, Milliseconds]>([
    ['a message that waited for three days', { sent: days(3), first: seconds(1), receives: 1 }, seconds(1)],
    ['a message whose function was throttled', { sent: minutes(3), first: minutes(3), receives: 1 }, minutes(3)],
    ['a message that an earlier time received', fresh(days(2)), days(2)],
    ['a message that a later time received', fresh(-days(2)), -days(2)],
    ['a message that came back and was sent later', returned(-hours(1)), -hours(1)],
    ['a message that came back after an hour', returned(hours(1)), 0],
    ['a message that came back after two days', returned(days(2)), days(2) - LONGEST_RETURN_MS],
  ])('the clock is judged by %s', (_, message, ahead) => {
    expect(new ClockByMessages().aheadMs(recordsOf(message))).toBe(ahead);
  });

  it('a message that is received for the first time judges the clock for its whole batch', () => {
    expect(new ClockByMessages().aheadMs(recordsOf(returned(days(3)), fresh(seconds(2))))).toBe(seconds(2));
  });

  it('a message that comes back is judged by what the container saw last', () => {
    const clock = new ClockByMessages();
    clock.aheadMs(recordsOf(fresh(minutes(20))));
    expect(clock.aheadMs(recordsOf(returned(minutes(23))))).toBe(minutes(20));
    clock.aheadMs(recordsOf(fresh(0)));
    expect(clock.aheadMs(recordsOf(returned(days(3))))).toBe(0);
  });
});

describe('queueRun', () => {
  const deliver = (messages: readonly Seen[], run: () => Promise<SQSBatchResponse>) =>
    queueRun('deliver', { Records: recordsOf(...messages) }, lambdaContext(), new ClockByMessages(), run);

  it('queueRun returns the answer of its work if the clock is right', async () => {
    const answer = { batchItemFailures: [{ itemIdentifier: 'm1' }] };
    expect(await deliver([fresh(minutes(3)), fresh(0)], async () => answer)).toBe(answer);
    expect(emitted).toEqual([]);
  });

  it.each<[string, Milliseconds]>([
    ['ahead', days(2)],
    ['behind', -days(2)],
  ])('queueRun reports every message as failed if the clock is two days %s', async (_, ahead) => {
    const run = vi.fn(async () => ({ batchItemFailures: [] }));
    const answer = await deliver([fresh(ahead), fresh(ahead)], run);
    expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: 'm0' }, { itemIdentifier: 'm1' }] });
    expect(run).not.toHaveBeenCalled();
    expect(emitted).toMatchObject([{ RunsWithWrongClock: 1, _aws: { Timestamp: NOW - ahead } }]);
  });

  it('queueRun does nothing if a message has no times', async () => {
    const run = vi.fn(async () => ({ batchItemFailures: [] }));
    await deliver([fresh(Number.NaN)], run);
    expect(run).not.toHaveBeenCalled();
  });
});
