/**
 * The end of leads that nobody uses any more (shared/contract/README.md#retention; LGPD, art. 15 and 16).
 *
 * A lead's row is in the index of due work from its creation on. Using the lead does not move this entry. When the
 * entry is due, the sweeper looks at the lead: it reads how the lead has been used, and decides when to look again.
 *
 * For the last 30 days a lead has a notice, which GET shows. The notice has the end of the lead's data and a trace,
 * which is made of the lead's use and of the terms. Each use of the lead changes the trace, without an extra write, and
 * so do other terms. A notice whose trace is not the current one does not count.
 *
 * When a notice is over, the sweeper claims the lead in one transaction, on the condition that its row is still as the
 * look found it. From there on it is an erasure like others.
 */
import type { Tenancy } from '../values/tenancy.ts';
import { days, type Instant, type Milliseconds } from '../values/time.ts';
import type { LeadTrace, RetentionNotice } from './lead.ts';

/**
 * After how long without use a lead's data end. In production the data of a lead with an analysis do not end before
 * `yearsAfterAnalysis` years after the end of its latest analysis.
 */
export interface RetentionTerms {
  readonly sandboxDays: number;
  readonly monthsWithoutAnalysis: number;
  readonly yearsAfterAnalysis: number;
}

/** How a lead has been used, as a look found it. */
export interface LeadUse extends Pick<Tenancy, 'environment'> {
  readonly lead: LeadTrace;
  /** When the latest simulation or submission was made. Undefined if there is none. */
  readonly usedAt?: Instant | undefined;
  /** Whether an analysis of the lead is pending. */
  readonly pending: boolean;
  /** When the latest analysis ended. Undefined if none has ended. */
  readonly analysedAt?: Instant | undefined;
}

/** Days for which a notice is shown before a lead's data end. */
export const NOTICE_DAYS = 30;
const NOTICE: Milliseconds = days(NOTICE_DAYS);
/**
 * Shortest term, in days. A replay of a stored answer leaves no trace on the lead, so it could not end a notice. With
 * this term a notice begins only after every stored answer is gone (30 days).
 */
export const SHORTEST_TERM = 2 * NOTICE_DAYS + 1;
/** Time from a lead's creation to the first look. With the shortest term, the notice is due at exactly this time. */
export const FIRST_LOOK_AFTER: Milliseconds = days(SHORTEST_TERM) - NOTICE;
/** Longest time between two looks. If a term is made shorter, it counts from the next look on. */
const LONGEST_WAIT: Milliseconds = days(90);

function monthsLater(at: Instant, months: number): Instant {
  const date = new Date(at);
  return date.setUTCMonth(date.getUTCMonth() + months);
}

/** Returns when a lead's data end if it is not used any more. Undefined while an analysis is pending. */
function endOf(
  { environment, pending, lead, usedAt = 0, analysedAt }: LeadUse,
  terms: RetentionTerms,
): Instant | undefined {
  if (pending) return undefined;
  const { createdAt, updatedAt, reusedAt = 0, replayedAt = 0 } = lead;
  const lastUse = Math.max(createdAt, updatedAt, reusedAt, replayedAt, usedAt, analysedAt ?? 0);
  if (environment === 'sandbox') return lastUse + days(terms.sandboxDays);
  const endOfUse = monthsLater(lastUse, terms.monthsWithoutAnalysis);
  return analysedAt === undefined
    ? endOfUse
    : Math.max(endOfUse, monthsLater(analysedAt, 12 * terms.yearsAfterAnalysis));
}

function traceOf({ version, uses = 0, reusedAt = 0, replayedAt = 0 }: LeadTrace, terms: RetentionTerms): string {
  const { sandboxDays, monthsWithoutAnalysis, yearsAfterAnalysis } = terms;
  const use = [version, uses, reusedAt, replayedAt];
  return [sandboxDays, monthsWithoutAnalysis, yearsAfterAnalysis].concat(use).join('.');
}

/**
 * Returns the end of a lead's data that its notice announces. Undefined if there is no notice, or if the notice does
 * not count because its trace is not the current one.
 */
export function noticedEnd(lead: LeadTrace, terms: RetentionTerms | undefined): Instant | undefined {
  const { notice } = lead;
  return terms && notice?.seen === traceOf(lead, terms) ? notice.endsAt : undefined;
}

/** When to look at a lead again, and the notice that it has until then. */
export interface NextLook {
  readonly at: Instant;
  readonly notice?: RetentionNotice;
}

/** Returns the next look at a lead whose use was read at `now`. Undefined if its data must end now. */
export function nextLook(use: LeadUse, terms: RetentionTerms, now: Instant): NextLook | undefined {
  const end = endOf(use, terms);
  if (end === undefined) return { at: now + days(1) };
  if (end > now + NOTICE) return { at: Math.min(end - NOTICE, now + LONGEST_WAIT) };
  const announced = noticedEnd(use.lead, terms);
  const endsAt = Math.max(end, announced ?? now + NOTICE);
  if (announced !== undefined && endsAt <= now) return undefined;
  return { at: endsAt, notice: { endsAt, seen: traceOf(use.lead, terms) } };
}
