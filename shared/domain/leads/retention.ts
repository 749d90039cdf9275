/**
 * The end of leads that nobody uses any more (shared/contract/README.md#retention; LGPD, art. 15 and 16).
 *
 * The sweeper looks at a lead when its entry in the index of due work is due. For the last 30 days a lead has a notice
 * with a trace of the lead's use and of the terms. A use of the lead changes the trace without an extra write, and a
 * notice whose trace is not the current one does not count. When a notice is over, an ordinary erasure begins.
 */
import type { Tenancy } from '../values/tenancy.ts';
import { days, type Instant, type Milliseconds } from '../values/time.ts';
import type { LeadTrace, RetentionNotice } from './lead.ts';

/** `yearsAfterAnalysis` counts in production, from the end of the lead's latest analysis. */
export interface RetentionTerms {
  readonly sandboxDays: number;
  readonly monthsWithoutAnalysis: number;
  readonly yearsAfterAnalysis: number;
}

export interface LeadUse extends Pick<Tenancy, 'environment'> {
  readonly lead: LeadTrace;
  readonly usedAt?: Instant | undefined;
  readonly pending: boolean;
  readonly analysedAt?: Instant | undefined;
}

export const NOTICE_DAYS = 30;
const NOTICE: Milliseconds = days(NOTICE_DAYS);
/**
 * Shortest term, in days. Most replays of a stored answer leave no trace on the lead, so they could not end a notice.
 * With this term a notice begins only after every stored answer is gone (30 days).
 */
export const SHORTEST_TERM = 2 * NOTICE_DAYS + 1;
/** With the shortest term, the notice is due at exactly this time. */
export const FIRST_LOOK_AFTER: Milliseconds = days(SHORTEST_TERM) - NOTICE;
/** A term that is made shorter counts from the next look on. */
const LONGEST_WAIT: Milliseconds = days(90);

function monthsLater(at: Instant, months: number): Instant {
  const date = new Date(at);
  return date.setUTCMonth(date.getUTCMonth() + months);
}

/** Undefined while an analysis is pending. */
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

/** Undefined if there is no notice, or if the notice does not count because its trace is not the current one. */
export function noticedEnd(lead: LeadTrace, terms: RetentionTerms | undefined): Instant | undefined {
  const { notice } = lead;
  return terms && notice?.seen === traceOf(lead, terms) ? notice.endsAt : undefined;
}

export interface NextLook {
  readonly at: Instant;
  readonly notice?: RetentionNotice;
}

/** Undefined if the lead's data must end now. */
export function nextLook(use: LeadUse, terms: RetentionTerms, now: Instant): NextLook | undefined {
  const end = endOf(use, terms);
  if (end === undefined) return { at: now + days(1) };
  if (end > now + NOTICE) return { at: Math.min(end - NOTICE, now + LONGEST_WAIT) };
  const announced = noticedEnd(use.lead, terms);
  const endsAt = Math.max(end, announced ?? now + NOTICE);
  if (announced !== undefined && endsAt <= now) return undefined;
  return { at: endsAt, notice: { endsAt, seen: traceOf(use.lead, terms) } };
}
