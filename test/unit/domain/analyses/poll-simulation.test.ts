import { expect, it } from 'vitest';
import { type Setting, type Simulated, simulate } from '#test/makers/poll-simulation.ts';

/** Runs the large rows, which take some minutes together: `npm run test:schedule`. SOAK does not include them. */
const MONTHS = process.env['MONTHS'] !== undefined;
const SOAK = process.env['SOAK'] !== undefined;
/** Printed with each row, so that a failure can be repeated. */
const SEED = Number(process.env['SEED'] ?? 20_260_101);

type Row = Omit<Setting, 'seed'>;
const DAYS = SOAK ? 1 : 0.25;
/**
 * Most retries of an unanswerable analysis in a day. The first retries are close together, so a short simulation has more
 * of them for its time.
 */
const MOST_RETRIES = SOAK ? 40 : 80;
const ODD = { unanswerable: 0.01 };
const row = (
  days: number,
  shards: number,
  load: [pending: number, perDay: number],
  answerMs: number,
  more: Partial<Row> = {},
): Row => ({ days, shards, pending: load[0], perDay: load[1], answerMs, batches: false, ...more });
/** Loads that the shards can manage: nobody waits for long, and the lag alarm stays off. */
const SMALL: readonly Row[] = [
  row(DAYS, 1, [200, 1_500], 300, ODD),
  row(DAYS, 3, [200, 1_500], 300, { batches: true, dead: 'inter', ...ODD, unlisted: 0.01 }),
];
/** A load that one shard cannot manage, because the operator answers slowly. */
const OVERLOADED = SOAK ? row(0.04, 1, [6_000, 400_000], 2_000) : row(0.02, 1, [1_000, 100_000], 10_000);

const BATCHES = { batches: true };
/** Loads of real size, and the most that each may show: wait divided by pace, minutes of alarm, minutes a young one waits. */
const LARGE: readonly (Row & { readonly most: readonly [worst: number, alarm: number, young: number] })[] = [
  { ...row(0.2, 4, [100_000, 0], 300, BATCHES), most: [1.01, 0, 2] },
  // About 98,000 and 35,000 young analyses at once.
  { ...row(0.1, 4, [0, 4_150_000], 300, BATCHES), most: [1.26, 0, 2] },
  { ...row(0.1, 4, [0, 1_700_000], 300), most: [2.21, 0, 3] },
  { ...row(0.02, 1, [1_000, 100_000], 10_000), most: [4.48, 5, 4.5] },
  // Under this load, an earlier schedule starved a fifth of the old analyses.
  { ...row(1, 4, [60_000, 0], 1_000), most: [1.25, 13, 2] },
  { ...row(1, 1, [20_000, 5_000], 300, { ...BATCHES, dead: 'inter', slow: 'brb' }), most: [1.15, 0, 2] },
  // A million new analyses a day. After two hours, all paces are in use except the slowest.
  { ...row(0.2, 4, [50_000, 1_000_000], 2_000, { ...BATCHES, dead: 'santander', ...ODD }), most: [1.45, 0, 2.2] },
];
/** Loads that are simulated for days, in which nobody may be forgotten. */
const LONG: readonly Row[] = [
  row(31, 1, [2_000, 500], 300, { ...BATCHES, dead: 'inter', slow: 'brb', ...ODD, unlisted: 0.01 }),
  row(2, 60, [50_000, 10_000], 50, { dead: 'brb', ...ODD }),
];

async function played(row: Row): Promise<Simulated> {
  const setting = { ...row, seed: SEED };
  const began = performance.now();
  const found = await simulate(setting);
  console.log(JSON.stringify({ ...setting, ...found, seconds: Math.round((performance.now() - began) / 1000) }));
  return found;
}

function expectNobodyForgotten({ silentlyLate, expiredUnheard }: Simulated): void {
  expect(silentlyLate, `seed ${SEED}`).toBe(0);
  expect(expiredUnheard, `seed ${SEED}`).toBe(0);
}

it.each(SMALL)(
  'every analysis is asked about within twice its pace: $shards shards, $answerMs ms, batches $batches',
  async (row) => {
    const found = await played(row);
    expectNobodyForgotten(found);
    expect(found.alarmMinutes).toBe(0);
    expect(found.worst).toBeLessThanOrEqual(2);
    expect(found.retries).toBeLessThan(MOST_RETRIES);
  },
);

it('the lag alarm goes off if the shards cannot ask about everything in time', async () => {
  const found = await played(OVERLOADED);
  expectNobodyForgotten(found);
  expect(found.alarmMinutes).toBeGreaterThan(0);
  expect(found.worst).toBeGreaterThan(2);
});

const SETTING =
  '$days days, $shards shards, $pending pending, $perDay a day, $answerMs ms, batches $batches, dead $dead';
const HOUR = { timeout: 3_600_000 };

it.runIf(MONTHS).each(LARGE)(`no analysis waits for too long: ${SETTING}`, HOUR, async ({ most, ...row }) => {
  const found = await played(row);
  const [worst, alarm, young] = most;
  expectNobodyForgotten(found);
  expect(Number(found.worst.toFixed(2))).toBeLessThanOrEqual(worst);
  expect(found.alarmMinutes).toBeLessThanOrEqual(alarm);
  expect(Number(found.youngWait.toFixed(1))).toBeLessThanOrEqual(young);
});

it.runIf(MONTHS).each(LONG)(`no analysis is forgotten: ${SETTING}`, HOUR, async (row) => {
  expectNobodyForgotten(await played(row));
});
