/**
 * What the service costs and how far it goes, on paper, from what its functions really take: recorded.json has the calls,
 * units, milliseconds and bytes of each, and what stands in each stage; prices.json turns them into US dollars.
 */
import { stageValues } from '../stages.ts';
import {
  ASSUMED,
  billedMilliseconds,
  type Consumption,
  costOf,
  keptCost,
  type PriceName,
  prices,
  recordedRuns,
  sum,
  unreadPrices,
} from './cost.ts';
import { limitsOf, loadOf } from './limits.ts';
import { fixedAddresses, monthOfProd, standingByStage, VOLUMES } from './months.ts';
import list from './prices.json' with { type: 'json' };
import recorded from './recorded.json' with { type: 'json' };

/** 10,000 of them submit a million analyses a day. */
const PARTNERS = [10, 1_000, 10_000, 100_000] as const;

const number = (value: number, digits = 0) =>
  value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });

/** A column: its title, and its cell of a row. */
type Column<Row> = readonly [title: string, cell: (row: Row) => string];

/** Rows under their titles, each column as wide as its longest cell. */
function columns<Row>(rows: readonly Row[], shown: readonly Column<Row>[]): string {
  const lines = [shown.map(([title]) => title.toUpperCase()), ...rows.map((row) => shown.map(([, cell]) => cell(row)))];
  const widths = shown.map((_, index) => Math.max(...lines.map((line) => line[index]!.length)));
  return lines
    .map(
      (line) =>
        `${line
          .map((text, index) => text.padEnd(widths[index]!))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}

function heading(text: string): void {
  console.log(`\n${text}\n`);
}

function printRuns(runs: readonly Consumption[]): void {
  const unit = prices();
  heading('One run: recorded against real peers, paid at the prices below');
  console.log(
    columns(runs, [
      ['operation', ({ operation }) => operation],
      ['what', ({ what }) => what],
      ['calls', ({ calls }) => number(calls, 1)],
      ['read', ({ read }) => number(read, 1)],
      ['write', ({ write }) => number(write, 1)],
      ['cpu ms', ({ processorMs }) => number(processorMs, 1)],
      ['ms paid', (used) => number(billedMilliseconds(used))],
      ['log B', ({ logBytes }) => number(logBytes)],
      ['USD/million', (used) => number(1_000_000 * sum(costOf(used, unit)), 2)],
      [
        'most of it',
        (used) => {
          const [[part, usd]] = Object.entries(costOf(used, unit)).sort(([, a], [, b]) => b - a) as [[string, number]];
          return `${part} ${number((100 * usd) / sum(costOf(used, unit)))} %`;
        },
      ],
    ]),
  );
}

function printMonths(): void {
  const unit = prices();
  const months = VOLUMES.map((volume) => monthOfProd(volume));
  const unread = VOLUMES.map((volume) => sum(monthOfProd(volume, unreadPrices())));
  heading('A month of prod in US dollars, without free tiers, support, taxes and what is stored');
  const UNREAD = 'of it at prices marked ~';
  const parts = [...Object.keys(months.at(-1)!), 'sum', UNREAD];
  const cell = (part: string, index: number) => {
    if (part === UNREAD) return unread[index]!;
    return part === 'sum' ? sum(months[index]!) : (months[index]![part] ?? 0);
  };
  console.log(
    columns(parts, [
      ['what', (part) => part],
      ...VOLUMES.map(({ name }, index): Column<string> => [name, (part) => number(cell(part, index))]),
    ]),
  );
  console.log(`With fixed addresses: ${number(fixedAddresses())} more, and ${unit.natHour} a GB.`);
  const perAnalysis = 10 / 1024 ** 2;
  const stored = ASSUMED.mix['submit-analyses'] * ASSUMED.banksPerSubmission * 2_628_000 * perAnalysis;
  const turned = recorded.standing.prod.keys * unit.key;
  console.log(
    `Keys turn once a year, twice paid: ${number(turned)} more in the second year, ${number(2 * turned)} from then on.`,
  );
  console.log(
    `Stored on top, at 1/s: about ${number(stored, 1)} GB a month of rows (10 KB an analysis), ${number(stored * unit.tableStorage, 2)} a month for each month of them.`,
  );
}

/** What is kept of a table that grows, after so many months. */
function printKept(): void {
  heading(`A table that grows by ${ASSUMED.growth} GB a month: what keeping it costs a month, in US dollars`);
  const months = [1, 12, 60];
  const costs = months.map((after) => keptCost(ASSUMED.growth, after, prices()));
  console.log(
    columns(Object.keys(costs[0]!), [
      ['what', (part) => part],
      ...months.map((after, index): Column<string> => [`month ${after}`, (part) => number(costs[index]![part]!)]),
    ]),
  );
}

function printStanding(): void {
  heading('What stands in a month, whoever calls, in US dollars');
  const rows = standingByStage();
  const parts = [...Object.keys(rows[0]!.cost), 'sum'];
  console.log(
    columns(parts, [
      ['what', (part) => part],
      ...rows.map(
        ({ name, cost }): Column<string> => [
          name === 'prod' ? 'prod, 10 partners' : name,
          (part) => number(part === 'sum' ? sum(cost) : cost[part]!, 1),
        ],
      ),
    ]),
  );
}

function printLimits(runs: readonly Consumption[]): void {
  const stage = stageValues('prod', {});
  heading(
    `The busiest second of so many partners, each with ${ASSUMED.callsPerPartnerDay} calls a day, peak ${ASSUMED.peak} times the mean`,
  );
  const loads = PARTNERS.map((partners) => loadOf(partners, runs, stage));
  const share = (taken: number, limit: number) =>
    `${number(taken, taken < 10 ? 1 : 0)} (${number((100 * taken) / limit)} %)`;
  const limits = limitsOf(stage);
  console.log(
    columns(limits, [
      ['limit', ({ what }) => what],
      ['is', ({ limit, unit }) => `${number(limit)}${unit && ` ${unit}`}`],
      ...PARTNERS.map(
        (partners, index): Column<(typeof limits)[number]> => [
          `${number(partners)} partners`,
          (row) => share(row.taken(loads[index]!), row.limit),
        ],
      ),
    ]),
  );
  const aDay = ASSUMED.callsPerPartnerDay * ASSUMED.mix['submit-analyses'] * ASSUMED.banksPerSubmission;
  console.log(
    `Analyses a day, with ${stage.pollShards} shards: ${PARTNERS.map((partners) => number(partners * aDay)).join(', ')}.`,
  );
  for (const [index, partners] of PARTNERS.entries()) {
    const near = limits.filter(({ taken, limit }) => taken(loads[index]!) > limit / 2);
    console.log(
      `At ${number(partners)} partners: ${near.length === 0 ? 'nothing is above half of its limit.' : 'change'}`,
    );
    for (const { what, change, source } of near) console.log(`  - ${what}: ${change} (${source})`);
  }
}

function printPrices(): void {
  heading(
    `Prices of ${list.region}; those marked ~ are known and were not looked up anew: check them before promising`,
  );
  console.log(
    columns(Object.keys(list.prices) as PriceName[], [
      ['price', (name) => `${list.prices[name].read ? ' ' : '~'}${name}`],
      ['USD', (name) => `${list.prices[name].usd} per ${number(list.prices[name].per)} ${list.prices[name].unit}`],
      ['date', (name) => list.prices[name].date],
      ['source', (name) => list.prices[name].source],
    ]),
  );
  heading('Assumed');
  for (const [name, { value, why }] of Object.entries(list.assumptions)) {
    console.log(`  ${name} = ${JSON.stringify(value)}: ${why}`);
  }
}

const runs = recordedRuns();
printRuns(runs);
printMonths();
printStanding();
printKept();
printLimits(runs);
printPrices();
