import { expect, it } from 'vitest';
import { BANKS } from '../../shared/domain/values/bank.ts';
import type { PartnerId } from '../../shared/domain/values/ids.ts';
import { DELIVERY_KEPT } from '../../shared/domain/webhooks/delivery.ts';
import { forgetServiceKeys } from '../../shared/table/encryption.ts';
import { disableWebhook, enableWebhook } from '../../shared/table/webhook-endpoints.ts';
import { bookMany, bringTo, newDelivery } from '../makers/booked.ts';
import { makePartner } from '../makers/peers.ts';
import { startPlainReceiver } from '../makers/receiver.ts';
import { passTime } from '../makers/test-clock.ts';
import { useWatchedService, type WatchedService } from '../makers/watched-service.ts';

const SOAK = process.env['SOAK'] !== undefined;
const service = useWatchedService();

/** A fault made in the running service, and who has to hear of it. */
interface Outage {
  readonly name: string;
  /** For how long it is made. */
  readonly minutes: number;
  readonly begin?: (service: WatchedService) => unknown;
  /** The calls of a minute, in place of the ordinary ones. */
  readonly calls?: (service: WatchedService, minute: number) => Promise<unknown>;
  /** Alarms that must go off, and within how many minutes. All others must stay silent, */
  readonly on: Readonly<Record<string, number>>;
  /** but these may go off too. */
  readonly may?: readonly string[];
  /** How it ends, where the alarms must end with it, and within how many minutes. */
  readonly over?: { readonly end: (service: WatchedService) => unknown; readonly minutes: number };
  /** In every `npm test`; else only where SOAK is set. */
  readonly always?: true;
}

const BANKS_FAILING = BANKS.map((bank) => `bank-failing-${bank}`);
/** What an ill table brings along. */
const WITH_THE_TABLE = [
  ...['error-budget-fast', 'error-budget-slow', 'most-calls-fail', 'sweeper-silent', 'poller-silent'],
  ...['nothing-submitted', 'poll-lag'],
];
const within = (names: readonly string[], minutes: number) => Object.fromEntries(names.map((name) => [name, minutes]));
const quiet = async () => undefined;
/** Calls that come at the same time, so that what the SDK repeats is waited for once. */
const reads = (on: WatchedService) =>
  Promise.all(Array.from({ length: 10 }, () => on.call('getAccount', { key: on.scene.key })));
const fault = (order: Parameters<WatchedService['scene']['operator']['control']['fault']>[0]) => (on: WatchedService) =>
  on.scene.operator.control.fault(order);
const secretOf = (on: WatchedService, name: string) =>
  on.scene.peers.blueprint.secrets.find((secret) => secret.name.endsWith(`/${name}`))!.name;

/** What receivers made here answer. */
let answers = 200;
const stops: (() => Promise<void>)[] = [];

/** Makes a receiver that answers so, after so many milliseconds, and lets the scene's partner's events go there. */
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

/** Events of a partner that fail with their next attempt, the last. */
async function lastAttempts(on: WatchedService, count: number, environment: 'producao' | 'sandbox'): Promise<void> {
  await receiver(on, 500);
  const { partnerId, unitId } = on.scene.partner;
  const attempts = environment === 'producao' ? 11 : 3;
  const overrides = { environment, unitId, attempts, dueAt: Date.now(), createdAt: Date.now() } as const;
  const booked = Array.from({ length: count }, () => newDelivery(partnerId as PartnerId, overrides));
  await bookMany(booked);
  // The queue knows nothing of them: the sweeper finds them after two minutes.
}

/** Events that were kept for a disabled address for as long as they may be. */
async function keptForTooLong(on: WatchedService, count: number): Promise<void> {
  await receiver(on, 200);
  const { unitId } = on.scene.partner;
  const partnerId = on.scene.partner.partnerId as PartnerId;
  await disableWebhook(partnerId, 'manager', Date.now());
  const overrides = { unitId, dueAt: Date.now(), createdAt: Date.now() - DELIVERY_KEPT } as const;
  for (const booked of await bookMany(Array.from({ length: count }, () => newDelivery(partnerId, overrides))))
    await bringTo('suspensa', booked, Date.now());
}

const OUTAGES: readonly Outage[] = [
  { name: 'nothing at all: an ordinary quarter of an hour', minutes: 16, on: {} },
  { name: 'a night without a call', minutes: 11, calls: quiet, on: {} },
  {
    name: 'the poller is dead',
    minutes: 7,
    begin: (on) => on.running.delete('poll-bank-outcomes'),
    on: { 'poller-silent': 6 },
    over: { end: (on) => on.running.add('poll-bank-outcomes'), minutes: 2 },
    always: true,
  },
  {
    name: 'the sweeper is dead',
    minutes: 7,
    begin: (on) => on.running.delete('sweep-deliveries'),
    on: { 'sweeper-silent': 6 },
    over: { end: (on) => on.running.add('sweep-deliveries'), minutes: 2 },
  },
  {
    name: 'the worker is dead',
    minutes: 15,
    begin: (on) => on.running.delete('deliver-webhook'),
    on: { 'worker-silent': 14 },
    // What the queue keeps for too long looks lost to the sweeper.
    may: ['sweeper-repairs'],
  },
  {
    name: 'the worker is four minutes behind',
    minutes: 12,
    calls: async (on, minute) => {
      if (minute % 4 === 3) on.running.add('deliver-webhook');
      else on.running.delete('deliver-webhook');
      await on.submit();
    },
    on: { 'webhook-delay': 12 },
    may: ['sweeper-repairs'],
  },
  {
    name: 'the poller runs each fifth minute',
    minutes: 12,
    calls: async (on, minute) => {
      if (minute % 5 === 4) on.running.add('poll-bank-outcomes');
      else on.running.delete('poll-bank-outcomes');
      for (let submission = 0; submission < 2; submission++) await on.submit();
    },
    on: { 'poll-lag': 12 },
  },
  {
    name: 'the operator gives no answer that can be used',
    minutes: 15,
    begin: fault({ kind: 'reset' }),
    on: { 'nothing-submitted': 8, ...within([...BANKS_FAILING, 'all-banks-failing'], 15) },
    always: true,
  },
  {
    name: 'the operator refuses our token',
    minutes: 4,
    begin: fault({ kind: 'unauthorized' }),
    on: { 'operator-unauthorized': 2 },
    // Accepted before the first refusal, shed since.
    may: ['nothing-submitted', 'most-calls-fail', ...BANKS_FAILING, 'all-banks-failing'],
    over: { end: (on) => on.scene.operator.control.clear(), minutes: 6 },
    always: true,
  },
  {
    name: 'one bank is down',
    minutes: 15,
    begin: fault({ kind: 'reset', bank: 'inter' }),
    on: { 'bank-failing-inter': 15 },
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
    on: { 'latency-submit-analyses': 16 },
    may: ['duration-submit-analyses'],
  },
  {
    name: 'a bank sends a text that no rule reads',
    minutes: 3,
    begin: fault({ kind: 'unknown_status', bank: 'brb' }),
    on: { 'unknown-status': 3 },
  },
  {
    name: 'an analysis waits for more than a week',
    minutes: 3,
    begin: async (service) => {
      const { body } = await service.submit(['cashme']);
      const reference = service.scene.reference(body.analises[0].analise_id);
      service.scene.operator.control.decide(reference, 'Em análise');
      await service.jump(8 * 24 * 3_600_000);
    },
    calls: quiet,
    on: { 'oldest-pending-day': 1 },
  },
  {
    name: 'a partner’s receiver is dead',
    minutes: 12,
    begin: (on) => receiver(on, 503),
    calls: (on) => on.submit(),
    on: { 'webhook-first-try': 10 },
  },
  {
    name: 'a partner’s receiver says that it is gone',
    minutes: 8,
    begin: (on) => receiver(on, 410),
    on: { 'endpoint-disabled': 7 },
    over: {
      end: async (on) => {
        answers = 200;
        await enableWebhook(on.scene.partner.partnerId, Date.now());
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
    on: { 'duration-deliver-webhook': 16 },
  },
  {
    name: '50 events of production have used up their attempts',
    minutes: 5,
    begin: (on) => lastAttempts(on, 50, 'producao'),
    on: { 'delivery-exhausted': 4, 'dead-letters': 5, 'dead-letters-many': 5, 'webhook-first-try': 5 },
    may: ['webhook-delay'],
  },
  {
    name: '60 kept events are too old to be kept',
    minutes: 6,
    begin: (on) => keptForTooLong(on, 60),
    calls: quiet,
    on: { 'delivery-exhausted': 2 },
    always: true,
  },
  {
    name: '50 events of the sandbox have used up their attempts',
    minutes: 6,
    begin: (on) => lastAttempts(on, 50, 'sandbox'),
    calls: quiet,
    on: {},
    always: true,
  },
  {
    name: 'the sandbox meets all that can be tried in it',
    minutes: 8,
    begin: (on) => receiver(on, 410),
    calls: async (on) => {
      for (const cpf of ['90000000337', '90000000507', '90000000680', '90000000841', '90000000922'])
        await on.submit(['itau', 'inter'], on.scene.partner.keys.sandbox, cpf);
    },
    on: {},
  },
  {
    name: 'the queue loses its messages',
    minutes: 12,
    begin: (on) => {
      on.losing = true;
    },
    calls: (on) => on.submit(['itau']),
    on: { 'sweeper-repairs': 12 },
  },
  {
    name: 'the table refuses calls for want of capacity',
    minutes: 16,
    begin: (on) => {
      on.faults({ throttled: 0.2 });
      // It reads so much that the SDK's waits would add up to minutes of this machine's time.
      on.running.delete('poll-bank-outcomes');
    },
    calls: reads,
    on: { 'table-refuses': 16 },
    may: WITH_THE_TABLE,
  },
  {
    name: 'the table itself fails',
    minutes: 16,
    begin: (on) => on.faults({ error: 0.25 }),
    calls: reads,
    on: { 'table-refuses': 16 },
    may: WITH_THE_TABLE,
  },
  {
    name: 'every call fails, at 30 calls an hour: the service’s keys are gone',
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
    // Without the keys no event can be signed: the sweeper finds those that the worker gave back.
    may: ['poller-silent', 'sweeper-repairs'],
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
    begin: (on) => {
      on.outside = 503;
    },
    on: { 'outside-probe': 2 },
    over: {
      end: (on) => {
        on.outside = 200;
      },
      minutes: 3,
    },
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
  '%s',
  { timeout: 300_000 },
  async ([, { minutes, begin, calls, on, may = [], over }]) => {
    await service.recover();
    const secrets = service.scene.peers.secrets;
    const keys = secrets.current(secretOf(service, 'keys'));
    try {
      // Three ordinary minutes before it.
      for (let minute = 0; minute < 3; minute++) expect(await service.minute(() => service.traffic())).toEqual([]);
      await begin?.(service);
      const first = new Map<string, number>();
      for (let minute = 0; minute < minutes; minute++) {
        const now = await service.minute(() => (calls ? calls(service, minute) : service.traffic()));
        for (const name of now) if (!first.has(name)) first.set(name, minute + 1);
      }
      const told = Object.fromEntries(first);
      // Which went off, and when, is the whole story where something is wrong.
      expect(
        Object.keys(told)
          .filter((name) => !may.includes(name) || name in on)
          .sort(),
        JSON.stringify(told),
      ).toEqual(Object.keys(on).sort());
      for (const [name, latest] of Object.entries(on))
        expect([name, told[name]! <= latest, told[name]]).toEqual([name, true, told[name]]);
      if (!over) return;
      await over.end(service);
      let still: readonly string[] = [];
      for (let minute = 0; minute < over.minutes; minute++) still = await service.minute(() => service.traffic());
      for (const name of Object.keys(on)) expect(still).not.toContain(name);
    } finally {
      secrets.act('PutSecretValue', { SecretId: secretOf(service, 'keys'), SecretString: keys });
      forgetServiceKeys();
      for (const stop of stops.splice(0)) await stop();
    }
  },
);
