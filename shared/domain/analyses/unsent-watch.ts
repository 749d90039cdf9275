/**
 * Decides when the poller may send an analysis that its first run may not have sent, for example because the run
 * crashed. If an analysis is sent twice, the person gets a second credit query.
 *
 * The clocks of two machines may disagree, so each container only measures by its own stopwatch for how long it has seen
 * an analysis unsent under one lease. A run that claimed the analysis or acquired its lease begins to send within 50 s by
 * its own clock, and its call ends at most 10 s later. So nobody can send under a lease that was seen for 60 s. If the
 * operator has then never received the analysis, nobody has sent it, and the container acquires a new lease on the
 * condition that the row still has the lease that it saw.
 *
 * A new container assumes NO_LEASE, and learns the row's lease only when its first try to acquire one is refused. So it
 * waits one minute if the row has no lease, and two minutes if the row has one.
 */
import type { Stopwatch } from '../values/clock.ts';
import type { Tenancy } from '../values/tenancy.ts';
import { hours, type Milliseconds } from '../values/time.ts';
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

/** What a container has seen of an analysis. */
interface Sight {
  readonly lease: SubmitLease;
  /** For how long it has been seen unsent under this lease. */
  readonly seenFor: () => Milliseconds;
  /** How long ago it was last seen. */
  readonly lastSeen: () => Milliseconds;
}

/** The analyses that one container has seen unsent. */
export class UnsentWatch {
  /** The analyses by their key, in the order in which they were last seen. */
  readonly #seen = new Map<string, Sight>();
  readonly #stopwatch: Stopwatch;

  constructor(stopwatch: Stopwatch) {
    this.#stopwatch = stopwatch;
  }

  /**
   * Remembers that an analysis is unsent now. `lease` is the lease that the row had. If `lease` is undefined, the row's
   * lease was not read, and the lease that was seen before is kept.
   */
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

  /** Returns the lease under which an analysis has been seen unsent for 60 s. Undefined if the time is shorter. */
  staleLease(analysis: Watched): SubmitLease | undefined {
    const sight = this.#seen.get(keyOf(analysis));
    return sight && sight.seenFor() >= SUBMIT_LEASE ? sight.lease : undefined;
  }
}
