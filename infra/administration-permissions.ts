import type { AdministrationOperation } from '../shared/administration/routes.ts';
import type { Permission } from './permissions.ts';

/** One row per operation of the administration: exactly what it asks AWS for, as the tests record it on the wire. */
export const ADMINISTRATION_PERMISSIONS = {} as Readonly<Record<AdministrationOperation, Permission>>;
