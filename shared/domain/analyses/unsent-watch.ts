/**
 * When the poller may send an analysis that its first run may not have sent. A second submission would be a second
 * credit query on a person's name, and the clocks of two machines may disagree. So this decision compares no moment of
 * one machine with a moment of another one: each machine only measures lengths of time by its own clock.
 *
 * A run gets the right to send an analysis by claiming it, or by acquiring its lease: a conditional write that names
 * the lease seen before and writes a new one. The run begins to send within 50 s by its own clock, and its call ends at
 * most 10 s later.
 *
 * Each container of the poller remembers since when, by its own clock, it has seen an analysis unsent under one lease
 * (NO_LEASE after the claim). When the container first saw this lease, it was in the table already. So 60 s later, the
 * right to send under this lease is over. The container then asks the operator. If the operator has never received the
 * analysis, nobody has sent it, and nobody can send it under this lease. The container acquires a new lease only if the
 * row still has the lease that it saw, so nobody else has acquired the right meanwhile.
 *
 * A new container starts with an empty watch. It assumes NO_LEASE, and learns the row's lease only when its first try to
 * acquire one is refused. So it waits one minute if the row has no lease, and two minutes if the row has one.
 */
import type { Tenancy } from '../values/tenancy.ts';
import { hours, type Instant, type Milliseconds } from '../values/time.ts';
import { type Analysis, SUBMIT_LEASE } from './analysis.ts';

/** Identifies one acquisition of the right to send an analysis. */
export type SubmitLease = string;
/** Lease of an analysis that only the run that claimed it may send. */
export const NO_LEASE: SubmitLease = '';

/**
 * Time after which an analysis that was not seen again is forgotten: it was sent or has ended. Longer than any pace.
 */
const FORGOTTEN: Milliseconds = hours(2);

type Watched = Tenancy & Pick<Analysis, 'id'>;
const keyOf = ({ environment, unitId, id }: Watched) => `${environment} ${unitId} ${id}`;

/** The analyses that one container has seen unsent. */
export class UnsentWatch {
  /** The analyses by their key, in the order in which they were last seen. */
  readonly #seen = new Map<string, { readonly lease: SubmitLease; readonly since: Instant; readonly last: Instant }>();

  /**
   * Remembers that an analysis was unsent at `now`, by this container's clock. `lease` is the lease that the row had.
   * If `lease` is undefined, the row's lease was not read, and the lease that was seen before is kept.
   */
  see(analysis: Watched, now: Instant, lease?: SubmitLease): void {
    const key = keyOf(analysis);
    const before = this.#seen.get(key);
    const since = before && (lease ?? before.lease) === before.lease ? before.since : now;
    this.#seen.delete(key);
    this.#seen.set(key, { lease: lease ?? before?.lease ?? NO_LEASE, since, last: now });
    for (const [old, { last }] of this.#seen) {
      if (now - last < FORGOTTEN) return;
      this.#seen.delete(old);
    }
  }

  /** Returns the lease under which an analysis has been seen unsent for 60 s. Undefined if the time is shorter. */
  staleLease(analysis: Watched, now: Instant): SubmitLease | undefined {
    const sight = this.#seen.get(keyOf(analysis));
    return sight && now - sight.since >= SUBMIT_LEASE ? sight.lease : undefined;
  }
}
