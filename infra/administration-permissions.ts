import type { Operation } from '../shared/administration/operation.ts';
import type { Permission, TableAction } from './permissions.ts';

/** What a noted operation begins and ends with: an audit row, put and then updated. */
const AUDITED = ['PutItem', 'UpdateItem'] as const satisfies readonly TableAction[];

/** Exactly what an operation asks AWS for, as the tests record it on the wire. */
export function administrationPermission({ audited, permission }: Operation): Permission {
  if (!audited) return permission;
  return { ...permission, table: [...AUDITED, ...(permission.table ?? [])], keepsAudit: true };
}
