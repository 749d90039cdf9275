import type { AdministrationOperation } from '../shared/administration/routes.ts';
import type { Permission, TableAction } from './permissions.ts';

/** What every change begins and ends with: an audit row, put and then updated. */
const AUDITED = ['PutItem', 'UpdateItem'] as const satisfies readonly TableAction[];

/** What the erasure of a person touches, at whatever point it goes on. */
const ERASING = ['GetItem', 'BatchGetItem', 'Query', 'DeleteItem'] as const satisfies readonly TableAction[];

/** One row per operation of the administration: exactly what it asks AWS for, as the tests record it on the wire. */
export const ADMINISTRATION_PERMISSIONS: Readonly<Record<AdministrationOperation, Permission>> = {
  'list-partners': { table: ['BatchGetItem'], indexes: ['byList'] },
  'create-partner': { table: AUDITED, keepsAudit: true },
  'show-partner': { table: ['GetItem', 'Query'], secrets: ['keys'] },
  'show-sandbox-checklist': { table: ['GetItem', 'BatchGetItem', 'Query'], indexes: ['byList'] },
  'validate-partner': {
    table: [...AUDITED, 'GetItem', 'BatchGetItem', 'Query'],
    indexes: ['byList'],
    keepsAudit: true,
  },
  'list-units': { table: ['GetItem', 'Query'] },
  'create-unit': { table: [...AUDITED, 'GetItem'], keepsAudit: true },
  'present-unit': { table: [...AUDITED, 'GetItem', 'Query'], keepsAudit: true },
  'list-keys': { table: ['GetItem', 'Query'], secrets: ['keys'] },
  'create-key': { table: [...AUDITED, 'GetItem', 'ConditionCheckItem'], keepsAudit: true, secrets: ['keys'] },
  'rotate-key': { table: [...AUDITED, 'GetItem', 'Query', 'ConditionCheckItem'], keepsAudit: true, secrets: ['keys'] },
  'revoke-key': { table: [...AUDITED, 'GetItem', 'Query'], keepsAudit: true, secrets: ['keys'] },
  'set-rate': { table: [...AUDITED, 'GetItem'], keepsAudit: true },
  'show-webhook': { table: ['GetItem'], indexes: ['byDue'], secrets: ['keys'] },
  'set-webhook': { table: [...AUDITED, 'GetItem'], indexes: ['byList'], keepsAudit: true, secrets: ['keys'] },
  'rotate-webhook-secret': { table: [...AUDITED, 'GetItem'], keepsAudit: true, secrets: ['keys'] },
  'ping-webhook': { table: [...AUDITED, 'GetItem'], keepsAudit: true, secrets: ['keys'], callsPartners: true },
  'enable-webhook': { table: [...AUDITED, 'GetItem'], indexes: ['byDue'], keepsAudit: true, sendsDeliveries: true },
  'disable-webhook': { table: [...AUDITED, 'GetItem'], keepsAudit: true },
  'list-deliveries': { table: ['GetItem', 'BatchGetItem'], indexes: ['byList'] },
  'show-delivery': { table: ['GetItem'] },
  'replay-deliveries': {
    table: [...AUDITED, 'GetItem', 'BatchGetItem'],
    indexes: ['byList'],
    keepsAudit: true,
    sendsDeliveries: true,
  },
  'list-dead-letters': { table: ['GetItem'], deadLetters: 'look' },
  'redrive-dead-letters': {
    table: [...AUDITED, 'GetItem'],
    keepsAudit: true,
    sendsDeliveries: true,
    deadLetters: 'end',
  },
  'discard-dead-letters': { table: AUDITED, keepsAudit: true, deadLetters: 'end' },
  'find-leads': {
    table: [...AUDITED, 'GetItem', 'BatchGetItem', 'Query'],
    indexes: ['byList'],
    keepsAudit: true,
    secrets: ['keys'],
  },
  'export-lead': { table: [...AUDITED, 'GetItem', 'BatchGetItem', 'Query'], keepsAudit: true, secrets: ['keys'] },
  'erase-lead': { table: [...AUDITED, ...ERASING], keepsAudit: true, secrets: ['keys'], ledger: ['PutItem'] },
  'apply-erasure-ledger': {
    table: [...AUDITED, ...ERASING],
    keepsAudit: true,
    secrets: ['keys'],
    ledger: ['PutItem', 'Scan'],
  },
  'list-pending-analyses': { indexes: ['byDue'] },
  'show-analysis': { table: ['GetItem'] },
  'poll-analysis': {
    table: [...AUDITED, 'GetItem'],
    keepsAudit: true,
    sendsDeliveries: true,
    secrets: ['keys', 'operator'],
  },
  // As the poller books an outcome, and no audit: the transition is the evidence.
  'record-outcomes': { table: ['GetItem', 'PutItem', 'UpdateItem'], sendsDeliveries: true },
  'show-operator': { describesSecrets: ['operator'] },
  'set-operator-token': { table: AUDITED, keepsAudit: true, writesSecrets: ['operator'] },
  'set-probe-key': { table: AUDITED, keepsAudit: true, writesSecrets: ['probe'] },
  'show-sealing-keys': { table: ['BatchGetItem'], secrets: ['keys'], describesSecrets: ['keys'] },
  'count-sealed-rows': { table: ['Scan', 'DescribeTable'] },
  'init-service-keys': { table: AUDITED, keepsAudit: true, describesSecrets: ['keys'], writesSecrets: ['keys'] },
  'rotate-sealing-key': { table: AUDITED, keepsAudit: true, secrets: ['keys'], writesSecrets: ['keys'] },
  'reencrypt-rows': {
    table: [...AUDITED, 'GetItem', 'DeleteItem', 'Scan', 'DescribeTable'],
    keepsAudit: true,
    reencrypts: true,
    secrets: ['keys'],
  },
  'retire-sealing-key': {
    table: [...AUDITED, 'GetItem', 'DeleteItem', 'Scan', 'DescribeTable'],
    keepsAudit: true,
    secrets: ['keys'],
    writesSecrets: ['keys'],
  },
  'count-older-rows': { table: ['Scan', 'DescribeTable'], secrets: ['keys'] },
  'rotate-index-key': { table: AUDITED, keepsAudit: true, secrets: ['keys'], writesSecrets: ['keys'] },
  'reindex-rows': {
    table: [...AUDITED, 'GetItem', 'DeleteItem', 'Scan', 'DescribeTable'],
    keepsAudit: true,
    secrets: ['keys'],
  },
  'retire-index-key': {
    table: [...AUDITED, 'GetItem', 'DeleteItem', 'Scan', 'DescribeTable'],
    keepsAudit: true,
    secrets: ['keys'],
    writesSecrets: ['keys'],
  },
  'list-audit': { table: ['Query'] },
  'show-openapi': {},
  'export-audit': { table: ['BatchGetItem', 'Query'], indexes: ['byList'] },
};
