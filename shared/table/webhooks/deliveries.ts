import * as z from 'zod/mini';
import type { Clock } from '#shared/domain/values/clock.ts';
import type { EventId } from '#shared/domain/values/ids.ts';
import type { Page } from '#shared/domain/values/tenancy.ts';
import { type Instant, type Milliseconds, minutes } from '#shared/domain/values/time.ts';
import {
  type AttemptResult,
  agesSince,
  DELIVERY_KEPT,
  type Delivery,
  type DueDelivery,
  historyAfter,
  lookAt,
  type NextStep,
  waitsInQueue,
  withoutTexts,
} from '#shared/domain/webhooks/delivery.ts';
import type { EndpointOwner } from '#shared/domain/webhooks/endpoint.ts';
import type { AttemptClaim, Deliveries } from '#shared/domain/webhooks/ports.ts';
import {
  getRow,
  type Item,
  neverOwn,
  queryPage,
  queryRows,
  type TransactItem,
  transactNamed,
  updateRecognised,
  winRow,
} from '../rows/client.ts';
import {
  DUE_PARTITIONS,
  deliveryDue,
  deliveryExhausted,
  deliveryKey,
  deliverySuspended,
  dueQuery,
  suspendedPartition,
  webhookKey,
} from '../rows/keys.ts';
import { deliveryFormat, readableDue, readDelivery, readDue } from '../rows/outbox.ts';
import { expiryAt, lastOver, UNEXPIRED, unexpired } from '../rows/row-format.ts';
import { updateOf } from '../rows/update.ts';

const suspendedFormat = z.pick(deliveryFormat, { eventId: true });
const markFormat = z.pick(deliveryFormat, { textsDeletedAt: true });
/** Places where a page of `listDue` continues, one for each part of the due index. Null for a part that has ended. */
const placesFormat = z.array(z.nullable(z.record(z.string(), z.unknown())));

/** How long a claimed attempt belongs to the worker that claimed it: longer than the function may run. */
const LEASE: Milliseconds = minutes(1);
/** Most rows that one page reads of each part of the due index. */
const PAGE = 50;
/** Suspended deliveries that are released at the same time. */
const RELEASED_AT_ONCE = 100;

/**
 * Transaction part that is refused unless the endpoint is disabled. It is written with each suspension of a delivery. If
 * the endpoint is enabled afterwards, the delivery is among those that are released.
 */
export function whileDisabled(owner: EndpointOwner): TransactItem {
  return {
    ConditionCheck: {
      Key: webhookKey(owner),
      ConditionExpression: 'enabled = :no',
      ExpressionAttributeValues: { ':no': false },
    },
  };
}

/**
 * Attribute with the mark of the last write that made the delivery due (`winRow`). Claims and records have another one:
 * a worker may claim the delivery, or somebody may ask for a resend, between two tries of the other's write.
 */
const DUE_MARK = 'dueMark';

/** How a delivery becomes due again. */
interface Reopening {
  readonly condition: string;
  readonly values?: Item;
  /** Further attributes to set. `wishedAt` if a person asks for the attempt. */
  readonly also?: Item;
}

/**
 * Makes a delivery due at `now` if the condition holds, and returns the attempt to send to the queue. If the queue gets
 * no message, the sweeper finds the delivery. `refused`: the row that did not meet the condition, empty if there is
 * none.
 */
export async function makeDue(
  eventId: EventId,
  now: Instant,
  { condition, values, also }: Reopening,
): Promise<{ due: DueDelivery; row: Item } | { refused: Item }> {
  const { duePk, dueSk } = deliveryDue(lookAt(now, true), eventId);
  const update = updateOf(deliveryKey(eventId), {
    set: { state: 'pendente', dueAt: now, duePk, dueSk, ...also },
    remove: ['expiresAt'],
    condition: `(${condition}) AND ${UNEXPIRED}`,
    values: { ...values, ':at': lastOver(now) },
  });
  const outcome = await winRow(update, DUE_MARK);
  return 'written' in outcome ? { due: readDue(outcome.written), row: outcome.written } : outcome;
}

/** Returns the entry of the due index that a delivery gets after its attempt. Undefined if it gets none. */
function indexed(delivery: Delivery, next: NextStep, now: Instant) {
  const { eventId, environment } = delivery;
  if (next.state === 'pendente') return deliveryDue(lookAt(next.dueAt, waitsInQueue(next.dueAt, now)), eventId);
  if (next.state === 'esgotada') return deliveryExhausted(environment, now, eventId);
  return next.state === 'suspensa' ? deliverySuspended(delivery, agesSince(delivery), eventId) : undefined;
}

/**
 * Whether an outcome yields to a resend that has made the delivery due while the attempt was under way. Three outcomes
 * do not: a success, which the resend was for; a suspension, since the delivery is sent once its endpoint is enabled;
 * and a retry that is due now, since it puts nothing off.
 */
function yieldsToResend(result: AttemptResult | undefined, next: NextStep, now: Instant): boolean {
  if (result?.delivered || next.state === 'suspensa') return false;
  return next.state !== 'pendente' || next.dueAt > now;
}

// A success counts even if another worker took this one for dead and has failed with the same attempt.
const latestAttempt = ({ attempts }: Delivery, result: AttemptResult | undefined) =>
  result?.delivered ? attempts + 1 : attempts;

/**
 * Returns the delivery with the mark that the person's erasure has left in the row since the delivery was read. Undefined
 * if there is no such mark.
 */
function markedSince(delivery: Delivery, row: Item | undefined): Delivery | undefined {
  const { textsDeletedAt } = markFormat.parse(row ?? {});
  return delivery.textsDeletedAt === undefined && textsDeletedAt !== undefined
    ? { ...delivery, textsDeletedAt }
    : undefined;
}

/**
 * Returns the update that writes the result of an attempt. It keeps no text of the receiver if the delivery has the mark
 * of an erasure, and it is refused if the row has got this mark since the delivery was read.
 */
function recording(delivery: Delivery, result: AttemptResult | undefined, next: NextStep, now: Instant) {
  const index = indexed(delivery, next, now);
  const final = next.state !== 'pendente' && next.state !== 'suspensa';
  const yields = yieldsToResend(result, next, now);
  const attempts = result ? delivery.attempts : delivery.attempts - 1;
  const attempt = result && { number: delivery.attempts, at: now, result };
  const history = attempt ? historyAfter(delivery.history, attempt) : delivery.history;
  const isMarked = delivery.textsDeletedAt !== undefined;
  const unmarked = isMarked ? '' : ' AND attribute_not_exists(textsDeletedAt)';
  return updateOf(deliveryKey(delivery.eventId), {
    set: {
      state: next.state,
      attempts,
      dueAttempt: attempts + 1,
      dueAt: next.state === 'pendente' ? next.dueAt : delivery.dueAt,
      history: isMarked ? withoutTexts(history) : history,
      expiresAt: final ? expiryAt(now + DELIVERY_KEPT) : undefined,
      duePk: index?.duePk,
      dueSk: index?.dueSk,
    },
    remove: index ? ['leasedUntil'] : ['leasedUntil', 'duePk', 'dueSk'],
    condition: `#state = :pending AND dueAttempt <= :latest${yields ? ' AND dueAt = :claimed' : ''}${unmarked}`,
    values: {
      ':pending': 'pendente',
      ':latest': latestAttempt(delivery, result),
      ':claimed': yields ? delivery.dueAt : undefined,
    },
  });
}

/** Deliveries, as the worker and the sweeper claim them and record their attempts. */
export class TableDeliveries implements Deliveries {
  readonly #clock: Clock;

  constructor(clock: Clock = Date.now) {
    this.#clock = clock;
  }

  async get(eventId: EventId): Promise<Delivery | undefined> {
    const item = unexpired(await getRow(deliveryKey(eventId)), this.#clock());
    return item && readDelivery(item);
  }

  async claim({ eventId, attempt }: DueDelivery, now: Instant): Promise<AttemptClaim> {
    const outcome = await winRow({
      Key: deliveryKey(eventId),
      // Writes no attribute that an index shows. The attempt is counted when its outcome is written.
      UpdateExpression: 'SET leasedUntil = :lease',
      // If a worker died during its attempt, the next message gets the attempt once the lease is over.
      ConditionExpression:
        '#state = :pending AND dueAttempt >= :attempt AND dueAt <= :now AND (attribute_not_exists(leasedUntil) OR leasedUntil < :now)',
      ExpressionAttributeNames: { '#state': 'state' },
      ExpressionAttributeValues: { ':attempt': attempt, ':lease': now + LEASE, ':now': now, ':pending': 'pendente' },
    });
    if ('written' in outcome) {
      const attempts = readDue(outcome.written).attempt;
      return { kind: 'claimed', delivery: { ...readDelivery(outcome.written), attempts } };
    }
    const { refused } = outcome;
    if (refused['state'] === 'esgotada' && refused['dueAttempt'] === attempt) return { kind: 'redriven' };
    if (refused['state'] !== 'pendente') return { kind: 'nothing' };
    const { dueAt } = readDue(refused);
    // After a longer wait, the sweeper sends a message of its own.
    return dueAt > now && waitsInQueue(dueAt, now) ? { kind: 'early', dueAt } : { kind: 'nothing' };
  }

  async record(
    delivery: Delivery,
    result: AttemptResult | undefined,
    next: NextStep,
    now: Instant,
  ): Promise<'written' | 'overtaken' | 'enabled' | 'resent'> {
    const update = recording(delivery, result, next, now);
    if (next.state !== 'suspensa') {
      const outcome = await winRow(update);
      if ('written' in outcome) return 'written';
      const { refused } = outcome;
      const marked = markedSince(delivery, refused);
      if (marked) return this.record(marked, result, next, now);
      // Only the moment at which the delivery is due has changed: a resend came.
      const due = refused['state'] === 'pendente' && readDue(refused).attempt <= latestAttempt(delivery, result);
      return due ? 'resent' : 'overtaken';
    }
    const outcome = await transactNamed({ endpoint: whileDisabled(delivery), delivery: { Update: update } });
    if (outcome === 'written') return 'written';
    if (outcome.endpoint) return 'enabled';
    const marked = markedSince(delivery, outcome.delivery?.row);
    return marked ? this.record(marked, result, next, now) : 'overtaken';
  }

  async reopen({ eventId, attempt }: DueDelivery, now: Instant): Promise<boolean> {
    const outcome = await makeDue(eventId, now, {
      condition: '#state = :exhausted AND dueAttempt = :attempt',
      values: { ':exhausted': 'esgotada', ':attempt': attempt },
      also: { wishedAt: now },
    });
    return 'due' in outcome;
  }

  /** Leaves out deliveries that the index still lists as suspended, and that are no longer suspended. */
  async release(owner: EndpointOwner, now: Instant, after?: string): Promise<Page<DueDelivery>> {
    const query = dueQuery(suspendedPartition(owner), { limit: RELEASED_AT_ONCE });
    const { items, next } = await queryPage(query, after);
    const outcomes = await Promise.all(
      items.map((item) =>
        makeDue(suspendedFormat.parse(item).eventId, now, {
          condition: '#state = :suspended',
          values: { ':suspended': 'suspensa' },
        }),
      ),
    );
    const released = outcomes.filter((outcome) => 'due' in outcome);
    return { items: released.map(({ due }) => due), next };
  }

  async listDue(before: Instant, after?: string): Promise<Page<DueDelivery> & { readonly unreadable: number }> {
    const places = after === undefined ? undefined : placesFormat.parse(JSON.parse(after));
    const pages = await Promise.all(
      DUE_PARTITIONS.map(async (partition, index) => {
        const from = places?.[index];
        if (from === null) return undefined;
        return queryRows({ ...dueQuery(partition, { before, limit: PAGE }), ExclusiveStartKey: from });
      }),
    );
    const next = pages.map((page) => page?.LastEvaluatedKey ?? null);
    const items = pages.flatMap((page) => page?.Items ?? []);
    items.sort((a, b) => (String(a['dueSk']) < String(b['dueSk']) ? -1 : 1));
    const readable = items.map(readableDue).filter((due) => due !== undefined);
    return {
      items: readable,
      unreadable: items.length - readable.length,
      next: next.some((place) => place !== null) ? JSON.stringify(next) : undefined,
    };
  }

  async markEnqueued({ eventId, attempt, dueAt }: DueDelivery, lookAgainAt: Instant): Promise<boolean> {
    const { duePk, dueSk } = deliveryDue(lookAgainAt, eventId);
    const update = {
      Key: deliveryKey(eventId),
      UpdateExpression: 'SET duePk = :duePk, dueSk = :dueSk',
      ConditionExpression: '#state = :pending AND dueAttempt = :attempt AND dueAt = :dueAt',
      ExpressionAttributeNames: { '#state': 'state' },
      ExpressionAttributeValues: {
        ':duePk': duePk,
        ':dueSk': dueSk,
        ':pending': 'pendente',
        ':attempt': attempt,
        ':dueAt': dueAt,
      },
    };
    return 'written' in (await updateRecognised(update, neverOwn));
  }
}
