import { createHash } from 'node:crypto';
import { type AnalysisId, type EventId, isEventId, type PartnerId, type UnitId } from '../values/ids.ts';
import type { Environment, Tenancy } from '../values/tenancy.ts';
import { days, hours, type Instant, type Milliseconds, minutes, seconds } from '../values/time.ts';

export const EVENT_TYPES = ['analise.resultado', 'analise.erro'] as const;
export type EventType = (typeof EVENT_TYPES)[number];

export const ACCOUNT_EVENT = 'conta.alterada';
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

export const BOOKED_TYPES = [...EVENT_TYPES, ACCOUNT_EVENT] as const;

/** The event is about no analysis and is never stored. */
export const TEST_EVENT = 'webhook.teste';

export interface Message {
  readonly eventId: EventId;
  readonly type: (typeof BOOKED_TYPES)[number] | typeof TEST_EVENT;
  /** Every attempt sends the same bytes. */
  readonly body: string;
}

/**
 * `suspensa` waits until the endpoint is enabled. `entregue`, `esgotada` and `sem_destino` have no further attempt
 * unless the event is sent again.
 */
export const DELIVERY_STATES = ['pendente', 'entregue', 'esgotada', 'suspensa', 'sem_destino'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/**
 * A delivery is kept for this time after its end. A `suspensa` delivery is given up at this age, counted from
 * `agesSince`. Source: shared/contract/README.md#retention.
 */
export const DELIVERY_KEPT: Milliseconds = days(90);

/** A unit's list searches this many of the partner's newest deliveries, of all units and both environments. */
export const DELIVERIES_SEARCHED = 10_000;

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

export type AttemptResult =
  | { readonly delivered: true; readonly status: number; readonly milliseconds: Milliseconds }
  | {
      readonly delivered: false;
      readonly failure: FailureClass;
      readonly status?: number | undefined;
      readonly milliseconds: Milliseconds;
      /** The first 2 KB of the answer or of the error. */
      readonly detail: string;
      /** Read only on 429 and 503. */
      readonly retryAfter?: Milliseconds | undefined;
    };

export interface Attempt {
  readonly number: number;
  readonly at: Instant;
  readonly result: AttemptResult;
}

/** The row in the table is the truth; the queue only says when an attempt is due. */
export interface Delivery extends Message {
  readonly partnerId: PartnerId;
  /** Undefined if a change concerns the whole partner. */
  readonly unitId?: UnitId | undefined;
  readonly environment: Environment;
  readonly analysisId?: AnalysisId | undefined;
  readonly type: (typeof BOOKED_TYPES)[number];
  /** In an account's event: the webhook's address at the change, to which the event goes. Undefined in other events. */
  readonly to?: string | undefined;
  readonly state: DeliveryState;
  /** In a claimed delivery the claimed attempt is included. */
  readonly attempts: number;
  readonly dueAt: Instant;
  readonly createdAt: Instant;
  readonly wishedAt?: Instant | undefined;
  /** Stays, whatever happens to the delivery afterwards. */
  readonly discardedAt?: Instant | undefined;
  readonly history: readonly Attempt[];
  /** Since this moment the delivery keeps no text of the receiver, not even of a later attempt. */
  readonly textsDeletedAt?: Instant | undefined;
  readonly failFirst?: boolean | undefined;
  readonly requestId?: string | undefined;
}

/**
 * The age counts from the last request to send the event again. Otherwise an old event could be given up before its
 * endpoint is enabled.
 */
export const agesSince = ({ createdAt, wishedAt = createdAt }: Pick<Delivery, 'createdAt' | 'wishedAt'>): Instant =>
  wishedAt;

/** One bucket takes 1,000 writes a second, and every event is written and removed. */
export const DUE_BUCKETS = 8;

export function dueBucket(eventId: EventId): number {
  // The id ends with characters of a hash, so events spread evenly.
  const sum = [...eventId.slice(-4)].reduce((total, character) => total + character.charCodeAt(0), 0);
  return sum % DUE_BUCKETS;
}

export type NextStep =
  | { readonly state: 'pendente'; readonly dueAt: Instant }
  | { readonly state: 'entregue' | 'esgotada' | 'suspensa' | 'sem_destino' };

export interface DueDelivery {
  readonly eventId: EventId;
  readonly partnerId: PartnerId;
  /** From 1. */
  readonly attempt: number;
  readonly dueAt: Instant;
}

/** This status disables the endpoint at once. */
export const GONE = 410;

const LAST_WAITS = /* @__PURE__ */ Array<Milliseconds>(6).fill(hours(10));

/** 12 attempts within 67 h 35 min; 4 within 2 min 35 s (shared/contract/README.md#delivery, rule 2). */
export const RETRY_WAITS: Readonly<Record<Environment, readonly Milliseconds[]>> = {
  producao: [0, seconds(5), minutes(5), minutes(30), hours(2), hours(5), ...LAST_WAITS],
  sandbox: [0, seconds(5), seconds(30), minutes(2)],
};

export const retrySpan = (environment: Environment): Milliseconds =>
  RETRY_WAITS[environment].reduce((sum, wait) => sum + wait);

/** Source: shared/contract/README.md#delivery, rule 5. */
export const ANSWER_WITHIN: Milliseconds = seconds(15);

export const JITTER = 0.1;

/** A receiver that asks for a longer wait does not get it. */
export const LONGEST_RETRY_WAIT: Milliseconds = hours(11) + minutes(50);

/**
 * Undefined if there is no further attempt. `attempts`: number of attempts that have begun so far. `random` returns
 * numbers in [0, 1).
 *
 * The jitter is added to a receiver's Retry-After too, so that events do not all come back at the same moment. The
 * result is at most twice the wait of RETRY_WAITS, and at most 11 h 50 min.
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

/** After a longer wait the sweeper sends a new message. */
export const QUEUE_WAIT: Milliseconds = minutes(15);

export const waitsInQueue = (dueAt: Instant, now: Instant): boolean => dueAt - now <= QUEUE_WAIT;

export const TICK: Milliseconds = minutes(1);

/** After this time a message counts as lost. The worker has begun by then, unless the queue is far behind. */
export const LOST_AFTER: Milliseconds = minutes(2);

/** If no message waits, the sweeper looks in the tick before the attempt is due, and sends a message. */
export const lookAt = (dueAt: Instant, messageWaits: boolean): Instant =>
  messageWaits ? dueAt + LOST_AFTER : dueAt - TICK;

export const REMEMBERED = 12;
const SHORT_DETAIL = 120;

function shortened(attempt: Attempt): Attempt {
  const { result } = attempt;
  if (result.delivered) return attempt;
  return { ...attempt, result: { ...result, detail: result.detail.slice(0, SHORT_DETAIL).toWellFormed() } };
}

export const historyAfter = (history: readonly Attempt[], attempt: Attempt): readonly Attempt[] =>
  history.map(shortened).concat(attempt).slice(-REMEMBERED);

const hasText = ({ result }: Attempt): boolean => !result.delivered && result.detail !== '';

/** The receiver's texts may speak of a person. */
export const withoutTexts = (history: readonly Attempt[]): readonly Attempt[] =>
  history.map((attempt) =>
    attempt.result.delivered ? attempt : { ...attempt, result: { ...attempt.result, detail: '' } },
  );

export const isWithoutTexts = ({ history, textsDeletedAt }: Pick<Delivery, 'history' | 'textsDeletedAt'>): boolean =>
  textsDeletedAt !== undefined && !history.some(hasText);

/**
 * `delivery.attempts` includes this attempt; `disabled` says whether the endpoint is disabled now. After a 410,
 * `suspensa` follows even the last attempt: the address is gone, which says nothing against the event.
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

/** The id is a hash, so one event can have only one id. */
export const eventIdOf = (
  { unitId, environment }: Tenancy,
  analysisId: AnalysisId,
  type: Message['type'],
  sequence: number,
): EventId => hashedEventId(`${unitId}/${environment}/${analysisId}/${type}/${sequence}`);

export const partnerEventIdOf = (
  partnerId: PartnerId,
  environment: Environment,
  type: typeof ACCOUNT_EVENT | typeof TEST_EVENT,
  drawn: number,
): EventId => hashedEventId(`${partnerId}/${environment}/${drawn}/${type}/0`);

function hashedEventId(text: string): EventId {
  const hash = createHash('sha256').update(text).digest();
  const id = `evt_${base32(hash.subarray(0, 20))}`;
  if (!isEventId(id)) throw new Error(`'${id}' is not the id of an event`);
  return id;
}

/** The number of bytes must be a multiple of 5. */
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

export type ListedDelivery = Pick<
  Delivery,
  'eventId' | 'unitId' | 'environment' | 'type' | 'state' | 'attempts' | 'createdAt'
>;

/** `cause` says why the last attempt failed, and is undefined if it did not. */
export type ExplainedDelivery = Delivery & { readonly cause: string | undefined };

export interface ChangedAccount {
  readonly partnerId: PartnerId;
  readonly change: AccountChange;
  readonly environment: Environment;
  readonly unitId?: UnitId;
}

export type AccountEventOf = (changed: ChangedAccount, now: Instant) => Delivery;

export interface DeliveryFilter {
  readonly states?: readonly DeliveryState[] | undefined;
  readonly unitId?: UnitId | undefined;
  readonly environment?: Environment | undefined;
  readonly since?: Instant | undefined;
  readonly until?: Instant | undefined;
}

/** All but `pendente`, whose next attempt comes anyway. */
export const REPLAYABLE: readonly DeliveryState[] = DELIVERY_STATES.filter((state) => state !== 'pendente');

export type Replay =
  | { readonly kind: 'due'; readonly due: DueDelivery }
  | { readonly kind: 'pending' }
  | { readonly kind: 'moved_on' }
  | { readonly kind: 'absent' };
