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

/** The parsed fields of a call. The lead and the day complete the wishes. */
export interface SimulationWish {
  readonly leadId: LeadId;
  readonly banks: readonly Bank[];
  readonly systems: readonly AmortizationSystem[];
  readonly wishes: Omit<QuoteRequest, 'system' | 'birthDate' | 'contractDay' | 'rateDays'>;
}

/** The quotes of the banks for a call. */
export interface Simulated {
  readonly id: OpportunityId;
  readonly quotes: readonly Quote[];
  readonly contractDay: Day;
}

export interface SimulateDeps {
  readonly simulations: Pick<Simulations, 'prepare' | 'save'>;
  readonly clock: Clock;
  /** Days after which a published rate makes no offer in production. The sandbox takes any rate. */
  readonly rateDays: number;
  readonly answerFor: (simulated: Simulated) => Answer;
  /** The banks that make no offer, in the sentences of the answer. Undefined if every bank makes one. */
  readonly refusalsFor: (quotes: readonly Quote[]) => readonly ToldRefusal[] | undefined;
  /** The failure of a call whose lead is not there, or is being erased. */
  readonly leadGone: () => Failure;
  /** The failure of a call with neither a value nor an income, in the call or in its lead. */
  readonly withoutStart: () => Failure;
  /** Called with the age of the oldest rate, in days, when banks are asked. */
  readonly priced: (oldestRate: number) => void;
  /** Called with the offers of a call that was kept; not called for a replay. */
  readonly kept: (offers: readonly Offer[]) => void;
}

/**
 * Quotes what a call asks for at its banks, and keeps the opportunity and the answer in one transaction. Returns the
 * record of an earlier call if its Idempotency-Key is taken.
 */
export async function simulate(
  tenancy: Tenancy,
  { leadId, banks, systems, wishes }: SimulationWish,
  claim: Claim | undefined,
  deps: SimulateDeps,
): Promise<IdempotentResult<Answer>> {
  const { lead, earlier } = await deps.simulations.prepare(tenancy, leadId, claim);
  if (earlier) return { earlier };
  if (!lead) throw deps.leadGone();
  // The contract's day and the record have one moment: midnight may come before the record is written.
  const createdAt = deps.clock();
  const contractDay = dayInSaoPaulo(createdAt);
  const request: QuoteRequest = {
    ...wishes,
    income: wishes.income ?? lead.income,
    birthDate: lead.birthDate,
    rateDays: tenancy.environment === 'producao' ? deps.rateDays : undefined,
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
  const result = await deps.simulations.save(tenancy, make, claim);
  if (result === 'lead_gone') throw deps.leadGone();
  if ('done' in result) deps.kept(offers);
  return result;
}

/** The person of the lead, as the record keeps it. */
const customerOf = ({ name, cpf, birthDate }: Lead) => ({ name, cpf, birthDate });
