import { WARNING_DAYS } from '#shared/domain/simulations/pricing/notices.ts';
import type { Tables } from '#shared/domain/simulations/pricing/tables/in-force.ts';
import {
  type FigureExpiry,
  figureExpiries,
  type RateExpiry,
  rateExpiries,
} from '#shared/domain/simulations/pricing/tables/rate-expiries.ts';
import { addDays, startInSaoPaulo } from '#shared/domain/values/clock.ts';
import { hours, type Instant, seconds } from '#shared/domain/values/time.ts';
import type { Formula } from '../formula.ts';
import { math, metricsOf } from '../metrics.ts';
import type { Stage } from '../stages.ts';
import { type AlarmRow, ticket } from './row.ts';

/** Time that one value of the alarm covers. */
const PERIOD = hours(1);

/** Time in which the alarm is on because of one expiry. It ends when the bank's next table comes into use. */
interface Warning {
  readonly from: Instant;
  readonly until: Instant;
}

/**
 * Returns the alarm on banks that production will soon refuse, or already refuses, because their rates are too old. The
 * days follow from the tables, so that the alarm needs no metric of its own: its formula compares the time with them.
 */
export function pricingTables(stage: Stage, tables: Tables): AlarmRow[] {
  const { total } = metricsOf(stage);
  const expiries = rateExpiries(stage.rateDays, tables);
  const figures = figureExpiries(stage.rateDays, tables);
  const warnings = expiries.map(warningOf).concat(figures.map(warningOf));
  // The poller emits this metric in each minute. The formula takes only the time from it.
  const clock = total('Pending', { period: PERIOD, statistic: 'SampleCount' });
  return [
    ticket(
      'pricing-tables-old',
      { board: 'product', about: 'bank', section: 'pricing-tables' },
      `Production refuses a bank, or will do so within ${WARNING_DAYS} days, because its rates are too old. First days of refusals: ${expiryTexts(expiries).join('; ')}. Other figures are old from these days, and on them the alarm is on, too: ${figureTexts(figures).join('; ')}.`,
      { metric: math({ clock }, warningFormula(warnings), 'a bank is refused soon'), atLeast: 1 },
    ),
  ];
}

/**
 * Returns a text for each day on which expiries begin, earliest first: `2027-02-01 bradesco (padrao), santander`.
 * A bank without segments in parentheses is refused altogether.
 */
export function expiryTexts(expiries: readonly RateExpiry[]): readonly string[] {
  const byDay = Map.groupBy(expiries, ({ day }) => day);
  return Array.from(byDay, ([day, ofDay]) => {
    const banks = ofDay.map(({ bank, segments, until }) => {
      const which = segments === undefined ? bank : `${bank} (${segments.join(', ')})`;
      return until === undefined ? which : `${which} until ${until}`;
    });
    return `${day} ${banks.join(', ')}`;
  });
}

/** Returns a text for each day from which figures other than rates are old: `2027-01-01 brb conditions`. */
export const figureTexts = (expiries: readonly FigureExpiry[]): readonly string[] =>
  Array.from(
    Map.groupBy(expiries, ({ day }) => day),
    ([day, ofDay]) => `${day} ${ofDay.map(({ figures }) => figures).join(', ')}`,
  );

/** Returns the time in which the alarm is on. Figures that still price ring on the day itself. */
const warningOf = ({ day, ...expiry }: RateExpiry | FigureExpiry): Warning => ({
  from: startInSaoPaulo('figures' in expiry ? day : addDays(day, -WARNING_DAYS)),
  until: 'until' in expiry && expiry.until !== undefined ? startInSaoPaulo(expiry.until) : Number.POSITIVE_INFINITY,
});

/**
 * Whether the alarm is on at a moment: during each warning, except in the last period before another warning begins.
 * CloudWatch notifies only when an alarm changes its state, so that the alarm must end before it can ring for the next
 * bank.
 */
function isOn(warnings: readonly Warning[], at: Instant): boolean {
  const begins = warnings.some(({ from }) => from - PERIOD <= at && at < from);
  return !begins && warnings.some(({ from, until }) => from <= at && at < until);
}

/**
 * Returns the formula that is 1 while the alarm is on, and 0 otherwise. It is one condition for each change of the
 * state, the latest change first.
 */
function warningFormula(warnings: readonly Warning[]): Formula {
  const moments = new Set(warnings.flatMap(({ from, until }) => [from - PERIOD, from, until]).filter(Number.isFinite));
  let formula: Formula = 0;
  let state = false;
  for (const moment of Array.from(moments).sort((a, b) => a - b)) {
    if (isOn(warnings, moment) === state) continue;
    state = !state;
    // A value has the time at which its period begins. The alarm sees it when the period has ended.
    const begins = (moment - PERIOD) / seconds(1);
    formula = { if: { epoch: 'clock' }, atLeast: begins, gives: state ? 1 : 0, else: formula };
  }
  return formula;
}
