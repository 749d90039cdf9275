import { type Claim, IDEMPOTENCY_TTL } from '#shared/domain/values/idempotency.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/**
 * Milliseconds by which the clock of another container is ahead or, if negative, behind. The small ones are longer than
 * each lease. The large ones are a minute less than the day for which a key is remembered.
 */
export const SKEWS = [MINUTE - DAY, -MINUTE - 1, MINUTE + 1, DAY - MINUTE];

/**
 * Returns one claim 10 times, as 10 callers make it at once, each with its own port. The clock of every other caller is
 * `skew` ahead.
 */
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
