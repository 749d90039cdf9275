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
/** A key's name inside its partner: 5 base62 characters. */
export type KeyId = string & { readonly __id: 'key' };
/** `evt_` + base32 of a hash: see delivery.ts. */
export type EventId = string & { readonly __id: 'event' };

/** Whether a number is exact in a double, as each id is. */
const isId = <Id extends number>(value: number): value is Id => Number.isSafeInteger(value);

/** The id that a number is: `idOf<LeadId>(7)`. Throws a RangeError if it is not a safe integer. */
export function idOf<Id extends number>(value: number): Id {
  if (!isId<Id>(value)) throw new RangeError('an id must be a safe integer');
  return value;
}

/** The id that a text names: a positive safe integer in decimal digits. Undefined for any other text. */
export function parseId<Id extends number>(text: string): Id | undefined {
  const value = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : Number.NaN;
  return isId<Id>(value) ? value : undefined;
}

/** Whether a text has the form of a key's id. */
export const isKeyId = (text: string): text is KeyId => /^[0-9A-Za-z]{5}$/.test(text);

/** Whether a text has the form of an event's id. */
export const isEventId = (text: string): text is EventId => /^evt_[a-z2-7]{32}$/.test(text);

/** 2026-01-01T00:00:00Z: the zero of every id. */
export const ID_EPOCH: Instant = 1_767_225_600_000;

/**
 * A 53-bit id: 41 bits of milliseconds since ID_EPOCH, then 12 random bits. Sorts by time; no counter, no round trip.
 * Two ids of one millisecond may collide (1 in 4,096): rows are written with a condition and the id is drawn again.
 */
export const drawId = <Id extends number>(now: Instant, random: (below: number) => number = randomInt): Id =>
  idOf<Id>((now - ID_EPOCH) * 4096 + random(4096));

/** The moment at which an id was drawn. */
export const idTime = (id: number): Instant => Math.floor(id / 4096) + ID_EPOCH;

// Simulations of one opportunity share its id but for the last six bits, `sbbbbb`, which say whose answer it is:
//   000000  the opportunity itself
//   0bbbbb  the bank's answer, b = its banco_id
//   1bbbbb  the bank's second answer, where a call asks for both amortization systems
const SECOND_ANSWER = 32;
const ANSWERS = 64;
/** The largest `banco_id` that an id of a simulation can carry. */
export const LARGEST_BANK_ID = 30;

/** An opportunity's id: its last six bits are zero. Two of one unit and millisecond may collide, 1 in 64: see drawId. */
export const drawOpportunityId = (now: Instant, random: (below: number) => number = randomInt): OpportunityId =>
  idOf<OpportunityId>((now - ID_EPOCH) * 4096 + random(4096 / ANSWERS) * ANSWERS);

/** The opportunity that a simulation belongs to; an opportunity's own id gives itself. */
export const opportunityOf = (id: number): OpportunityId => idOf<OpportunityId>(id - (id % ANSWERS));

/** The id of an opportunity's simulation at the bank with this `banco_id`: of the bank's first answer, or of its second. */
export const simulationIdOf = (opportunityId: OpportunityId, bankId: number, answer: 1 | 2 = 1): SimulationId =>
  idOf<SimulationId>(opportunityId + bankId + (answer === 2 ? SECOND_ANSWER : 0));
