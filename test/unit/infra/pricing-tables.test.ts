import { describe, expect, it } from 'vitest';
import { alarmsOf } from '#infra/alarms.ts';
import { alarmStates } from '#infra/local/dashboards/alarm-states.ts';
import { MetricStore } from '#infra/local/dashboards/metric-store.ts';
import { named } from '#infra/metrics.ts';
import { stageValues } from '#infra/stages.ts';
import { askedOf } from '#shared/domain/simulations/pricing/asked.ts';
import { obstacles } from '#shared/domain/simulations/pricing/eligibility.ts';
import { WARNING_DAYS } from '#shared/domain/simulations/pricing/notices.ts';
import { quote } from '#shared/domain/simulations/pricing/quote.ts';
import type { Tables } from '#shared/domain/simulations/pricing/tables/in-force.ts';
import type { RatePublication } from '#shared/domain/simulations/pricing/tables/publications.ts';
import { daysLeft } from '#shared/domain/simulations/pricing/tables/rate-expiries.ts';
import { type BankTable, stillShown } from '#shared/domain/simulations/pricing/tables/table.ts';
import { SEGMENTS, type Segment } from '#shared/domain/simulations/simulation.ts';
import { BANKS, type Bank } from '#shared/domain/values/bank.ts';
import { addDays, type Day, dayOf, startInSaoPaulo } from '#shared/domain/values/clock.ts';
import { days, hours, type Instant, minutes } from '#shared/domain/values/time.ts';
import { NAMESPACE } from '#shared/runtime/metrics.ts';
import { FROZEN_TABLES } from '#test/makers/frozen-tables.ts';
import { makeQuoteRequest, reais } from '#test/makers/quote-request.ts';

const stage = stageValues('prod', {});
const metricNamed = (name: string) => ({ namespace: NAMESPACE, name, dimensions: { stage: 'prod' } });

/** Returns tables whose figures other than rates never get old in these tests. */
function withFreshFigures({ banks, scenarios, ...others }: Tables): Tables {
  const seen = (versions: readonly BankTable[]) => versions.map((table) => ({ ...table, seen: '2030-01-01' }));
  const fresh = { value: '2.0', date: '2030-01-01', source: 'a survey' };
  const indexers = { TR: fresh, IPCA: fresh, POUPANCA: fresh };
  return {
    ...others,
    banks: named(BANKS, (bank) => seen(banks[bank])),
    scenarios: scenarios.map((scenario) => ({ ...scenario, validFrom: '2030-01-01', indexers })),
  };
}

/** Returns a function that says whether the alarm of these tables is on at a moment for the age of rates. */
const ringing = (tables: Tables) => alarmOf(withFreshFigures(tables));

/**
 * Returns a function that names the alarms that are on because of what the sweeper emits from a moment on. The alarms see
 * it after an hour.
 */
function alarmsOn(tables: Tables, publications: readonly RatePublication[], unknown: number) {
  const alarms = alarmsOf(stage).filter(({ name }) => ['pricing-tables-old', 'rates-unknown'].includes(name));
  return (at: Instant): readonly string[] => {
    const seen = at + hours(1);
    const store = new MetricStore(() => seen);
    const emitted = at + minutes(30);
    const days = daysLeft(emitted, stage.rateDays, publications, tables);
    store.add(metricNamed('RateDaysLeft'), days === undefined ? [] : [days], emitted);
    store.add(metricNamed('BankRatesUnknown'), [unknown], seen - minutes(1));
    const states = alarmStates(alarms, store, seen);
    return alarms.map(({ name }) => name).filter((name) => states.get(name)?.state === 'ALARM');
  };
}

/** Returns a function that says whether `pricing-tables-old` is on. */
function alarmOf(tables: Tables, publications: readonly RatePublication[] = [], unknown = 0): (at: Instant) => boolean {
  const on = alarmsOn(tables, publications, unknown);
  return (at) => on(at).includes('pricing-tables-old');
}

/** Returns tables of only one bank. */
const tablesOf = (bank: Bank, versions: readonly BankTable[]): Tables => ({
  ...FROZEN_TABLES,
  banks: { ...named(BANKS, (): readonly BankTable[] => []), [bank]: versions },
});

/** Returns the next version of a bank's frozen table: pages of the bank still showed each rate on a day. */
const stillShownOn = (read: string, versions: readonly BankTable[]): readonly BankTable[] =>
  versions.flatMap((table) => {
    const rates = table.rates.map((row) => ({ ...row, rate: stillShown(row.rate, read, 'https://bank.example/') }));
    return [table, { ...table, version: `${table.bank}-2027-01`, validFrom: '2027-01-05', rates }];
  });

/** First days on which production refuses a bank, by segment. Other segments have the rate of `padrao`. */
type FirstDays = Readonly<Partial<Record<Segment, string>>> & { readonly padrao: string };

/** For each bank, the last date of its frozen rates, and the first days of refusals without and with a page. */
const BANKS_AND_DAYS: Readonly<Record<Bank, readonly [lastDate: string, asFrozen: FirstDays, withPage: FirstDays]>> = {
  bradesco: [
    // The date of the middle rate is `2026`, and its table is of 2026-11-21.
    '2026-11-21',
    { padrao: '2027-02-01', intermediario: '2027-11-22', alta_renda: '2027-08-01' },
    { padrao: '2028-01-05', intermediario: '2028-01-05', alta_renda: '2028-01-05' },
  ],
  itau: ['2026-07-31', { padrao: '2027-08-01' }, { padrao: '2028-01-05' }],
  santander: [
    '2026-07-31',
    { padrao: '2027-02-01', alta_renda: '2027-08-01' },
    { padrao: '2028-01-05', alta_renda: '2028-01-05' },
  ],
  inter: ['2026-07-31', { padrao: '2027-08-01' }, { padrao: '2028-01-05' }],
  // A page extends the use of a rate of 2025 by 12 months at most, so that it ends with 2027.
  brb: ['2025-12-31', { padrao: '2027-01-01' }, { padrao: '2028-01-01' }],
  cashme: ['2025-12-31', { padrao: '2027-01-01' }, { padrao: '2028-01-01' }],
};

const CASES = BANKS.flatMap((bank) => {
  const [lastDate, asFrozen, withPage] = BANKS_AND_DAYS[bank];
  const frozen = FROZEN_TABLES.banks[bank];
  return [
    [bank, 'as published in November 2026', frozen, lastDate, asFrozen],
    [bank, 'still shown on 2027-01-04', stillShownOn('2027-01-04', frozen), '2027-01-04', withPage],
  ] as const;
});

/** The 400 days after a day, from the first day of the frozen tables on. */
const daysAfter = (last: string): readonly Day[] =>
  Array.from({ length: 400 }, (_, index) => addDays(dayOf(last), index + 1)).filter((day) => day >= '2026-11-21');

/** Returns a request in production that each bank serves while its rate is not too old. */
const requestOf = (segment: Segment, contractDay: Day) =>
  makeQuoteRequest({ financedValue: reais('250000.00'), segment, contractDay, rateDays: stage.rateDays });

describe.each(CASES)('the rates of %s, %s', (bank, _, versions, lastDate, firstDays) => {
  const tables = tablesOf(bank, versions);

  it(`production prices ${bank} exactly until the day before its rate is too old`, () => {
    for (const segment of SEGMENTS) {
      const first = dayOf(firstDays[segment] ?? firstDays.padrao);
      // An offer takes a hundred times as long as its obstacles, so that only the days next to the limit are quoted.
      const refused = daysAfter(lastDate).filter(
        (day) => obstacles(askedOf(bank, requestOf(segment, day), tables)).length > 0,
      );
      expect(refused, segment).toEqual(daysAfter(lastDate).filter((day) => day >= first));
      expect(refused, segment).toContain(first);
      expect(quote(bank, requestOf(segment, addDays(first, -1)), tables), segment).toHaveProperty('offer');
      expect(quote(bank, requestOf(segment, first), tables), segment).toMatchObject({
        refusal: { reasons: [{ kind: 'rateTooOld' }] },
      });
    }
  });

  it(`pricing-tables-old is on from ${WARNING_DAYS} days before production refuses ${bank}, and not earlier`, () => {
    const isRinging = ringing(tables);
    const [first = ''] = Object.values(firstDays).sort();
    const rung = daysAfter(lastDate).filter((day) => isRinging(startInSaoPaulo(day)));
    expect(rung).toEqual(daysAfter(lastDate).filter((day) => day >= addDays(dayOf(first), -60)));
  });
});

/** Returns the moments at which the alarm begins to be on, looked at each hour from a day on. */
function rings(tables: Tables, from: string, count: number): readonly Instant[] {
  const isRinging = ringing(tables);
  const begin = startInSaoPaulo(dayOf(from));
  const moments = Array.from({ length: (count * days(1)) / hours(1) }, (_, hour) => begin + hour * hours(1));
  return moments.filter((at) => isRinging(at) && !isRinging(at - hours(1)));
}
const startOf = (day: string) => startInSaoPaulo(dayOf(day));

it('pricing-tables-old rings 60 days and 7 days before each day on which refusals begin', () => {
  expect(rings(FROZEN_TABLES, '2026-10-01', 430)).toEqual(
    [
      '2026-11-02',
      '2026-12-03',
      '2026-12-25',
      '2027-01-25',
      '2027-06-02',
      '2027-07-25',
      '2027-09-23',
      '2027-11-15',
    ].map(startOf),
  );
});

it('pricing-tables-old is silent while no bank is refused within 60 days', () => {
  const { itau, inter } = FROZEN_TABLES.banks;
  const tables = { ...FROZEN_TABLES, banks: { ...named(BANKS, (): readonly BankTable[] => []), itau, inter } };
  const isRinging = ringing(tables);
  const quiet = Array.from({ length: 192 }, (_, index) => addDays(dayOf('2026-11-21'), index));
  expect(quiet.at(-1)).toBe('2027-05-31');
  for (const day of quiet) expect(isRinging(startInSaoPaulo(day)), day).toBe(false);
});

it('pricing-tables-old ends when the next table of a refused bank comes into use', () => {
  const [frozen] = FROZEN_TABLES.banks.brb;
  if (frozen === undefined) throw new Error('brb has no frozen table');
  const rates = frozen.rates.map((row) => ({ ...row, rate: { ...row.rate, date: '2027-01-10' } }));
  const next = { ...frozen, version: 'brb-2027-01', validFrom: '2027-01-15', rates };
  const isRinging = ringing(tablesOf('brb', [frozen, next]));
  expect(isRinging(startOf('2027-01-15') - hours(1))).toBe(true);
  expect(isRinging(startOf('2027-01-15'))).toBe(false);
  expect(isRinging(startOf('2027-11-12') - hours(1))).toBe(false);
  expect(isRinging(startOf('2027-11-12'))).toBe(true);
});

it.each([
  ['conditions that nobody has compared for a year', '2027-01-01'],
  ['states that a page excluded a year ago', '2026-12-02'],
  ['a figure of the scenario that is older than 120 days', '2026-06-19'],
])('pricing-tables-old is on because of %s', (figures, day) => {
  const { banks, scenarios } = withFreshFigures(FROZEN_TABLES);
  const excludedStates = { values: ['AC'], date: '2025-12-01', address: 'https://inter.co' };
  const itau = banks.itau.map((table) => ({ ...table, ...(figures.includes('states') ? { excludedStates } : {}) }));
  const tables: Tables = {
    ...FROZEN_TABLES,
    banks: {
      ...named(BANKS, (): readonly BankTable[] => []),
      itau: figures.includes('conditions') ? FROZEN_TABLES.banks.itau : itau,
    },
    scenarios: figures.includes('scenario')
      ? FROZEN_TABLES.scenarios.map((table) => ({ ...table, validFrom: '2026-06-01' }))
      : scenarios,
  };
  const isRinging = alarmOf(tables);
  expect(isRinging(startOf(day) - hours(1))).toBe(false);
  expect(isRinging(startOf(day))).toBe(true);
});

it('pricing-tables-old ends when a confirmed rate is used for longer', () => {
  const [frozen] = FROZEN_TABLES.banks.brb;
  const published = frozen?.rates[0];
  if (published === undefined) throw new Error('brb has no frozen rate');
  const rate = stillShown(published.rate, '2026-12-20', 'https://novo.brb.com.br/taxas');
  const publication: RatePublication = { bank: 'brb', segment: 'padrao', from: dayOf('2026-11-21'), rate };
  const tables = withFreshFigures(tablesOf('brb', FROZEN_TABLES.banks.brb));
  expect(alarmOf(tables)(startOf('2026-12-20'))).toBe(true);
  expect(alarmOf(tables, [publication])(startOf('2026-12-20'))).toBe(false);
  expect(alarmOf(tables, [publication])(startOf('2027-12-20'))).toBe(true);
});

it('an unknown published rate and old tables ring alarms of their own, in any order', () => {
  const brb = withFreshFigures(tablesOf('brb', FROZEN_TABLES.banks.brb));
  const on = (unknown: number, day: string) => alarmsOn(brb, [], unknown)(startOf(day));
  expect(on(0, '2026-11-01')).toEqual([]);
  expect(on(1, '2026-11-01')).toEqual(['rates-unknown']);
  expect(on(0, '2026-12-20')).toEqual(['pricing-tables-old']);
  expect(on(1, '2026-12-20')).toEqual(['pricing-tables-old', 'rates-unknown']);
});

it('pricing-tables-old rings again for another bank while a published rate is unknown', () => {
  const isRinging = alarmOf(withFreshFigures(FROZEN_TABLES), [], 1);
  expect(isRinging(startOf('2026-12-03') - hours(1))).toBe(false);
  expect(isRinging(startOf('2026-12-03'))).toBe(true);
});
