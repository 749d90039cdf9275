import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  ASSUMED,
  BACKGROUND,
  type Consumption,
  costOf,
  monthlyCost,
  monthlyRuns,
  priceListFormat,
  prices,
  standingCost,
  sum,
  unreadPrices,
} from '../../../infra/cost/cost.ts';
import { limitsOf, loadOf, timesDue } from '../../../infra/cost/limits.ts';
import list from '../../../infra/cost/prices.json' with { type: 'json' };
import { IDLE_SERIES, PROBE_SERIES, seriesMonths, standingOf } from '../../../infra/cost/standing.ts';
import { FUNCTIONS } from '../../../infra/functions.ts';
import { BANKS } from '../../../infra/metrics.ts';
import { stageValues } from '../../../infra/stages.ts';
import { ROUTES } from '../../../shared/contract/routes.ts';
import { POLL_BUCKETS, POLL_PACES } from '../../../shared/domain/analyses/poll-schedule.ts';
import { DUE_BUCKETS } from '../../../shared/domain/webhooks/delivery.ts';
import { recordConsumption } from '../../makers/consumption.ts';
import { type Peers, startPeers } from '../../makers/peers.ts';
import { filledInProd, Synthesised } from '../../makers/synthesised.ts';

const MONTH = 2_628_000;
const SCHEDULE = { buckets: POLL_BUCKETS, paces: POLL_PACES, dueBuckets: DUE_BUCKETS.queue };
const free = Object.fromEntries(Object.keys(prices()).map((name) => [name, 0])) as ReturnType<typeof prices>;
const nothing: Consumption = {
  operation: 'get-lead',
  what: 'nothing',
  calls: 0,
  read: 0,
  write: 0,
  queueCalls: 0,
  milliseconds: 0,
  outsideMs: 0,
  logBytes: 0,
  series: 0,
  outBytes: 0,
  memory: 1024,
  route: false,
  runs: 0,
};
const standing = {
  keys: 2,
  secrets: 3,
  alarmMetrics: 5,
  compositeAlarms: 7,
  firewallRules: 0,
  dashboards: 4,
  insightRules: 2,
};

describe('the price list', () => {
  it('is of the region that stages are in, and has a source and a date for each figure', () => {
    const { region, prices: rows } = priceListFormat.parse(list);
    expect(region).toBe(stageValues('prod', {}).region);
    for (const { date } of Object.values(rows)) expect(Date.parse(date)).toBeLessThanOrEqual(Date.now());
  });

  it('assumes shares of calls that add up', () => {
    expect(sum(ASSUMED.mix)).toBeCloseTo(1);
  });
});

describe('the sums', () => {
  it('of one run are its units at their prices', () => {
    const used = {
      ...nothing,
      read: 2,
      write: 3,
      queueCalls: 5,
      milliseconds: 100,
      outsideMs: 400,
      calls: 100,
      runs: 1,
    };
    const unit = { ...free, tableRead: 10, tableWrite: 100, queueCall: 7, lambdaRequest: 1000, lambdaGbSecond: 4 };
    // 100 ms here, 400 ms outside and 100 calls of 5 ms are one second of one gigabyte.
    expect(costOf(used, unit)).toMatchObject({ table: 320, queue: 35, lambda: 1004, gateway: 0 });
    expect(costOf({ ...used, memory: 512 }, unit)).toMatchObject({ lambda: 1002 });
    const asRoute = costOf({ ...used, route: true }, { ...free, gatewayRequest: 3, firewallRequest: 2 });
    expect(sum(asRoute)).toBe(5);
  });

  it('of a gigabyte written to the log or sent out are its price', () => {
    const used = { ...nothing, logBytes: 1024 ** 3, outBytes: 2 * 1024 ** 3 };
    const unit = { ...free, logIngestion: 9, transferOut: 4 };
    expect(costOf(used, unit)).toMatchObject({ logs: 9, transfer: 8 });
  });

  it('of a month are runs times their cost, and what stands', () => {
    const runs = new Map([[{ ...nothing, write: 1 }, 1000]]);
    const unit = {
      ...free,
      tableWrite: 2,
      key: 1,
      secret: 1,
      alarmMetric: 1,
      compositeAlarm: 1,
      metricSeries: 3,
      dashboard: 5,
      insightRule: 10,
      trace: 1,
    };
    const month = monthlyCost(runs, standing, { callsPerSecond: 0.5, series: 4 }, unit);
    expect(month).toMatchObject({
      table: 2000,
      'keys and secrets': 5,
      alarms: 32,
      dashboards: 5,
      metrics: 12,
      firewall: 0,
    });
    expect(month['traces']).toBeCloseTo(0.5 * MONTH * (1 - ASSUMED.traceShare));
  });
});

describe('what runs in a month', () => {
  const made = (operation: string, what: string, route: boolean): Consumption => ({
    ...nothing,
    operation,
    what,
    route,
  });
  const reads = ROUTES.filter(({ method, scope }) => method === 'GET' && scope !== 'public');
  const recorded = [
    ...ROUTES.map(({ operation }) => made(operation, 'a call', true)),
    ...Object.values(BACKGROUND).map((what) => made('poll-bank-outcomes', what, false)),
  ];
  const times = (perSecond: number, of: (used: Consumption) => boolean) =>
    [...monthlyRuns(recorded, perSecond, 4)].filter(([used]) => of(used)).reduce((total, [, one]) => total + one, 0);

  it('are the calls of partners by the mix', () => {
    const looks = (MONTH / 60) * 2;
    expect(times(1, ({ route }) => route)).toBeCloseTo(MONTH + looks);
    const names = reads.map(({ operation }) => operation as string);
    expect(times(1, ({ route, operation }) => route && names.includes(operation))).toBeCloseTo(0.7 * MONTH + looks / 2);
  });

  it('are the ticks alone while no one calls', () => {
    // The probe's two calls a minute.
    expect(times(0, ({ route }) => route)).toBe((MONTH / 60) * 2);
    expect(times(0, ({ what }) => what === BACKGROUND.probe)).toBe(MONTH / 60);
    expect(times(0, ({ what }) => what === BACKGROUND.idleTick)).toBe((MONTH / 60) * 4);
    expect(times(0, ({ what }) => what === BACKGROUND.delivered)).toBe(0);
  });

  it('are the containers that start, as a share of the calls', () => {
    expect(times(1, ({ what }) => what === BACKGROUND.priming)).toBeCloseTo(MONTH * ASSUMED.coldStarts);
  });

  it('are an outcome and a webhook for each analysis', () => {
    const analyses = MONTH * 0.1 * ASSUMED.banksPerSubmission;
    expect(times(1, ({ what }) => what === BACKGROUND.outcome)).toBeCloseTo(analyses);
    expect(times(1, ({ what }) => what === BACKGROUND.delivered)).toBeCloseTo(analyses);
  });
});

describe('what stands', () => {
  it('is read off the templates', () => {
    const { keys, secrets, firewallRules, alarmMetrics } = standingOf(filledInProd());
    // The service's keys twice: their copy in the second region is paid like another secret.
    expect([keys, secrets, firewallRules]).toEqual([2, 4, 3]);
    expect(alarmMetrics).toBeGreaterThan(60);
    expect(standingOf(Synthesised.of('dev')).firewallRules).toBe(0);
  });

  it('is at most 45 dollars a month for prod with 10 partners, and 10 for a stage with nobody', () => {
    const of = (stage: Synthesised, series: number) => sum(standingCost(standingOf(stage), series, prices()));
    expect(of(filledInProd(), seriesMonths(ASSUMED.seriesHours) + PROBE_SERIES)).toBeLessThanOrEqual(45);
    for (const name of ['dev', 'staging'] as const)
      expect([name, of(Synthesised.of(name), IDLE_SERIES) <= 10]).toEqual([name, true]);
  });

  it('is paid by the hours in which series have a value', () => {
    const none = { producao: 0, sandbox: 0 };
    expect(seriesMonths(none)).toBe(IDLE_SERIES);
    const of = (producao: number) => seriesMonths({ producao, sandbox: 0 });
    expect(of(1) - of(0.5)).toBeCloseTo(of(0.75) - of(0.25));
    // Some analysis of each bank always waits, however short the hours in which partners call.
    expect(of(0.001) - IDLE_SERIES).toBeGreaterThan(2 * BANKS.length);
    expect(of(0.001) - IDLE_SERIES).toBeLessThan(2 * BANKS.length + 1);
  });

  it('counts the fields that partners misname, and receivers that fail, as ordinary', () => {
    const withBody = ROUTES.filter(({ method }) => method === 'POST' || method === 'PATCH').length;
    const authenticated = ROUTES.filter(({ scope }) => scope !== 'public').length;
    const perHour = seriesMonths({ producao: 1, sandbox: 0 }) - seriesMonths({ producao: 0.5, sandbox: 0 });
    // By operation; leads twice, replays, webhooks thrice and their failures, the tables' age, the total in doubt.
    const others = authenticated + withBody + ASSUMED.codigosInUse + 2 + 1 + 3 + 1 + 1 + 1;
    // By bank: offers, submissions, time to outcome, and each outcome.
    const byBank = (3 + ASSUMED.outcomesInUse) * BANKS.length;
    expect(2 * perHour).toBeCloseTo(others + byBank);
  });

  it('says what of it is paid at prices that were not looked up anew', () => {
    const unread = unreadPrices();
    expect([unread.alarmMetric, unread.metricSeries]).toEqual([0, 0]);
    expect(unread.key).toBe(prices().key);
  });
});

describe('the limits', () => {
  const stage = stageValues('prod', {});
  const call = { ...nothing, operation: 'submit-analyses', route: true, write: 10, milliseconds: 1000, runs: 1 };

  it('are measured against the busiest second of the partners', () => {
    const load = loadOf(86_400, [call], stage, SCHEDULE);
    const calls = ASSUMED.callsPerPartnerDay * ASSUMED.peak;
    expect(load.callsPerSecond).toBeCloseTo(calls);
    expect(load.writePerSecond).toBeCloseTo(calls * 0.1 * 10);
    expect(load.running).toBeCloseTo(calls * 0.1);
  });

  it('of the poller count the old analyses too, at their paces', () => {
    expect(timesDue(15, SCHEDULE)).toBe(15);
    expect(timesDue(120, SCHEDULE)).toBe(15 + 105 / 2);
    expect(timesDue(2 * 1440, SCHEDULE)).toBe(15 + 105 / 2 + 1320 / 10 + 1440 / 60);
    const load = loadOf(10_000, [call], stage, SCHEDULE);
    const young = load.analysesPerSecond * 60 * 15;
    expect(load.duePerMinute).toBeGreaterThan(young);
  });

  it('each say who sets them and what to change', () => {
    const limits = limitsOf(stage, SCHEDULE);
    const load = loadOf(1000, [call], stage, SCHEDULE);
    for (const { limit, source, change, taken } of limits) {
      expect(limit).toBeGreaterThan(0);
      expect(taken(load)).toBeGreaterThanOrEqual(0);
      expect([source, change].every((text) => text.length > 10)).toBe(true);
    }
    for (const about of [/gateway/, /Lambda/, /table/, /partition/, /SQS/]) {
      expect(limits.some(({ what }) => about.test(what))).toBe(true);
    }
  });
});

describe('what is recorded', () => {
  let peers: Peers;
  beforeAll(async () => {
    peers = await startPeers();
  });
  afterAll(() => peers.close());

  it('is a run of every route, of the poller, the sweeper and a webhook attempt, with units as the table counts them', async () => {
    const recorded = await recordConsumption(1, peers.blueprint.functions);
    const seen = new Set(recorded.map(({ operation }) => operation));
    expect(FUNCTIONS.map(({ operation }) => operation).filter((operation) => !seen.has(operation))).toEqual([
      'fallback',
    ]);
    const of = (operation: string) => recorded.find((used) => used.operation === operation)!;
    expect(of('get-lead')).toMatchObject({ calls: 2, read: 1, write: 1, queueCalls: 0 });
    expect(of('get-health')).toMatchObject({ calls: 0, read: 0, write: 0 });
    expect(of('submit-analyses').write).toBeGreaterThan(10);
    const what = (text: string) => recorded.find((used) => used.what === text)!;
    expect(what(BACKGROUND.outcome).write).toBeLessThanOrEqual(9);
    expect(what(BACKGROUND.noNews).write).toBe(0);
    expect(what(BACKGROUND.delivered)).toMatchObject({ queueCalls: 2 });
    expect(what(BACKGROUND.priming)).toMatchObject({ calls: 2, read: 1, write: 1 });
    // The message is hidden until the next attempt.
    expect(what(BACKGROUND.failed)).toMatchObject({ queueCalls: 3 });
    for (const { operation, logBytes, route } of recorded) {
      const silent = ROUTES.some((one) => one.operation === operation && one.scope === 'public');
      if (route && !silent) expect([operation, logBytes > 500]).toEqual([operation, true]);
    }
  });
});
