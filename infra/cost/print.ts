/**
 * Prints what the service costs and how far it can grow. recorded.json holds what each function consumes (calls, units,
 * milliseconds, bytes) and the resources of each stage that cost money without traffic. prices.json has the prices in
 * US dollars.
 */
import { stageValues } from '../stages.ts';
import {
  ASSUMED,
  billedMilliseconds,
  type Consumption,
  costOf,
  keptCost,
  prices,
  recordedRuns,
  SECONDS_A_MONTH,
  sum,
  unreadPrices,
} from './cost.ts';
import { limitsOf, loadOf } from './limits.ts';
import { fixedAddresses, monthOfProd, standingByStage, VOLUMES } from './months.ts';
import list from './prices.json' with { type: 'json' };
import recorded from './recorded.json' with { type: 'json' };

/** 10,000 partners submit a million analyses a day. */
const PARTNERS = [10, 1_000, 10_000, 100_000] as const;

const number = (value: number, digits = 0) =>
  value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });

/** A column: its title, and its cell for a row. */
type Column<Row> = readonly [title: string, cell: (row: Row) => string];

/** Returns rows under the titles of their columns. Each column is as wide as its longest cell. */
function columns<Row>(rows: readonly Row[], shown: readonly Column<Row>[]): string {
  const padded = shown.map(([title, cell]) => {
    const cells = rows.map((row) => cell(row));
    cells.unshift(title.toUpperCase());
    const width = Math.max(...cells.map((text) => text.length));
    return cells.map((text) => text.padEnd(width));
  });
  let text = '';
  for (let line = 0; line <= rows.length; line++) {
    const cells = padded.map((column) => column[line]);
    text += `${cells.join('  ').trimEnd()}\n`;
  }
  return text;
}

function heading(text: string): void {
  console.log(`\n${text}\n`);
}

function printRuns(runs: readonly Consumption[]): void {
  const unit = prices();
  heading('One run: recorded against real peers, at the prices below');
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
      ['most of it', (used) => largestPart(costOf(used, unit))],
    ]),
  );
}

/** Returns the name of the largest part of a cost, with its share: `lambda 52 %`. */
function largestPart(cost: Readonly<Record<string, number>>): string {
  const [part, usd] = Object.entries(cost).reduce((largest, other) => (other[1] > largest[1] ? other : largest));
  return `${part} ${number((100 * usd) / sum(cost))} %`;
}

/** Returns the names of the parts of several costs, each once. */
function partsOf(costs: readonly Readonly<Record<string, number>>[]): string[] {
  return Array.from(new Set(costs.flatMap((cost) => Object.keys(cost))));
}

function printMonths(): void {
  const unit = prices();
  const months = VOLUMES.map((volume) => ({
    name: volume.name,
    cost: monthOfProd(volume),
    unread: sum(monthOfProd(volume, unreadPrices())),
  }));
  heading('A month of prod in US dollars, without free tiers, support, taxes and storage');
  const UNREAD = 'of which at prices marked ~';
  const usd = (part: string, { cost, unread }: (typeof months)[number]) => {
    if (part === UNREAD) return unread;
    return part === 'sum' ? sum(cost) : (cost[part] ?? 0);
  };
  const parts = partsOf(months.map(({ cost }) => cost)).concat('sum', UNREAD);
  console.log(
    columns(parts, [
      ['what', (part) => part],
      ...months.map((month): Column<string> => [month.name, (part) => number(usd(part, month))]),
    ]),
  );
  console.log(`With fixed addresses: ${number(fixedAddresses())} more, and ${unit.natHour} a GB.`);
  const perAnalysis = 10 / 1024 ** 2;
  const stored = ASSUMED.mix['submit-analyses'] * ASSUMED.banksPerSubmission * SECONDS_A_MONTH * perAnalysis;
  const turned = recorded.standing.prod.keys * unit.key;
  console.log(
    `Keys rotate once a year, and AWS bills two rotations: ${number(turned)} more in the second year, ${number(2 * turned)} from then on.`,
  );
  console.log(
    `Storage is extra, at 1/s: about ${number(stored, 1)} GB of rows a month (10 KB an analysis). The rows of one month cost ${number(stored * unit.tableStorage, 2)} a month.`,
  );
}

/** Prints what keeping a growing table costs, by month. */
function printKept(): void {
  heading(`A table that grows by ${ASSUMED.growth} GB a month: what keeping it costs a month, in US dollars`);
  const months = [1, 12, 60].map((month) => ({ month, cost: keptCost(ASSUMED.growth, month, prices()) }));
  console.log(
    columns(partsOf(months.map(({ cost }) => cost)), [
      ['what', (part) => part],
      ...months.map(({ month, cost }): Column<string> => [`month ${month}`, (part) => number(cost[part] ?? 0)]),
    ]),
  );
}

function printStanding(): void {
  heading('Fixed monthly cost of each stage, in US dollars');
  const rows = standingByStage();
  const parts = partsOf(rows.map(({ cost }) => cost)).concat('sum');
  console.log(
    columns(parts, [
      ['what', (part) => part],
      ...rows.map(
        ({ name, cost }): Column<string> => [
          name === 'prod' ? 'prod, 10 partners' : name,
          (part) => number(part === 'sum' ? sum(cost) : (cost[part] ?? 0), 1),
        ],
      ),
    ]),
  );
}

function printLimits(runs: readonly Consumption[]): void {
  const stage = stageValues('prod', {});
  heading(
    `The busiest second of these numbers of partners, each with ${ASSUMED.callsPerPartnerDay} calls a day, peak ${ASSUMED.peak} times the mean`,
  );
  const loads = PARTNERS.map((partners) => loadOf(partners, runs, stage));
  const share = (taken: number, limit: number) =>
    `${number(taken, taken < 10 ? 1 : 0)} (${number((100 * taken) / limit)} %)`;
  const limits = limitsOf(stage);
  console.log(
    columns(limits, [
      ['limit', ({ what }) => what],
      ['is', ({ limit, unit }) => `${number(limit)}${unit && ` ${unit}`}`],
      ...loads.map(
        (load): Column<(typeof limits)[number]> => [
          `${number(load.partners)} partners`,
          (row) => share(row.taken(load), row.limit),
        ],
      ),
    ]),
  );
  const aDay = ASSUMED.callsPerPartnerDay * ASSUMED.mix['submit-analyses'] * ASSUMED.banksPerSubmission;
  console.log(
    `Analyses a day, with ${stage.pollShards} shards: ${PARTNERS.map((partners) => number(partners * aDay)).join(', ')}.`,
  );
  for (const load of loads) {
    const near = limits.filter(({ taken, limit }) => taken(load) > limit / 2);
    console.log(
      `At ${number(load.partners)} partners: ${near.length === 0 ? 'nothing is above half of its limit.' : 'change'}`,
    );
    for (const { what, change, source } of near) console.log(`  - ${what}: ${change} (${source})`);
  }
}

function printPrices(): void {
  heading(
    `Prices of ${list.region}. Those marked ~ were not looked up on the list: check them before you promise anything`,
  );
  console.log(
    columns(Object.entries(list.prices), [
      ['price', ([name, { read }]) => `${read ? ' ' : '~'}${name}`],
      ['USD', ([, { usd, per, unit }]) => `${usd} per ${number(per)} ${unit}`],
      ['date', ([, { date }]) => date],
      ['source', ([, { source }]) => source],
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
