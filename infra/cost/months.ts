import { STAGE_NAMES, type StageName, stageValues } from '../stages.ts';
import { ASSUMED, monthlyCost, monthlyRuns, prices, recordedRuns, SECONDS_A_DAY, standingCost, sum } from './cost.ts';
import recorded from './recorded.json' with { type: 'json' };
import { IDLE_SERIES, PROBE_SERIES, seriesMonths } from './series.ts';

/** How much partners call in a month. */
interface Volume {
  readonly name: string;
  readonly callsPerSecond: number;
  /** Share of the month's hours in which partners call. */
  readonly hours: Readonly<Record<'producao' | 'sandbox', number>>;
}

const TEN_PARTNERS: Volume = {
  name: '10 partners',
  callsPerSecond: (10 * ASSUMED.callsPerPartnerDay) / SECONDS_A_DAY,
  hours: ASSUMED.seriesHours,
};

export const VOLUMES: readonly Volume[] = [
  { name: 'idle', callsPerSecond: 0, hours: { producao: 0, sandbox: 0 } },
  TEN_PARTNERS,
  { name: '1/s', callsPerSecond: 1, hours: { producao: 1, sandbox: 1 } },
  { name: '100/s', callsPerSecond: 100, hours: { producao: 1, sandbox: 1 } },
];

/** Returns the cost of a month of prod in US dollars, by service. */
export const monthOfProd = ({ callsPerSecond, hours }: Volume, unit = prices()): Readonly<Record<string, number>> =>
  monthlyCost(
    monthlyRuns(recordedRuns(), callsPerSecond, stageValues('prod', {}).pollShards),
    recorded.standing.prod,
    { callsPerSecond, series: seriesMonths(hours) + PROBE_SERIES },
    unit,
  );

/**
 * Returns the monthly cost of each stage in US dollars that does not depend on traffic. The metrics are counted for 10
 * partners in prod, and for no partner in the other stages.
 */
export const standingByStage = (): readonly { name: StageName; cost: Readonly<Record<string, number>> }[] =>
  STAGE_NAMES.map((name) => {
    const series = name === 'prod' ? seriesMonths(ASSUMED.seriesHours) + PROBE_SERIES : IDLE_SERIES;
    return { name, cost: standingCost(recorded.standing[name], series, prices()) };
  });

/** Returns the monthly cost in US dollars of the fixed addresses: two NAT gateways with one address each. */
export function fixedAddresses(): number {
  const { natHour, addressHour } = prices();
  return 2 * 730 * (natHour + addressHour);
}

/** Returns the figures that `npm run generate` writes into infra/README.md. */
export function costsInShort(): string {
  const stages = standingByStage();
  const row = (what: string, of: (cost: Readonly<Record<string, number>>) => number) =>
    `| ${what} | ${stages.map(({ cost }) => of(cost).toFixed(1)).join(' | ')} |`;
  const parts = Object.keys(stages[0]?.cost ?? {}).filter((part) => stages.some(({ cost }) => (cost[part] ?? 0) > 0));
  const titles = stages.map(({ name }) => (name === 'prod' ? `prod, ${TEN_PARTNERS.name}` : name));
  return [
    `| fixed US dollars a month | ${titles.join(' | ')} |`,
    `|---|${stages.map(() => '---|').join('')}`,
    ...parts.map((part) => row(part, (cost) => cost[part] ?? 0)),
    row('sum', sum),
    '',
    `With the traffic of ${TEN_PARTNERS.name}, prod costs ${sum(monthOfProd(TEN_PARTNERS)).toFixed(0)} dollars a month in all. Fixed addresses are ${fixedAddresses().toFixed(0)} more.`,
  ].join('\n');
}
