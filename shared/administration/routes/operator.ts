import { type AdministrationRoute, SECURITY, SECURITY_READERS } from '../route.ts';

/** The way to the operator. */
export const OPERATOR_ROUTES = [
  {
    operation: 'show-operator',
    noun: 'operator',
    method: 'GET',
    path: '/v1/operator',
    duties: SECURITY_READERS,
    audited: false,
  },
  {
    operation: 'set-operator-token',
    noun: 'operator',
    method: 'PUT',
    path: '/v1/operator/token',
    duties: SECURITY,
    audited: true,
    confirm: { fields: [], otherwise: 'operator-token' },
  },
] as const satisfies readonly AdministrationRoute[];
