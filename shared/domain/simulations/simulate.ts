import type { Lead } from '../leads/ports.ts';
import type { Bank } from '../values/bank.ts';
import { type Clock, type Day, dayInSaoPaulo } from '../values/clock.ts';
import type { Failure } from '../values/failure.ts';
import type { Answer, Claim, IdempotentResult } from '../values/idempotency.ts';
import { drawOpportunityId, type LeadId, type OpportunityId } from '../values/ids.ts';
import type { Tenancy } from '../values/tenancy.ts';
import type { Simulations } from './ports.ts';
import { quoteSystems } from './pricing/quote.ts';
import type { Tables } from './pricing/tables/in-force.ts';
import {
  type AmortizationSystem,
  hasStart,
  type Offer,
  offersOf,
  type Quote,
  type QuoteRequest,
  type ToldRefusal,
} from './simulation.ts';

/** Together with data of the lead and the day, `wishes` becomes a request. */
export interface SimulationWish {
  readonly leadId: LeadId;
  readonly banks: readonly Bank[];
  readonly systems: readonly AmortizationSystem[];
  readonly wishes: Omit<QuoteRequest, 'system' | 'birthDate' | 'contractDay' | 'rateDays' | 'offersOldRates'>;
}

export interface Simulated {
  readonly id: OpportunityId;
  readonly quotes: readonly Quote[];
  readonly contractDay: Day;
}

export interface SimulateDeps {
  readonly simulations: Pick<Simulations, 'prepare' | 'save'>;
  readonly tables: () => Promise<Tables>;
  readonly clock: Clock;
  /** In production, a bank with an older rate makes no offer. The sandbox takes any rate. */
  readonly rateDays: number;
  readonly answerFor: (simulated: Simulated) => Answer;
  readonly refusalsFor: (quotes: readonly Quote[]) => readonly ToldRefusal[] | undefined;
  readonly leadGone: () => Failure;
  readonly withoutStart: () => Failure;
  /** Not called for a replay. */
  readonly kept: (offers: readonly Offer[]) => void;
}

/** Throws the failures of `leadGone` and `withoutStart`. */
export async function simulate(
  tenancy: Tenancy,
  { leadId, banks, systems, wishes }: SimulationWish,
  claim: Claim | undefined,
  deps: SimulateDeps,
): Promise<IdempotentResult<Answer>> {
  const readingTables = deps.tables();
  // A replay needs no tables, so an error in reading them is thrown only below.
  readingTables.catch(() => undefined);
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
  const tables = await readingTables;
  const quotes = banks.flatMap((bank) => quoteSystems(bank, request, systems, tables));
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

const customerOf = ({ name, cpf, birthDate }: Lead) => ({ name, cpf, birthDate });
