import type { Failure, FailureCode } from '../values/failure.ts';

/** A call that was admitted and then refused, as its partner sees it afterwards. Holds no value of any field. */
export interface RefusedCall {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly method: string;
  /** The route's path, with `{id}` in the place of ids. */
  readonly path: string;
  readonly code: FailureCode;
  /** Dotted paths of the fields in fault; names of ours alone. */
  readonly fields: readonly string[];
  readonly requestId: string;
}

/** For how long a refused call is shown, in milliseconds, and how many of a unit are. */
export const REFUSALS_KEPT = { milliseconds: 86_400_000, newest: 100 } as const;

/** Field names that are kept of one call: a row stays below one write unit. */
const MOST_FIELDS = 20;

/** The names of a failure's fields that may be kept: not those that the caller chose, which could hold anything. */
export function fieldsToKeep({ fields = [] }: Pick<Failure, 'fields'>): readonly string[] {
  return fields
    .filter(({ chosen }) => !chosen)
    .map(({ field }) => field)
    .slice(0, MOST_FIELDS);
}
