import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as costs from '#infra/cost/cost.ts';
import list from '#infra/cost/prices.json' with { type: 'json' };
import recorded from '#infra/cost/recorded.json' with { type: 'json' };
import { IDLE_SERIES, PROBE_SERIES, seriesMonths } from '#infra/cost/series.ts';
import { FUNCTIONS } from '#infra/functions.ts';
import { STAGE_NAMES, stageValues } from '#infra/stages.ts';
import { ROUTES } from '#shared/contract/routes.ts';
import { fixedResourcesOf, type Recorded, recordConsumption } from '../makers/consumption.ts';
import { type Peers, startPeers } from '../makers/peers.ts';

const MONTH = 2_628_000;
const free = Object.fromEntries(Object.keys(costs.prices()).map((name) => [name, 0])) as ReturnType<
  typeof costs.prices
>;
const nothing: costs.Consumption = {
  ...{ operation: 'get-lead', what: 'nothing', memory: 2048, route: false, runs: 0 },
  ...{ calls: 0, read: 0, write: 0, queueCalls: 0, processorMs: 0, outsideMs: 0, logBytes: 0, outBytes: 0 },
};

it('the price list is for the stages’ region, and each price has a source and a date', () => {
  expect(list.region).toBe(stageValues('prod', {}).region);
  for (const [name, { usd, per, source, date }] of Object.entries(list.prices)) {
    expect(usd, name).toBeGreaterThan(0);
    expect(per, name).toBeGreaterThan(0);
    expect(source.length, name).toBeGreaterThanOrEqual(10);
    expect(Date.parse(date), name).toBeLessThanOrEqual(Date.now());
  }
});

it('the assumed shares of calls add up to 1', () => expect(costs.sum(costs.ASSUMED.mix)).toBeCloseTo(1));

it('costOf multiplies the units of a run by their prices', () => {
  const took = { read: 2, write: 3, queueCalls: 5, processorMs: 100, outsideMs: 400, calls: 100 };
  const used = { ...nothing, ...took, runs: 1 };
  const unit = { ...free, tableRead: 10, tableWrite: 100, queueCall: 7, lambdaRequest: 1000, lambdaGbSecond: 4 };
  // 100 ms of work, 400 ms of waiting and 100 table calls of 5 ms are one second of two gigabytes.
  expect(costs.costOf(used, unit)).toMatchObject({ table: 320, queue: 35, lambda: 1008, gateway: 0 });
  // A quarter of a processor takes four times as long.
  expect(costs.costOf({ ...used, memory: 1769 / 4 }, unit)['lambda']).toBeCloseTo(1000 + 1.3 * (1769 / 4096) * 4);
  const asRoute = costs.costOf({ ...used, route: true }, { ...free, gatewayRequest: 3, firewallRequest: 2 });
  expect(costs.sum(asRoute)).toBe(5);
});

const runs = costs.recordedRuns();
const times = (perSecond: number, of: (used: costs.Consumption) => boolean) =>
  [...costs.monthlyRuns(runs, perSecond, 4)].filter(([used]) => of(used)).reduce((total, [, one]) => total + one, 0);
const looks = (MONTH / 60) * 2;
const analyses = MONTH * 0.1 * costs.ASSUMED.banksPerSubmission;
const reads = ROUTES.filter(({ method, scope }) => method === 'GET' && scope !== 'public').map(
  ({ operation }) => operation as string,
);
const isRead = ({ route, operation }: costs.Consumption) => route && reads.includes(operation);
const background = (what: keyof typeof costs.BACKGROUND) => (used: costs.Consumption) =>
  used.what === costs.BACKGROUND[what];

it.each<[string, number, (used: costs.Consumption) => boolean, number]>([
  ['calls of partners and the probe', 1, ({ route }) => route, MONTH + looks],
  ['reads of partners and of the probe', 1, isRead, 0.7 * MONTH + looks / 2],
  ['calls while no partner calls', 0, ({ route }) => route, looks],
  ['runs of the probe', 0, background('probe'), MONTH / 60],
  ['ticks of four shards', 0, background('idleTick'), (MONTH / 60) * 4],
  ['attempts while no partner calls', 0, background('delivered'), 0],
  ['containers that start', 1, background('priming'), MONTH * costs.ASSUMED.coldStarts],
  ['outcomes', 1, background('outcome'), analyses],
  ['webhooks', 1, background('delivered'), analyses],
])('monthlyRuns counts %s', (_, perSecond, of, expected) => {
  expect(times(perSecond, of)).toBeCloseTo(expected);
});

it('the monthly cost without traffic is at most 53.9 dollars for prod with 10 partners, and 11 for others', () => {
  const of = (stage: (typeof STAGE_NAMES)[number], series: number) =>
    costs.sum(costs.standingCost(recorded.standing[stage], series, costs.prices()));
  expect(of('prod', seriesMonths(costs.ASSUMED.seriesHours) + PROBE_SERIES)).toBeLessThanOrEqual(53.9);
  expect(of('dev', IDLE_SERIES)).toBeLessThanOrEqual(11);
  expect(of('staging', IDLE_SERIES)).toBeLessThanOrEqual(11);
});

describe('recorded.json', () => {
  let peers: Peers;
  beforeAll(async () => {
    peers = await startPeers();
  });
  afterAll(() => peers.close());
  const cure = 'npm run bench:cost records it again';

  it('recorded.json has what each stage makes', () => {
    const standing = Object.fromEntries(STAGE_NAMES.map((stage) => [stage, fixedResourcesOf(stage)]));
    expect(standing, cure).toEqual(recorded.standing);
  });

  it('recorded.json has the calls, written units and messages of every function', async () => {
    const counted = ({ operation, what, calls, write, queueCalls, route, runs }: Recorded) =>
      [operation, what, calls, write, queueCalls, route, runs].join();
    const now = await recordConsumption(1, peers.blueprint.functions);
    expect(now.map(counted), cure).toEqual(recorded.runs.map(counted));
    const seen = new Set(now.map(({ operation }) => operation));
    expect(FUNCTIONS.map(({ operation }) => operation).filter((one) => !seen.has(one))).toEqual(['fallback']);
    const silent = ROUTES.filter(({ scope }) => scope === 'public').map(({ operation }) => operation as string);
    const quiet = now.filter(({ route, logBytes }) => route && logBytes < 500).map(({ operation }) => operation);
    expect(quiet).toEqual(silent);
  });
});
