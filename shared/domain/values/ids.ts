import { randomInt } from 'node:crypto';
import type { Instant } from './time.ts';

export type PartnerId = number & { readonly __id: 'partner' };
export type UnitId = number & { readonly __id: 'unit' };
export type LeadId = number & { readonly __id: 'lead' };
export type OpportunityId = number & { readonly __id: 'opportunity' };
export type SimulationId = number & { readonly __id: 'simulation' };
export type SubmissionId = number & { readonly __id: 'submission' };
export type AnalysisId = number & { readonly __id: 'analysis' };
export type ConsentId = number & { readonly __id: 'consent' };
export type WithdrawalId = number & { readonly __id: 'withdrawal' };
export type KeyId = string & { readonly __id: 'key' };
export type EventId = string & { readonly __id: 'event' };

const isId = <Id extends number>(value: number): value is Id => Number.isSafeInteger(value);

/** Throws a RangeError if the number is not a safe integer. */
export function idOf<Id extends number>(value: number): Id {
  if (!isId<Id>(value)) throw new RangeError('an id must be a safe integer');
  return value;
}

/** Undefined if the text is not a positive safe integer. */
export function parseId<Id extends number>(text: string): Id | undefined {
  const value = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : Number.NaN;
  return isId<Id>(value) ? value : undefined;
}

export const isKeyId = (text: string): text is KeyId => /^[0-9A-Za-z]{5}$/.test(text);

export const isEventId = (text: string): text is EventId => /^evt_[a-z2-7]{32}$/.test(text);

export const ID_EPOCH: Instant = 1_767_225_600_000;

/**
 * Returns a new id of 53 bits: 41 bits of milliseconds since ID_EPOCH, then 12 random bits. Two ids of the same
 * millisecond are equal in 1 of 4,096 cases. Therefore a row is written on the condition that its id is free. If the id
 * is taken, another id is drawn.
 */
export const drawId = <Id extends number>(now: Instant, random: (below: number) => number = randomInt): Id =>
  idOf<Id>((now - ID_EPOCH) * 4096 + random(4096));

export const idTime = (id: number): Instant => Math.floor(id / 4096) + ID_EPOCH;

// The id of an opportunity ends in six zero bits. The ids of its simulations differ from it only in these bits:
//   000000  the opportunity itself
//   0bbbbb  the first answer of the bank with this banco_id
//   1bbbbb  its second answer, if a call asks for both amortization systems
const SECOND_ANSWER = 32;
const ANSWERS = 64;
/** Largest `banco_id` that a bank may get. A simulation's id has only the five bits `bbbbb` for it. */
export const LARGEST_BANK_ID = 30;

/** Two opportunities of one unit in the same millisecond get equal ids in 1 of 64 cases. */
export const drawOpportunityId = (now: Instant, random: (below: number) => number = randomInt): OpportunityId =>
  idOf<OpportunityId>((now - ID_EPOCH) * 4096 + random(4096 / ANSWERS) * ANSWERS);

/** For an opportunity's own id, returns this id. */
export const opportunityOf = (id: number): OpportunityId => idOf<OpportunityId>(id - (id % ANSWERS));

export const simulationIdOf = (opportunityId: OpportunityId, bankId: number, answer: 1 | 2 = 1): SimulationId =>
  idOf<SimulationId>(opportunityId + bankId + (answer === 2 ? SECOND_ANSWER : 0));
