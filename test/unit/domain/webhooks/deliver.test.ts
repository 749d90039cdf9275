import { beforeEach, describe, expect, it, vi } from 'vitest';
import { eventOf } from '#shared/contract/event.ts';
import type { EventId, PartnerId } from '#shared/domain/values/ids.ts';
import { type AttemptReport, deliver } from '#shared/domain/webhooks/deliver.ts';
import type { AttemptResult, Delivery, DueDelivery } from '#shared/domain/webhooks/delivery.ts';
import type { EndpointOwner } from '#shared/domain/webhooks/endpoint.ts';
import type { WebhookSender } from '#shared/domain/webhooks/ports.ts';
import { makeAnalysis } from '#test/makers/analysis.ts';
import { makeDelivery } from '#test/makers/delivery.ts';
import { FakeDeliveryQueue } from '#test/makers/delivery-queue.ts';
import { MemoryWebhooks, nextMessageOf } from '#test/makers/memory-webhooks.ts';

const START = 1_763_640_000_000;
const [SECOND, MINUTE, DAY] = [1_000, 60_000, 86_400_000];
const OWNER: EndpointOwner = { partnerId: 3 as PartnerId, environment: 'producao' };
const SANDBOX: EndpointOwner = { ...OWNER, environment: 'sandbox' };
const URL = 'https://hooks.parceiro.com.br/';
const TEST_URL = 'https://teste.parceiro.com.br/';

const taken: AttemptResult = { delivered: true, status: 204, milliseconds: 30 };
const failed: AttemptResult = { delivered: false, failure: 'http_5xx', status: 500, milliseconds: 80, detail: 'no' };
const done = { kind: 'done' };
const again = (after: number) => ({ kind: 'again', after });
const gone: AttemptResult = { ...failed, failure: 'http_4xx', status: 410 };

let now: number;
let memory: MemoryWebhooks;
let queue: FakeDeliveryQueue;
let reports: AttemptReport[];
/** The attempts that were sent, in order: event, number of the attempt, moment. */
let sent: [EventId, number, number][];
/** The addresses of these attempts. */
let urls: string[];
/** The secrets that signed these attempts. */
let secrets: string[];
/** Returns the receiver's answer. A test may let something else happen before it. */
let answer: () => AttemptResult | Promise<AttemptResult>;

beforeEach(async () => {
  [now, reports, sent, urls, secrets] = [START, [], [], [], []];
  memory = new MemoryWebhooks();
  queue = new FakeDeliveryQueue(() => now);
  answer = () => taken;
  await memory.manager.set(OWNER, URL, 'whsec_a', START);
  await memory.manager.set(SANDBOX, TEST_URL, 'whsec_b', START);
});

const work = (message: DueDelivery, over: Partial<MemoryWebhooks> = {}) => {
  const sender: WebhookSender = {
    send: async ({ url, secret }, { eventId }, attempt, at) => {
      sent.push([eventId, attempt, at]);
      urls.push(url);
      secrets.push(secret);
      return answer();
    },
  };
  const { deliveries, endpoints } = { ...memory, ...over };
  const observer = { attempted: (report: AttemptReport) => reports.push(report) };
  return deliver(message, { deliveries, endpoints, queue, sender, clock: () => now, random: () => 0, observer });
};
const booked = (overrides: Partial<Delivery> = {}) => memory.book(makeDelivery({ dueAt: START, ...overrides }));
const rowOf = ({ eventId }: Delivery) => memory.delivery(eventId)!;
/** Delivers the first message of a new delivery. Returns the outcome, and the delivery as it was before. */
async function worked(overrides: Partial<Delivery>, result: AttemptResult, over: Partial<MemoryWebhooks> = {}) {
  answer = () => result;
  const delivery = booked(overrides);
  return { delivery, outcome: await work(nextMessageOf(delivery), over) };
}
const endpoint = async (owner = OWNER) => (await memory.endpoints.get(owner))!;
/** Counts `count` failed attempts, the first at `since`. */
async function countFailures(count: number, since: number): Promise<void> {
  for (let made = 0; made < count; made++) await memory.endpoints.countFailure(OWNER, await endpoint(), since);
}

/** Returns ports with which the manager enables the endpoint just before the row is written. */
function enabledBeforeWriting(): Partial<MemoryWebhooks> {
  const { deliveries } = memory;
  let first = true;
  const record: typeof deliveries.record = async (...said) => {
    if (first) await memory.manager.enable(OWNER, now);
    first = false;
    return deliveries.record(...said);
  };
  return { deliveries: { ...deliveries, record } };
}

it('deliver repeats a failed attempt by the same message if the wait is short', async () => {
  const delivery = booked();
  answer = () => {
    now += 80;
    return failed;
  };
  expect(await work(nextMessageOf(delivery))).toEqual(again(5 * SECOND));
  expect(rowOf(delivery)).toMatchObject({ state: 'pendente', attempts: 1, dueAt: START + 80 + 5 * SECOND });
  expect((await endpoint()).health).toEqual({ failures: 1, failingSince: START + 80 });
  expect(reports[0]).toMatchObject({ begunAt: START, result: failed, next: { state: 'pendente' } });
  expect(reports[0]!.disabled).toBeUndefined();
});

it('deliver leaves a failed attempt to the sweeper and ends the message if the wait is long', async () => {
  const { delivery, outcome } = await worked({ attempts: 3 }, failed);
  expect(outcome).toEqual(done);
  const left = { state: 'pendente', dueAt: START + 120 * MINUTE };
  const lookMoment = START + 119 * MINUTE;
  expect(memory.rows.get(delivery.eventId)).toMatchObject({ lookMoment, delivery: left });
});

it('deliver makes no attempt before its due time, at which the message comes back', async () => {
  const delivery = booked({ dueAt: START + 7 * SECOND });
  expect(await work(nextMessageOf(delivery))).toEqual(again(7 * SECOND));
  expect(sent).toEqual([]);
  expect(reports).toEqual([]);
});

it.each([
  ['without an endpoint ends as sem_destino', 4, 'sem_destino'],
  ['with a disabled endpoint becomes suspensa', 3, 'suspensa'],
])('a delivery %s, and no attempt is counted', async (_, partner, state) => {
  await memory.manager.disable(OWNER, START);
  const { delivery, outcome } = await worked({ partnerId: partner as PartnerId }, taken);
  expect(rowOf(delivery)).toMatchObject({ state, attempts: 0, history: [] });
  expect(outcome).toEqual(done);
  expect(sent).toEqual([]);
  expect(reports).toMatchObject([{ next: { state }, result: undefined, disabled: undefined }]);
});

it('deliver sends nothing for a first attempt that the sandbox makes fail, and sends the second one', async () => {
  const { failFirst } = eventOf(makeAnalysis({ forced: 'webhook_falha', situation: 'aprovado' }), now);
  const delivery = booked({ environment: 'sandbox', failFirst });
  expect(await work(nextMessageOf(delivery))).toEqual(again(5 * SECOND));
  expect(sent).toEqual([]);
  expect(rowOf(delivery).history).toMatchObject([{ number: 1, result: { delivered: false, failure: 'conexao' } }]);
  expect((await endpoint(SANDBOX)).health.failures).toBe(0);
  expect(reports).toMatchObject([{ result: { delivered: false, milliseconds: 0 } }]);
  expect(reports[0]!.disabled).toBeUndefined();
  now += 5 * SECOND;
  expect(await work(nextMessageOf(rowOf(delivery)))).toEqual(done);
  expect(sent).toEqual([[delivery.eventId, 2, START + 5 * SECOND]]);
});

it('a failed last attempt leaves a dead letter, which names the next attempt, before the row is closed', async () => {
  const { deliveries } = memory;
  const record: typeof deliveries.record = async (...said) => {
    expect(queue.deadLetters).toHaveLength(1);
    return deliveries.record(...said);
  };
  const { delivery, outcome } = await worked({ attempts: 11 }, failed, { deliveries: { ...deliveries, record } });
  expect(outcome).toEqual(done);
  expect(rowOf(delivery)).toMatchObject({ state: 'esgotada', attempts: 12 });
  expect(queue.deadLetters).toEqual([{ ...nextMessageOf(delivery), attempt: 13 }]);
});

it('a failed last attempt leaves no dead letter in the sandbox, nor if the event is kept', async () => {
  const tried = await worked({ environment: 'sandbox', attempts: 3 }, failed);
  expect(rowOf(tried.delivery).state).toBe('esgotada');
  const kept = await worked({ attempts: 11 }, gone);
  expect(rowOf(kept.delivery).state).toBe('suspensa');
  expect(queue.deadLetters).toEqual([]);
});

it('a redriven dead letter leads to one more attempt, and a copy of it to none', async () => {
  const { delivery } = await worked({ attempts: 11 }, failed);
  const [letter] = queue.deadLetters;
  now += DAY;
  expect(await work(letter!)).toEqual(done);
  expect(sent.at(-1)).toEqual([delivery.eventId, 13, START + DAY]);
  expect(await work(letter!)).toEqual(done);
  expect(sent).toHaveLength(2);
  expect(rowOf(delivery)).toMatchObject({ state: 'esgotada', attempts: 13 });
  expect(queue.deadLetters.map(({ attempt }) => attempt)).toEqual([13, 14]);
});

it('a redriven dead letter leads to no attempt if another run has reopened the delivery for it', async () => {
  const delivery = booked({ attempts: 12, state: 'esgotada' });
  const { deliveries } = memory;
  const claim: typeof deliveries.claim = async (message, at) => {
    const said = await deliveries.claim(message, at);
    await deliveries.reopen(message, at);
    return said;
  };
  expect(await work(nextMessageOf(delivery), { deliveries: { ...deliveries, claim } })).toEqual(done);
  expect(sent).toEqual([]);
  expect(reports).toEqual([]);
  expect(rowOf(delivery)).toMatchObject({ state: 'pendente', attempts: 12 });
});

describe('an event that is resent during its attempt', () => {
  /** The partner resends the event while the receiver hangs. Then the receiver answers `result`. */
  function resentBefore(result: AttemptResult, delivery: Delivery): void {
    answer = async () => {
      now += 7;
      const message = memory.resend(delivery.eventId, now);
      answer = () => taken;
      // The attempt under way has the lease, so the message of the resend does nothing.
      expect(await work(message)).toEqual(done);
      now += SECOND;
      return result;
    };
  }

  it.each([0, 3, 11])(
    'an event that is resent during attempt %i + 1 is sent again at once by the same message if it fails',
    async (attempts) => {
      const delivery = booked({ attempts });
      resentBefore(failed, delivery);
      expect(await work(nextMessageOf(delivery))).toEqual(again(0));
      const row = { lookMoment: now + 2 * MINUTE, delivery: { state: 'pendente' } };
      expect(memory.rows.get(delivery.eventId)).toMatchObject(row);
      expect(reports).toMatchObject([{ result: failed, next: { state: 'pendente', dueAt: now } }]);
      expect(await work(nextMessageOf(delivery))).toEqual(done);
      expect(sent.map(([, attempt]) => attempt)).toEqual([attempts + 1, attempts + 2]);
      expect(rowOf(delivery)).toMatchObject({ state: 'entregue', attempts: attempts + 2 });
    },
  );

  const LATER = START + 7 + SECOND;
  it.each<[string, AttemptResult, boolean, object, object]>([
    ['sent only once if the attempt succeeds', taken, false, done, { state: 'entregue' }],
    ['kept if the attempt finds that the endpoint is gone', gone, false, done, { state: 'suspensa' }],
    ['sent again if its endpoint was enabled just before', gone, true, again(0), { state: 'pendente', dueAt: LATER }],
  ])('an event that is resent during its attempt is %s', async (_, result, isEnabled, outcome, row) => {
    const delivery = booked();
    resentBefore(result, delivery);
    expect(await work(nextMessageOf(delivery), isEnabled ? enabledBeforeWriting() : {})).toEqual(outcome);
    expect(rowOf(delivery)).toMatchObject({ attempts: 1, ...row });
  });
});

it('an event is kept if the manager disables the endpoint during the attempt, and the attempt is no cause', async () => {
  const delivery = booked();
  answer = async () => {
    await memory.manager.disable(OWNER, now);
    return gone;
  };
  await work(nextMessageOf(delivery));
  expect((await endpoint()).disabledBecause).toBe('manager');
  expect(rowOf(delivery).state).toBe('suspensa');
  expect(reports).toMatchObject([{ next: { state: 'suspensa' } }]);
  expect(reports[0]!.disabled).toBeUndefined();
});

it('an endpoint that gets another address during the attempt stays enabled, since the old one failed', async () => {
  const delivery = booked();
  answer = async () => {
    await memory.manager.move(OWNER, `${URL}novo`, now + 1);
    return gone;
  };
  expect(await work(nextMessageOf(delivery))).toEqual(again(5 * SECOND));
  expect(await endpoint()).toMatchObject({ enabled: true, health: { failures: 0 } });
  expect(rowOf(delivery)).toMatchObject({ state: 'pendente', attempts: 1 });
  expect(reports[0]!.disabled).toBeUndefined();
});

it('a success forgets the failures of an endpoint, and does not write to a healthy endpoint', async () => {
  const forgetFailures = vi.fn(memory.endpoints.forgetFailures);
  const over = { endpoints: { ...memory.endpoints, forgetFailures } };
  const forgotten = () => forgetFailures.mock.calls.length;
  await worked({}, taken, over);
  expect(forgotten()).toBe(0);
  await countFailures(1, START);
  await worked({}, failed, over);
  expect(forgotten()).toBe(0);
  expect((await endpoint()).health.failures).toBe(2);
  await worked({}, taken, over);
  expect(forgotten()).toBe(1);
  expect((await endpoint()).health).toEqual({ failures: 0, failingSince: undefined });
});

it('a delivered event is not sent again if the write to its endpoint fails afterwards', async () => {
  await countFailures(1, START);
  const delivery = booked();
  const forgetFailures = () => Promise.reject(new Error('the table is away'));
  const over = { endpoints: { ...memory.endpoints, forgetFailures } };
  await expect(work(nextMessageOf(delivery), over)).rejects.toThrow('the table is away');
  expect(rowOf(delivery).state).toBe('entregue');
  expect(await work(nextMessageOf(delivery))).toEqual(done);
  expect(sent).toHaveLength(1);
});

it('an event to be kept without an attempt is sent at once if the endpoint is enabled meanwhile', async () => {
  const delivery = booked();
  await memory.manager.disable(OWNER, START);
  expect(await work(nextMessageOf(delivery), enabledBeforeWriting())).toEqual(again(0));
  expect(rowOf(delivery)).toMatchObject({ state: 'pendente', attempts: 0, dueAt: START });
  expect(memory.rows.get(delivery.eventId)!.lookMoment).toBe(START + 2 * MINUTE);
  expect(reports).toMatchObject([{ next: { state: 'pendente' } }]);
  expect(await work(nextMessageOf(delivery))).toEqual(done);
  expect(sent).toEqual([[delivery.eventId, 1, START]]);
});

it('an event to be kept after its last attempt leaves a dead letter if the endpoint is enabled meanwhile', async () => {
  const { delivery, outcome } = await worked({ attempts: 11 }, gone, enabledBeforeWriting());
  expect(outcome).toEqual(done);
  expect(queue.deadLetters).toEqual([{ ...nextMessageOf(delivery), attempt: 13 }]);
  expect(rowOf(delivery)).toMatchObject({ state: 'esgotada', attempts: 12 });
});

describe.each([
  { owner: OWNER, other: SANDBOX, url: URL, secret: 'whsec_a' },
  { owner: SANDBOX, other: OWNER, url: TEST_URL, secret: 'whsec_b' },
])('an event of $owner.environment', ({ owner, other, url, secret }) => {
  const { environment } = owner;

  it('an event goes to the address of its environment, and the secret of this endpoint signs it', async () => {
    await worked({ environment }, taken);
    expect(urls).toEqual([url]);
    expect(secrets).toEqual([secret]);
  });

  it('a failed attempt counts against the endpoint of its environment, and a success forgets only its failures', async () => {
    await worked({ environment, eventId: 'evt_1' as EventId }, failed);
    await worked({ environment: other.environment, eventId: 'evt_2' as EventId }, failed);
    await worked({ environment, eventId: 'evt_3' as EventId }, taken);
    expect((await endpoint(owner)).health.failures).toBe(0);
    expect((await endpoint(other)).health.failures).toBe(1);
  });

  it('a 410 disables the endpoint of its environment, and events of the other environment are still sent', async () => {
    await worked({ environment, eventId: 'evt_1' as EventId }, gone);
    expect(await endpoint(owner)).toMatchObject({ enabled: false, disabledBecause: 'gone' });
    expect((await endpoint(other)).enabled).toBe(true);
    const { delivery } = await worked({ environment: other.environment, eventId: 'evt_2' as EventId }, taken);
    expect(rowOf(delivery).state).toBe('entregue');
  });

  it('an event without an endpoint in its environment ends as sem_destino, though the other one has an endpoint', async () => {
    memory = new MemoryWebhooks();
    await memory.manager.set(other, 'https://outro.parceiro.com.br/', 'whsec_c', START);
    const { delivery } = await worked({ environment }, taken);
    expect(rowOf(delivery)).toMatchObject({ state: 'sem_destino', attempts: 0 });
    expect(sent).toEqual([]);
  });
});

describe("an account's event", () => {
  const LEFT = 'https://antigo.parceiro.com.br/';

  it("an account's event goes to the old address, also while the endpoint is disabled", async () => {
    await countFailures(1, START);
    await memory.manager.disable(OWNER, now);
    const { delivery } = await worked({ to: LEFT }, taken);
    expect(rowOf(delivery).state).toBe('entregue');
    expect(urls).toEqual([LEFT]);
    expect((await endpoint()).health.failures).toBe(1);
  });

  it.each([
    [LEFT, 'sem_destino', 0],
    [URL, 'esgotada', 1],
  ] as const)(
    "an account's event that %s never takes ends as %s, and counts against no endpoint",
    async (to, state, letters) => {
      const { delivery } = await worked({ to, attempts: 11 }, gone);
      expect(rowOf(delivery).state).toBe(state);
      expect(queue.deadLetters).toHaveLength(letters);
      expect(await endpoint()).toMatchObject({ enabled: true, health: { failures: 0 } });
    },
  );
});
