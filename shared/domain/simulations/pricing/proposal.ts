// The nearest offer to a refused request (shared/contract/README.md#simulations, rule 7). What the request names is
// moved to the closest limit and no further: first the system and the term, then the loan on the property as it is, and
// the property only where it is worth too little for any loan of the bank. A request by income gets what the income
// carries at that term; where that is nothing, the shortest term at which it carries the least loan. What the system
// asked for cannot do, another may. A proposal is measured like any request before it is given; one that would be
// refused too is not given: state, age and the FGTS's conditions are facts that no values change.
import { type Centavos, centavos } from '#shared/domain/values/money.ts';
import type { Proposal, RefusalReason } from '../simulation.ts';
import { type Asked, askedOf, nearestTerm, systemsOffered } from './asked.ts';
import { highestFinanced, leastProperty } from './backing.ts';
import { jointIncome } from './borrowers.ts';
import { obstacles } from './eligibility.ts';
import { completed, mostFinanced, pricingOf, type Values } from './loan-values.ts';

/** Whether a dear fee keeps a loan out of the SFH: only its priced offer shows that, no obstacle of a proposal would. */
const isPriced = (reason: RefusalReason): boolean => reason.kind === 'fgtsOutsideSfh' && reason.barredBy === 'rate';

const within = (value: number, least: number, most: number): Centavos =>
  centavos(Math.max(least, Math.min(value, most)));

function nearestValues(asked: Asked): Values | undefined {
  const { request, terms, backing } = asked;
  const { propertyValue, financedValue } = request;
  const least = terms.leastFinanced;
  if (propertyValue !== undefined) {
    const property = centavos(Math.max(propertyValue, leastProperty(least, backing)));
    const highest = highestFinanced(property, backing);
    return { propertyValue: property, financedValue: within(financedValue ?? highest, least, highest) };
  }
  if (financedValue === undefined) return undefined;
  const nearest = within(financedValue, least, mostFinanced(asked));
  return { propertyValue: leastProperty(nearest, backing), financedValue: nearest };
}

/**
 * What the income carries at the nearest term; else the least loan over the shortest term at which the income carries it:
 * a longer term never needs more income.
 */
function byIncome(asked: Asked): { readonly term: number; readonly values: Values } | undefined {
  const { terms, backing, request, longest } = asked;
  const income = jointIncome(request);
  if (income === undefined) return undefined;
  const nearest = { ...asked, term: nearestTerm(asked) };
  const most = completed(nearest, pricingOf(nearest));
  if (!('kind' in most)) return { term: nearest.term, values: most };
  const values = { propertyValue: leastProperty(terms.leastFinanced, backing), financedValue: terms.leastFinanced };
  const carried = (term: number) => pricingOf({ ...asked, term }).required(values) <= income;
  if (!carried(longest)) return undefined;
  let [tooShort, term] = [nearest.term, longest];
  while (term - tooShort > 1) {
    const middle = Math.floor((tooShort + term) / 2);
    if (carried(middle)) term = middle;
    else tooShort = middle;
  }
  return { term, values };
}

/** Terms close to a refused request that the bank does offer; undefined where there are none. */
export function proposalFor(asked: Asked, reasons: readonly RefusalReason[]): Proposal | undefined {
  const { request, longest } = asked;
  if (longest === 0 || reasons.some(isPriced)) return undefined;
  const own = asked.rate.published.system;
  // A small income may carry the bank's least loan by PRICE, whose first instalment is lower, and not by SAC.
  const others = systemsOffered(asked.terms.table).filter((system) => system !== own);
  for (const system of [own].concat(others)) {
    const proposal = proposalBy(system === own ? asked : askedOf(asked.bank, { ...request, system }, asked.tables));
    if (proposal) return proposal;
  }
  return undefined;
}

/** The same under the system asked for. */
function proposalBy(asked: Asked): Proposal | undefined {
  const values = nearestValues(asked);
  const found = values ? { term: nearestTerm(asked), values } : byIncome(asked);
  if (found === undefined) return undefined;
  const proposal: Proposal = { ...found.values, term: found.term, system: asked.rate.published.system };
  const met = obstacles(askedOf(asked.bank, { ...asked.request, ...proposal }, asked.tables));
  return met.length === 0 ? proposal : undefined;
}
