import type { UnitId } from './ids.ts';

export const ENVIRONMENTS = ['sandbox', 'producao'] as const;
/** Environment of a call. Only the API key decides it. No id of one environment is valid in the other one. */
export type Environment = (typeof ENVIRONMENTS)[number];

/**
 * Unit and environment to which data belongs. Both are part of the key of every row about people. Therefore even a
 * faulty handler cannot read another unit's row.
 */
export interface Tenancy {
  readonly unitId: UnitId;
  readonly environment: Environment;
}

/**
 * One page of a list. `next` is the cursor with which another call gets the next page; undefined after the last page.
 */
export interface Page<T> {
  readonly items: readonly T[];
  readonly next: string | undefined;
}

export const isSameTenancy = (a: Tenancy, b: Tenancy) => a.unitId === b.unitId && a.environment === b.environment;
