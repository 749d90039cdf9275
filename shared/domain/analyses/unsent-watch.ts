/**
 * When the poller may send an analysis that its first submission may have failed to send. A second submission is a second
 * credit query on a person's name, and the clocks of two machines need not agree: lengths of time are compared, each on
 * one machine alone.
 *
 * Who has the right to send an analysis has it by its claim, or by taking its lease: a write that names the lease found
 * before, and leaves a new one. He begins to send within 50 s of that by his own clock, and his call ends 10 s later. A
 * container of the poller notes when, by its own clock, it first saw the analysis unsent under a lease (the claim's is
 * NO_LEASE). The right stood in the table by then, so 60 s later it is over, whatever any clock shows. If the operator,
 * asked after that, has never received it, nobody has sent it or can; and the lease that the container then takes is
 * still the one that it saw, so nobody else has the right. A container that is new begins anew, which costs a minute.
 */
import type { Tenancy } from '../values/tenancy.ts';
import { hours, type Instant, type Milliseconds } from '../values/time.ts';
import { type Analysis, SUBMIT_LEASE } from './analysis.ts';

/** Names one taking of the right to send an analysis. */
export type SubmitLease = string;
/** That of an analysis that only its claim gave the right to. */
export const NO_LEASE: SubmitLease = '';

/** Time after which an analysis that was not seen again is forgotten: it was sent or has ended. Longer than any pace. */
const FORGOTTEN: Milliseconds = hours(2);

type Watched = Tenancy & Pick<Analysis, 'id'>;
const keyOf = ({ environment, unitId, id }: Watched) => `${environment} ${unitId} ${id}`;

/** What one container has seen unsent. */
export class UnsentWatch {
  /** In the order of their last sights. */
  readonly #seen = new Map<string, { readonly lease: SubmitLease; readonly since: Instant; readonly last: Instant }>();

  /** Notes that an analysis was unsent at `now` (by this container), under the lease that was found, if any. */
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

  /** The lease under which it has been unsent for 60 s at `now`; undefined where it has not for so long. */
  staleLease(analysis: Watched, now: Instant): SubmitLease | undefined {
    const sight = this.#seen.get(keyOf(analysis));
    return sight && now - sight.since >= SUBMIT_LEASE ? sight.lease : undefined;
  }
}
