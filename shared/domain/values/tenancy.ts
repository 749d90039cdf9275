import type { UnitId } from './ids.ts';

export const ENVIRONMENTS = ['sandbox', 'producao'] as const;
/** Only the API key decides the environment. No id of one environment is valid in the other one. */
export type Environment = (typeof ENVIRONMENTS)[number];

/**
 * Both are part of the key of every row about people. Therefore even a faulty handler cannot read another unit's row.
 */
export interface Tenancy {
  readonly unitId: UnitId;
  readonly environment: Environment;
}

/** `next` is undefined after the last page. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly next: string | undefined;
}

export const isSameTenancy = (a: Tenancy, b: Tenancy) => a.unitId === b.unitId && a.environment === b.environment;
