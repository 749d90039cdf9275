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

const LARGE: readonly Row[] = [
  row(31, 1, [2_000, 500], 300, { batches: true, dead: 'inter', slow: 'brb', ...ODD, unlisted: 0.01 }),
  // Under this load, an earlier schedule starved a fifth of the old analyses.
  row(1, 4, [60_000, 0], 1_000),
  row(2, 60, [50_000, 10_000], 50, { dead: 'brb', ...ODD }),
  // A million new analyses a day. After two hours, all paces are in use except the slowest; the rows above simulate the
  // slowest pace for days.
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

it.runIf(MONTHS).each(LARGE)(
  'no analysis is forgotten: $days days, $shards shards, $pending pending, $perDay a day, $answerMs ms, batches $batches',
  { timeout: 3_600_000 },
  async (row) => expectNobodyForgotten(await played(row)),
);
