import { ageOn } from '#shared/domain/values/clock.ts';
import { centavos } from '#shared/domain/values/money.ts';
import { FGTS_CONDITIONS, type RefusalReason } from '../simulation.ts';
import { type Asked, longestTermForAge, systemsOffered } from './asked.ts';
import {
  expensesOf,
  highestByShare,
  highestBySize,
  highestFinanced,
  highestOnAny,
  leastProperty,
  withoutFgts,
} from './backing.ts';
import { sfhBar } from './product.ts';
import { lastDayOfUse } from './tables/in-force.ts';

type Reasons = readonly RefusalReason[];

function stateObstacles({ terms, request }: Asked): Reasons {
  const states = terms.table.states?.values;
  if (states === undefined || request.state === undefined || states.includes(request.state)) return [];
  return [{ kind: 'stateNotServed', states }];
}

const purposeObstacles = ({ terms, purpose }: Asked): Reasons =>
  purpose === 'comercial' && !terms.table.homeEquity ? [{ kind: 'purposeNotPriced' }] : [];

function rateObstacles({ terms, rate: { published }, request: { rateDays, contractDay } }: Asked): Reasons {
  if (rateDays === undefined || contractDay <= lastDayOfUse(terms.table, published, rateDays)) return [];
  return [{ kind: 'rateTooOld', date: published.rate.date, days: rateDays }];
}

function systemObstacles({ terms, rate, system }: Asked): Reasons {
  if (rate.published.system === system) return [];
  return [{ kind: 'systemNotOffered', offered: systemsOffered(terms.table) }];
}

/** Returns the obstacles of age: on the contract's day, and at the end of the term. */
function ageObstacles({ terms, limits, birthDates, longest, request }: Asked): Reasons {
  const ages = birthDates.map((birthDate) => ageOn(birthDate, request.contractDay));
  const tooYoung: Reasons =
    Math.min(...ages) < limits.youngest ? [{ kind: 'tooYoung', youngest: limits.youngest }] : [];
  if (Math.max(...ages) > limits.oldest) return tooYoung.concat({ kind: 'tooOld', oldest: limits.oldest });
  const forAge = longestTermForAge(birthDates, request.contractDay, limits);
  // Age is a reason only if it allows less than the bank and the housing rules. Otherwise only termObstacles reports a
  // term that is too long.
  const ageBinds = forAge < Math.min(terms.longestTerm, limits.longestTerm);
  const isTermTooLong = longest === 0 || (request.term !== undefined && request.term > forAge && ageBinds);
  return isTermTooLong ? tooYoung.concat({ kind: 'tooOldAtTheEnd', longest }) : tooYoung;
}

/** Returns the obstacles of a property that is worth too little for the bank, or for the bank's smallest loan. */
function propertyObstacles({ terms, rate, backing, request: { propertyValue } }: Asked): Reasons {
  if (propertyValue === undefined) return [];
  const tooCheap: Reasons =
    propertyValue < terms.leastProperty ? [{ kind: 'propertyTooCheap', least: terms.leastProperty }] : [];
  if (highestByShare(propertyValue, backing) >= terms.leastFinanced) return tooCheap;
  const property = leastProperty(terms.leastFinanced, withoutFgts(backing));
  const { leastFinanced: leastLoan } = terms;
  return tooCheap.concat({ kind: 'leastLoanAboveShare', leastLoan, share: rate.sharePercent, property });
}

function termObstacles({ terms, limits, request: { term } }: Asked): Reasons {
  if (term === undefined) return [];
  const longest = Math.min(terms.longestTerm, limits.longestTerm);
  if (term > longest) return [{ kind: 'termTooLong', longest }];
  return term < terms.shortestTerm ? [{ kind: 'termTooShort', shortest: terms.shortestTerm }] : [];
}

/**
 * Returns an obstacle if the loan and its expenses together exceed the largest loan. The loan is the financed value,
 * but at least the bank's smallest loan.
 */
function sizeObstacles({ terms, backing, request: { propertyValue, financedValue } }: Asked): Reasons {
  const highest =
    propertyValue === undefined ? highestOnAny(withoutFgts(backing)) : highestBySize(propertyValue, backing);
  if (Math.max(financedValue ?? 0, terms.leastFinanced) <= highest) return [];
  const most = highest < terms.leastFinanced ? centavos(0) : highest;
  const expenses =
    propertyValue === undefined ? centavos(backing.largestPrincipal - highest) : expensesOf(propertyValue, backing);
  return [{ kind: 'financedTooHigh', most, expenses, published: terms.largestFinanced !== undefined }];
}

/** Returns the obstacles of a financed value that is less or more than the bank lends. */
function loanObstacles(asked: Asked): Reasons {
  const { terms, rate, backing, request } = asked;
  const { propertyValue, financedValue } = request;
  const size = sizeObstacles(asked);
  if (financedValue === undefined) return size;
  const tooLow: RefusalReason[] =
    financedValue < terms.leastFinanced ? [{ kind: 'financedTooLow', least: terms.leastFinanced }] : [];
  const reasons = tooLow.concat(size);
  if (propertyValue === undefined) return reasons;
  const [byShare, bySize] = [highestByShare(propertyValue, backing), highestBySize(propertyValue, backing)];
  const expenses = expensesOf(propertyValue, backing);
  // If the largest loan is below the bank's share of the property, the largest loan is the highest possible value.
  const highest = centavos(Math.min(byShare, bySize));
  if (financedValue > byShare && bySize >= terms.leastFinanced)
    reasons.push({ kind: 'ltvExceeded', share: rate.sharePercent, highest, expenses });
  return reasons;
}

/**
 * Returns what excludes FGTS. Undefined if nothing does. If the request names a loan and no property, FGTS is also
 * excluded if no property of the SFH carries the loan.
 */
function fgtsBar(asked: Asked): ReturnType<typeof sfhBar> {
  const { limits, backing, request } = asked;
  const { propertyValue, financedValue } = request;
  const bar = sfhBar(asked, propertyValue);
  if (bar !== undefined || propertyValue !== undefined || financedValue === undefined) return bar;
  const needed = leastProperty(financedValue, withoutFgts(backing));
  return needed > limits.sfhProperty ? 'property' : undefined;
}

/** Returns the obstacles of FGTS: its conditions, the limits of the SFH, and too little room between price and loan. */
function fgtsObstacles(asked: Asked): Reasons {
  const { terms, request, limits, backing } = asked;
  const { fgts, propertyValue } = request;
  if (fgts === undefined) return [];
  const barredBy = fgtsBar(asked);
  const reasons: RefusalReason[] = FGTS_CONDITIONS.filter((condition) => fgts[condition] === false).map(
    (condition) => ({ kind: 'fgtsConditionMissing', condition }),
  );
  if (barredBy !== undefined) reasons.push({ kind: 'fgtsOutsideSfh', barredBy, highestProperty: limits.sfhProperty });
  // If no property is named, the most expensive property of the SFH must have room for the loan and the FGTS.
  const price = propertyValue ?? (barredBy === undefined ? limits.sfhProperty : undefined);
  if (price === undefined) return reasons;
  // A loan above `largest` counts as `largest`, because another reason already says to lower the loan to that.
  const largest = highestFinanced(price, withoutFgts(backing));
  const loan = Math.max(Math.min(request.financedValue ?? 0, largest), terms.leastFinanced);
  const most = centavos(Math.max(0, price - loan));
  if (fgts.value > most) reasons.push({ kind: 'fgtsTooHigh', most });
  return reasons;
}

/**
 * Returns every limit that a request exceeds at a bank. The order is: state, purpose, age of the rate, system, age,
 * property, term, size of the loan, share of the property, FGTS. If the bank does not offer the system, the other
 * limits are those of a system that it offers.
 */
export function obstacles(asked: Asked): Reasons {
  return [
    stateObstacles(asked),
    purposeObstacles(asked),
    rateObstacles(asked),
    systemObstacles(asked),
    ageObstacles(asked),
    propertyObstacles(asked),
    termObstacles(asked),
    loanObstacles(asked),
    fgtsObstacles(asked),
  ].flat();
}
