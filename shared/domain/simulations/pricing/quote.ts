import type { Bank } from '../../values/bank.ts';
import { addMonths, type Day } from '../../values/clock.ts';
import { type Centavos, centavos } from '../../values/money.ts';
import type { Instalment, Offer, Quote, QuoteRequest, RefusalReason } from '../simulation.ts';
import { maxAffordableLoan, requiredIncome } from './affordability.ts';
import { effectiveAnnualCost, netProceeds } from './effective-cost.ts';
import {
  ageRefusal,
  type Backing,
  expensesOf,
  financedRefusal,
  highestFinanced,
  leastProperty,
  longestTerm,
  productOf,
  propertyRefusal,
  shareRefusal,
  systemsOffered,
  termRefusal,
} from './eligibility.ts';
import { dfiPremium } from './insurance.ts';
import { firstInstalment, type Loan, levelShare, schedule } from './schedule.ts';
import { housingRulesFor, TABLES, type Tables, tableFor, tableVersion } from './tables/in-force.ts';
import { type BankTerms, collateralOf, limitsOf, termsOf } from './terms.ts';

/** Age in years taken where no birth date is known. Stored offers without one are computed again with it: it may not change. */
export const ASSUMED_AGE = 35;

/** The day on which a borrower without a known birth date is taken to be born: so many years before the contract. */
export function assumedBirthDate(contractDay: Day): Day {
  return addMonths(contractDay, -ASSUMED_AGE * 12);
}

type LoanFacts = Pick<Offer, 'system' | 'term' | 'contractDay' | 'birthDate' | 'propertyValue' | 'principal'>;

function loanOf(terms: BankTerms, facts: LoanFacts): Loan {
  return {
    system: facts.system,
    principal: facts.principal,
    term: facts.term,
    monthlyRate: terms.monthlyRate,
    contractDay: facts.contractDay,
    birthDate: facts.birthDate ?? assumedBirthDate(facts.contractDay),
    mipRates: terms.mipRates,
    dfi: dfiPremium(facts.propertyValue, terms.dfiRate),
    fee: terms.monthlyFee,
  };
}

interface Values {
  readonly propertyValue: Centavos;
  readonly financedValue: Centavos;
}

/** What is asked for, completed; or the limit of value, share or income that it passes. */
function valuesOf(
  terms: BankTerms,
  request: QuoteRequest,
  backing: Backing,
  incomeFor: (values: Values) => Centavos,
): Values | RefusalReason {
  const { propertyValue, income } = request;
  if (propertyValue !== undefined) {
    const financedValue = request.financedValue ?? highestFinanced(propertyValue, backing);
    const refusal = financedRefusal(terms, financedValue) ?? shareRefusal(propertyValue, financedValue, backing);
    return refusal ?? { propertyValue, financedValue };
  }
  const carrying = (financedValue: Centavos): Values => ({
    propertyValue: leastProperty(financedValue, backing),
    financedValue,
  });
  if (request.financedValue !== undefined)
    return financedRefusal(terms, request.financedValue) ?? carrying(request.financedValue);
  if (income === undefined) throw new RangeError('a quote needs a property value, a financed value or an income');
  const required = (financedValue: Centavos) => incomeFor(carrying(financedValue));
  const highest = maxAffordableLoan(income, terms.leastFinanced, required);
  return highest === undefined
    ? { kind: 'incomeCarriesNothing', least: required(terms.leastFinanced) }
    : carrying(highest);
}

function offerOrReason(bank: Bank, request: QuoteRequest, tables: Tables): Offer | RefusalReason {
  const { contractDay, propertyValue } = request;
  const system = request.system ?? 'SAC';
  const terms = termsOf(tableFor(bank, contractDay, tables), tables);
  const limits = limitsOf(housingRulesFor(contractDay, tables));
  const birthDate = request.birthDate ?? assumedBirthDate(contractDay);

  const collateral = collateralOf(terms.table, system);
  if (collateral === undefined) return { kind: 'systemNotOffered', offered: systemsOffered(terms.table) };
  const backing: Backing = {
    collateral,
    expenses: request.financeExpenses && terms.table.financesExpenses ? limits.expenses : undefined,
    leastProperty: terms.leastProperty,
  };
  const term = request.term ?? longestTerm(terms, birthDate, contractDay, limits);
  const refusal =
    ageRefusal(terms, birthDate, contractDay, request.term, limits) ??
    (propertyValue === undefined ? undefined : propertyRefusal(terms, propertyValue, backing)) ??
    termRefusal(terms, term, limits);
  if (refusal) return refusal;

  const level = levelShare(system, terms.monthlyRate, term);
  const factsOf = (values: Values): LoanFacts => ({
    system,
    term,
    contractDay,
    birthDate: request.birthDate,
    propertyValue: values.propertyValue,
    principal: centavos(values.financedValue + expensesOf(values.propertyValue, backing)),
  });
  const values = valuesOf(terms, request, backing, (candidate) =>
    requiredIncome(firstInstalment(loanOf(terms, factsOf(candidate)), level).total, terms.incomePerInstalment),
  );
  if ('kind' in values) return values;

  const facts = factsOf(values);
  const rows = schedule(loanOf(terms, facts), level);
  const totals = rows.map((row) => row.total);
  const first = rows[0]!;
  return {
    bank,
    tableVersion: terms.table.version,
    product: productOf(terms, values.propertyValue, limits),
    indexer: collateral.indexer,
    ...facts,
    expenses: expensesOf(values.propertyValue, backing),
    annualRate: terms.annualPercent,
    monthlyRate: terms.monthlyPercent,
    effectiveAnnualCost: effectiveAnnualCost(netProceeds(facts.principal, { fees: terms.appraisalFee }), totals),
    first,
    lastTotal: rows.at(-1)!.total,
    total: centavos(totals.reduce((sum, amount) => sum + amount, 0)),
    requiredIncome: requiredIncome(first.total, terms.incomePerInstalment),
    appraisalFee: terms.appraisalFee,
    dfiRate: terms.dfiPercent,
    monthlyFee: terms.monthlyFee,
  };
}

/**
 * A bank's offer, or the first limit that the request passes, with the limit's value. Limits are looked at in this
 * order, from what no change of values can cure to what a smaller loan cures: system, age, property value, term,
 * least financed value, share of the property, income.
 * What the request leaves out is completed: SAC; the longest term that bank and age allow; without a financed value
 * the highest share of the property; without a property value the least that carries the financed one; with neither,
 * the highest financed value whose required income the income carries. Explicit values are never changed, and an
 * income given beside them limits nothing: the offer says what income it needs.
 * The CET counts the appraisal fee as withheld at the start. Amounts in centavos.
 * Throws a RangeError where no values and no income are given, or no table is in force on the contract's day.
 */
export function quote(bank: Bank, request: QuoteRequest, tables: Tables = TABLES): Quote {
  const result = offerOrReason(bank, request, tables);
  return 'kind' in result ? { refusal: { bank, reason: result } } : { offer: result };
}

/**
 * The whole schedule of an offer, computed again from the table version that priced it: its first row, last total and
 * sum are the offer's, to the centavo. Throws a RangeError where the table version does not exist, and an Error where
 * the schedule is not the one that was offered: a changed table or engine must not rewrite a customer's record.
 */
export function scheduleOf(offer: Offer, tables: Tables = TABLES): readonly Instalment[] {
  const rows = schedule(loanOf(termsOf(tableVersion(offer.bank, offer.tableVersion, tables), tables), offer));
  const total = rows.reduce((sum, row) => sum + row.total, 0);
  if (total !== offer.total || rows[0]!.total !== offer.first.total || rows.at(-1)!.total !== offer.lastTotal)
    throw new Error(`the schedule of table ${offer.tableVersion} is not the one that was offered`);
  return rows;
}
