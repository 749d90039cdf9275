import { type AdministrationRoute, EVERYONE, MANAGER } from '../route.ts';

/** Units of a partner. */
export const UNIT_ROUTES = [
  { operation: 'list-units', noun: 'units', method: 'GET', path: '/v1/units', duties: EVERYONE, audited: false },
  { operation: 'create-unit', noun: 'units', method: 'POST', path: '/v1/units', duties: MANAGER, audited: true },
  {
    operation: 'present-unit',
    noun: 'units',
    method: 'PATCH',
    path: '/v1/units/{unit_id}',
    duties: MANAGER,
    audited: true,
  },
] as const satisfies readonly AdministrationRoute[];
