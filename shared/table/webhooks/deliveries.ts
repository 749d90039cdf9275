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
/** One place for each partition of the due index. Null for a partition that was read to its end. */
const placesFormat = z.array(z.nullable(z.record(z.string(), z.unknown())));

/** Longer than the function may run. */
const LEASE: Milliseconds = minutes(1);
const PAGE = 50;
const RELEASED_AT_ONCE = 100;

/** Part of each suspension: if the endpoint is enabled afterwards, the delivery is released. */
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
 * Claims and records have another mark: a worker may claim the delivery, or somebody may ask for a resend, between two
 * tries of the other write.
 */
const DUE_MARK = 'dueMark';

interface Reopening {
  readonly condition: string;
  readonly values?: Item;
  /** `wishedAt` if a person asks for the attempt. */
  readonly also?: Item;
}

/** If the queue gets no message, the sweeper finds the delivery. `refused`: empty if there is no row. */
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

/** Undefined if the delivery leaves the due index. */
function indexed(delivery: Delivery, next: NextStep, now: Instant) {
  const { eventId, environment } = delivery;
  if (next.state === 'pendente') return deliveryDue(lookAt(next.dueAt, waitsInQueue(next.dueAt, now)), eventId);
  if (next.state === 'esgotada') return deliveryExhausted(environment, now, eventId);
  return next.state === 'suspensa' ? deliverySuspended(delivery, agesSince(delivery), eventId) : undefined;
}

/**
 * Whether an outcome yields to a resend that has made the delivery due while the attempt was under way. Three outcomes
 * do not yield. A success is what the resend was for. A suspended delivery is sent once its endpoint is enabled. A
 * retry that is due now puts nothing off.
 */
function yieldsToResend(result: AttemptResult | undefined, next: NextStep, now: Instant): boolean {
  if (result?.delivered || next.state === 'suspensa') return false;
  return next.state !== 'pendente' || next.dueAt > now;
}

// A success counts even if another worker took this worker for dead and has failed with the same attempt.
const latestAttempt = ({ attempts }: Delivery, result: AttemptResult | undefined) =>
  result?.delivered ? attempts + 1 : attempts;

/** Undefined if the row has got no mark of an erasure since the delivery was read. */
function markedSince(delivery: Delivery, row: Item | undefined): Delivery | undefined {
  const { textsDeletedAt } = markFormat.parse(row ?? {});
  return delivery.textsDeletedAt === undefined && textsDeletedAt !== undefined
    ? { ...delivery, textsDeletedAt }
    : undefined;
}

/** Refused if the row has got the mark of an erasure since the delivery was read. */
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
      // If only `dueAt` has changed, a resend came.
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

  /** The index may still list deliveries that are no longer suspended: they are left out. */
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
