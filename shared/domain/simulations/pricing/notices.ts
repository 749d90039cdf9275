import type { Bank } from '#shared/domain/values/bank.ts';
import { addDays, type Day, dayOf, daysBetween } from '#shared/domain/values/clock.ts';
import { centavos } from '#shared/domain/values/money.ts';
import { FGTS_CONDITIONS, type Notice, type Product } from '../simulation.ts';
import type { Asked } from './asked.ts';
import { ASSUMED_AGE, jointIncome, sharesUnknown } from './borrowers.ts';
import { rateUntil } from './eligibility.ts';
import type { Values } from './loan-values.ts';
import { rateAgeDays, scenarioDay, scenarioFor, TABLES, type Tables, tableFor } from './tables/in-force.ts';

/** Age of a published rate, in days, above which an offer says that the rate is old. */
export const RATE_AGE_LIMIT = 120;

/** Days for which offers, the alarm and the documentation announce that production will refuse a bank. */
export const WARNING_DAYS = 60;

/**
 * Lowest monthly income of a customer of high income. No page of a bank with such an income could be read; this is the
 * figure of https://www.euqueroinvestir.com/cliente-private-banking/.
 */
const HIGH_INCOME = centavos(8_000_00);

export const distinguishStates = (banks: readonly Bank[], day: Day, tables: Tables = TABLES): boolean =>
  banks.some((bank) => tableFor(bank, day, tables).excludedStates !== undefined);

function programme({ request, limits, terms }: Asked, { propertyValue }: Values): readonly Notice[] {
  // If only the second proponent's income is known, the income of the family is not known.
  const income = request.income === undefined ? undefined : jointIncome(request);
  if (terms.table.homeEquity) return [];
  if (income === undefined || income > limits.programme.income || propertyValue > limits.programme.property) return [];
  const { income: highestIncome, property } = limits.programme;
  return [{ kind: 'housingProgramme', income: highestIncome, property }];
}

function unattested({ request: { fgts } }: Asked): readonly Notice[] {
  const conditions = fgts ? FGTS_CONDITIONS.filter((condition) => fgts[condition] === undefined) : [];
  return conditions.length > 0 ? [{ kind: 'fgtsUnattested', conditions }] : [];
}

function ages(asked: Asked): readonly Notice[] {
  const { terms, rate, request, tables } = asked;
  const notices: Notice[] = [];
  const days = rateAgeDays(terms.table, rate.published, request.contractDay, tables);
  const { stillShown } = rate.published.rate;
  if (days > RATE_AGE_LIMIT) notices.push({ kind: 'tableOld', days, seen: stillShown && dayOf(stillShown.date) });
  const until = rateUntil(asked);
  if (until !== undefined && daysBetween(request.contractDay, until) < WARNING_DAYS)
    notices.push({ kind: 'rateEnding', from: addDays(until, 1) });
  const { indexer } = rate.published;
  if (indexer === 'PREFIXADO') return notices;
  const scenario = scenarioFor(request.contractDay, tables);
  const scenarioDays = daysBetween(scenarioDay(indexer, scenario, tables), request.contractDay);
  const { date } = scenario.indexers[indexer];
  if (scenarioDays > RATE_AGE_LIMIT) notices.push({ kind: 'scenarioOld', indexer, date, days: scenarioDays });
  return notices;
}

function unverified({ request, rate, terms }: Asked): readonly Notice[] {
  const notices: Notice[] = [];
  const { excludedStates } = terms.table;
  if (excludedStates && request.state === undefined)
    notices.push({ kind: 'stateUnknown', states: excludedStates.values });
  const income = jointIncome(request);
  if (rate.segment === 'alta_renda' && income !== undefined && income < HIGH_INCOME)
    notices.push({ kind: 'incomeBelowSegment', segment: rate.segment, least: HIGH_INCOME });
  return notices;
}

export function noticesOf(asked: Asked, values: Values, product: Product): readonly Notice[] {
  const { request, rate, terms } = asked;
  const segment = request.segment ?? 'padrao';
  const housing = product !== 'HOME_EQUITY';
  const notices: Notice[] = [];
  if (request.birthDate === undefined) notices.push({ kind: 'ageAssumed', years: ASSUMED_AGE });
  if (segment !== rate.segment) notices.push({ kind: 'segmentWithoutRate', asked: segment });
  if (request.financeExpenses && housing && !terms.table.financesExpenses)
    notices.push({ kind: 'expensesNotFinanced' });
  if (sharesUnknown(request)) notices.push({ kind: 'equalSharesAssumed' });
  return notices.concat(programme(asked, values), unattested(asked), unverified(asked), ages(asked));
}
