/**
 * The end of leads that nobody uses any more (shared/contract/README.md#retention; LGPD, art. 15 and 16).
 *
 * A lead's row has an entry in the index of what is due, written with it. Use moves no entry: the sweeper looks when one
 * is due, and reads what has become of the lead. From 30 days before its end on, the lead bears a notice, which GET shows:
 * the end, and a trace of the lead's use and of the terms. Each use changes the trace, in the write that it makes anyway,
 * and so do other terms: a notice with another trace is none. Once a notice is over, the lead is claimed in one transaction,
 * on the condition that its row still is what was looked at; from there on it is an erasure like others.
 */
import type { Tenancy } from '../values/tenancy.ts';
import { days, type Instant, type Milliseconds } from '../values/time.ts';
import type { LeadTrace, RetentionNotice } from './lead.ts';

/** After how long without use a lead's data end; with an analysis at a bank, not before so long after its end. */
export interface RetentionTerms {
  readonly sandboxDays: number;
  readonly monthsWithoutAnalysis: number;
  readonly yearsAfterAnalysis: number;
}

/** What was seen of a lead's use. */
export interface LeadUse extends Pick<Tenancy, 'environment'> {
  readonly lead: LeadTrace;
  /** Its latest simulation or submission. */
  readonly usedAt?: Instant | undefined;
  /** Whether a bank has still to decide, and the end of its latest analysis where it has any. */
  readonly pending: boolean;
  readonly analysedAt?: Instant | undefined;
}

/** Days for which a notice is shown before the end. */
export const NOTICE_DAYS = 30;
const NOTICE: Milliseconds = days(NOTICE_DAYS);
/** The shortest term, in days: a notice begins when every answer kept for replays (30 days) is gone, since none ends it. */
export const SHORTEST_TERM = 2 * NOTICE_DAYS + 1;
/** From a lead's creation to the first look: no term is so short that a notice were due before. */
export const FIRST_LOOK_AFTER: Milliseconds = days(SHORTEST_TERM) - NOTICE;
/** The longest time between two looks: a term that was made shorter counts from the next on. */
const LONGEST_WAIT: Milliseconds = days(90);

function monthsLater(at: Instant, months: number): Instant {
  const date = new Date(at);
  return date.setUTCMonth(date.getUTCMonth() + months);
}

/** When a lead's data end if it is used no more; undefined while a bank has to decide. */
function endOf(
  { environment, pending, lead, usedAt = 0, analysedAt }: LeadUse,
  terms: RetentionTerms,
): Instant | undefined {
  if (pending) return undefined;
  const { createdAt, updatedAt, reusedAt = 0, replayedAt = 0 } = lead;
  const last = Math.max(createdAt, updatedAt, reusedAt, replayedAt, usedAt, analysedAt ?? 0);
  if (environment === 'sandbox') return last + days(terms.sandboxDays);
  const unused = monthsLater(last, terms.monthsWithoutAnalysis);
  return analysedAt === undefined ? unused : Math.max(unused, monthsLater(analysedAt, 12 * terms.yearsAfterAnalysis));
}

function traceOf({ version, uses = 0, reusedAt = 0, replayedAt = 0 }: LeadTrace, terms: RetentionTerms): string {
  const { sandboxDays, monthsWithoutAnalysis, yearsAfterAnalysis } = terms;
  const use = [version, uses, reusedAt, replayedAt];
  return [sandboxDays, monthsWithoutAnalysis, yearsAfterAnalysis].concat(use).join('.');
}

/** When the data of a lead end, as its notice says that still holds; undefined without one. */
export function noticedEnd(lead: LeadTrace, terms: RetentionTerms | undefined): Instant | undefined {
  const { notice } = lead;
  return terms && notice?.seen === traceOf(lead, terms) ? notice.endsAt : undefined;
}

/** The look to come at a lead, and the notice that it bears until then. */
export interface NextLook {
  readonly at: Instant;
  readonly notice?: RetentionNotice;
}

/** The next look at a lead of which so much was seen at `now`; undefined where its data end. */
export function nextLook(use: LeadUse, terms: RetentionTerms, now: Instant): NextLook | undefined {
  const end = endOf(use, terms);
  if (end === undefined) return { at: now + days(1) };
  if (end > now + NOTICE) return { at: Math.min(end - NOTICE, now + LONGEST_WAIT) };
  const noticed = noticedEnd(use.lead, terms);
  const endsAt = Math.max(end, noticed ?? now + NOTICE);
  if (noticed !== undefined && endsAt <= now) return undefined;
  return { at: endsAt, notice: { endsAt, seen: traceOf(use.lead, terms) } };
}
