import { verdict } from './errors.ts';

/** What a check of `doctor` has found. */
export interface Finding {
  readonly check: string;
  /** unknown: whoever asks may not, or nobody answered. */
  readonly state: 'ok' | 'MISSING' | 'unknown';
  /** In words. */
  readonly found: string;
  /** A command, or what to do, where something is missing. */
  readonly cure?: string;
}

/** Looks at one thing; a look that fails finds nothing out. */
export async function lookedAt(check: string, look: () => Promise<Omit<Finding, 'check'>>): Promise<Finding> {
  try {
    return { check, ...(await look()) };
  } catch (error) {
    return { check, state: 'unknown', found: verdict(error).line ?? '' };
  }
}
