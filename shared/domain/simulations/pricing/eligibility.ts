import { ageOn, type Day } from '#shared/domain/values/clock.ts';
import { type Centavos, centavos } from '#shared/domain/values/money.ts';
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
  const { bank, excludedStates } = terms.table;
  if (excludedStates === undefined || request.state === undefined) return [];
  const { values: states, date: seen } = excludedStates;
  return states.includes(request.state) ? [{ kind: 'stateExcluded', bank, states, seen }] : [];
}

const purposeObstacles = ({ terms, purpose }: Asked): Reasons =>
  purpose === 'comercial' && !terms.table.homeEquity ? [{ kind: 'purposeNotPriced' }] : [];

/** Last day on which the rate may be used. Undefined if the request sets no `rateDays`. */
export function rateUntil({ terms, rate: { published }, request: { rateDays }, tables }: Asked): Day | undefined {
  return rateDays === undefined ? undefined : lastDayOfUse(terms.table, published, rateDays, tables);
}

function rateObstacles(asked: Asked): Reasons {
  const { rateDays, contractDay, offersOldRates } = asked.request;
  const until = rateUntil(asked);
  if (rateDays === undefined || until === undefined || offersOldRates || contractDay <= until) return [];
  return [{ kind: 'rateTooOld', date: asked.rate.published.rate.date, days: rateDays }];
}

function systemObstacles({ terms, rate, system }: Asked): Reasons {
  if (rate.published.system === system) return [];
  return [{ kind: 'systemNotPriced', known: systemsOffered(terms.table) }];
}

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

function propertyObstacles({ terms, rate, backing, request: { propertyValue } }: Asked): Reasons {
  if (propertyValue === undefined) return [];
  const tooCheap: Reasons =
    propertyValue < terms.leastProperty ? [{ kind: 'propertyTooCheap', least: terms.leastProperty }] : [];
  if (highestByShare(propertyValue, backing) >= terms.leastFinanced) return tooCheap;
  const property = leastProperty(terms.leastFinanced, withoutFgts(backing));
  const { leastFinanced: leastLoan } = terms;
  return tooCheap.concat({ kind: 'leastLoanAboveShare', leastLoan, share: rate.sharePercent, property });
}

function termObstacles({ terms, limits, longest, request: { term } }: Asked): Reasons {
  // If the age allows no term of the bank, ageObstacles says so, and no other term helps.
  if (term === undefined || longest === 0) return [];
  if (term > Math.min(terms.longestTerm, limits.longestTerm)) return [{ kind: 'termTooLong', longest }];
  return term < terms.shortestTerm ? [{ kind: 'termTooShort', shortest: terms.shortestTerm }] : [];
}

/**
 * If the request's property is too cheap, returns the cheapest property that the bank accepts, because
 * propertyObstacles asks for it. Undefined if the request names no property.
 */
function acceptableProperty({ terms, backing, request: { propertyValue } }: Asked): Centavos | undefined {
  if (propertyValue === undefined) return undefined;
  return centavos(Math.max(propertyValue, leastProperty(terms.leastFinanced, withoutFgts(backing))));
}

/** The loan is the financed value, but at least the bank's smallest loan. */
function sizeObstacles({ terms, backing, request }: Asked, property: Centavos | undefined): Reasons {
  const { financedValue } = request;
  const highest = property === undefined ? highestOnAny(withoutFgts(backing)) : highestBySize(property, backing);
  if (Math.max(financedValue ?? 0, terms.leastFinanced) <= highest) return [];
  const most = highest < terms.leastFinanced ? centavos(0) : highest;
  const expenses =
    property === undefined ? centavos(backing.largestPrincipal - highest) : expensesOf(property, backing);
  return [{ kind: 'financedTooHigh', most, expenses, published: terms.largestFinanced !== undefined }];
}

function loanObstacles(asked: Asked): Reasons {
  const { terms, rate, backing, request } = asked;
  const { financedValue } = request;
  const property = acceptableProperty(asked);
  const size = sizeObstacles(asked, property);
  if (financedValue === undefined) return size;
  const tooLow: Reasons =
    financedValue < terms.leastFinanced ? [{ kind: 'financedTooLow', least: terms.leastFinanced }] : [];
  if (property === undefined) return tooLow.concat(size);
  const [byShare, bySize] = [highestByShare(property, backing), highestBySize(property, backing)];
  if (financedValue <= byShare || bySize < terms.leastFinanced) return tooLow.concat(size);
  const expenses = expensesOf(property, backing);
  const highest = centavos(Math.min(byShare, bySize));
  const aboveShare: RefusalReason = { kind: 'ltvExceeded', share: rate.sharePercent, highest, expenses };
  // If the share is the lower limit, a loan of the largest size would be refused for the share.
  return byShare < bySize ? tooLow.concat(aboveShare) : tooLow.concat(size, aboveShare);
}

/**
 * Undefined if nothing excludes FGTS. If the request names a loan and no property, FGTS is also excluded if no property
 * of the SFH carries the loan.
 */
function fgtsBar(asked: Asked): ReturnType<typeof sfhBar> {
  const { limits, backing, request } = asked;
  const { propertyValue, financedValue } = request;
  const bar = sfhBar(asked, propertyValue);
  // A rate that is too old to make an offer does not show on which side of the SFH's limit the bank is.
  if (bar === 'product' || (bar === 'rate' && rateObstacles(asked).length === 0)) return bar;
  const loan = financedValue ?? centavos(0);
  const needed = propertyValue ?? leastProperty(loan, withoutFgts(backing));
  return needed > limits.sfhProperty ? 'property' : undefined;
}

/** The room between price and loan is a reason only if FGTS may pay something at all. */
function fgtsObstacles(asked: Asked): Reasons {
  const { terms, request, limits, backing } = asked;
  const { fgts } = request;
  if (fgts === undefined) return [];
  const barredBy = fgtsBar(asked);
  const reasons: RefusalReason[] = FGTS_CONDITIONS.filter((condition) => fgts[condition] === false).map(
    (condition) => ({ kind: 'fgtsConditionMissing', condition }),
  );
  if (barredBy !== undefined) reasons.push({ kind: 'fgtsOutsideSfh', barredBy, highestProperty: limits.sfhProperty });
  if (reasons.length > 0) return reasons;
  // If no property is named, the most expensive property of the SFH must have room for the loan and the FGTS.
  const price = acceptableProperty(asked) ?? limits.sfhProperty;
  // A loan above `largest` counts as `largest`, because another reason already says to lower the loan to that.
  const largest = highestFinanced(price, withoutFgts(backing));
  const loan = Math.max(Math.min(request.financedValue ?? 0, largest), terms.leastFinanced);
  const most = centavos(Math.max(0, price - loan));
  return fgts.value > most ? [{ kind: 'fgtsTooHigh', most }] : [];
}

/**
 * shared/domain/simulations/pricing/README.md, rules 8 and 23, say in which order the reasons come, and which limits
 * are left out. If the bank does not offer the system, the other limits are those of a system that it offers.
 */
export function obstacles(asked: Asked): Reasons {
  const purpose = purposeObstacles(asked);
  // The table's figures are for homes, and say nothing about commercial property.
  if (purpose.length > 0) return stateObstacles(asked).concat(purpose);
  return [
    stateObstacles(asked),
    rateObstacles(asked),
    systemObstacles(asked),
    ageObstacles(asked),
    propertyObstacles(asked),
    termObstacles(asked),
    loanObstacles(asked),
    fgtsObstacles(asked),
  ].flat();
}
