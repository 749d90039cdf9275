import { createHash } from 'node:crypto';
import { type AnalysisId, type EventId, isEventId, type PartnerId, type UnitId } from '../values/ids.ts';
import type { Environment, Tenancy } from '../values/tenancy.ts';
import { days, hours, type Instant, type Milliseconds, minutes, seconds } from '../values/time.ts';

/** Types of the events about an analysis. */
export const EVENT_TYPES = ['analise.resultado', 'analise.erro'] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** Type of the event that tells a partner that its own account was changed. The event is about no analysis. */
export const ACCOUNT_EVENT = 'conta.alterada';
/**
 * Changes that this event reports: a key was created, revoked or rotated; the webhook has another address or secret;
 * production was opened for the partner; documents present a unit with other texts.
 */
export const ACCOUNT_CHANGES = [
  'chave_criada',
  'chave_revogada',
  'chave_trocada',
  'webhook_endereco',
  'webhook_segredo',
  'producao_liberada',
  'unidade_textos',
] as const;
export type AccountChange = (typeof ACCOUNT_CHANGES)[number];

/** Types of the events that are stored as deliveries. */
export const BOOKED_TYPES = [...EVENT_TYPES, ACCOUNT_EVENT] as const;

/** Type of the event with which the manager tries an endpoint. The event is about no analysis and is never stored. */
export const TEST_EVENT = 'webhook.teste';

/** Event that an attempt sends. */
export interface Message {
  readonly eventId: EventId;
  readonly type: (typeof BOOKED_TYPES)[number] | typeof TEST_EVENT;
  /** The exact bytes that are signed and sent. Every attempt sends the same bytes. */
  readonly body: string;
}

/** `pendente` waits for its next attempt. `suspensa` waits until the endpoint is enabled. The other three are final. */
export const DELIVERY_STATES = ['pendente', 'entregue', 'esgotada', 'suspensa', 'sem_destino'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/**
 * How long a delivery is kept once it is final. A `suspensa` delivery is given up at the same age, counted from
 * `agesSince`. Source: shared/contract/README.md#retention.
 */
export const DELIVERY_KEPT: Milliseconds = days(90);

/** How many of a partner's deliveries the list of a unit looks at: the newest, of all units and both environments. */
export const DELIVERIES_SEARCHED = 10_000;

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

/** Result of one attempt. */
export type AttemptResult =
  | { readonly delivered: true; readonly status: number; readonly milliseconds: Milliseconds }
  | {
      readonly delivered: false;
      readonly failure: FailureClass;
      /** The receiver's HTTP status. Undefined if it did not answer. */
      readonly status?: number | undefined;
      readonly milliseconds: Milliseconds;
      /** The first 2 KB of the answer or of the error, as text. */
      readonly detail: string;
      /** The wait that the receiver asked for in Retry-After, counted from its answer. Read only on 429 and 503. */
      readonly retryAfter?: Milliseconds | undefined;
    };

export interface Attempt {
  readonly number: number;
  readonly at: Instant;
  readonly result: AttemptResult;
}

/** One event on its way to a partner. The row in the table is the truth; the queue only says when an attempt is due. */
export interface Delivery extends Message {
  readonly partnerId: PartnerId;
  /** The unit of the analysis, or of the key that was changed. Undefined if a change concerns the whole partner. */
  readonly unitId?: UnitId | undefined;
  readonly environment: Environment;
  /** Undefined in an account's event. */
  readonly analysisId?: AnalysisId | undefined;
  readonly type: (typeof BOOKED_TYPES)[number];
  /** In an account's event: the webhook's address at the change, to which the event goes. Undefined in other events. */
  readonly to?: string | undefined;
  readonly state: DeliveryState;
  /** Number of attempts made. In a claimed delivery the claimed attempt is included. */
  readonly attempts: number;
  /** When the next attempt is due. */
  readonly dueAt: Instant;
  readonly createdAt: Instant;
  /** When the partner or the manager last asked to send the event again. */
  readonly wishedAt?: Instant | undefined;
  /**
   * When the manager discarded the dead letter of this delivery. Stays, whatever happens to the delivery afterwards.
   */
  readonly discardedAt?: Instant | undefined;
  /** The last 12 attempts. */
  readonly history: readonly Attempt[];
  /**
   * When the person's erasure first deleted the receiver's texts. From then on the delivery keeps no such text, not even
   * of a later attempt. Undefined if no erasure has reached the delivery.
   */
  readonly textsDeletedAt?: Instant | undefined;
  /** In the sandbox: whether the first attempt is made to fail, so that the partner sees a retry. */
  readonly failFirst?: boolean | undefined;
  /** The id of the partner's call that led to the event, for logs. */
  readonly requestId?: string | undefined;
}

/**
 * Returns the moment from which the age of a `suspensa` delivery counts: when it was written or, if later, when
 * somebody last asked to send it again. Such a request would come to nothing if an old event were given up before its
 * endpoint is enabled.
 */
export const agesSince = ({ createdAt, wishedAt = createdAt }: Pick<Delivery, 'createdAt' | 'wishedAt'>): Instant =>
  wishedAt;

/** Number of partitions of the due index. One takes 1,000 writes a second, and every event is written and removed. */
export const DUE_BUCKETS = 8;

/** Returns the number of the partition in which an event waits, from 0. */
export function dueBucket(eventId: EventId): number {
  // The id ends with characters of a hash, so events spread evenly.
  const sum = [...eventId.slice(-4)].reduce((total, character) => total + character.charCodeAt(0), 0);
  return sum % DUE_BUCKETS;
}

/** What happens to a delivery after an attempt. */
export type NextStep =
  | { readonly state: 'pendente'; readonly dueAt: Instant }
  | { readonly state: 'entregue' | 'esgotada' | 'suspensa' | 'sem_destino' };

/** An attempt that is due: the content of a message of the queue. */
export interface DueDelivery {
  readonly eventId: EventId;
  readonly partnerId: PartnerId;
  /** Number of the attempt, from 1. */
  readonly attempt: number;
  readonly dueAt: Instant;
}

/** HTTP status by which a receiver says that its address no longer exists. The endpoint is disabled at once. */
export const GONE = 410;

const LAST_WAITS = /* @__PURE__ */ Array<Milliseconds>(6).fill(hours(10));

/**
 * Waits before each attempt. Production makes 12 attempts within 67 h 35 min, the sandbox 4 within 2 min 35 s. Source:
 * shared/contract/README.md#delivery, rule 2.
 */
export const RETRY_WAITS: Readonly<Record<Environment, readonly Milliseconds[]>> = {
  producao: [0, seconds(5), minutes(5), minutes(30), hours(2), hours(5), ...LAST_WAITS],
  sandbox: [0, seconds(5), seconds(30), minutes(2)],
};

/** Returns the time from the first attempt to the last, without jitter and Retry-After. */
export const retrySpan = (environment: Environment): Milliseconds =>
  RETRY_WAITS[environment].reduce((sum, wait) => sum + wait);

/** Time limit for a receiver's answer. Source: shared/contract/README.md#delivery, rule 5. */
export const ANSWER_WITHIN: Milliseconds = seconds(15);

/** Largest random addition to a wait, as a share of the wait. */
export const JITTER = 0.1;

/** Upper limit of every wait, also if the receiver asks for a longer wait. */
export const LONGEST_RETRY_WAIT: Milliseconds = hours(11) + minutes(50);

/**
 * Returns how long to wait before the next attempt. Undefined if there is none. `attempts`: number of attempts that have
 * begun so far. `random` returns numbers in [0, 1).
 *
 * The wait is the one of RETRY_WAITS, or the receiver's Retry-After if that is longer. Up to 10 % of it is added at
 * random (JITTER). So events do not all come back at the same moment if a receiver asks for the same pause for all of
 * them. The result is at most twice the wait of RETRY_WAITS, and at most 11 h 50 min.
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

/** Longest wait for which the message stays in the queue. After a longer wait the sweeper sends a new message. */
export const QUEUE_WAIT: Milliseconds = minutes(15);

/** Whether the message of an attempt waits in the queue until the attempt is due. */
export const waitsInQueue = (dueAt: Instant, now: Instant): boolean => dueAt - now <= QUEUE_WAIT;

/** Time between two ticks of the sweeper. */
export const TICK: Milliseconds = minutes(1);

/**
 * How long after the due time the sweeper assumes that the queue has lost the message. The worker has begun by then,
 * unless the queue is far behind.
 */
export const LOST_AFTER: Milliseconds = minutes(2);

/**
 * Returns when the sweeper looks at a pending delivery. If a message waits for the attempt: once the queue should have
 * brought it. If none does: in the tick before the attempt is due, so that the sweeper sends one.
 */
export const lookAt = (dueAt: Instant, messageWaits: boolean): Instant =>
  messageWaits ? dueAt + LOST_AFTER : dueAt - TICK;

/** Most attempts that a row keeps. */
export const REMEMBERED = 12;
/** Characters of `detail` that a row keeps of each attempt, except for the newest. So rows stay small. */
const SHORT_DETAIL = 120;

function shortened(attempt: Attempt): Attempt {
  const { result } = attempt;
  if (result.delivered) return attempt;
  return { ...attempt, result: { ...result, detail: result.detail.slice(0, SHORT_DETAIL).toWellFormed() } };
}

/** Returns the attempts that a row keeps after one more: the last 12, and only the newest with its full detail. */
export const historyAfter = (history: readonly Attempt[], attempt: Attempt): readonly Attempt[] =>
  history.map(shortened).concat(attempt).slice(-REMEMBERED);

const hasText = ({ result }: Attempt): boolean => !result.delivered && result.detail !== '';

/** Returns attempts without the receiver's texts, which may speak of a person. */
export const withoutTexts = (history: readonly Attempt[]): readonly Attempt[] =>
  history.map((attempt) =>
    attempt.result.delivered ? attempt : { ...attempt, result: { ...attempt.result, detail: '' } },
  );

/** Whether an erasure has nothing left to do at a delivery: it keeps no text of the receiver, and will keep none. */
export const isWithoutTexts = ({ history, textsDeletedAt }: Pick<Delivery, 'history' | 'textsDeletedAt'>): boolean =>
  textsDeletedAt !== undefined && !history.some(hasText);

/**
 * Returns what happens to a delivery after an attempt. `delivery.attempts` includes this attempt; `disabled` says
 * whether the endpoint is disabled now.
 *
 * - `entregue`: the attempt succeeded.
 * - `esgotada`: the last attempt of the schedule failed, or a manual attempt after it.
 * - `suspensa`: the attempt failed and the endpoint is disabled. If the answer was 410, also after the last attempt:
 *   the address is gone, which says nothing against the event.
 * - `pendente`: the next attempt is due at `now` + wait.
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
  return disabled ? { state: 'suspensa' } : { state: 'pendente', dueAt: now + wait };
}

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';

/**
 * Returns the id of an event about an analysis: a hash of unit, environment, analysis, type and sequence. So one event
 * can have only one id.
 */
export const eventIdOf = (
  { unitId, environment }: Tenancy,
  analysisId: AnalysisId,
  type: Message['type'],
  sequence: number,
): EventId => hashedEventId(`${unitId}/${environment}/${analysisId}/${type}/${sequence}`);

/**
 * Returns the id of an event about no analysis: a hash of partner, environment, type and a number chosen for the event.
 */
export const partnerEventIdOf = (
  partnerId: PartnerId,
  environment: Environment,
  type: typeof ACCOUNT_EVENT | typeof TEST_EVENT,
  drawn: number,
): EventId => hashedEventId(`${partnerId}/${environment}/${drawn}/${type}/0`);

/** Returns `evt_` and base32 of the first 20 bytes of the SHA-256 of a text. */
function hashedEventId(text: string): EventId {
  const hash = createHash('sha256').update(text).digest();
  const id = `evt_${base32(hash.subarray(0, 20))}`;
  if (!isEventId(id)) throw new Error(`'${id}' is not the id of an event`);
  return id;
}

/**
 * Returns bytes in base32: five bits a character, from the first bit on. The number of bytes must be a multiple of 5.
 */
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

/** A delivery as its row has it. `cause` says why the last attempt failed, and is undefined if it did not. */
export type ExplainedDelivery = Delivery & { readonly cause: string | undefined };

/** A change of a partner's account. */
export interface ChangedAccount {
  readonly partnerId: PartnerId;
  readonly change: AccountChange;
  readonly environment: Environment;
  /** The unit of the key that was changed. Undefined if the change concerns the whole partner. */
  readonly unitId?: UnitId;
}

/** Returns the event that tells a partner that its account was changed at `now`. */
export type AccountEventOf = (changed: ChangedAccount, now: Instant) => Delivery;

/** Which deliveries are asked for. A field that is left out excludes none. */
export interface DeliveryFilter {
  readonly states?: readonly DeliveryState[] | undefined;
  readonly unitId?: UnitId | undefined;
  readonly environment?: Environment | undefined;
  /** Only deliveries that were written at this moment or later. */
  readonly since?: Instant | undefined;
  /** Only deliveries that were written before this moment. */
  readonly until?: Instant | undefined;
}

/** States from which a delivery can be sent again: all but `pendente`, whose next attempt comes anyway. */
export const REPLAYABLE: readonly DeliveryState[] = DELIVERY_STATES.filter((state) => state !== 'pendente');

/** Result of sending one delivery again. */
export type Replay =
  /** The delivery is due now, and its message has to be sent to the queue. */
  | { readonly kind: 'due'; readonly due: DueDelivery }
  /** Nothing was changed: the next attempt comes anyway. */
  | { readonly kind: 'pending' }
  /** Nothing was changed: the delivery has left the states that were asked for. */
  | { readonly kind: 'moved_on' }
  | { readonly kind: 'absent' };
