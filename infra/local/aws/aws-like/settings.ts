import { randomInt } from 'node:crypto';
import { StartError } from '#infra/local/listen.ts';
import type { Milliseconds } from '#shared/domain/values/time.ts';

type Span = readonly [least: Milliseconds, most: Milliseconds];

export type Service = 'dynamodb' | 'sqs' | 'secretsmanager';

/** Shares of a service's requests, 0 to 1. */
export interface FaultRates {
  /** The request is executed, and the connection is cut before the answer arrives. The SDK repeats the request. */
  readonly answerLost: number;
  /** The connection is cut before the request is executed. */
  readonly requestLost: number;
  /** The request is neither executed nor answered. The client waits until its own timeout. */
  readonly hang: number;
  readonly throttled: number;
  readonly error: number;
}

export interface AwsLikeSettings {
  readonly seed: number;
  /**
   * Time for which a transaction holds its rows. The transaction takes effect after half of this time. If the engine
   * refuses the transaction, the rows are released at once.
   */
  readonly transactionHold: Span;
  /** Time after a write until the indexes show it. */
  readonly indexLag: Span;
  /** Age of the rows that a read without ConsistentRead shows. */
  readonly readLag: Span;
  readonly faults: Readonly<Record<Service, FaultRates>>;
}

const NONE: FaultRates = { answerLost: 0, requestLost: 0, hang: 0, throttled: 0, error: 0 };

const NORMAL_DAY: Omit<AwsLikeSettings, 'seed'> = {
  transactionHold: [5, 20],
  indexLag: [20, 200],
  readLag: [0, 50],
  faults: { dynamodb: NONE, sqs: NONE, secretsmanager: NONE },
};

const BAD_DAY: Omit<AwsLikeSettings, 'seed'> = {
  transactionHold: [10, 80],
  indexLag: [100, 2_000],
  readLag: [0, 500],
  faults: {
    dynamodb: { answerLost: 0.01, requestLost: 0.01, hang: 0.001, throttled: 0.02, error: 0.005 },
    sqs: { answerLost: 0.02, requestLost: 0.01, hang: 0.002, throttled: 0.02, error: 0.01 },
    secretsmanager: { answerLost: 0.05, requestLost: 0.05, hang: 0.02, throttled: 0.05, error: 0.05 },
  },
};

const DAYS = { default: NORMAL_DAY, harsh: BAD_DAY };
type Day = keyof typeof DAYS;

export function awsLikeSettings(day: Day = 'default', seed = randomInt(2 ** 31)): AwsLikeSettings {
  return { ...DAYS[day], seed };
}

/** Reads `default`, `harsh`, a seed (`42`), or `harsh:42`. Throws a StartError for anything else. */
export function parseAwsLike(text: string): AwsLikeSettings {
  const match = /^(?:(default|harsh)(?::(\d+))?|(\d+))$/.exec(text);
  if (!match) {
    throw new StartError(
      `${JSON.stringify(text)} is not a setting of --aws-like: use default, harsh, a seed or harsh:<seed>`,
    );
  }
  const seed = match[2] ?? match[3];
  const day = match[1] === 'harsh' ? 'harsh' : 'default';
  return awsLikeSettings(day, seed === undefined ? undefined : Number(seed));
}

export function describeSettings({ seed, transactionHold, indexLag, readLag, faults }: AwsLikeSettings): string {
  const span = ([least, most]: Span) => `${least}-${most} ms`;
  const faulty = Object.values(faults).some((rates) => Object.values(rates).some((rate) => rate > 0));
  return `seed ${seed}, transactions ${span(transactionHold)}, indexes ${span(indexLag)} late, reads ${span(readLag)} old, ${
    faulty ? 'with' : 'no'
  } random faults`;
}

export const draw = ([least, most]: Span, random: () => number): Milliseconds => least + (most - least) * random();

/** The same seed draws the same numbers (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
