import type { Bank } from '#shared/domain/values/bank.ts';
import type { Day } from '#shared/domain/values/clock.ts';
import { FGTS_CONDITIONS, type Notice, type Product } from '../simulation.ts';
import type { Asked } from './asked.ts';
import { ASSUMED_AGE, jointIncome, sharesUnknown } from './borrowers.ts';
import type { Values } from './loan-values.ts';
import { rateAgeDays, TABLES, type Tables, tableFor } from './tables/in-force.ts';

/** Age of a published rate, in days, above which an offer says that the rate is old. */
export const RATE_AGE_LIMIT = 120;

/** Whether at least one of these banks lends only in the states that its table on this day names. */
export const distinguishStates = (banks: readonly Bank[], day: Day, tables: Tables = TABLES): boolean =>
  banks.some((bank) => tableFor(bank, day, tables).states !== undefined);

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

function rateAge({ terms, rate, request }: Asked): readonly Notice[] {
  const days = rateAgeDays(terms.table, rate.published, request.contractDay);
  return days > RATE_AGE_LIMIT ? [{ kind: 'tableOld', days }] : [];
}

/** Returns what a customer must know in addition to an offer's figures, for example what was assumed. */
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
  return notices.concat(programme(asked, values), unattested(asked), rateAge(asked));
}
