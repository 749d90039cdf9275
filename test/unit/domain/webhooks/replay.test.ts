import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AnalysisId, EventId, PartnerId, UnitId } from '../../../../shared/domain/values/ids.ts';
import type { Tenancy } from '../../../../shared/domain/values/tenancy.ts';
import { DELIVERY_STATES, type Delivery, type DueDelivery } from '../../../../shared/domain/webhooks/delivery.ts';
import { type DeliveryFilter, REPLAYABLE, type Replay } from '../../../../shared/domain/webhooks/delivery-list.ts';
import type { DeliveryArchive } from '../../../../shared/domain/webhooks/ports.ts';
import { countReplay, type ReplaySelection, replayAll, replayPage } from '../../../../shared/domain/webhooks/replay.ts';
import { keptFor, MOST_KEPT, waitingFor } from '../../../../shared/domain/webhooks/waiting.ts';
import { makeDelivery } from '../../../makers/delivery.ts';

const NOW = 1_763_640_000_000;
const OWN = 3 as PartnerId;
const OTHER = 4 as PartnerId;
const ANALYSIS = 9001 as AnalysisId;
const SANDBOX: Tenancy = { unitId: 11 as UnitId, environment: 'sandbox' };
const PRODUCTION: Tenancy = { unitId: 11 as UnitId, environment: 'producao' };

/** An archive of these deliveries whose pages hold at most `most`. */
function archiveOf(all: readonly Delivery[], most = 7) {
  const asked: { filter: DeliveryFilter; order: string; limit: number }[] = [];
  const archive: Pick<DeliveryArchive, 'page' | 'ofAnalysis'> = {
    async page(partnerId, filter, order, limit, after) {
      asked.push({ filter, order, limit });
      const { states } = filter;
      const found = all.filter((one) => one.partnerId === partnerId && (states ?? [one.state]).includes(one.state));
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

/** An archive that finds nothing wanted and never ends: a partner of many deliveries, all of them delivered. */
function endless(): { readonly archive: Pick<DeliveryArchive, 'page' | 'ofAnalysis'>; readonly pages: () => number } {
  let pages = 0;
  const page = async () => ({ items: [], next: String(++pages) });
  return { archive: { page, ofAnalysis: async () => [] }, pages: () => pages };
}
/** Says yes so many times. */
const timeFor = (times: number) => () => times-- > 0;

const drawn = fc
  .array(
    fc.record({
      state: fc.constantFrom(...DELIVERY_STATES),
      environment: fc.constantFrom('sandbox' as const, 'producao' as const),
      partnerId: fc.constantFrom(OWN, OTHER),
      analysisId: fc.constantFrom(ANALYSIS, 9002 as AnalysisId),
    }),
    { maxLength: 40 },
  )
  .map((made) =>
    made.map((one, at) => makeDelivery({ ...one, eventId: `evt_${at}` as EventId, createdAt: NOW + ((at * 17) % 41) })),
  );

/** All that a selection means, page after page, by event. */
async function whole(selection: ReplaySelection, all: readonly Delivery[]): Promise<EventId[]> {
  const { deps } = archiveOf(all);
  const found: EventId[] = [];
  let after: string | undefined;
  do {
    const { partnerId, items, next } = await replayPage(selection, 10, after, deps);
    expect(partnerId).toBe(OWN);
    found.push(...items.map(({ eventId }) => eventId));
    after = next;
  } while (after !== undefined);
  return found;
}
const oldestFirst = (found: readonly Delivery[]) =>
  [...found].sort((one, other) => one.createdAt - other.createdAt).map(({ eventId }) => eventId);

describe('what can be sent again', () => {
  it('is every delivery but one that has an attempt coming anyway', () => {
    expect(REPLAYABLE).toEqual(['entregue', 'esgotada', 'suspensa', 'sem_destino']);
  });

  it("of a partner's time: all that can be, oldest first, or those of the states asked for", async () => {
    await fc.assert(
      fc.asyncProperty(drawn, fc.option(fc.subarray([...DELIVERY_STATES]), { nil: undefined }), async (all, states) => {
        const wanted = all.filter(
          ({ partnerId, state }) => partnerId === OWN && (states ? states.includes(state) : state !== 'pendente'),
        );
        expect(await whole({ partnerId: OWN, filter: { states } }, all)).toEqual(oldestFirst(wanted));
      }),
    );
  });

  it("of an analysis: the partner's own in the environments named and booked before, oldest first", async () => {
    await fc.assert(
      fc.asyncProperty(drawn, fc.subarray([SANDBOX, PRODUCTION]), async (all, tenancies) => {
        const until = NOW + 20;
        const wanted = all.filter(
          ({ partnerId, analysisId, environment, state, createdAt }) =>
            partnerId === OWN &&
            createdAt < until &&
            analysisId === ANALYSIS &&
            state !== 'pendente' &&
            tenancies.some((one) => one.environment === environment),
        );
        const selection = { partnerId: OWN, tenancies, analysisId: ANALYSIS, until };
        expect(await whole(selection, all)).toEqual(oldestFirst(wanted));
      }),
    );
  });

  it('of an event: that one, none while it is pending, and nobody’s where there is no such event', async () => {
    const given = makeDelivery({ state: 'esgotada', eventId: 'evt_given' as EventId });
    const waiting = makeDelivery({ state: 'pendente', eventId: 'evt_waiting' as EventId });
    const { deps } = archiveOf([given, waiting]);
    const page = (eventId: string) => replayPage({ eventId: eventId as EventId }, 10, undefined, deps);
    expect(await page('evt_given')).toEqual({ partnerId: OWN, items: [given], next: undefined });
    expect(await page('evt_waiting')).toEqual({ partnerId: OWN, items: [], next: undefined });
    expect(await page('evt_none')).toEqual({ partnerId: undefined, items: [], next: undefined });
  });

  it('is counted over all pages after the first, and not beyond 20,000', async () => {
    const one = makeDelivery({ state: 'esgotada' });
    const selection = { partnerId: OWN, filter: {} };
    const count = async (deliveries: number) => {
      const { deps, asked } = archiveOf(
        Array.from({ length: deliveries }, () => one),
        7_000,
      );
      const first = await replayPage(selection, 200, undefined, deps);
      return [await countReplay(selection, first, deps, () => true), asked.length];
    };
    expect(await count(199)).toEqual([199, 1]);
    expect(await count(14_200)).toEqual([14_200, 3]);
    expect(await count(20_000)).toEqual([20_000, 4]);
    expect(await count(30_000)).toEqual([undefined, 4]);
  });

  it.each([0, 1, 5])('is not counted where the time is out after %i more pages', async (times) => {
    const { archive, pages } = endless();
    const deps = { archive, deliveries: { get: async () => undefined } };
    const first = { partnerId: OWN, items: [], next: '0' };
    expect(await countReplay({ partnerId: OWN, filter: {} }, first, deps, timeFor(times))).toBeUndefined();
    expect(pages()).toBe(times);
  });
});

describe('events that are sent again', () => {
  /** Sends so many, of which each third is pending by then and each fifth is gone. */
  async function sendAll(count: number) {
    const sent: (readonly DueDelivery[])[] = [];
    const asked: [EventId, number][] = [];
    let now = NOW;
    const eventIds = Array.from({ length: count }, (_, at) => `evt_${at}` as EventId);
    const due = (eventId: EventId): DueDelivery => ({ eventId, partnerId: OWN, attempt: 13, dueAt: NOW });
    const outcome = await replayAll(eventIds, {
      replay: async (eventId, at): Promise<Replay> => {
        asked.push([eventId, at]);
        const index = eventIds.indexOf(eventId);
        if (index % 3 === 1) return { kind: 'pending' };
        return index % 5 === 2 ? { kind: 'absent' } : { kind: 'due', due: due(eventId) };
      },
      queue: {
        send: async (messages, at) => {
          expect(at).toBe(now);
          now += 1_000;
          sent.push(messages);
        },
      },
      clock: () => now,
    });
    const wanted = eventIds.filter((_, index) => index % 3 !== 1 && index % 5 !== 2).map(due);
    return { outcome, sent, asked, wanted };
  }

  it('go to the queue in their order, ten at a time, and what has moved on is skipped', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(45), async (count) => {
        const { outcome, sent, asked, wanted } = await sendAll(count);
        expect(sent.flat()).toEqual(wanted);
        expect(outcome).toEqual({ sent: wanted.length, skipped: count - wanted.length });
        expect(asked.map(([, at]) => at)).toEqual(asked.map((_, index) => NOW + 1_000 * Math.floor(index / 10)));
        expect([asked.length, sent.length]).toEqual([count, Math.ceil(count / 10)]);
      }),
    );
  });
});

describe('events that wait for an endpoint', () => {
  const kept = (count: number) =>
    Array.from({ length: count }, (_, at) => makeDelivery({ state: at % 2 ? 'pendente' : 'suspensa' }));

  it('are those on their way and those kept, of this partner alone', async () => {
    const others = DELIVERY_STATES.map((state) => makeDelivery({ state }));
    const foreign = makeDelivery({ state: 'suspensa', partnerId: OTHER });
    const { deps, asked } = archiveOf([...kept(20), ...others, foreign]);
    expect(await waitingFor(OWN, deps.archive, () => true)).toBe(22);
    expect(asked.map(({ limit }) => limit)).toEqual([1000, 993, 986, 979]);
  });

  it('are counted up to 1,000: nothing more is read', async () => {
    const { deps, asked } = archiveOf(kept(2_500), 400);
    expect(await waitingFor(OWN, deps.archive, () => true)).toBe(1_000);
    expect(asked.map(({ limit }) => limit)).toEqual([1000, 600, 200]);
  });

  it('are as many as ask for confirmation where they cannot be counted: too many pages, or no time', async () => {
    for (const [times, looked] of [
      [99, 4],
      [2, 2],
      [0, 0],
    ] as const) {
      const { archive, pages } = endless();
      expect([await waitingFor(OWN, archive, timeFor(times)), pages()]).toEqual([1_000, looked]);
    }
  });
});

describe('events that are kept for an endpoint', () => {
  /** An archive of so many kept events, in pages of at most `most`. */
  function keeping(all: number, most: number) {
    const limits: number[] = [];
    const archive: Pick<DeliveryArchive, 'countSuspended'> = {
      async countSuspended(_, limit, after = '0') {
        limits.push(limit);
        const count = Math.min(limit, most, all - Number(after));
        const end = Number(after) + count;
        return { count, next: end < all ? String(end) : undefined };
      },
    };
    return { archive, limits };
  }

  it.each([
    [0, [10_000]],
    [3_000, [10_000]],
    [7_500, [10_000, 7_000, 4_000]],
    [9_999, [10_000, 7_000, 4_000, 1_000]],
  ])('are counted to the end: %i', async (all, asked) => {
    const { archive, limits } = keeping(all, 3_000);
    expect([await keptFor(OWN, archive, () => true), limits]).toEqual([all, asked]);
  });

  it('are as many as are counted at most where there are more: nothing more is read', async () => {
    const { archive, limits } = keeping(5_000_000, 3_000);
    expect([await keptFor(OWN, archive, () => true), limits]).toEqual([MOST_KEPT, [10_000, 7_000, 4_000, 1_000]]);
  });

  it.each([
    [99, 10],
    [3, 3],
    [0, 0],
  ])('are as many where pages hold next to none, or the time is out: %i looks, %i pages', async (times, looked) => {
    const { archive, limits } = keeping(5_000_000, 1);
    expect([await keptFor(OWN, archive, timeFor(times)), limits.length]).toEqual([MOST_KEPT, looked]);
  });
});
