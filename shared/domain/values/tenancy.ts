import type { UnitId } from './ids.ts';

export const ENVIRONMENTS = ['sandbox', 'producao'] as const;
/** Decided by the key alone; no id ever crosses it. */
export type Environment = (typeof ENVIRONMENTS)[number];

/** Whose data a row is: part of every partition key, so that a foreign row cannot be read even by a faulty handler. */
export interface Tenancy {
  readonly unitId: UnitId;
  readonly environment: Environment;
}

/** Rows a page at a time; `next` is where another call goes on, undefined after the last page. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly next: string | undefined;
}

export const isSameTenancy = (a: Tenancy, b: Tenancy) => a.unitId === b.unitId && a.environment === b.environment;
