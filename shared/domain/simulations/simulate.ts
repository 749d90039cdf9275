import type { Lead } from '../leads/ports.ts';
import type { Bank } from '../values/bank.ts';
import { type Clock, type Day, dayInSaoPaulo } from '../values/clock.ts';
import type { Failure } from '../values/failure.ts';
import type { Answer, Claim, IdempotentResult } from '../values/idempotency.ts';
import { drawOpportunityId, type LeadId, type OpportunityId } from '../values/ids.ts';
import type { Tenancy } from '../values/tenancy.ts';
import type { Simulations } from './ports.ts';
import { quoteSystems } from './pricing/quote.ts';
import { oldestRateDays } from './pricing/tables/in-force.ts';
import {
  type AmortizationSystem,
  hasStart,
  type Offer,
  offersOf,
  type Quote,
  type QuoteRequest,
  type ToldRefusal,
} from './simulation.ts';

/** Parsed fields of a call. Together with data of the lead and the day, `wishes` becomes a request. */
export interface SimulationWish {
  readonly leadId: LeadId;
  readonly banks: readonly Bank[];
  readonly systems: readonly AmortizationSystem[];
  readonly wishes: Omit<QuoteRequest, 'system' | 'birthDate' | 'contractDay' | 'rateDays' | 'offersOldRates'>;
}

/** Quotes of the banks for a call. */
export interface Simulated {
  readonly id: OpportunityId;
  readonly quotes: readonly Quote[];
  readonly contractDay: Day;
}

export interface SimulateDeps {
  readonly simulations: Pick<Simulations, 'prepare' | 'save'>;
  readonly clock: Clock;
  /**
   * Age limit of a published rate in days. In production, a bank with an older rate makes no offer. The sandbox takes
   * any rate.
   */
  readonly rateDays: number;
  readonly answerFor: (simulated: Simulated) => Answer;
  /**
   * Returns the banks that make no offer, each with its reasons in the sentences of the answer. Undefined if every bank
   * makes an offer.
   */
  readonly refusalsFor: (quotes: readonly Quote[]) => readonly ToldRefusal[] | undefined;
  /** Returns the failure of a call whose lead does not exist or is being erased. */
  readonly leadGone: () => Failure;
  /** Returns the failure of a call if the call names no value, and neither the call nor the lead has an income. */
  readonly withoutStart: () => Failure;
  /** Called with the age of the oldest rate in days, before the banks are priced. */
  readonly priced: (oldestRate: number) => void;
  /** Called with the offers after their opportunity is stored; not called for a replay. */
  readonly kept: (offers: readonly Offer[]) => void;
}

/**
 * Prices a call at each of its banks, and writes the opportunity and the answer in one transaction. Returns the answer,
 * or the record of an earlier call if the Idempotency-Key is taken. Throws the failures of `leadGone` and
 * `withoutStart`.
 */
export async function simulate(
  tenancy: Tenancy,
  { leadId, banks, systems, wishes }: SimulationWish,
  claim: Claim | undefined,
  deps: SimulateDeps,
): Promise<IdempotentResult<Answer>> {
  const { lead, earlier, key } = await deps.simulations.prepare(tenancy, leadId, claim);
  if (earlier) return { earlier };
  if (!lead) throw deps.leadGone();
  // The contract's day and the record share one moment, because midnight can pass before the record is written.
  const createdAt = deps.clock();
  const contractDay = dayInSaoPaulo(createdAt);
  const request: QuoteRequest = {
    ...wishes,
    income: wishes.income ?? lead.income,
    birthDate: lead.birthDate,
    rateDays: deps.rateDays,
    offersOldRates: tenancy.environment !== 'producao',
    contractDay,
  };
  if (!hasStart(request)) throw deps.withoutStart();
  deps.priced(oldestRateDays(contractDay));
  const quotes = banks.flatMap((bank) => quoteSystems(bank, request, systems));
  const offers = offersOf(quotes);
  const refusals = deps.refusalsFor(quotes);
  const make = (now: number) => {
    const id = drawOpportunityId(now);
    const opportunity = { id, leadId, createdAt, customer: customerOf(lead), offers, refusals };
    return { opportunity, answer: deps.answerFor({ id, quotes, contractDay }) };
  };
  const result = await deps.simulations.save(tenancy, make, key);
  if (result === 'lead_gone') throw deps.leadGone();
  if ('done' in result) deps.kept(offers);
  return result;
}

/** Returns the lead's data that the opportunity keeps. */
const customerOf = ({ name, cpf, birthDate }: Lead) => ({ name, cpf, birthDate });
