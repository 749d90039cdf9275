import type { Bank } from '#shared/domain/values/bank.ts';
import { type Centavos, centavos } from '#shared/domain/values/money.ts';
import type {
  AmortizationSystem,
  Instalment,
  Offer,
  Projection,
  Quote,
  QuoteRequest,
  RefusalReason,
} from '../simulation.ts';
import { type Asked, askedOf, nearestTerm } from './asked.ts';
import { expensesOf } from './backing.ts';
import { creditTax, creditTaxRates } from './credit-tax.ts';
import { effectiveAnnualCost, netProceeds } from './effective-cost.ts';
import { obstacles, rateUntil } from './eligibility.ts';
import {
  completed,
  factsOf,
  incomeStanding,
  loanOf,
  mostFinanced,
  type Pricing,
  pricingOf,
  requiredIncome,
  type Values,
} from './loan-values.ts';
import { noticesOf } from './notices.ts';
import { productOf } from './product.ts';
import { indexOf, projectedTotals } from './projection.ts';
import { proposalFor } from './proposal.ts';
import { portion } from './ratio.ts';
import { endsOf, type Loan, schedule } from './schedule.ts';
import { creditTaxFor, rateFor, scenarioFor, TABLES, type Tables, tableVersion } from './tables/in-force.ts';
import { rateTermsOf, termsOf } from './terms.ts';

const sumOf = (amounts: readonly Centavos[]) => centavos(amounts.reduce((sum, amount) => sum + amount, 0));

function projectionOf(
  { rate, request, tables }: Asked,
  loan: Loan,
  totals: readonly Centavos[],
  received: Centavos,
): Projection {
  const scenario = scenarioFor(request.contractDay, tables);
  const { indexer } = rate.published;
  const figure = indexer === 'PREFIXADO' ? undefined : scenario.indexers[indexer];
  const projected = figure ? projectedTotals(loan, indexOf(figure)) : totals;
  return {
    scenario: scenario.version,
    indexPercent: Number(figure?.value ?? 0),
    date: figure?.date ?? '',
    source: figure?.source ?? '',
    annualCost: effectiveAnnualCost(received, projected),
    lastTotal: endsOf(projected).last,
    total: sumOf(projected),
  };
}

/**
 * A home equity loan buys nothing, so it has no down payment. The IOF is never part of the cash: the purchase of a home
 * is exempt, and the IOF of home equity is withheld from the loan (README.md, rule 10).
 */
function cashOf(
  { terms, limits, request }: Asked,
  { propertyValue, financedValue }: Values,
  financedExpenses: Centavos,
): Pick<Offer, 'fgts' | 'downPayment' | 'cashExpenses' | 'cashNeeded'> {
  const none = centavos(0);
  if (terms.table.homeEquity)
    return { fgts: none, downPayment: none, cashExpenses: none, cashNeeded: terms.appraisalFee };
  const fgts = request.fgts?.value ?? none;
  const downPayment = centavos(propertyValue - financedValue - fgts);
  const cashExpenses = centavos(portion(propertyValue, limits.expenses) - financedExpenses);
  const cashNeeded = centavos(downPayment + cashExpenses + terms.appraisalFee);
  return { fgts, downPayment, cashExpenses, cashNeeded };
}

function offerOf(asked: Asked, values: Values, pricing: Pricing): Offer {
  const { bank, terms, rate, tables, request, purpose } = asked;
  const facts = factsOf(asked, values);
  const loan = loanOf(terms, rate, facts);
  const rows = schedule(loan, pricing.level);
  const totals = rows.map((row) => row.total);
  const expenses = expensesOf(values.propertyValue, asked.backing);
  const product = productOf(asked, values.propertyValue, facts.principal, rows);
  const iof = terms.table.homeEquity
    ? creditTax(facts.principal, request.contractDay, rows, creditTaxRates(creditTaxFor(request.contractDay, tables)))
    : centavos(0);
  const received = netProceeds(facts.principal, { fees: terms.appraisalFee, tax: iof });
  const { first, last } = endsOf(rows);
  return {
    bank,
    tableVersion: terms.table.version,
    product,
    indexer: rate.published.indexer,
    ...facts,
    expenses,
    annualRate: rate.annualPercent,
    monthlyRate: rate.monthlyPercent,
    effectiveAnnualCost: effectiveAnnualCost(received, totals),
    first,
    lastTotal: last.total,
    total: sumOf(totals),
    requiredIncome: requiredIncome(first.total, terms.incomePerInstalment),
    appraisalFee: terms.appraisalFee,
    dfiRate: terms.dfiPercent,
    monthlyFee: terms.monthlyFee,
    segment: rate.segment,
    rateKind: rate.published.kind,
    rateValue: rate.published.rate.value,
    rateDate: rate.published.rate.date,
    rateSource: rate.published.rate.source,
    rateUntil: rateUntil(asked),
    conditionsDate: terms.conditionsDate,
    purpose,
    iof,
    ...cashOf(asked, values, expenses),
    projection: projectionOf(asked, loan, totals, received),
    income: incomeStanding(asked, values, pricing),
    notices: noticesOf(asked, values, product),
  };
}

const WITHOUT_RATE: ReadonlySet<RefusalReason['kind']> = new Set(['purposeNotPriced', 'rateTooOld']);

/** Only a request without values can be refused for its income, and only if the bank's rate holds for the request. */
function incomeObstacle(asked: Asked, others: readonly RefusalReason[]): readonly RefusalReason[] {
  const { request, terms, longest } = asked;
  if (others.some(({ kind }) => WITHOUT_RATE.has(kind))) return [];
  if (request.propertyValue !== undefined || request.financedValue !== undefined || longest === 0) return [];
  // If the FGTS leaves no room for the smallest loan, fgtsObstacles reports that, and the income is not measured.
  if (mostFinanced(asked) < terms.leastFinanced) return [];
  const nearest = { ...asked, term: nearestTerm(asked) };
  const values = completed(nearest, pricingOf(nearest));
  return 'kind' in values ? [values] : [];
}

type Reasons = readonly [first: RefusalReason, ...others: RefusalReason[]];

function offerOrReasons(asked: Asked): Offer | Reasons {
  const found = obstacles(asked);
  const [first, ...others] = found;
  if (first) return [first, ...others, ...incomeObstacle(asked, found)];
  const pricing = pricingOf(asked);
  const values = completed(asked, pricing);
  if ('kind' in values) return [values];
  const offer = offerOf(asked, values, pricing);
  if (asked.request.fgts && offer.product !== 'SFH')
    return [{ kind: 'fgtsOutsideSfh', barredBy: 'rate', highestProperty: asked.limits.sfhProperty }];
  return offer;
}

/**
 * Values that the request names are never changed. If it names values, the income limits nothing: the offer says what
 * income it needs, whether the known income is enough, and the highest loan that this income carries.
 *
 * The CET counts the appraisal fee and the tax on credit as subtracted at the start. Throws a RangeError if neither
 * values nor an income are known, or no table is in force on the contract's day.
 */
export function quote(bank: Bank, request: QuoteRequest, tables: Tables = TABLES): Quote {
  const asked = askedOf(bank, request, tables);
  const result = offerOrReasons(asked);
  if ('bank' in result) return { offer: result };
  const [reason] = result;
  return {
    refusal: { bank, system: asked.system, reason, reasons: result, proposal: proposalFor(asked, result) },
  };
}

export function quoteSystems(
  bank: Bank,
  request: QuoteRequest,
  systems: readonly AmortizationSystem[],
  tables: Tables = TABLES,
): readonly Quote[] {
  return systems.map((system) => quote(bank, { ...request, system }, tables));
}

/**
 * Throws a RangeError if the table version does not exist or lacks the offer's system. Throws an Error if the schedule
 * is not the one that was offered: a changed table or program must not change a customer's record.
 */
export function scheduleOf(offer: Offer, tables: Tables = TABLES): readonly Instalment[] {
  const table = tableVersion(offer.bank, offer.tableVersion, tables);
  const published = rateFor(table, offer.segment, offer.system);
  if (published === undefined) throw new RangeError(`${offer.tableVersion} has no rate for ${offer.system}`);
  const { monthlyRate } = rateTermsOf({ ...published, rate: { ...published.rate, value: offer.rateValue } });
  const rows = schedule(loanOf(termsOf(table, tables), { monthlyRate }, offer));
  const total = rows.reduce((sum, row) => sum + row.total, 0);
  const { first, last } = endsOf(rows);
  if (total !== offer.total || first.total !== offer.first.total || last.total !== offer.lastTotal)
    throw new Error(`the schedule of table ${offer.tableVersion} is not the one that was offered`);
  return rows;
}
