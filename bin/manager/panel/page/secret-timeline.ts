/** For how long the secret before a rotation signs too, in milliseconds: contract, Webhooks. */
const OVERLAP = 24 * 3_600_000;

/** Where an overlap of two secrets stands. */
export interface SecretTimeline {
  /** When the secret was replaced, ISO 8601. */
  readonly from: string;
  readonly until: string;
  /** How much of the overlap is over, 0 to 1. */
  readonly passed: number;
}

/** The overlap that ends at `until`; undefined where none runs at `now`, in milliseconds since 1970. */
export function secretTimeline(until: string | null, now: number): SecretTimeline | undefined {
  if (until === null) return undefined;
  const end = Date.parse(until);
  if (end <= now) return undefined;
  const passed = Math.max(0, Math.min(1, 1 - (end - now) / OVERLAP));
  return { from: new Date(end - OVERLAP).toISOString(), until, passed };
}
