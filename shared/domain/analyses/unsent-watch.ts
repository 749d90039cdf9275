/**
 * If an analysis is sent twice, the person gets a second credit query.
 *
 * The clocks of two machines may disagree, so each container only measures by its own stopwatch for how long it has
 * seen an analysis unsent under one lease. A run that claimed the analysis or acquired its lease begins to send within
 * 50 s by its own clock, and its call ends at most 10 s later. So nobody can send under a lease that was seen for 60 s.
 * If the operator has then never received the analysis, nobody has sent it. The container acquires a new lease on the
 * condition that the row still has the lease that it saw. A new container assumes NO_LEASE, so it waits one minute if
 * the row has no lease, and two if it has one.
 */
import type { Stopwatch } from '../values/clock.ts';
import type { Tenancy } from '../values/tenancy.ts';
import { hours, type Milliseconds } from '../values/time.ts';
import { type Analysis, SUBMIT_LEASE } from './analysis.ts';

export type SubmitLease = string;
export const NO_LEASE: SubmitLease = '';

const FORGOTTEN: Milliseconds = hours(2);

type Watched = Tenancy & Pick<Analysis, 'id'>;
const keyOf = ({ environment, unitId, id }: Watched) => `${environment} ${unitId} ${id}`;

interface Sight {
  readonly lease: SubmitLease;
  readonly seenFor: () => Milliseconds;
  readonly lastSeen: () => Milliseconds;
}

export class UnsentWatch {
  readonly #seen = new Map<string, Sight>();
  readonly #stopwatch: Stopwatch;

  constructor(stopwatch: Stopwatch) {
    this.#stopwatch = stopwatch;
  }

  /** If `lease` is undefined, the row's lease was not read, and the lease that was seen before is kept. */
  see(analysis: Watched, lease?: SubmitLease): void {
    const lastSeen = this.#stopwatch();
    const key = keyOf(analysis);
    const before = this.#seen.get(key);
    const seenFor = before && (lease ?? before.lease) === before.lease ? before.seenFor : lastSeen;
    this.#seen.delete(key);
    this.#seen.set(key, { lease: lease ?? before?.lease ?? NO_LEASE, seenFor, lastSeen });
    for (const [old, sight] of this.#seen) {
      if (sight.lastSeen() < FORGOTTEN) return;
      this.#seen.delete(old);
    }
  }

  /** Undefined if the analysis has been seen for less than 60 s under its lease. */
  staleLease(analysis: Watched): SubmitLease | undefined {
    const sight = this.#seen.get(keyOf(analysis));
    return sight && sight.seenFor() >= SUBMIT_LEASE ? sight.lease : undefined;
  }
}
