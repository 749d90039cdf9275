import { type Claim, IDEMPOTENCY_TTL } from '#shared/domain/values/idempotency.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** Milliseconds by which the clock of another container is ahead: beyond each lease, and up to a day less a minute, for which a key is remembered. */
export const SKEWS = [MINUTE - DAY, -MINUTE - 1, MINUTE + 1, DAY - MINUTE];

/** A claim as 10 callers make it at once, every other by a clock that is `skew` ahead, each with its port. */
export function claimedBySkewed<Port>(
  start: number,
  skew: number,
  claim: Claim,
  portOf: (clock: () => number) => Port,
) {
  return Array.from({ length: 10 }, (_, index) => {
    const now = start + (index % 2) * skew;
    return { port: portOf(() => now), claim: { ...claim, expiresAt: now + IDEMPOTENCY_TTL.records } };
  });
}
