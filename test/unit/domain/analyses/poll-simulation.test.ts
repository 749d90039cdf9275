import { expect, it } from 'vitest';
import { type Setting, type Simulated, simulate } from '#test/makers/poll-simulation.ts';

/** The large rows take some minutes together, 18 µs a question: `npm run test:schedule`, apart from the sweeps of SOAK. */
const MONTHS = process.env['MONTHS'] !== undefined;
const SOAK = process.env['SOAK'] !== undefined;
/** Printed with each row, so that a failure can be played again. */
const SEED = Number(process.env['SEED'] ?? 20_260_101);

type Row = Omit<Setting, 'seed'>;
const DAYS = SOAK ? 1 : 0.25;
/** What has no usable answer is asked again at growing distances: more often on a day that it begins than on later ones. */
const MOST_RETRIES = SOAK ? 40 : 80;
const ODD = { unanswerable: 0.01 };
const row = (
  days: number,
  shards: number,
  load: [pending: number, perDay: number],
  answerMs: number,
  more: Partial<Row> = {},
): Row => ({ days, shards, pending: load[0], perDay: load[1], answerMs, batches: false, ...more });
/** What fits: nobody waits for long, and the alarm stays off after the first hours. */
const SMALL: readonly Row[] = [
  row(DAYS, 1, [200, 1_500], 300, ODD),
  row(DAYS, 3, [200, 1_500], 300, { batches: true, dead: 'inter', ...ODD, unlisted: 0.01 }),
];
/** What does not: one slow question each, in one shard. */
const OVERLOADED = SOAK ? row(0.04, 1, [6_000, 400_000], 2_000) : row(0.02, 1, [1_000, 100_000], 10_000);

const LARGE: readonly Row[] = [
  row(31, 1, [2_000, 500], 300, { batches: true, dead: 'inter', slow: 'brb', ...ODD, unlisted: 0.01 }),
  // The load that starved a fifth of the old analyses before: 60,000 of them, four shards, an answer a second.
  row(1, 4, [60_000, 0], 1_000),
  row(2, 60, [50_000, 10_000], 50, { dead: 'brb', ...ODD }),
  // At a million a day: after two hours all paces but the slowest run, which the rows above play for days.
  row(0.2, 4, [50_000, 1_000_000], 2_000, { batches: true, dead: 'santander', ...ODD }),
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

it.each(SMALL)('each is asked within twice the pace: $shards shards, $answerMs ms, batches $batches', async (row) => {
  const found = await played(row);
  expectNobodyForgotten(found);
  expect(found.alarmMinutes).toBe(0);
  expect(found.worst).toBeLessThanOrEqual(2);
  expect(found.retries).toBeLessThan(MOST_RETRIES);
});

it('the schedule says so where it cannot ask everyone in time', async () => {
  const found = await played(OVERLOADED);
  expectNobodyForgotten(found);
  expect(found.alarmMinutes).toBeGreaterThan(0);
  expect(found.worst).toBeGreaterThan(2);
});

it.runIf(MONTHS).each(LARGE)(
  '$days days, $shards shards, $pending pending, $perDay a day, $answerMs ms, batches $batches',
  { timeout: 3_600_000 },
  async (row) => expectNobodyForgotten(await played(row)),
);
