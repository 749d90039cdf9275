import { describe, expect, it } from 'vitest';
import { measureAccess } from '#infra/local/dashboards/platform-metrics.ts';
import { PLATFORM_METRICS } from '#infra/metrics.ts';
import { administrationOf, COPIED_WITHIN, prefixOf } from '#infra/stages.ts';
import { BANKS, type Bank } from '#shared/domain/values/bank.ts';
import { DELIVERY_KEPT } from '#shared/domain/webhooks/delivery.ts';
import { emit, emitTotal } from '#shared/runtime/metrics.ts';
import { putRow } from '#shared/table/rows/client.ts';
import { forgetServiceKeys } from '#shared/table/rows/encryption.ts';
import { BANK_RATES } from '#shared/table/rows/keys.ts';
import { TableTroubledEndpoints } from '#shared/table/webhooks/troubled-endpoints.ts';
import { disableWebhook, enableWebhook } from '#shared/table/webhooks/webhook-endpoints.ts';
import { bookDeliveries, moveToState, newDelivery } from '../makers/booked.ts';
import { makePartner } from '../makers/peers.ts';
import { cpfFrom, leadBody } from '../makers/people.ts';
import { startPlainReceiver } from '../makers/receiver.ts';
import { newKeys, setServiceKeys } from '../makers/service-keys.ts';
import { passTime } from '../makers/test-clock.ts';
import { STAGE, useWatchedService, WATCHED, type WatchedService } from '../makers/watched-service.ts';

const [MINUTE, HOUR] = [60_000, 3_600_000];
const SOAK = process.env['SOAK'] !== undefined;
const service = useWatchedService();

/** A fault that is made in the running service, and the alarms that must go off. */
interface Outage {
  readonly name: string;
  /** How long the fault lasts. */
  readonly minutes: number;
  readonly begin?: (service: WatchedService) => unknown;
  /** Makes the calls of a minute, in place of the ordinary calls. */
  readonly calls?: (service: WatchedService, minute: number) => Promise<unknown>;
  /**
   * Alarms that must go off, and within how many minutes. All alarms that are neither here nor in `may` must stay
   * silent.
   */
  readonly on: Readonly<Record<string, number>>;
  /** Alarms that may go off, too. */
  readonly may?: readonly string[];
  /**
   * How the fault ends, and within how many minutes its alarms must then end. Undefined if the test ends with the
   * fault.
   */
  readonly over?: { readonly end: (service: WatchedService) => unknown; readonly minutes: number };
  /** Whether the outage is played without SOAK=1, too. */
  readonly always?: true;
}

/** Alarms that may go off, too, while the table fails. */
const WITH_THE_TABLE = [
  ...['error-budget-fast', 'error-budget-slow', 'most-calls-fail', 'sweeper-silent', 'poller-silent'],
  ...['nothing-submitted', 'poll-lag', 'runs-failing', 'erasures-failing'],
];
const EVERY_BANK = BANKS.map((bank) => `bank-failing ${bank}`);
const quiet = async () => undefined;
/** Makes ten calls at the same time, so that the waits of the SDK's retries pass only once. */
const reads = (on: WatchedService) =>
  Promise.all(Array.from({ length: 10 }, () => on.call('getAccount', { key: on.scene.key })));
const fault = (order: Parameters<WatchedService['scene']['operator']['control']['fault']>[0]) => (on: WatchedService) =>
  on.scene.operator.control.fault(order);
const secretOf = (on: WatchedService, name: string) =>
  on.scene.peers.blueprint.secrets.find((secret) => secret.name.endsWith(`/${name}`))!.name;

/**
 * Returns the `begin` of an outage: from then on the table refuses each call with this action that touches these rows.
 */
const refuses = (action: string, touching: string) => (on: WatchedService) => {
  const which = { action, touching, times: Number.POSITIVE_INFINITY };
  const { end } = on.scene.awsLike.order({ ...which, fault: { error: 'AccessDeniedException' } });
  stops.push(async () => end());
};
const clockAhead = (operation: string, minutes: number) => (on: WatchedService) =>
  on.wrongClocks.set(operation, minutes * MINUTE);

/**
 * Returns an outage in which a function does not run. `over`: minutes in which the alarms end once the function runs
 * again.
 */
const off = (machine: string, over?: number): Pick<Outage, 'begin' | 'over'> => ({
  begin: (on) => on.running.delete(machine),
  ...(over && { over: { end: (on) => on.running.add(machine), minutes: over } }),
});
/** Makes a function run only in each n-th minute. */
const runsEach = (nth: number, machine: string, on: WatchedService, minute: number) =>
  minute % nth === nth - 1 ? on.running.add(machine) : on.running.delete(machine);

/** Returns the calls of a minute of 38 calls an hour to one operation, next to the reads of other operations. */
const at38AnHour = (call: (on: WatchedService) => Promise<unknown>) => async (on: WatchedService, minute: number) => {
  if (Math.floor(((minute + 1) * 38) / 60) > Math.floor((minute * 38) / 60)) await call(on);
  await reads(on);
};
/** Makes a call, during which so many milliseconds pass. */
async function slowCall(on: WatchedService, takes: number, ...call: Parameters<WatchedService['call']>): Promise<void> {
  const answered = on.call(...call);
  passTime(takes);
  await answered;
}

/**
 * Moves the clock to eleven o'clock in Brasília on a working day, and emits the submissions and outcomes of a busy
 * week.
 */
async function busyWeek(on: WatchedService): Promise<void> {
  // First the banks decide the analyses of the ordinary minutes, which would otherwise grow old over a weekend.
  await on.jump(0);
  do passTime(HOUR - (Date.now() % HOUR) + 30_000);
  while (new Date(Date.now()).getUTCHours() !== 14 || new Date(Date.now()).getUTCDay() % 6 === 0);
  const many = Array.from({ length: 100 }, () => 0);
  emitTotal('producao', { SubmissionsInDoubt: many });
  emitTotal('producao', { TimeToOutcome: many });
}
/** Lets an hour pass. The functions run only in its last minutes. */
const hour = (on: WatchedService) => on.jump(HOUR - 7 * MINUTE);

/** Counts answers of a gateway, by status. */
function measureAnswers(on: WatchedService, name: string, times: Readonly<Record<number, number>>): void {
  for (const [status, count] of Object.entries(times))
    for (let made = 0; made < count; made++)
      measureAccess(on.store, { name, stage: STAGE.name }, { status: Number(status), milliseconds: 1 });
}

/** The status with which the receivers of this file answer. */
let answers = 200;
const stops: (() => Promise<void>)[] = [];
async function stopAll(): Promise<void> {
  for (const stop of stops.splice(0)) await stop();
}

/**
 * Starts a receiver that answers with `status` after `takes` milliseconds, and makes a partner of the scene for it.
 */
async function receiver(on: WatchedService, status: number, takes = 0): Promise<void> {
  answers = status;
  const started = await startPlainReceiver((request, response) => {
    request.resume().on('end', () => {
      passTime(takes);
      response.writeHead(answers).end();
    });
  });
  stops.push(started.stop);
  on.scene.partner = await on.newPartner(`http://127.0.0.1:${started.port}/`);
}

/**
 * Makes a partner whose receiver fails, and then another partner with a healthy receiver. Returns the key of the first.
 */
async function failingBesideHealthy(on: WatchedService): Promise<string> {
  await receiver(on, 503);
  const { key } = on.scene;
  on.scene.partner = await on.newPartner();
  return key;
}

/**
 * Returns the calls of a minute of a busy Monday: many submissions, wrong calls of partners, and now and then a slow
 * read. The receiver of one partner fails in the first five minutes.
 */
function busyMinutes(): NonNullable<Outage['calls']> {
  let failing: string | undefined;
  return async (on, minute) => {
    failing ??= await failingBesideHealthy(on);
    answers = minute < 5 ? 503 : 200;
    const { key } = on.scene;
    if (minute % 5 === 0) await slowCall(on, 4_000, 'getLead', { key, id: 1 });
    if (minute % 5 === 0) await on.submit(['itau'], failing);
    for (let call = 0; call < 6; call++) {
      await on.submit();
      await on.call('createLead', { key, body: {} });
      await on.call('getLead', { key, id: 1 });
    }
    await on.call('getAccount', { key: 'pmc_wrong' });
    await on.traffic();
  };
}

/** Makes a partner whose receiver has failed for so long, and then another partner whose receiver is healthy. */
async function failFor(on: WatchedService, milliseconds: number): Promise<void> {
  await receiver(on, 503);
  await on.submit(['itau']);
  // The bank decides after three minutes, and the first attempt fails.
  for (let minute = 0; minute < 5; minute++) await on.minute(quiet);
  await on.jump(milliseconds);
  on.scene.partner = await on.newPartner();
}

/** Makes a partner, and books events of it whose next attempt is the last one and fails. */
async function lastAttempts(on: WatchedService, count: number, environment: 'producao' | 'sandbox'): Promise<void> {
  await receiver(on, 500);
  const { partnerId, unitId } = on.scene.partner;
  const attempts = environment === 'producao' ? 11 : 3;
  const overrides = { environment, unitId, attempts, dueAt: Date.now(), createdAt: Date.now() } as const;
  const booked = Array.from({ length: count }, () => newDelivery(partnerId, overrides));
  await bookDeliveries(booked);
  // The queue has no messages for these events: the sweeper finds the events after two minutes.
}

/** Makes a partner, and books events of it that have been kept for a disabled address for as long as is allowed. */
async function keptForTooLong(on: WatchedService, count: number): Promise<void> {
  await receiver(on, 200);
  const { partnerId, unitId } = on.scene.partner;
  await disableWebhook({ partnerId, environment: 'producao' }, 'manager', Date.now());
  const overrides = { unitId, dueAt: Date.now(), createdAt: Date.now() - DELIVERY_KEPT } as const;
  for (const booked of await bookDeliveries(Array.from({ length: count }, () => newDelivery(partnerId, overrides))))
    await moveToState('suspensa', booked, Date.now());
}

/** A fault of one bank or of one partner. */
interface Cause {
  readonly begin: (on: WatchedService) => unknown;
  readonly calls: (on: WatchedService) => Promise<unknown>;
  /** What is on because of the fault, without the number of the partner. */
  readonly alarm: string;
  /** Minutes until the alarm is on. */
  readonly minutes: number;
}

const bankDown = (bank: Bank): Cause => ({
  begin: fault({ kind: 'reset', bank }),
  calls: (on) => on.submit([bank]),
  alarm: `bank-failing ${bank}`,
  minutes: 20,
});
const unknownText = (bank: Bank): Cause => ({
  begin: fault({ kind: 'unknown_status', bank }),
  calls: (on) => on.submit([bank]),
  alarm: `bank-trouble ${bank} unknown_status`,
  minutes: 5,
});
/** Submits an analysis that its bank does not decide, and lets this time pass. */
async function waitsFor(milliseconds: number, bank: Bank, on: WatchedService): Promise<void> {
  const { body } = await on.submit([bank]);
  on.scene.operator.control.decide(on.scene.reference(body.analises[0].analise_id), 'Em análise');
  await on.jump(milliseconds);
}

const waitsForLong = (bank: Bank): Cause => ({
  begin: (on) => waitsFor(8 * 24 * HOUR, bank, on),
  calls: quiet,
  alarm: `bank-trouble ${bank} stuck`,
  minutes: 5,
});
const goneReceiver: Cause = {
  begin: (on) => receiver(on, 410),
  calls: (on) => on.submit(['itau']),
  alarm: 'partner-unreached disabled',
  minutes: 8,
};
const failingReceiver: Cause = {
  begin: (on) => failFor(on, 7 * HOUR),
  calls: quiet,
  alarm: 'partner-unreached failing',
  minutes: 3,
};
const givenUpEvents: Cause = {
  begin: (on) => lastAttempts(on, 1, 'producao'),
  calls: quiet,
  alarm: 'partner-unreached given_up',
  minutes: 6,
};

/** Begins a fault, and returns what its alarm is on for and was not on for before it. */
async function notifiedOf({ begin, calls, alarm, minutes }: Cause, before: readonly string[]) {
  await begin(service);
  for (let minute = 0; minute < minutes; minute++) {
    const on = await service.minute(() => calls(service));
    const notified = on.filter((name) => withoutPartner(name) === alarm && !before.includes(name));
    if (notified.length > 0) return notified;
  }
  return [];
}

/** Returns what is on without the number of the partner: `partner-unreached disabled`. */
const withoutPartner = (on: string) => on.replace(/ \d+/, '');

/** Returns the pages that must be on if these alarms are on. */
const pagesOver = (on: readonly string[]) =>
  WATCHED.filter(({ level }) => level === 'page')
    .filter(({ name, when }) => ('alarms' in when ? when.alarms : [name]).some((part) => on.includes(part)))
    .map(({ name }) => name);

const OUTAGES: readonly Outage[] = [
  { name: 'nothing fails in an ordinary quarter of an hour', minutes: 16, on: {} },
  { name: 'there is no call in a night', minutes: 11, calls: quiet, on: {} },
  {
    name: 'a Monday is busy, partners make wrong calls, and a receiver fails for five minutes',
    minutes: 20,
    calls: busyMinutes(),
    on: {},
  },
  { name: 'the poller is dead', minutes: 7, ...off('poll-bank-outcomes', 2), on: { 'poller-silent': 6 }, always: true },
  {
    name: 'the poller may not read the pending analyses, so that each run throws',
    minutes: 16,
    begin: refuses('Query', 'PENDING#'),
    on: { 'poller-silent': 6, 'runs-failing': 16 },
    over: { end: stopAll, minutes: 16 },
    always: true,
  },
  {
    name: 'the poller may not read the pending analyses of the sandbox',
    minutes: 16,
    begin: refuses('Query', 'PENDING#sandbox'),
    on: { 'runs-failing': 16 },
  },
  ...[-10, 10].map(
    (minutes): Outage => ({
      name: `the clock of the poller’s container goes wrong by ${minutes} minutes`,
      minutes: 7,
      begin: clockAhead('poll-bank-outcomes', minutes),
      on: { 'poller-silent': 6, 'clock-wrong': 3 },
    }),
  ),
  {
    name: 'the clock of the erasure sweeper’s container goes wrong by two days',
    minutes: 3,
    begin: clockAhead('sweep-erasures', 2 * 24 * 60),
    on: { 'clock-wrong': 3 },
    over: { end: (on) => on.wrongClocks.clear(), minutes: 5 },
    always: true,
  },
  {
    name: 'the clock of the worker’s container goes wrong by two days',
    minutes: 6,
    begin: clockAhead('deliver-webhook', 2 * 24 * 60),
    calls: (on) => on.submit(),
    on: { 'clock-wrong': 6 },
    may: ['sweeper-repairs'],
  },
  {
    name: 'a clock is wrong for two minutes',
    minutes: 6,
    begin: clockAhead('sweep-erasures', 10),
    calls: async (on, minute) => {
      if (minute === 2) on.wrongClocks.clear();
      await on.traffic();
    },
    on: {},
  },
  { name: 'the sweeper of erasures is off', minutes: 16, ...off('sweep-erasures', 6), on: { 'erasures-failing': 16 } },
  {
    name: 'the secret holds an index key that finds no row',
    minutes: 16,
    begin: (on) => {
      const { index: _, ...keys } = JSON.parse(on.scene.peers.secrets.current(secretOf(on, 'keys'))!);
      setServiceKeys(on.scene.peers.secrets, { keys: { ...keys, index: newKeys().index } });
    },
    calls: quiet,
    on: { 'erasures-failing': 16 },
    may: ['runs-failing'],
  },
  {
    name: 'every POST /v1/analises is answered 400',
    minutes: 6,
    calls: async (on) => {
      const { key } = on.scene;
      for (let call = 0; call < 4; call++) await on.call('submitAnalyses', { key, body: { lead_id: 'x' } });
    },
    begin: async (on) => {
      for (let call = 0; call < 70; call++) emit({ environment: 'producao' }, { SubmissionsRefused: 0 });
      await on.jump(HOUR);
    },
    on: { 'submissions-refused': 4 },
    always: true,
  },
  {
    name: 'each POST /v1/analises is answered 500, at 38 calls an hour',
    minutes: 6,
    begin: refuses('TransactWriteItems', 'CONSENT#'),
    calls: at38AnHour((on) => on.submit()),
    on: { 'writing-calls-fail': 5 },
    may: ['error-budget-fast', 'error-budget-slow'],
    over: { end: stopAll, minutes: 16 },
    always: true,
  },
  {
    name: 'each POST /v1/leads is answered 500, at 38 calls an hour',
    minutes: 6,
    begin: refuses('TransactWriteItems', 'CPF#'),
    calls: at38AnHour((on) => on.call('createLead', { key: on.scene.key, body: leadBody({ cpf: cpfFrom(1) }) })),
    on: { 'writing-calls-fail': 6 },
    may: ['error-budget-fast', 'error-budget-slow'],
  },
  {
    name: 'two POST /v1/analises are answered 500, and the client repeats them later',
    minutes: 6,
    begin: refuses('TransactWriteItems', 'CONSENT#'),
    calls: async (on, minute) => {
      if (minute < 2) await on.submit();
      if (minute === 2) await stopAll();
      for (let made = 0; made < 15; made++) await reads(on);
    },
    on: {},
    may: ['error-budget-fast', 'error-budget-slow'],
    always: true,
  },
  {
    name: 'GET /v1/leads/{id} takes 12 s, at 38 calls an hour',
    minutes: 20,
    calls: at38AnHour((on) => slowCall(on, 12_000, 'getLead', { key: on.scene.key, id: 1 })),
    on: { latency: 20 },
    always: true,
  },
  {
    name: 'the PDF of a simulation takes 12 s, at 38 calls an hour',
    minutes: 20,
    calls: at38AnHour((on) => slowCall(on, 12_000, 'getSimulationPdf', { key: on.scene.key, id: 1 })),
    on: { latency: 20 },
  },
  {
    name: 'two calls of one operation take 12 s',
    minutes: 20,
    calls: async (on, minute) => {
      if (minute % 10 === 0) await slowCall(on, 12_000, 'getLead', { key: on.scene.key, id: 1 });
      await on.traffic();
    },
    on: {},
  },
  {
    name: 'nothing is submitted any more, on a working day',
    minutes: 4,
    begin: busyWeek,
    calls: hour,
    on: { 'business-stopped': 4 },
  },
  {
    name: 'no bank decides any more, on a working day',
    minutes: 4,
    begin: busyWeek,
    calls: async (on) => {
      const { body } = await on.submit();
      for (const { analise_id: id } of body.analises)
        on.scene.operator.control.decide(on.scene.reference(id), 'Em análise');
      await hour(on);
    },
    on: { 'business-stopped': 4 },
  },
  {
    name: 'the certificate ends in 20 days',
    minutes: 2,
    begin: () => emit({}, { CertificateDays: 20 }),
    on: { 'certificate-days': 1 },
  },
  {
    name: 'an event is given up every other minute',
    minutes: 8,
    calls: async (on, minute) => {
      if (minute % 2 === 0) await lastAttempts(on, 1, 'producao');
    },
    on: { 'partner-unreached given_up': 6 },
    may: ['sweeper-repairs'],
  },
  { name: 'the sweeper is dead', minutes: 7, ...off('sweep-deliveries', 2), on: { 'sweeper-silent': 6 } },
  {
    name: 'the worker is dead',
    minutes: 15,
    ...off('deliver-webhook'),
    on: { 'worker-silent': 14 },
    // If a message stays in the queue for too long, the sweeper takes it for lost.
    may: ['sweeper-repairs'],
  },
  {
    name: 'the worker may not record its attempts, so that each run throws',
    minutes: 15,
    begin: refuses('UpdateItem', 'DELIVERY#'),
    calls: (on) => on.submit(),
    on: { 'worker-silent': 14, 'runs-failing': 14 },
    may: ['sweeper-repairs', 'sweeper-silent'],
  },
  {
    name: 'the worker is four minutes behind',
    minutes: 12,
    calls: async (on, minute) => {
      runsEach(4, 'deliver-webhook', on, minute);
      await on.submit();
    },
    on: { 'webhook-delay': 12 },
    may: ['sweeper-repairs'],
  },
  {
    name: 'the poller runs every fifth minute',
    minutes: 12,
    calls: async (on, minute) => {
      runsEach(5, 'poll-bank-outcomes', on, minute);
      for (let submission = 0; submission < 2; submission++) await on.submit();
    },
    on: { 'poll-lag': 12 },
  },
  {
    name: 'the operator gives no answer that can be used',
    minutes: 15,
    begin: fault({ kind: 'reset' }),
    on: { 'nothing-submitted': 5, 'all-banks-failing': 15 },
    may: EVERY_BANK,
    always: true,
  },
  {
    name: 'the operator gives no answer that can be used, and one bank has no calls',
    minutes: 16,
    begin: async (on) => {
      await on.jump(0);
      fault({ kind: 'reset' })(on);
    },
    calls: (on) => on.submit(['itau', 'inter']),
    on: { 'nothing-submitted': 5, 'all-banks-failing': 16 },
    may: EVERY_BANK,
    always: true,
  },
  {
    name: 'one bank is down, and the others have no calls',
    minutes: 16,
    begin: async (on) => {
      await on.jump(0);
      fault({ kind: 'reset', bank: 'itau' })(on);
    },
    calls: (on) => on.submit(['itau']),
    on: { 'nothing-submitted': 5, 'bank-failing itau': 15 },
  },
  {
    name: 'the operator refuses our token',
    minutes: 4,
    begin: fault({ kind: 'unauthorized' }),
    on: { 'operator-unauthorized': 2 },
    // Submissions are accepted until the first 401, and refused after it.
    may: ['nothing-submitted', 'most-calls-fail', 'all-banks-failing', ...EVERY_BANK],
    over: { end: (on) => on.scene.operator.control.clear(), minutes: 6 },
    always: true,
  },
  {
    name: 'one bank is down',
    minutes: 15,
    begin: fault({ kind: 'reset', bank: 'inter' }),
    on: { 'bank-failing inter': 15 },
  },
  {
    name: 'one bank is down, and all that it has is an analysis of three hours ago',
    minutes: 35,
    begin: async (on) => {
      await waitsFor(3 * HOUR, 'inter', on);
      fault({ kind: 'reset', bank: 'inter' })(on);
    },
    calls: quiet,
    on: { 'bank-failing inter': 30 },
    always: true,
  },
  {
    name: 'the operator takes 16 s for a submission',
    minutes: 16,
    calls: async (on) => {
      const submissions: (() => Promise<unknown>)[] = [];
      for (let made = 0; made < 6; made++) submissions.push(await on.prepare(['itau']));
      on.nextAnswerTakes = 16_000;
      await Promise.all(submissions.map((submit) => submit()));
    },
    on: { latency: 16 },
  },
  {
    name: 'a bank sends a text that no rule reads',
    minutes: 3,
    begin: fault({ kind: 'unknown_status', bank: 'brb' }),
    on: { 'bank-trouble brb unknown_status': 3 },
  },
  {
    name: 'an analysis waits for more than a week',
    minutes: 3,
    begin: async (service) => {
      // First the banks decide the analyses of the ordinary minutes.
      await service.jump(0);
      await waitsFor(8 * 24 * HOUR, 'cashme', service);
    },
    calls: quiet,
    on: { 'bank-trouble cashme stuck': 1 },
  },
  {
    name: 'a partner’s receiver is dead',
    minutes: 12,
    begin: (on) => receiver(on, 503),
    calls: (on) => on.submit(),
    on: { 'webhook-first-try': 10 },
  },
  {
    name: 'the receiver of one partner fails for seven hours, and that of another one is healthy',
    minutes: 12,
    begin: (on) => failFor(on, 7 * HOUR),
    on: { 'partner-unreached failing': 2 },
    over: {
      // The healthy partner has another number, so the one that fails is named by the list.
      end: async () => {
        const { items } = await new TableTroubledEndpoints().failing(Date.now(), 50);
        for (const owner of items) await enableWebhook(owner, Date.now());
      },
      minutes: 6,
    },
    always: true,
  },
  {
    name: 'the receiver of one partner fails for five hours, and that of another one is healthy',
    minutes: 6,
    begin: (on) => failFor(on, 5 * HOUR),
    on: {},
  },
  {
    name: 'SQS refuses every message',
    minutes: 16,
    begin: (on) => {
      const fault = { error: 'AccessDeniedException' };
      const { end } = on.scene.awsLike.order({ action: 'SendMessageBatch', times: Number.POSITIVE_INFINITY, fault });
      stops.push(async () => end());
    },
    calls: (on) => on.submit(['itau']),
    on: { 'sweeper-silent': 14, 'runs-failing': 16 },
    over: { end: stopAll, minutes: 16 },
  },
  {
    name: 'a partner’s receiver says that it is gone',
    minutes: 8,
    begin: (on) => receiver(on, 410),
    on: { 'partner-unreached disabled': 7 },
    over: {
      end: async (on) => {
        answers = 200;
        const { partnerId } = on.scene.partner;
        await enableWebhook({ partnerId, environment: 'producao' }, Date.now());
      },
      minutes: 6,
    },
  },
  {
    name: 'a receiver takes 25 s for each event',
    minutes: 16,
    begin: (on) => receiver(on, 200, 25_000),
    calls: async (on) => {
      if (on.minutesSoFar % 3 === 0) await on.submit(['itau']);
    },
    on: { latency: 16 },
  },
  {
    name: '50 events of production use up their attempts',
    minutes: 5,
    begin: (on) => lastAttempts(on, 50, 'producao'),
    on: { 'partner-unreached given_up': 4, 'dead-letters-many': 5, 'webhook-first-try': 5 },
    may: ['webhook-delay'],
  },
  {
    name: '60 suspended events become too old to be kept',
    minutes: 6,
    begin: (on) => keptForTooLong(on, 60),
    calls: quiet,
    on: { 'partner-unreached too_old': 2 },
    always: true,
  },
  {
    name: '50 events of the sandbox use up their attempts',
    minutes: 6,
    begin: (on) => lastAttempts(on, 50, 'sandbox'),
    calls: quiet,
    on: {},
    always: true,
  },
  {
    name: 'the queue loses its messages',
    minutes: 12,
    begin: (on) => Object.assign(on, { losing: true }),
    calls: (on) => on.submit(['itau']),
    on: { 'sweeper-repairs': 12 },
  },
  {
    name: 'the table refuses calls because its capacity is used up',
    minutes: 16,
    begin: (on) => {
      on.faults({ throttled: 0.2 });
      // The poller makes so many reads that the waits of the SDK's retries would take minutes of real time.
      on.running.delete('poll-bank-outcomes');
    },
    calls: reads,
    on: { 'table-refuses': 16 },
    may: WITH_THE_TABLE,
  },
  {
    name: 'the service’s keys are gone, so that each call fails, at 30 calls an hour',
    minutes: 16,
    begin: (on) => {
      on.scene.peers.secrets.act('PutSecretValue', { SecretId: secretOf(on, 'keys'), SecretString: '{}' });
      forgetServiceKeys();
    },
    calls: async (on, minute) => {
      forgetServiceKeys();
      if (minute % 2 === 0) await on.call('getAccount', { key: on.scene.key });
    },
    on: { 'most-calls-fail': 15 },
    // Without the keys no event can be signed, so the sweeper finds the events that the worker gave back. No erasure
    // continues either.
    may: ['poller-silent', 'sweeper-repairs', 'erasures-failing', 'runs-failing'],
  },
  {
    name: 'Secrets Manager is away, and everything goes on with the secrets that are held',
    minutes: 16,
    begin: (on) => {
      const fault = { error: 'AccessDeniedException' };
      const { end } = on.scene.awsLike.order({ action: 'GetSecretValue', times: Number.POSITIVE_INFINITY, fault });
      stops.push(async () => end());
    },
    on: { 'secrets-away': 16 },
    over: { end: stopAll, minutes: 11 },
    always: true,
  },
  {
    name: 'one partner calls in a loop above its rate',
    minutes: 8,
    begin: async (on) => {
      on.scene.partner = await makePartner(5);
    },
    calls: async (on) => {
      for (let made = 0; made < 60; made++) await on.call('getAccount', { key: on.scene.partner.keys.producao });
    },
    on: { 'partner-rate': 8 },
  },
  {
    name: 'the public name answers nobody',
    minutes: 4,
    begin: (on) => Object.assign(on, { outside: 503 }),
    on: { 'outside-probe': 2 },
    over: { end: (on) => Object.assign(on, { outside: 200 }), minutes: 3 },
    always: true,
  },
  {
    name: 'the administration answers 500',
    minutes: 2,
    begin: (on) => measureAnswers(on, administrationOf(STAGE), { 500: 3 }),
    on: { 'administration-fails': 1 },
    always: true,
  },
  {
    name: 'two of a hundred calls fail',
    minutes: 2,
    begin: (on) => measureAnswers(on, prefixOf(STAGE), { 200: 2_940, 500: 60 }),
    on: { 'error-budget-fast': 1, 'error-budget-slow': 1 },
    always: true,
  },
  {
    name: 'eight of a thousand calls fail',
    minutes: 2,
    begin: (on) => measureAnswers(on, prefixOf(STAGE), { 200: 2_976, 500: 24 }),
    on: { 'error-budget-slow': 1 },
    always: true,
  },
  {
    name: 'nine tenths of Lambda’s concurrency are claimed',
    minutes: 16,
    begin: ({ store }) => {
      store.measure('AWS/Lambda', ['ClaimedAccountConcurrency']);
      store.quotas.set('ConcurrentExecutions', 1_000);
    },
    calls: async ({ store }) =>
      store.add({ namespace: 'AWS/Lambda', name: 'ClaimedAccountConcurrency', dimensions: {} }, [900]),
    on: { 'lambda-concurrency': 16 },
    always: true,
  },
  {
    name: 'the web firewall blocks half of the calls',
    minutes: 2,
    begin: ({ store }) => {
      store.measure('AWS/WAFV2', PLATFORM_METRICS['AWS/WAFV2']);
      const dimensions = { WebACL: prefixOf(STAGE), Region: STAGE.region, Rule: 'ALL' };
      for (const name of PLATFORM_METRICS['AWS/WAFV2']) store.add({ namespace: 'AWS/WAFV2', name, dimensions }, [60]);
    },
    on: { 'firewall-blocks': 1 },
    always: true,
  },
  {
    name: 'no copy of the tables was completed since yesterday',
    minutes: 2,
    begin: async (on) => {
      // First the banks decide the analyses of the ordinary minutes.
      await on.jump(0);
      on.store.measure('AWS/Backup', PLATFORM_METRICS['AWS/Backup']);
      const series = { namespace: 'AWS/Backup', name: 'NumberOfBackupJobsCompleted' };
      on.store.add({ ...series, dimensions: { BackupVaultName: prefixOf(STAGE) } }, [1]);
      await on.jump(COPIED_WITHIN + HOUR);
    },
    calls: quiet,
    on: { 'copies-missing': 1 },
    always: true,
  },
  {
    name: 'the sealing key has made a quarter of its encryptions',
    minutes: 2,
    begin: () => emit({}, { SealingKeyUse: 25 }),
    on: { 'sealing-key-used': 1 },
    always: true,
  },
  {
    name: 'a bank contradicts an outcome',
    minutes: 2,
    begin: () => emit({ environment: 'producao', bank: 'inter', kind: 'late_outcome' }, { BankTrouble: 1 }),
    on: { 'bank-trouble inter late_outcome': 1 },
    always: true,
  },
  {
    name: 'a published rate has a bank that this release does not know',
    minutes: 2,
    begin: () => putRow({ Item: { ...BANK_RATES, version: 1, publications: [{ bank: 'outro' }] } }),
    on: { 'rates-unknown': 1 },
    over: { end: () => putRow({ Item: { ...BANK_RATES, version: 2, publications: [] } }), minutes: 8 },
    always: true,
  },
  {
    name: 'a CPF leads to the lead of another person',
    minutes: 2,
    begin: () => emit({}, { CpfMismatches: 1 }),
    on: { 'cpf-mismatch': 1 },
    always: true,
  },
  {
    name: 'somebody tries keys',
    minutes: 4,
    calls: async (on) => {
      for (let call = 0; call < 60; call++) await on.call('getAccount', { key: `pmc_${call}` });
    },
    on: { 'authentication-failures': 3 },
  },
];

it.for(OUTAGES.filter(({ always }) => SOAK || always).map((outage) => [outage.name, outage] as const))(
  'exactly the right alarms go off in time when %s',
  { timeout: 300_000 },
  async ([, { minutes, begin, calls, on, may = [], over }]) => {
    await service.recover();
    const secrets = service.scene.peers.secrets;
    const keys = secrets.current(secretOf(service, 'keys'));
    try {
      // Three ordinary minutes pass before the outage.
      for (let minute = 0; minute < 3; minute++) expect(await service.minute(() => service.traffic())).toEqual([]);
      await begin?.(service);
      const first = new Map<string, number>();
      for (let minute = 0; minute < minutes; minute++) {
        const now = await service.minute(() => (calls ? calls(service, minute) : service.traffic()));
        for (const name of now.map(withoutPartner)) if (!first.has(name)) first.set(name, minute + 1);
        expect(service.pagesOn().toSorted()).toEqual(pagesOver(now).toSorted());
      }
      const told = Object.fromEntries(first);
      // If this fails, the message lists each alarm that went off, with its minute.
      expect(
        Object.keys(told)
          .filter((name) => !may.includes(name) || name in on)
          .sort(),
        JSON.stringify(told),
      ).toEqual(Object.keys(on).sort());
      for (const [name, latest] of Object.entries(on)) expect(told[name], name).toBeLessThanOrEqual(latest);
      if (!over) return;
      await over.end(service);
      let still: readonly string[] = [];
      for (let minute = 0; minute < over.minutes; minute++)
        still = (await service.minute(() => service.traffic())).map(withoutPartner);
      for (const name of Object.keys(on)) expect(still).not.toContain(name);
    } finally {
      secrets.act('PutSecretValue', { SecretId: secretOf(service, 'keys'), SecretString: keys });
      forgetServiceKeys();
      await stopAll();
    }
  },
);

/** Faults of which several can last at the same time, and what is on because of each of them. */
const PAIRS: Readonly<Record<string, readonly [Cause, Cause]>> = {
  'a second bank fails while one fails': [bankDown('itau'), bankDown('inter')],
  'a second bank sends an unknown text while one does': [unknownText('brb'), unknownText('cashme')],
  'an analysis of a second bank waits for a week while one does': [waitsForLong('cashme'), waitsForLong('itau')],
  'the address of a second partner is disabled while one is': [goneReceiver, goneReceiver],
  'the receiver of a second partner fails while one does': [failingReceiver, failingReceiver],
  'events of a second partner are given up while some of one are': [givenUpEvents, givenUpEvents],
  'an address is disabled while the receiver of another partner fails': [failingReceiver, goneReceiver],
  'events are given up while the address of another partner is disabled': [goneReceiver, givenUpEvents],
  'a receiver fails while events of another partner are given up': [givenUpEvents, failingReceiver],
};

describe('an alarm over several things', () => {
  const played = Object.entries(PAIRS).filter((_, index) => SOAK || index % 3 === 0);
  it.for(played)('notifies again when %s', { timeout: 300_000 }, async ([, [first, second]]) => {
    await service.recover();
    try {
      const begun = await notifiedOf(first, []);
      expect(begun).not.toEqual([]);
      expect(await notifiedOf(second, begun)).not.toEqual([]);
      expect(service.alarmsOn()).toEqual(expect.arrayContaining(Array.from(begun)));
    } finally {
      await stopAll();
    }
  });
});

it('each alarm that notifies, or feeds one that does, is rung by an outage', () => {
  const rung = OUTAGES.flatMap(({ on }) => Object.keys(on)).map((name) => name.replace(/ .*/, ''));
  const alarms = WATCHED.filter(({ when, level }) => !('alarms' in when) && level !== 'clock').map(({ name }) => name);
  expect(alarms.filter((name) => !rung.includes(name))).toEqual([]);
});

it('each part of an alarm that joins others is a part of exactly one, and notifies only by it', () => {
  const joined = WATCHED.flatMap(({ when }) => ('alarms' in when ? when.alarms : []));
  const parts = WATCHED.filter(({ level }) => level === 'part').map(({ name }) => name);
  expect(joined.toSorted()).toEqual(parts.toSorted());
});
