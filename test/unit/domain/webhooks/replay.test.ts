import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AnalysisId, EventId, PartnerId, UnitId } from '#shared/domain/values/ids.ts';
import { ENVIRONMENTS } from '#shared/domain/values/tenancy.ts';
import {
  ACCOUNT_EVENT,
  DELIVERY_STATES,
  type Delivery,
  type DeliveryFilter,
  type DueDelivery,
  REPLAYABLE,
  type Replay,
} from '#shared/domain/webhooks/delivery.ts';
import type { EndpointOwner, EndpointView } from '#shared/domain/webhooks/endpoint.ts';
import type {
  DeliveryArchive,
  DeliveryNotifier,
  DeliveryOwner,
  SuspendedDeliveries,
  UnitDeliveries,
} from '#shared/domain/webhooks/ports.ts';
import * as replays from '#shared/domain/webhooks/replay.ts';
import { MOST_SUSPENDED, suspendedFor, waitingFor } from '#shared/domain/webhooks/waiting.ts';
import { makeDelivery, makeEndpoint } from '#test/makers/delivery.ts';
import { NO_NOTIFIER } from '#test/makers/delivery-queue.ts';
import { nextMessageOf } from '#test/makers/memory-webhooks.ts';

const NOW = 1_763_640_000_000;
const OWN = 3 as PartnerId;
const ENDPOINT: EndpointOwner = { partnerId: OWN, environment: 'producao' };
const OTHER = 4 as PartnerId;
const ANALYSIS = 9001 as AnalysisId;

/** Returns an archive of these deliveries whose pages hold at most `most`. */
function archiveOf(all: readonly Delivery[], most = 7) {
  const asked: { filter: DeliveryFilter; order: string; limit: number }[] = [];
  const archive: Pick<DeliveryArchive, 'page' | 'ofAnalysis'> = {
    async page(partnerId, filter, order, limit, after) {
      asked.push({ filter, order, limit });
      const { states, environment } = filter;
      const found = all.filter(
        (one) =>
          one.partnerId === partnerId &&
          one.environment === (environment ?? one.environment) &&
          (states ?? [one.state]).includes(one.state),
      );
      const sorted = found.sort((one, other) => one.createdAt - other.createdAt);
      if (order !== 'oldest') sorted.reverse();
      const from = Number(after ?? 0);
      const end = from + Math.min(limit, most);
      return { items: sorted.slice(from, end), next: end < found.length ? String(end) : undefined };
    },
    ofAnalysis: async ({ environment }, analysisId) =>
      all
        .filter((one) => one.environment === environment && one.analysisId === analysisId)
        .sort((one, other) => other.createdAt - one.createdAt),
  };
  const get = async (eventId: EventId) => all.find((one) => one.eventId === eventId);
  return { asked, deps: { archive, deliveries: { get } } };
}

/** A method of a port that the test must not call. */
const neverAsked = () => Promise.reject(new TypeError('asked'));
const NO_DELIVERIES: UnitDeliveries = {
  list: neverAsked,
  look: neverAsked,
  suspend: neverAsked,
  makeDue: neverAsked,
};

/** Returns an archive of empty pages without end, as for a partner with many deliveries that are all delivered. */
function endless(): { readonly archive: Pick<DeliveryArchive, 'page' | 'ofAnalysis'>; readonly pages: () => number } {
  let pages = 0;
  const page = async () => ({ items: [], next: String(++pages) });
  return { archive: { page, ofAnalysis: async () => [] }, pages: () => pages };
}
/** Returns a function that returns true `times` times. */
const timeFor = (times: number) => () => times-- > 0;

const one = fc.record({
  state: fc.constantFrom(...DELIVERY_STATES),
  environment: fc.constantFrom(...ENVIRONMENTS),
  partnerId: fc.constantFrom(OWN, OTHER),
  analysisId: fc.constantFrom(ANALYSIS, 9002 as AnalysisId),
});
const drawn = fc
  .array(one, { maxLength: 40 })
  .map((made) =>
    made.map((one, at) => makeDelivery({ ...one, eventId: `evt_${at}` as EventId, createdAt: NOW + ((at * 17) % 41) })),
  );

/** Returns the events of all pages of a selection. */
async function whole(selection: replays.ReplaySelection, all: readonly Delivery[]): Promise<EventId[]> {
  const { deps } = archiveOf(all);
  const found: EventId[] = [];
  let after: string | undefined;
  do {
    const { owner, items, next } = await replays.replayPage(selection, 10, after, deps);
    expect(owner).toMatchObject({ partnerId: OWN });
    found.push(...items.map(({ eventId }) => eventId));
    after = next;
  } while (after !== undefined);
  return found;
}
/** Whether a delivery goes to the endpoint of an owner. */
const isOf = ({ partnerId, environment }: EndpointOwner, one: Delivery) =>
  one.partnerId === partnerId && one.environment === environment;
const oldestFirst = (found: readonly Delivery[]) =>
  [...found].sort((one, other) => one.createdAt - other.createdAt).map(({ eventId }) => eventId);

/** One of the partner's two endpoints. */
const ownEndpoint = fc
  .constantFrom(...ENVIRONMENTS)
  .map((environment): EndpointOwner => ({ ...ENDPOINT, environment }));

it('replayPage returns all replayable deliveries of an endpoint, or those in the given states, oldest first', async () => {
  const chosen = fc.option(fc.subarray([...DELIVERY_STATES]), { nil: undefined });
  await fc.assert(
    fc.asyncProperty(drawn, ownEndpoint, chosen, async (all, owner, states) => {
      const isWanted = (state: Delivery['state']) => states?.includes(state) ?? state !== 'pendente';
      const wanted = all.filter((one) => isOf(owner, one) && isWanted(one.state));
      expect(await whole({ owner, filter: { states } }, all)).toEqual(oldestFirst(wanted));
    }),
  );
});

it('replayPage returns deliveries of an analysis of one endpoint before a moment, oldest first', async () => {
  await fc.assert(
    fc.asyncProperty(drawn, ownEndpoint, async (all, owner) => {
      const until = NOW + 20;
      const own = all.filter((one) => isOf(owner, one) && one.analysisId === ANALYSIS);
      const wanted = own.filter(({ state, createdAt }) => state !== 'pendente' && createdAt < until);
      const selection = { owner, unitId: 11 as UnitId, analysisId: ANALYSIS, until };
      expect(await whole(selection, all)).toEqual(oldestFirst(wanted));
    }),
  );
});

it('replayPage returns the event that a selection names, also if it is pending, or none if it is absent', async () => {
  const given = makeDelivery({ state: 'esgotada', eventId: 'evt_given' as EventId });
  const waiting = makeDelivery({ state: 'pendente', eventId: 'evt_waiting' as EventId });
  const { deps } = archiveOf([given, waiting]);
  const page = (eventId: string) => replays.replayPage({ eventId: eventId as EventId }, 10, undefined, deps);
  expect(await page('evt_given')).toMatchObject({ owner: ENDPOINT, items: [given], next: undefined });
  expect(await page('evt_waiting')).toMatchObject({ owner: ENDPOINT, items: [waiting], next: undefined });
  expect(await page('evt_none')).toEqual({ owner: undefined, items: [], next: undefined });
});

it.each([
  [14_200, 14_200, 3],
  [20_000, 20_000, 4],
  [30_000, undefined, 4],
])('countReplay counts %i deliveries over all pages, up to 20,000', async (deliveries, counted, pages) => {
  const { deps, asked } = archiveOf(Array<Delivery>(deliveries).fill(makeDelivery({ state: 'esgotada' })), 7_000);
  const selection = { owner: ENDPOINT, filter: {} };
  const first = await replays.replayPage(selection, 200, undefined, deps);
  expect(await replays.countReplay(selection, first, deps, () => true)).toBe(counted);
  expect(asked).toHaveLength(pages);
});

const found = fc.array(fc.constantFrom<Replay['kind']>('due', 'pending', 'moved_on', 'absent'), {
  maxLength: 45,
  size: 'max',
});
const due = (eventId: EventId): DueDelivery => ({ eventId, partnerId: OWN, attempt: 13, dueAt: NOW });

it('replayAll sends events to the queue in order, ten at a time, and skips all events that are not due', async () => {
  await fc.assert(
    fc.asyncProperty(found, async (kinds) => {
      const eventIds = kinds.map((_, at) => `evt_${at}` as EventId);
      const [asked, sent]: [number[], DueDelivery[]] = [[], []];
      let now = NOW;
      const replay = async (eventId: EventId, at: number): Promise<Replay> => {
        const kind = kinds[asked.push(at) - 1]!;
        return kind === 'due' ? { kind, due: due(eventId) } : { kind };
      };
      const send = async (messages: readonly DueDelivery[], at: number) => {
        expect(at).toBe(now);
        now += 1_000;
        sent.push(...messages);
      };
      const outcome = await replays.replayAll(eventIds, REPLAYABLE, { replay, queue: { send }, clock: () => now });
      const wanted = eventIds.filter((_, index) => kinds[index] === 'due').map(due);
      expect(sent).toEqual(wanted);
      expect(outcome).toEqual({ sent: wanted.length, skipped: kinds.length - wanted.length });
      expect(asked).toEqual(kinds.map((_, index) => NOW + 1_000 * Math.floor(index / 10)));
    }),
  );
});

describe('waitingFor and suspendedFor', () => {
  const kept = (count: number) =>
    Array.from({ length: count }, (_, at) => makeDelivery({ state: at % 2 ? 'pendente' : 'suspensa' }));

  it('waitingFor counts the pending and suspended events of one endpoint, without account events', async () => {
    const others = DELIVERY_STATES.map((state) => makeDelivery({ state }));
    const foreign = makeDelivery({ state: 'suspensa', partnerId: OTHER });
    const tested = makeDelivery({ state: 'suspensa', environment: 'sandbox' });
    const told = makeDelivery({ state: 'pendente', type: ACCOUNT_EVENT });
    const { deps, asked } = archiveOf([...kept(20), ...others, foreign, tested, told]);
    expect(await waitingFor(ENDPOINT, deps.archive, () => true)).toBe(22);
    expect(asked.map(({ limit }) => limit)).toEqual([1000, 994, 987, 980]);
  });

  it.each([
    [99, 4],
    [2, 2],
    [0, 0],
  ])(
    'waitingFor returns 1,000 if neither four pages nor the time for %i pages reach the end of the list',
    async (times, looked) => {
      const { archive, pages } = endless();
      expect(await waitingFor(ENDPOINT, archive, timeFor(times))).toBe(1_000);
      expect(pages()).toBe(looked);
    },
  );

  it.each([
    ['the number of suspended events', true, 7_500],
    ['10,000 if not all could be counted', false, MOST_SUSPENDED],
  ])('suspendedFor returns %s', async (_, isWhole, counted) => {
    const count: SuspendedDeliveries['count'] = async (_owner, { most }) => {
      expect(most).toBe(10_000);
      return { count: 7_500, isWhole };
    };
    expect(await suspendedFor(ENDPOINT, { count }, () => true)).toBe(counted);
  });
});

const delivery = makeDelivery({ state: 'esgotada', attempts: 12 });
const owner: DeliveryOwner = { ...delivery, partnerId: OWN };

interface Scene {
  readonly endpoint?: EndpointView | undefined;
  /** The result of `keep`. */
  readonly suspended?: Awaited<ReturnType<UnitDeliveries['suspend']>>;
  /** The event's own address. */
  readonly to?: string;
  /** When the event was resent. Undefined if it was not. */
  readonly resentAt?: number;
  readonly absent?: true;
}

/** Returns the result of a resend, and its writes. */
async function resent({ endpoint, suspended = { kind: 'suspended', delivery }, to, resentAt, absent }: Scene) {
  const writes: [string, EventId, number][] = [];
  const none = () => Promise.reject(new Error('a resend has no need of it'));
  const made: Delivery = { ...delivery, state: 'pendente', dueAt: NOW };
  const port: UnitDeliveries = {
    list: none,
    look: async (asked, eventId) =>
      absent || asked !== owner || eventId !== delivery.eventId
        ? undefined
        : { delivery: { ...delivery, to }, endpoint },
    suspend: async (_owner, { eventId }, at) => {
      writes.push(['suspend', eventId, at]);
      return suspended;
    },
    makeDue: async (_owner, eventId, at) => {
      writes.push(['makeDue', eventId, at]);
      return resentAt ? { kind: 'too_soon', resentAt } : { kind: 'due', delivery: made, due: nextMessageOf(made) };
    },
  };
  const notifier: DeliveryNotifier = {
    booked: none,
    due: async (attempts) => {
      for (const { eventId, dueAt } of attempts) writes.push(['publish', eventId, dueAt]);
    },
  };
  const outcome = await replays.resend({ deliveries: port, notifier }, owner, delivery.eventId, NOW);
  return { outcome, writes };
}

const [DUE, SUSPEND, SENT] = ['makeDue', 'suspend', 'publish'].map((write) => [write, delivery.eventId, NOW]);
const disabled = makeEndpoint({ enabled: false, disabledBecause: 'failing' });
const enabled = makeEndpoint();
const refused = { kind: 'too_soon', resentAt: NOW - 1 } as const;
const sentNow = { kind: 'due', due: { ...nextMessageOf(delivery), dueAt: NOW }, delivery: { state: 'pendente' } };
it.each<[string, Scene, object, unknown[]]>([
  ['is due now if the endpoint is enabled', { endpoint: enabled }, { ...sentNow, endpoint: true }, [DUE, SENT]],
  ['is due now if no endpoint is set, and the result says so', {}, { ...sentNow, endpoint: false }, [DUE, SENT]],
  ['is suspended if the endpoint is disabled', { endpoint: disabled }, { kind: 'suspended', delivery }, [SUSPEND]],
  [
    'is due now if it has an address of its own, though the endpoint is disabled',
    { endpoint: disabled, to: 'https://antigo.exemplo.com.br/' },
    sentNow,
    [DUE, SENT],
  ],
  [
    'is due now if the endpoint was enabled since it was read',
    { endpoint: disabled, suspended: 'enabled' },
    sentNow,
    [SUSPEND, DUE, SENT],
  ],
  ['is not sent if it was resent a moment ago', { endpoint: enabled, resentAt: NOW - 1 }, refused, [DUE]],
  ['is not suspended if it was resent a moment ago', { endpoint: disabled, suspended: refused }, refused, [SUSPEND]],
  ['is reported as absent if the owner has no such event', { absent: true }, { kind: 'absent' }, []],
])('an event that a partner resends %s', async (_, scene, outcome, writes) => {
  expect(await resent(scene)).toMatchObject({ outcome, writes });
});

describe('sendPage', () => {
  const SELECTION = { owner: ENDPOINT, filter: {} };
  const page = (count: number, next?: string) => ({
    items: Array.from({ length: count }, (_, at) => makeDelivery({ eventId: `evt_${at}` as EventId })),
    next,
  });

  /**
   * Sends a page of which every third delivery is pending by then. The archive has one more page with two deliveries.
   */
  async function send(items: ReturnType<typeof page>, counted?: { total: number | undefined }, inTime = true) {
    const { deps, asked } = archiveOf([makeDelivery({ state: 'esgotada' }), makeDelivery({ state: 'esgotada' })]);
    let times = 0;
    const sent = await replays.sendPage(SELECTION, items, ENDPOINT, counted, {
      ...deps,
      replay: async (eventId) => (++times % 3 === 0 ? { kind: 'pending' } : { kind: 'due', due: due(eventId) }),
      queue: { send: async () => {} },
      resendDeps: { deliveries: NO_DELIVERIES, notifier: { booked: neverAsked, due: neverAsked } },
      clock: () => NOW,
      inTime: () => inTime,
    });
    return { sent, counts: asked.length };
  }

  it('sendPage sends a page again, and skips events that are pending by then', async () => {
    expect((await send(page(4))).sent).toEqual({ kind: 'page', sent: 3, skipped: 1, total: 4 });
  });

  it('sendPage counts all pages with the first page, and not with a later one', async () => {
    expect(await send(page(4, '0'))).toEqual({ sent: { kind: 'page', sent: 3, skipped: 1, total: 6 }, counts: 1 });
    const later = await send(page(4, '0'), { total: 9 });
    expect(later).toEqual({ sent: { kind: 'page', sent: 3, skipped: 1, total: 9 }, counts: 0 });
  });

  it('sendPage returns no total if there is no time to count, and a later page does not count again', async () => {
    expect((await send(page(1, '0'), undefined, false)).sent).toMatchObject({ total: undefined });
    expect(await send(page(1, '0'), { total: undefined })).toMatchObject({ sent: { total: undefined }, counts: 0 });
  });

  it('sendPage resends the event that a selection names, even if it is pending', async () => {
    const pending = makeDelivery({ state: 'pendente' });
    const asked: unknown[] = [];
    const port: UnitDeliveries = {
      ...NO_DELIVERIES,
      look: async () => ({ delivery: pending, endpoint: makeEndpoint() }),
      makeDue: async (owner, eventId, now) => {
        asked.push({ owner, eventId, now });
        return { kind: 'due', delivery: pending, due: nextMessageOf(pending) };
      },
    };
    const { deps } = archiveOf([]);
    const sent = await replays.sendPage(
      { eventId: pending.eventId },
      { items: [pending], next: undefined },
      pending,
      undefined,
      {
        ...deps,
        replay: neverAsked,
        queue: { send: neverAsked },
        resendDeps: { deliveries: port, notifier: NO_NOTIFIER },
        clock: () => NOW,
        inTime: () => true,
      },
    );
    expect(sent).toMatchObject({ kind: 'event', eventId: pending.eventId, made: { kind: 'due', endpoint: true } });
    expect(asked).toEqual([{ owner: { ...ENDPOINT, isManager: true }, eventId: pending.eventId, now: NOW }]);
  });
});
