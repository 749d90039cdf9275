import type { UnitId } from '#shared/domain/values/ids.ts';
import type { Environment, Tenancy } from '#shared/domain/values/tenancy.ts';

let units = 0;

/** A unit that no other test of the file has. */
export function newTenancy(environment: Environment = 'producao'): Tenancy {
  return { unitId: ++units as UnitId, environment };
}
