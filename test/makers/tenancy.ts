import type { UnitId } from '#shared/domain/values/ids.ts';
import type { Environment, Tenancy } from '#shared/domain/values/tenancy.ts';

let units = 0;

/** Returns a unit that no other test of the file uses. */
export function newTenancy(environment: Environment = 'producao'): Tenancy {
  return { unitId: ++units as UnitId, environment };
}
