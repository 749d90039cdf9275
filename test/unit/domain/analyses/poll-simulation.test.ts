import { describe, expect, it } from 'vitest';
import { type Setting, type Simulated, simulate } from '../../../makers/poll-simulation.ts';

/** The large rows take hours together: `npm run test:schedule`, apart from the sweeps of SOAK. */
const MONTHS = process.env['MONTHS'] !== undefined;
const SOAK = process.env['SOAK'] !== undefined;
/** Printed with each row, so that a failure can be played again. */
const SEED = Number(process.env['SEED'] ?? 20_260_101);

type Row = Omit<Setting, 'seed'>;
const DAYS = SOAK ? 1 : 0.25;
/** What has no usable answer is asked again at growing distances: more often on a day that it begins than on later ones. */
const MOST_RETRIES = SOAK ? 40 : 80;
/** What fits: nobody waits for long, and the alarm stays off after the first hours. */
const SMALL: readonly Row[] = [
  { days: DAYS, shards: 1, pending: 200, perDay: 1_500, answerMs: 300, batches: false, unanswerable: 0.01 },
  {
    days: DAYS,
    shards: 3,
    pending: 200,
    perDay: 1_500,
    answerMs: 300,
    batches: true,
    dead: 'inter',
    unanswerable: 0.01,
  },
];
/** What does not: one slow question each, in one shard. */
const OVERLOADED: Row = SOAK
  ? { days: 0.04, shards: 1, pending: 6_000, perDay: 400_000, answerMs: 2_000, batches: false }
  : { days: 0.02, shards: 1, pending: 1_000, perDay: 100_000, answerMs: 10_000, batches: false };

const LARGE: readonly Row[] = [
  // Months.
  { days: 31, shards: 4, pending: 50_000, perDay: 2_000, answerMs: 300, batches: true, unanswerable: 0.01 },
  {
    days: 31,
    shards: 4,
    pending: 20_000,
    perDay: 2_000,
    answerMs: 1_000,
    batches: false,
    dead: 'itau',
    unanswerable: 0.01,
  },
  // The load that starved a fifth of the old analyses before: 60,000 of them, four shards, an answer a second.
  { days: 1, shards: 4, pending: 60_000, perDay: 0, answerMs: 1_000, batches: false },
  { days: 2, shards: 1, pending: 50_000, perDay: 2_000, answerMs: 2_000, batches: false, unanswerable: 0.01 },
  {
    days: 2,
    shards: 60,
    pending: 50_000,
    perDay: 10_000,
    answerMs: 50,
    batches: false,
    dead: 'brb',
    unanswerable: 0.01,
  },
  // Days of a million.
  { days: 1, shards: 4, pending: 50_000, perDay: 1_000_000, answerMs: 300, batches: true, unanswerable: 0.01 },
  {
    days: 1,
    shards: 4,
    pending: 50_000,
    perDay: 1_000_000,
    answerMs: 2_000,
    batches: true,
    dead: 'santander',
    unanswerable: 0.01,
  },
  { days: 1, shards: 1, pending: 0, perDay: 1_000_000, answerMs: 2_000, batches: true },
  { days: 1, shards: 60, pending: 0, perDay: 1_000_000, answerMs: 300, batches: false, unanswerable: 0.01 },
];

function print(row: Row, found: Simulated, seconds: number): void {
  const cells = [
    `${row.days} d`,
    `${row.shards} shards`,
    `${row.pending} pending`,
    `${row.perDay} a day`,
    `${row.answerMs} ms${row.batches ? ', batches' : ''}`,
    row.dead ? `${row.dead} dead` : '',
    `asked ${found.asked} in ${found.calls} calls`,
    `worst wait ${found.worst.toFixed(1)} paces`,
    `alarm on ${found.alarmMinutes} min`,
    `late without it ${found.silentlyLate}`,
    `expired ${found.expired}, unasked ${found.expiredUnasked}`,
    `retries ${found.retries.toFixed(0)} a day`,
    `left ${found.pendingAtEnd}`,
    `${seconds.toFixed(0)} s`,
    `seed ${SEED}`,
  ];
  console.log(cells.filter(Boolean).join(' | '));
}

async function played(row: Row): Promise<Simulated> {
  const began = performance.now();
  const found = await simulate({ ...row, seed: SEED });
  print(row, found, (performance.now() - began) / 1000);
  return found;
}

function expectNobodyForgotten({ silentlyLate, expiredUnasked }: Simulated): void {
  expect({ seed: SEED, silentlyLate, expiredUnasked }).toEqual({ seed: SEED, silentlyLate: 0, expiredUnasked: 0 });
}

describe('the schedule, simulated', () => {
  it.each(SMALL)('asks everyone within twice the pace: $shards shards, $answerMs ms, batches $batches', async (row) => {
    const found = await played(row);
    expectNobodyForgotten(found);
    expect(found.alarmMinutes).toBe(0);
    expect(found.worst).toBeLessThanOrEqual(2);
    expect(found.retries).toBeLessThan(MOST_RETRIES);
  });

  it('says so where it cannot', async () => {
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
});
