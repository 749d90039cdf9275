import type { EventId } from '#shared/domain/values/ids.ts';
import {
  agesSince,
  type Delivery,
  type DueDelivery,
  historyAfter,
  lookAt,
  waitsInQueue,
  withoutTexts,
} from '#shared/domain/webhooks/delivery.ts';
import type { DisabledBecause, EndpointOwner, WebhookEndpoint } from '#shared/domain/webhooks/endpoint.ts';
import type { Deliveries, EnabledEndpoint, WebhookEndpoints } from '#shared/domain/webhooks/ports.ts';
import { makeEndpoint } from './delivery.ts';

/** Time for which a claimed attempt belongs to its worker, in milliseconds. */
const LEASE = 60_000;
const HEALTHY = { failures: 0, failingSince: undefined };

/**
 * A delivery as it is stored, with what the port keeps about it. Its `attempts` do not count an attempt that is claimed
 * now.
 */
interface Row {
  readonly delivery: Delivery;
  /** When the sweeper looks at the delivery. */
  readonly lookMoment: number;
  readonly leasedUntil?: number | undefined;
}

/** Returns the name of an endpoint: two owners with the same partner and environment have the same. */
const nameOf = ({ partnerId, environment }: EndpointOwner) => `${partnerId} ${environment}`;

/** Deliveries and endpoints in memory. They pass the same conformance suites as the table's adapters. */
export class MemoryWebhooks {
  readonly rows = new Map<EventId, Row>();
  /** Number of items on a page. */
  page = 100;
  private readonly endpointByOwner = new Map<string, WebhookEndpoint>();
  private readonly enabled = new Map<string, EnabledEndpoint>();

  /** Books a delivery, for whose attempt a message waits. */
  book<Booked extends Delivery>(delivery: Booked): Booked {
    this.rows.set(delivery.eventId, { delivery, lookMoment: lookAt(delivery.dueAt, true) });
    return delivery;
  }

  delivery(eventId: EventId): Delivery | undefined {
    return this.rows.get(eventId)?.delivery;
  }

  readonly deliveries: Deliveries = {
    get: async (eventId) => this.delivery(eventId),

    claim: async ({ eventId, attempt }, now) => {
      const row = this.rows.get(eventId);
      if (!row) return { kind: 'nothing' };
      const { delivery, leasedUntil = Number.NEGATIVE_INFINITY } = row;
      const next = delivery.attempts + 1;
      if (delivery.state === 'esgotada' && next === attempt) return { kind: 'redriven' };
      if (delivery.state !== 'pendente') return { kind: 'nothing' };
      if (delivery.dueAt > now)
        return waitsInQueue(delivery.dueAt, now) ? { kind: 'early', dueAt: delivery.dueAt } : { kind: 'nothing' };
      if (next < attempt || leasedUntil >= now) return { kind: 'nothing' };
      this.rows.set(eventId, { ...row, leasedUntil: now + LEASE });
      return { kind: 'claimed', delivery: { ...delivery, attempts: next } };
    },

    record: async (claimed, result, next, now) => {
      if (next.state === 'suspensa' && this.endpointByOwner.get(nameOf(claimed))?.enabled !== false) return 'enabled';
      const row = this.rows.get(claimed.eventId);
      const latest = result?.delivered ? claimed.attempts + 1 : claimed.attempts;
      if (row?.delivery.state !== 'pendente' || row.delivery.attempts + 1 > latest) return 'overtaken';
      const putsOffOrEnds =
        !result?.delivered && next.state !== 'suspensa' && !(next.state === 'pendente' && next.dueAt <= now);
      if (putsOffOrEnds && row.delivery.dueAt !== claimed.dueAt) return 'resent';
      const attempt = result && { number: claimed.attempts, at: now, result };
      const history = attempt ? historyAfter(claimed.history, attempt) : claimed.history;
      const delivery: Delivery = {
        ...row.delivery,
        state: next.state,
        attempts: result ? claimed.attempts : claimed.attempts - 1,
        dueAt: next.state === 'pendente' ? next.dueAt : claimed.dueAt,
        history: row.delivery.textsDeletedAt === undefined ? history : withoutTexts(history),
      };
      const lookMoment = lookAt(delivery.dueAt, waitsInQueue(delivery.dueAt, now));
      this.rows.set(claimed.eventId, { delivery, lookMoment });
      return 'written';
    },

    reopen: async ({ eventId, attempt }, now) => {
      const delivery = this.delivery(eventId);
      if (delivery?.state !== 'esgotada' || delivery.attempts + 1 !== attempt) return false;
      this.book({ ...delivery, state: 'pendente', dueAt: now, wishedAt: now });
      return true;
    },

    release: async (owner, now, after) => {
      const suspended = [...this.rows.values()]
        .map(({ delivery }) => delivery)
        .filter((delivery) => nameOf(delivery) === nameOf(owner) && delivery.state === 'suspensa')
        .sort((a, b) => agesSince(a) - agesSince(b));
      const items = suspended.slice(0, this.page).map((delivery) => {
        this.book({ ...delivery, state: 'pendente', dueAt: now });
        return nextMessageOf({ ...delivery, dueAt: now });
      });
      // Released deliveries are no longer in the list, so the next page begins at the front again.
      return { items, next: suspended.length > this.page ? String(Number(after ?? 0) + 1) : undefined };
    },

    listDue: async (before, after) => {
      const sortKeyOf = ({ lookMoment, delivery }: Row) =>
        `${String(lookMoment).padStart(16, '0')} ${delivery.eventId}`;
      const due = [...this.rows.values()]
        .filter((row) => row.delivery.state === 'pendente' && row.lookMoment < before)
        .filter((row) => after === undefined || sortKeyOf(row) > after)
        .sort((a, b) => (sortKeyOf(a) < sortKeyOf(b) ? -1 : 1));
      const items = due.slice(0, this.page);
      const last = items.at(-1);
      return {
        items: items.map(({ delivery }) => nextMessageOf(delivery)),
        unreadable: 0,
        next: last && due.length > this.page ? sortKeyOf(last) : undefined,
      };
    },

    markEnqueued: async ({ eventId, attempt, dueAt }, lookMoment) => {
      const row = this.rows.get(eventId);
      if (row?.delivery.state !== 'pendente' || row.delivery.attempts + 1 !== attempt) return false;
      if (row.delivery.dueAt !== dueAt) return false;
      this.rows.set(eventId, { ...row, lookMoment });
      return true;
    },
  };

  /**
   * Changes the row as a partner's resend does: the delivery is due at `now`, and the queue brings its next attempt.
   */
  resend(eventId: EventId, now: number): DueDelivery {
    const row = this.rows.get(eventId)!;
    const delivery: Delivery = { ...row.delivery, state: 'pendente', dueAt: now, wishedAt: now };
    this.rows.set(eventId, { ...row, delivery, lookMoment: lookAt(now, true) });
    return nextMessageOf(delivery);
  }

  /** Changes the row as the erasure of the person does. */
  deleteTexts(eventId: EventId, now: number): void {
    const row = this.rows.get(eventId)!;
    const { history, textsDeletedAt = now } = row.delivery;
    const delivery: Delivery = { ...row.delivery, history: withoutTexts(history), textsDeletedAt };
    this.rows.set(eventId, { ...row, delivery });
  }

  readonly endpoints: WebhookEndpoints = {
    get: async (owner) => this.endpointByOwner.get(nameOf(owner)),
    view: async (owner) => this.endpointByOwner.get(nameOf(owner)),

    countFailure: async (owner, seen, now) => {
      const endpoint = this.stored(owner);
      const { failures, failingSince = now } = endpoint.health;
      if (endpoint.enabled && endpoint.changedAt === seen.changedAt)
        this.endpointByOwner.set(nameOf(owner), { ...endpoint, health: { failures: failures + 1, failingSince } });
      const { enabled, health } = this.stored(owner);
      return { enabled, health };
    },

    forgetFailures: async (owner, seen) => {
      const endpoint = this.stored(owner);
      if (endpoint.changedAt === seen.changedAt)
        this.endpointByOwner.set(nameOf(owner), { ...endpoint, health: HEALTHY });
    },

    disable: async (owner, seen, cause, now) => {
      const endpoint = this.stored(owner);
      const isStillFailing = cause === 'gone' || endpoint.health.failingSince === seen.health.failingSince;
      if (endpoint.enabled && endpoint.changedAt === seen.changedAt && isStillFailing)
        this.disableEndpoint(owner, cause, now);
      return !this.stored(owner).enabled;
    },

    enabledLately: async () => Array.from(this.enabled.values()),

    released: async (released) => {
      if (this.enabled.get(nameOf(released))?.enabledAt === released.enabledAt) this.enabled.delete(nameOf(released));
    },
  };

  /** Changes that the manager makes. */
  readonly manager = {
    set: async (owner: EndpointOwner, url: string, secret: string, now: number): Promise<void> =>
      void this.endpointByOwner.set(nameOf(owner), makeEndpoint({ url, secret, changedAt: now })),
    move: async (owner: EndpointOwner, url: string, now: number): Promise<void> =>
      void this.endpointByOwner.set(nameOf(owner), { ...this.stored(owner), url, changedAt: now, health: HEALTHY }),
    enable: async (owner: EndpointOwner, now: number): Promise<void> => {
      const { partnerId, environment } = owner;
      const { url, secret } = this.stored(owner);
      this.endpointByOwner.set(nameOf(owner), makeEndpoint({ url, secret, changedAt: now }));
      this.enabled.set(nameOf(owner), { partnerId, environment, enabledAt: now });
    },
    disable: async (owner: EndpointOwner, now: number): Promise<void> => {
      this.disableEndpoint(owner, 'manager', now);
      this.endpointByOwner.set(nameOf(owner), { ...this.stored(owner), changedAt: now });
    },
  };

  private disableEndpoint(owner: EndpointOwner, disabledBecause: DisabledBecause, disabledAt: number): void {
    const disabled = { ...this.stored(owner), enabled: false, disabledBecause, disabledAt };
    this.endpointByOwner.set(nameOf(owner), disabled);
    this.enabled.delete(nameOf(owner));
  }

  /** Returns an endpoint. Throws an Error if none is set. */
  private stored(owner: EndpointOwner): WebhookEndpoint {
    const endpoint = this.endpointByOwner.get(nameOf(owner));
    if (!endpoint) throw new Error(`no endpoint is set: ${nameOf(owner)}`);
    return endpoint;
  }
}

/** Returns the message for the next attempt of a stored delivery. */
export function nextMessageOf({ eventId, partnerId, attempts, dueAt }: Delivery): DueDelivery {
  return { eventId, partnerId, attempt: attempts + 1, dueAt };
}
