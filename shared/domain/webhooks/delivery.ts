import { createHash } from 'node:crypto';
import { type AnalysisId, type EventId, isEventId, type PartnerId, type UnitId } from '../values/ids.ts';
import type { Environment, Tenancy } from '../values/tenancy.ts';
import { days, hours, type Instant, type Milliseconds, minutes, seconds } from '../values/time.ts';

/** The types of an analysis's events. */
export const EVENT_TYPES = ['analise.resultado', 'analise.erro'] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** The type of the event that tells a partner of a change of its own account: it is about no analysis. */
export const ACCOUNT_EVENT = 'conta.alterada';
/** What it tells of: a key made, revoked or rotated, the webhook's address or secret, the opening of production. */
export const ACCOUNT_CHANGES = [
  'chave_criada',
  'chave_revogada',
  'chave_trocada',
  'webhook_endereco',
  'webhook_segredo',
  'producao_liberada',
] as const;
export type AccountChange = (typeof ACCOUNT_CHANGES)[number];

/** The types of events that are booked. */
export const BOOKED_TYPES = [...EVENT_TYPES, ACCOUNT_EVENT] as const;

/** The type of the event by which the manager tries an endpoint: it is about no analysis and never booked. */
export const TEST_EVENT = 'webhook.teste';

/** What an attempt sends. */
export interface Message {
  readonly eventId: EventId;
  readonly type: (typeof BOOKED_TYPES)[number] | typeof TEST_EVENT;
  /** The exact bytes that are signed and sent, each time the same. */
  readonly body: string;
}

/** `pendente` waits for its next attempt; `suspensa` waits for the manager; the other three are final. */
export const DELIVERY_STATES = ['pendente', 'entregue', 'esgotada', 'suspensa', 'sem_destino'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/**
 * How long a delivery is kept once it is final; one that is `suspensa` is given up at that age (`keptSince`). Source:
 * shared/contract/README.md#retention.
 */
export const DELIVERY_KEPT: Milliseconds = days(90);

/** Why an attempt failed. */
export const FAILURE_CLASSES = [
  'http_3xx',
  'http_4xx',
  'http_5xx',
  'timeout',
  'dns',
  'tls',
  'conexao',
  'bloqueado',
] as const;
export type FailureClass = (typeof FAILURE_CLASSES)[number];

/** What came of one attempt. */
export type AttemptResult =
  | { readonly delivered: true; readonly status: number; readonly milliseconds: Milliseconds }
  | {
      readonly delivered: false;
      readonly failure: FailureClass;
      /** The receiver's HTTP status, where it answered. */
      readonly status?: number | undefined;
      readonly milliseconds: Milliseconds;
      /** The first 2 KB of the answer or of the error, as text. */
      readonly detail: string;
      /** The wait from now that the receiver asked for in Retry-After; only read on 429 and 503. */
      readonly retryAfter?: Milliseconds | undefined;
    };

export interface Attempt {
  readonly number: number;
  readonly at: Instant;
  readonly result: AttemptResult;
}

/** One event on its way to a partner. The row in the table is the truth, the queue only its clock. */
export interface Delivery extends Message {
  readonly partnerId: PartnerId;
  /** The unit of the analysis, or of the key that was changed. Undefined if a change concerns the whole partner. */
  readonly unitId?: UnitId | undefined;
  readonly environment: Environment;
  /** Undefined in an account's event. */
  readonly analysisId?: AnalysisId | undefined;
  readonly type: (typeof BOOKED_TYPES)[number];
  /** Where an account's event goes: the address as the change was made. Undefined: wherever the partner's events go. */
  readonly to?: string | undefined;
  readonly state: DeliveryState;
  /** Attempts made; where the delivery was claimed for one, that one too. */
  readonly attempts: number;
  /** When the next attempt is due. */
  readonly dueAt: Instant;
  readonly createdAt: Instant;
  /** When somebody last wished it to be sent again: its partner or the manager. */
  readonly wishedAt?: Instant | undefined;
  /** When somebody discarded it, given up as it was: it is kept whatever becomes of it then. */
  readonly discardedAt?: Instant | undefined;
  /** The last 12 attempts. */
  readonly history: readonly Attempt[];
  /** In the sandbox: the first attempt is made to fail, so that a partner sees the second. */
  readonly failFirst?: boolean | undefined;
  /** The id of the partner's call that the event goes back to, for logs. */
  readonly requestId?: string | undefined;
}

/**
 * The moment from which the age of a `suspensa` counts: its booking, or the last wish to send it again, which would come to nothing if an old event were given up before its endpoint is enabled.
 */
export const keptSince = ({ createdAt, wishedAt = createdAt }: Pick<Delivery, 'createdAt' | 'wishedAt'>): Instant =>
  wishedAt;

/** Where a delivery that waits is looked after: a message of the queue comes back for it, or the sweeper sends one. */
export type RetryOwner = 'queue' | 'sweeper';

/**
 * Parts over which the deliveries that wait are spread for the sweeper, by owner. An event enters and leaves the queue's
 * once; the sweeper keeps only what has failed several times. A part takes 1,000 writes a second.
 */
export const DUE_BUCKETS: Readonly<Record<RetryOwner, number>> = { queue: 8, sweeper: 1 };

/** The part that an event waits in. */
export function dueBucket(retryOwner: RetryOwner, eventId: EventId): number {
  // The end of an event's id is a hash's.
  const sum = [...eventId.slice(-4)].reduce((total, character) => total + character.charCodeAt(0), 0);
  return sum % DUE_BUCKETS[retryOwner];
}

/** What follows an attempt. */
export type NextStep =
  | { readonly state: 'pendente'; readonly dueAt: Instant; readonly retryOwner: RetryOwner }
  | { readonly state: 'entregue' | 'esgotada' | 'suspensa' | 'sem_destino' };

/** An attempt that is due: what a message of the queue says. */
export interface DueDelivery {
  readonly eventId: EventId;
  readonly partnerId: PartnerId;
  /** The attempt that is due, from 1. */
  readonly attempt: number;
  readonly dueAt: Instant;
}

/** The receiver's word that its address is no more: the endpoint is disabled at once. */
export const GONE = 410;

const LAST_WAITS = /* @__PURE__ */ Array<Milliseconds>(6).fill(hours(10));

/**
 * Waits before each attempt: 12 over 67 h 35 in production, 4 over 2 min 35 in the sandbox. Source:
 * shared/contract/README.md#delivery, rule 2.
 */
export const RETRY_WAITS: Readonly<Record<Environment, readonly Milliseconds[]>> = {
  producao: [0, seconds(5), minutes(5), minutes(30), hours(2), hours(5), ...LAST_WAITS],
  sandbox: [0, seconds(5), seconds(30), minutes(2)],
};

/** Time from the first attempt to the last, not counting Retry-After. */
export const retrySpan = (environment: Environment): Milliseconds =>
  RETRY_WAITS[environment].reduce((sum, wait) => sum + wait);

/** Time limit for a receiver's answer. Source: shared/contract/README.md#delivery, rule 5. */
export const ANSWER_WITHIN: Milliseconds = seconds(15);

export const JITTER = 0.1;

/** No wait is longer, not even one that the receiver asks for. */
export const LONGEST_RETRY_WAIT: Milliseconds = hours(11) + minutes(50);

/**
 * Time until the attempt that follows `attempts` begun ones, or undefined after the last. A receiver's
 * Retry-After is honoured between the wait and twice the wait, never above 11 h 50. Jitter adds up to 10 % on either,
 * inside the same bounds, so that receivers who ask all senders for the same pause are not met by all of them at once.
 * `random` gives numbers in [0, 1).
 */
export function waitAfter(
  environment: Environment,
  attempts: number,
  retryAfter: Milliseconds | undefined,
  random: () => number = Math.random,
): Milliseconds | undefined {
  const wait = RETRY_WAITS[environment][attempts];
  if (wait === undefined) return undefined;
  const asked = Math.max(retryAfter ?? 0, wait) * (1 + JITTER * random());
  return Math.round(Math.min(asked, 2 * wait, LONGEST_RETRY_WAIT));
}

/** Up to this wait a message stays in the queue for the next attempt; longer ones are the sweeper's. */
export const QUEUE_WAIT: Milliseconds = minutes(15);

/**
 * How long after its due time the sweeper takes it that the queue has lost a delivery: the worker has begun by then
 * unless the queue is far behind.
 */
const LOST_AFTER: Milliseconds = minutes(2);

/** When the sweeper has to look at a waiting delivery: at its time, or once the queue should have brought it. */
export const nextCheckAt = (retryOwner: RetryOwner, dueAt: Instant): Instant =>
  retryOwner === 'queue' ? dueAt + LOST_AFTER : dueAt;

/** Attempts that a row remembers, and the characters kept of the detail of all but the newest: rows stay small. */
export const REMEMBERED = 12;
const SHORT_DETAIL = 120;

function shortened(attempt: Attempt): Attempt {
  const { result } = attempt;
  if (result.delivered) return attempt;
  return { ...attempt, result: { ...result, detail: result.detail.slice(0, SHORT_DETAIL).toWellFormed() } };
}

/** The attempts that are kept after one more: the last 12, only the newest in full detail. */
export const historyAfter = (history: readonly Attempt[], attempt: Attempt): readonly Attempt[] =>
  history.map(shortened).concat(attempt).slice(-REMEMBERED);

/**
 * What becomes of a delivery after an attempt that counts in `delivery.attempts`: delivered; kept for the manager
 * where the endpoint is `disabled` by now; due again at `now` + wait; or given up after the last attempt. A manual
 * attempt beyond the schedule has nothing to wait for and is given up again when it fails. A 410 that disabled the
 * endpoint keeps even a last attempt's event: the endpoint went away, which says nothing against the event.
 */
export function nextStep(
  delivery: Pick<Delivery, 'environment' | 'attempts'>,
  result: AttemptResult,
  disabled: boolean,
  now: Instant,
  random: () => number = Math.random,
): NextStep {
  if (result.delivered) return { state: 'entregue' };
  if (disabled && result.status === GONE) return { state: 'suspensa' };
  const wait = waitAfter(delivery.environment, delivery.attempts, result.retryAfter, random);
  if (wait === undefined) return { state: 'esgotada' };
  return disabled
    ? { state: 'suspensa' }
    : { state: 'pendente', dueAt: now + wait, retryOwner: wait <= QUEUE_WAIT ? 'queue' : 'sweeper' };
}

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';

/** The one id that an event of an analysis can ever have: a hash of unit, environment, analysis, type and sequence. */
export const eventIdOf = (
  { unitId, environment }: Tenancy,
  analysisId: AnalysisId,
  type: Message['type'],
  sequence: number,
): EventId => hashedEventId(`${unitId}/${environment}/${analysisId}/${type}/${sequence}`);

/** The id of an event about no analysis: a hash of partner, environment, type and a number that each event draws. */
export const partnerEventIdOf = (
  partnerId: PartnerId,
  environment: Environment,
  type: typeof ACCOUNT_EVENT | typeof TEST_EVENT,
  drawn: number,
): EventId => hashedEventId(`${partnerId}/${environment}/${drawn}/${type}/0`);

/** `evt_` and base32 of the first 20 bytes of the SHA-256 of a text. */
function hashedEventId(text: string): EventId {
  const hash = createHash('sha256').update(text).digest();
  const id = `evt_${base32(hash.subarray(0, 20))}`;
  if (!isEventId(id)) throw new Error(`'${id}' is not the id of an event`);
  return id;
}

/** Bytes in base32: five bits a character, from the first bit on. Their number is a multiple of five. */
function base32(bytes: Uint8Array): string {
  let text = '';
  let rest = 0;
  let bits = 0;
  for (const byte of bytes) {
    rest = (rest << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += BASE32[(rest >> bits) & 31];
    }
    rest &= (1 << bits) - 1;
  }
  return text;
}

/** A delivery as lists show it. */
export type ListedDelivery = Pick<
  Delivery,
  'eventId' | 'unitId' | 'environment' | 'type' | 'state' | 'attempts' | 'createdAt'
>;

/** A delivery as its row has it, with why its last attempt failed where it did. */
export type ExplainedDelivery = Delivery & { readonly cause: string | undefined };

/** A change of a partner's account. */
export interface ChangedAccount {
  readonly partnerId: PartnerId;
  readonly change: AccountChange;
  readonly environment: Environment;
  /** The unit of the key that was changed. Undefined if the change concerns the whole partner. */
  readonly unitId?: UnitId;
}

/** Makes the event that tells a partner of a change of its account at `now`. */
export type AccountEventOf = (changed: ChangedAccount, now: Instant) => Delivery;

/** Which deliveries are asked for; what is left out excludes none. */
export interface DeliveryFilter {
  readonly states?: readonly DeliveryState[] | undefined;
  readonly unitId?: UnitId | undefined;
  readonly environment?: Environment | undefined;
  /** Booked then or later. */
  readonly since?: Instant | undefined;
  /** Booked before that. */
  readonly until?: Instant | undefined;
}

/** States from which a delivery can be sent again: all but the one that has an attempt coming anyway. */
export const REPLAYABLE: readonly DeliveryState[] = DELIVERY_STATES.filter((state) => state !== 'pendente');

/** What became of one delivery that was to be sent again. */
export type Replay =
  /** Due now: to be sent to the queue. */
  | { readonly kind: 'due'; readonly due: DueDelivery }
  /** An attempt is coming anyway. */
  | { readonly kind: 'pending' }
  | { readonly kind: 'absent' };
