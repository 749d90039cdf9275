import { ERASED } from '../shared/administration/leads.ts';
import type { ReadKind, RowKind } from '../shared/administration/operation.ts';

/** A transaction needs the actions of its parts. */
export type TableAction =
  | 'GetItem'
  | 'BatchGetItem'
  | 'Query'
  | 'Scan'
  | 'DescribeTable'
  | 'PutItem'
  | 'UpdateItem'
  | 'DeleteItem'
  | 'ConditionCheckItem';
export type Index = 'byList' | 'byDue';

export type SecretName = 'keys' | 'retiredKeys' | 'operator' | 'probe';

/** Everything that a row leaves out is forbidden. A function's environment variables follow from its row. */
export interface Permission {
  readonly table?: readonly TableAction[];
  /**
   * Kinds of rows that the function reads by key, by a query, or by a check in a transaction. `all` if the function
   * scans: IAM cannot limit a scan to kinds.
   */
  readonly reads: readonly ReadKind[] | 'all';
  readonly writes: readonly RowKind[];
  /** Undefined if the function puts every kind of `writes`, or none. */
  readonly puts?: readonly RowKind[] | undefined;
  /** Undefined only if the function deletes no rows. */
  readonly deletes?: readonly RowKind[];
  readonly indexes?: readonly Index[];
  /** Whether the function writes consents. They are put once and never changed. */
  readonly keepsConsents?: true;
  /** Whether the function writes audit rows: each is put once, and updated once with how the change ended. */
  readonly keepsAudit?: true;
  /**
   * - `asks`: puts requests for approval, and notes that an approval was used.
   * - `decides`: notes that a person has approved or refused a request.
   */
  readonly approvals?: 'asks' | 'decides';
  /** Whether the function encrypts rows again, consents among them. Their content stays the same. */
  readonly reencrypts?: true;
  /** Whether the function may delete only rows of the sandbox. */
  readonly endsSandboxAlone?: true;
  readonly ledger?: readonly TableAction[];
  readonly sendsDeliveries?: true;
  /** Whether the function takes deliveries from the queue. It moves given-up deliveries to the dead-letter queue. */
  readonly takesDeliveries?: true;
  readonly callsPartners?: true;
  readonly namesPeople?: true;
  readonly sendsTickets?: true;
  /** `look`: reads dead letters. `end`: may delete them, too. */
  readonly deadLetters?: 'look' | 'end';
  /**
   * - `keys`: the service's own sealing and index keys.
   * - `retiredKeys`: sealing keys that only copies of the table still need.
   * - `operator`: the bearer token of the operator.
   * - `probe`: the API key of the outside probe.
   */
  readonly secrets?: readonly SecretName[];
  /** Secrets of which the function only checks whether they have a value. */
  readonly describesSecrets?: readonly SecretName[];
  readonly writesSecrets?: readonly SecretName[];
}

// The key of a row may be a hash with any index key, so a function that makes a row checks the row's other hashes.
// hash.
const NOT_ELSEWHERE = 'ConditionCheckItem' as const;

/**
 * Adds the permissions of admission: a conditional update of the item with the partner's keys, after a read if many
 * forged keys arrive. In the sandbox admission records refused calls.
 */
const admitted = (own: Partial<Permission> & { readonly reads: readonly ReadKind[] }): Permission => ({
  ...own,
  table: ADMISSION.concat(own.table ?? []),
  reads: BRAKED.concat(own.reads),
  writes: COUNTED.concat(own.writes ?? []),
});
const BRAKED: readonly ReadKind[] = ['AUTH'];
const COUNTED: readonly RowKind[] = ['AUTH', 'REFUSED'];
const ADMISSION: readonly TableAction[] = ['UpdateItem', 'GetItem'];

/** Exactly the actions that test/flows/whole-service.test.ts records on the wire. */
export const PERMISSIONS: Readonly<Record<string, Permission>> = {
  'create-lead': admitted({
    reads: ['LEAD', 'CPF', 'IDEMPOTENCY'],
    table: ['PutItem', NOT_ELSEWHERE],
    writes: ['LEAD', 'LEADS', 'CPF', 'IDEMPOTENCY', 'ENCRYPTIONS'],
    puts: ['LEAD', 'LEADS', 'CPF', 'IDEMPOTENCY'],
    secrets: ['keys'],
  }),
  'get-lead': admitted({ reads: ['LEAD'], secrets: ['keys'] }),
  'update-lead': admitted({ reads: ['LEAD'], writes: ['LEAD', 'ENCRYPTIONS'], secrets: ['keys'] }),
  // A simulation counts as a use of the lead: the same transaction updates the lead's row.
  'create-simulation': admitted({
    reads: ['LEAD', 'IDEMPOTENCY', 'RATES'],
    table: ['BatchGetItem', 'PutItem', NOT_ELSEWHERE],
    writes: ['LEAD', 'OPPORTUNITY', 'IDEMPOTENCY', 'ENCRYPTIONS'],
    puts: ['LEAD', 'OPPORTUNITY', 'IDEMPOTENCY'],
    secrets: ['keys'],
  }),
  'get-simulation': admitted({ reads: ['OPPORTUNITY'], secrets: ['keys'] }),
  'get-simulation-instalments': admitted({ reads: ['OPPORTUNITY'], secrets: ['keys'] }),
  'get-simulation-pdf': admitted({ reads: ['OPPORTUNITY', 'UNIT'], secrets: ['keys'] }),
  'get-simulation-comparison': admitted({ reads: ['OPPORTUNITY', 'UNIT'], secrets: ['keys'] }),
  // The transaction checks that nobody has asked for the erasure of the person, and that the consent is still valid.
  'submit-analyses': admitted({
    reads: ['LEAD', 'CUTOFF', 'IDEMPOTENCY', 'FORM', 'SPOUSE', 'ANALYSIS'],
    table: ['BatchGetItem', 'PutItem', 'ConditionCheckItem'],
    writes: ['LEAD', 'IDEMPOTENCY', 'FORM', 'SPOUSE', 'CONSENT', 'ANALYSIS', 'DELIVERY', 'ENCRYPTIONS'],
    puts: ['LEAD', 'IDEMPOTENCY', 'FORM', 'SPOUSE', 'CONSENT', 'ANALYSIS', 'DELIVERY'],
    keepsConsents: true,
    sendsDeliveries: true,
    secrets: ['keys', 'operator'],
  }),
  'list-analyses': admitted({ reads: ['OUTCOMES'], indexes: ['byList'] }),
  'get-analysis-status': admitted({ reads: ['ANALYSIS'] }),
  'list-lead-analyses': admitted({ reads: ['LEAD'], table: ['Query'] }),
  'list-lead-consents': admitted({ reads: ['LEAD', 'CONSENT'], table: ['Query'], secrets: ['keys'] }),
  'withdraw-consent': admitted({
    reads: ['LEAD', 'IDEMPOTENCY', 'CONSENT', 'ANALYSIS'],
    table: ['BatchGetItem', 'Query', 'PutItem', 'ConditionCheckItem'],
    writes: ['LEAD', 'IDEMPOTENCY', 'CONSENT', 'ENCRYPTIONS'],
    puts: ['IDEMPOTENCY', 'CONSENT'],
    keepsConsents: true,
    secrets: ['keys'],
  }),
  'get-webhook': admitted({ reads: ['PARTNER', 'SUSPENDED'], indexes: ['byDue'] }),
  'list-own-deliveries': admitted({ reads: ['DELIVERY', 'DELIVERIES'], table: ['BatchGetItem'], indexes: ['byList'] }),
  'resend-delivery': admitted({
    reads: ['PARTNER', 'DELIVERY'],
    table: ['BatchGetItem', 'ConditionCheckItem'],
    writes: ['DELIVERY'],
    sendsDeliveries: true,
  }),
  'test-webhook': admitted({ reads: [], writes: ['PARTNER'], secrets: ['keys'], callsPartners: true }),
  'get-account': admitted({
    reads: ['PARTNER', 'LEAD', 'LEADS', 'DELIVERIES'],
    table: ['BatchGetItem', 'Query'],
    writes: ['PARTNER'],
    indexes: ['byList'],
    secrets: ['keys'],
  }),
  'list-refused-calls': admitted({ reads: ['REFUSED'], table: ['Query'] }),
  // Checks for each lead that nobody has asked for the erasure of the person.
  'reset-sandbox': admitted({
    reads: ['PARTNER', 'LEAD', 'LEADS', 'CUTOFF', 'FORM', 'REFUSED', 'RECORDS', 'DELIVERIES'],
    table: ['BatchGetItem', 'Query', 'DeleteItem', 'ConditionCheckItem'],
    writes: ['PARTNER', 'LEAD', 'LEADS', 'CPF', 'CUTOFF', 'SPOUSE', 'IDEMPOTENCY', 'OPPORTUNITY', 'FORM', 'ANALYSIS'],
    deletes: ['LEAD', 'LEADS', 'CPF', 'CUTOFF', 'SPOUSE', 'IDEMPOTENCY', 'OPPORTUNITY', 'FORM', 'ANALYSIS', 'REFUSED'],
    indexes: ['byList'],
    endsSandboxAlone: true,
    secrets: ['keys'],
  }),
  'get-health': { reads: [], writes: [] },
  'get-openapi': { reads: [], writes: [] },
  'get-openapi-30': { reads: [], writes: [] },
  'get-docs': { reads: [], writes: [] },
  fallback: { reads: [], writes: [] },
  'poll-bank-outcomes': {
    reads: ['LEAD', 'FORM', 'SPOUSE', 'ANALYSIS', 'CURSOR', 'PENDING'],
    table: ['GetItem', 'PutItem', 'UpdateItem'],
    writes: ['LEAD', 'ANALYSIS', 'DELIVERY', 'CURSOR'],
    puts: ['DELIVERY', 'CURSOR'],
    indexes: ['byDue'],
    sendsDeliveries: true,
    secrets: ['keys', 'operator'],
  },
  'sweep-deliveries': {
    reads: ['PARTNER', 'DUE', 'FAILING', 'DISABLED', 'SUSPENDED', 'EXHAUSTED'],
    table: ['BatchGetItem', 'UpdateItem', 'ConditionCheckItem'],
    writes: ['PARTNER', 'DELIVERY'],
    indexes: ['byDue', 'byList'],
    sendsDeliveries: true,
  },
  'sweep-erasures': {
    reads: ['LEAD', 'CUTOFF', 'FORM', 'ANALYSIS', 'DELIVERY', 'UNIT', 'INDEXED', 'DUE', 'RECORDS', 'RATES'],
    table: ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'],
    writes: ERASED.concat('ANALYSIS', 'CUTOFF', 'DELIVERY', 'ENCRYPTIONS', 'INDEXED'),
    puts: ['LEAD', 'CUTOFF', 'INDEXED'],
    deletes: ERASED,
    indexes: ['byDue', 'byList'],
    ledger: ['PutItem'],
    secrets: ['keys'],
  },
  'probe-service': { reads: [], writes: [], secrets: ['probe'] },
  'deliver-webhook': {
    reads: ['PARTNER'],
    table: ['GetItem', 'UpdateItem', 'ConditionCheckItem'],
    writes: ['PARTNER', 'DELIVERY'],
    takesDeliveries: true,
    secrets: ['keys'],
  },
};
