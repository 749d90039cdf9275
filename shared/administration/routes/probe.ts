import { type AdministrationRoute, SECURITY } from '../route.ts';

/** The key of the probe from outside. */
export const PROBE_ROUTES = [
  {
    operation: 'set-probe-key',
    noun: 'probe',
    method: 'PUT',
    path: '/v1/probe/key',
    duties: SECURITY,
    audited: true,
  },
] as const satisfies readonly AdministrationRoute[];
