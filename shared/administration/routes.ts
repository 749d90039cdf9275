/**
 * What a person may be trusted with, and what the operator's machine may do: one IAM managed policy each, which names its
 * routes. A person may have several.
 */
export const DUTIES = ['manager', 'support', 'privacy', 'security', 'auditor', 'operator'] as const;
export type Duty = (typeof DUTIES)[number];

/** One row per operation: the gateway, the duties' policies, the document, the clients and the tests read it. */
export interface AdministrationRoute {
  /** Name of the function, and of its file below functions/administration/. */
  readonly operation: string;
  /** Folder of the file, and the operation's heading in the document. */
  readonly noun:
    | 'partners'
    | 'units'
    | 'keys'
    | 'rates'
    | 'webhooks'
    | 'deliveries'
    | 'dead-letters'
    | 'leads'
    | 'analyses'
    | 'operator'
    | 'probe'
    | 'sealing'
    | 'indexing'
    | 'audit'
    | 'document';
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH';
  /** As API Gateway writes it. A parameter stands last or before a verb, so that `*` in a policy matches no other route. */
  readonly path: `/${string}`;
  /** Who may call it. */
  readonly duties: readonly Duty[];
  /** Whether it is noted in the audit: its body then carries `reason`. Every change of a person is. */
  readonly audited: boolean;
  /** What the body's `confirm` must repeat; none where the change can be undone. */
  readonly confirm?: Confirmation;
  /** Whether `dry_run: true` answers what the change would do: it then needs neither `reason` nor `confirm`, and is not noted. */
  readonly dryRun?: true;
  /** Whether it goes page by page: `cursor` in, `next_cursor` out. */
  readonly paged?: true;
}

/** `confirm` repeats the first of these fields (path or body) that the call carries, else a fixed word. */
export interface Confirmation {
  readonly fields: readonly string[];
  readonly otherwise?: string;
  /** Whether only the state of things tells if it is needed: `confirmation_missing` says so. */
  readonly sometimes?: true;
}

const MANAGER = ['manager'] as const satisfies readonly Duty[];
const DESK = ['manager', 'support'] as const satisfies readonly Duty[];
const READERS = ['manager', 'support', 'auditor'] as const satisfies readonly Duty[];
const EVERYONE = ['manager', 'support', 'privacy', 'security', 'auditor'] as const satisfies readonly Duty[];
const KEY_READERS = ['manager', 'security', 'auditor'] as const satisfies readonly Duty[];
const PRIVACY = ['privacy'] as const satisfies readonly Duty[];
const SECURITY = ['security'] as const satisfies readonly Duty[];
const SECURITY_READERS = ['security', 'auditor'] as const satisfies readonly Duty[];

const ROWS = [
  {
    operation: 'list-partners',
    noun: 'partners',
    method: 'GET',
    path: '/v1/partners',
    duties: EVERYONE,
    audited: false,
    paged: true,
  },
  {
    operation: 'create-partner',
    noun: 'partners',
    method: 'POST',
    path: '/v1/partners',
    duties: MANAGER,
    audited: true,
  },
  {
    operation: 'show-partner',
    noun: 'partners',
    method: 'GET',
    path: '/v1/partners/{partner_id}',
    duties: EVERYONE,
    audited: false,
  },
  {
    operation: 'show-sandbox-checklist',
    noun: 'partners',
    method: 'GET',
    path: '/v1/sandbox-checklists/{partner_id}',
    duties: READERS,
    audited: false,
  },
  {
    operation: 'validate-partner',
    noun: 'partners',
    method: 'POST',
    path: '/v1/partners/{partner_id}/validate',
    duties: MANAGER,
    audited: true,
  },

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

  { operation: 'list-keys', noun: 'keys', method: 'GET', path: '/v1/keys', duties: KEY_READERS, audited: false },
  { operation: 'create-key', noun: 'keys', method: 'POST', path: '/v1/keys', duties: MANAGER, audited: true },
  {
    operation: 'rotate-key',
    noun: 'keys',
    method: 'POST',
    path: '/v1/keys/{key_id}/rotate',
    duties: MANAGER,
    audited: true,
    confirm: { fields: ['key_id'] },
  },
  {
    operation: 'revoke-key',
    noun: 'keys',
    method: 'POST',
    path: '/v1/keys/{key_id}/revoke',
    duties: ['manager', 'security'],
    audited: true,
    confirm: { fields: ['key_id'] },
  },

  {
    operation: 'set-rate',
    noun: 'rates',
    method: 'PUT',
    path: '/v1/rates/{partner_id}',
    duties: MANAGER,
    audited: true,
  },

  {
    operation: 'show-webhook',
    noun: 'webhooks',
    method: 'GET',
    path: '/v1/webhooks/{partner_id}',
    duties: READERS,
    audited: false,
  },
  {
    operation: 'set-webhook',
    noun: 'webhooks',
    method: 'PUT',
    path: '/v1/webhooks/{partner_id}',
    duties: DESK,
    audited: true,
    confirm: { fields: ['partner_id'], sometimes: true },
    dryRun: true,
  },
  {
    operation: 'rotate-webhook-secret',
    noun: 'webhooks',
    method: 'POST',
    path: '/v1/webhooks/{partner_id}/rotate',
    duties: DESK,
    audited: true,
    confirm: { fields: ['partner_id'] },
  },
  {
    operation: 'ping-webhook',
    noun: 'webhooks',
    method: 'POST',
    path: '/v1/webhooks/{partner_id}/ping',
    duties: DESK,
    audited: true,
  },
  {
    operation: 'enable-webhook',
    noun: 'webhooks',
    method: 'POST',
    path: '/v1/webhooks/{partner_id}/enable',
    duties: DESK,
    audited: true,
    paged: true,
  },
  {
    operation: 'disable-webhook',
    noun: 'webhooks',
    method: 'POST',
    path: '/v1/webhooks/{partner_id}/disable',
    duties: DESK,
    audited: true,
    confirm: { fields: ['partner_id'] },
  },

  {
    operation: 'list-deliveries',
    noun: 'deliveries',
    method: 'GET',
    path: '/v1/deliveries',
    duties: READERS,
    audited: false,
    paged: true,
  },
  {
    operation: 'show-delivery',
    noun: 'deliveries',
    method: 'GET',
    path: '/v1/deliveries/{event_id}',
    duties: READERS,
    audited: false,
  },
  {
    operation: 'replay-deliveries',
    noun: 'deliveries',
    method: 'POST',
    path: '/v1/deliveries/replay',
    duties: DESK,
    audited: true,
    dryRun: true,
    paged: true,
  },

  {
    operation: 'list-dead-letters',
    noun: 'dead-letters',
    method: 'GET',
    path: '/v1/dead-letters',
    duties: READERS,
    audited: false,
  },
  {
    operation: 'redrive-dead-letters',
    noun: 'dead-letters',
    method: 'POST',
    path: '/v1/dead-letters/redrive',
    duties: DESK,
    audited: true,
    dryRun: true,
    paged: true,
  },
  {
    operation: 'discard-dead-letters',
    noun: 'dead-letters',
    method: 'POST',
    path: '/v1/dead-letters/discard',
    duties: MANAGER,
    audited: true,
    confirm: { fields: ['event_id', 'partner_id'], otherwise: 'foreign' },
    dryRun: true,
    paged: true,
  },

  {
    operation: 'find-leads',
    noun: 'leads',
    method: 'POST',
    path: '/v1/leads/find',
    duties: PRIVACY,
    audited: true,
    paged: true,
  },
  { operation: 'export-lead', noun: 'leads', method: 'POST', path: '/v1/leads/export', duties: PRIVACY, audited: true },
  {
    operation: 'erase-lead',
    noun: 'leads',
    method: 'POST',
    path: '/v1/leads/erase',
    duties: PRIVACY,
    audited: true,
    confirm: { fields: ['lead_id'] },
    dryRun: true,
  },
  {
    operation: 'apply-erasure-ledger',
    noun: 'leads',
    method: 'POST',
    path: '/v1/leads/apply-ledger',
    duties: PRIVACY,
    audited: true,
    confirm: { fields: [], otherwise: 'ledger' },
    paged: true,
  },

  {
    operation: 'list-pending-analyses',
    noun: 'analyses',
    method: 'GET',
    path: '/v1/analyses',
    duties: READERS,
    audited: false,
    paged: true,
  },
  {
    operation: 'show-analysis',
    noun: 'analyses',
    method: 'GET',
    path: '/v1/analyses/{analysis_id}',
    duties: READERS,
    audited: false,
  },
  {
    operation: 'poll-analysis',
    noun: 'analyses',
    method: 'POST',
    path: '/v1/analyses/{analysis_id}/poll',
    duties: DESK,
    audited: true,
  },
  // The operator's own words, as the whole of shared/operator/operator.openapi.yaml: a machine calls it, and no person.
  {
    operation: 'record-outcomes',
    noun: 'analyses',
    method: 'POST',
    path: '/resultados',
    duties: ['operator'],
    audited: false,
  },

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

  {
    operation: 'set-probe-key',
    noun: 'probe',
    method: 'PUT',
    path: '/v1/probe/key',
    duties: SECURITY,
    audited: true,
  },

  {
    operation: 'show-sealing-keys',
    noun: 'sealing',
    method: 'GET',
    path: '/v1/sealing-keys',
    duties: SECURITY_READERS,
    audited: false,
  },
  {
    operation: 'count-sealed-rows',
    noun: 'sealing',
    method: 'GET',
    path: '/v1/sealing-keys/rows',
    duties: SECURITY_READERS,
    audited: false,
    paged: true,
  },
  {
    operation: 'init-service-keys',
    noun: 'sealing',
    method: 'POST',
    path: '/v1/sealing-keys/init',
    duties: SECURITY,
    audited: true,
  },
  {
    operation: 'rotate-sealing-key',
    noun: 'sealing',
    method: 'POST',
    path: '/v1/sealing-keys/rotate',
    duties: SECURITY,
    audited: true,
    confirm: { fields: ['current'] },
  },
  {
    operation: 'reencrypt-rows',
    noun: 'sealing',
    method: 'POST',
    path: '/v1/sealing-keys/reencrypt',
    duties: SECURITY,
    audited: true,
    paged: true,
  },
  {
    operation: 'retire-sealing-key',
    noun: 'sealing',
    method: 'POST',
    path: '/v1/sealing-keys/retire',
    duties: SECURITY,
    audited: true,
    confirm: { fields: ['version'] },
    paged: true,
  },

  {
    operation: 'count-older-rows',
    noun: 'indexing',
    method: 'GET',
    path: '/v1/index-keys/rows',
    duties: SECURITY_READERS,
    audited: false,
    paged: true,
  },
  {
    operation: 'rotate-index-key',
    noun: 'indexing',
    method: 'POST',
    path: '/v1/index-keys/rotate',
    duties: SECURITY,
    audited: true,
    confirm: { fields: ['name'] },
  },
  {
    operation: 'reindex-rows',
    noun: 'indexing',
    method: 'POST',
    path: '/v1/index-keys/reindex',
    duties: SECURITY,
    audited: true,
    paged: true,
  },
  {
    operation: 'retire-index-key',
    noun: 'indexing',
    method: 'POST',
    path: '/v1/index-keys/retire',
    duties: SECURITY,
    audited: true,
    confirm: { fields: ['name'] },
    paged: true,
  },

  {
    operation: 'list-audit',
    noun: 'audit',
    method: 'GET',
    path: '/v1/audit',
    duties: EVERYONE,
    audited: false,
    paged: true,
  },
  {
    operation: 'export-audit',
    noun: 'audit',
    method: 'GET',
    path: '/v1/audit/export',
    duties: SECURITY_READERS,
    audited: false,
    paged: true,
  },

  {
    operation: 'show-openapi',
    noun: 'document',
    method: 'GET',
    path: '/openapi.json',
    duties: EVERYONE,
    audited: false,
  },
] as const satisfies readonly AdministrationRoute[];

/** Names of the operations. */
export type AdministrationOperation = (typeof ROWS)[number]['operation'];

export const ADMINISTRATION_ROUTES: readonly (AdministrationRoute & { readonly operation: AdministrationOperation })[] =
  ROWS;

/** The row of an operation. */
export function administrationRoute<Name extends AdministrationOperation>(
  operation: Name,
): AdministrationRoute & { readonly operation: Name } {
  // Every name is a row's: the type of names is made from the rows.
  return ADMINISTRATION_ROUTES.find((row) => row.operation === operation) as AdministrationRoute & {
    readonly operation: Name;
  };
}
