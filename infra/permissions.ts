import { ERASED } from '../shared/administration/leads.ts';
import type { ReadKind, RowKind } from '../shared/administration/operation.ts';

/** Actions on rows of the table. A transaction needs the actions of its parts. */
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

/**
 * What one function may touch. Everything that its row leaves out is forbidden. Its environment variables follow from
 * this row.
 */
export interface Permission {
  readonly table?: readonly TableAction[];
  /**
   * Kinds of rows and of index entries that the function reads by key, by a query, or by a check in a transaction. It may
   * read no other kind. `all` if it scans the table: IAM cannot narrow a scan.
   */
  readonly reads: readonly ReadKind[] | 'all';
  /**
   * Kinds of rows that the function writes. It may write no other kind, so a function that writes nothing has an empty
   * list.
   */
  readonly writes: readonly RowKind[];
  /** Kinds among `writes` that it puts. Undefined if it puts all of them, or none. */
  readonly puts?: readonly RowKind[] | undefined;
  /** Kinds among `writes` that it deletes. Undefined only if it deletes none. */
  readonly deletes?: readonly RowKind[];
  /** Indexes that the function may query. */
  readonly indexes?: readonly Index[];
  /** Whether it writes consents. They are put once and never changed. */
  readonly keepsConsents?: true;
  /**
   * Whether it writes the audit: who of the service changed what and why. A row is put once, and updated once with how
   * the change ended, in attributes that only this update writes.
   */
  readonly keepsAudit?: true;
  /**
   * - `asks`: puts requests for approval, and notes that it has used one.
   * - `decides`: notes that a person has approved or refused a request.
   */
  readonly approvals?: 'asks' | 'decides';
  /** Whether it encrypts rows again, consents among them. Their content stays the same. */
  readonly reencrypts?: true;
  /** Whether it may delete only rows of the sandbox. */
  readonly endsSandboxAlone?: true;
  /** Actions on the ledger of erased people. */
  readonly ledger?: readonly TableAction[];
  /** Whether it sends webhook deliveries to their queue. */
  readonly sendsDeliveries?: true;
  /**
   * Whether it takes webhook deliveries from their queue, and moves those that it gives up to the dead-letter queue.
   */
  readonly takesDeliveries?: true;
  /** Whether it calls addresses of partners. */
  readonly callsPartners?: true;
  /** Whether it asks the panel's user pool for the e-mails of its people. */
  readonly namesPeople?: true;
  /** Whether it publishes to the topic of tickets. */
  readonly sendsTickets?: true;
  /** `look`: reads dead letters. `end`: may delete them, too. */
  readonly deadLetters?: 'look' | 'end';
  /**
   * Secrets whose values it reads.
   * - `keys`: the service's own sealing and index keys.
   * - `retiredKeys`: sealing keys that only copies of the table still need.
   * - `operator`: the bearer token of the operator.
   * - `probe`: the API key of the outside probe.
   */
  readonly secrets?: readonly SecretName[];
  /** Secrets of which it only checks whether they have a value. */
  readonly describesSecrets?: readonly SecretName[];
  /** Secrets that it writes new versions of. */
  readonly writesSecrets?: readonly SecretName[];
}

// A row may lie under the hash of each index key that is held. A function that makes such a row checks that there is none
// under another hash.
const NOT_ELSEWHERE = 'ConditionCheckItem' as const;

/**
 * Returns the permissions of a partner's operation: `own`, and those of its admission. Admission is a conditional
 * update of the partner's auth item, which counts the call. While many forged keys arrive, a read of that item comes
 * first. In the sandbox a refused call is recorded.
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

/**
 * One row for each function: exactly the actions that it uses, as test/flows/whole-service.test.ts records them on the
 * wire.
 */
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
    reads: ['LEAD', 'IDEMPOTENCY'],
    table: ['BatchGetItem', 'PutItem', NOT_ELSEWHERE],
    writes: ['LEAD', 'OPPORTUNITY', 'IDEMPOTENCY', 'ENCRYPTIONS'],
    puts: ['LEAD', 'OPPORTUNITY', 'IDEMPOTENCY'],
    secrets: ['keys'],
  }),
  'get-simulation': admitted({ reads: ['OPPORTUNITY'], secrets: ['keys'] }),
  'get-simulation-instalments': admitted({ reads: ['OPPORTUNITY'], secrets: ['keys'] }),
  'get-simulation-pdf': admitted({ reads: ['OPPORTUNITY', 'UNIT'], secrets: ['keys'] }),
  'get-simulation-comparison': admitted({ reads: ['OPPORTUNITY', 'UNIT'], secrets: ['keys'] }),
  // The claim's transaction checks that nobody has asked for the erasure of the person, and that the consent counts.
  'submit-analyses': admitted({
    reads: ['LEAD', 'CUTOFF', 'IDEMPOTENCY', 'FORM', 'SPOUSE', 'ANALYSIS'],
    table: ['BatchGetItem', 'PutItem', 'ConditionCheckItem'],
    writes: ['LEAD', 'IDEMPOTENCY', 'FORM', 'SPOUSE', 'CONSENT', 'ANALYSIS', 'DELIVERY', 'ENCRYPTIONS'],
    puts: ['LEAD', 'IDEMPOTENCY', 'FORM', 'SPOUSE', 'CONSENT', 'ANALYSIS', 'DELIVERY'],
    keepsConsents: true,
    sendsDeliveries: true,
    secrets: ['keys', 'operator'],
  }),
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
  // In the sandbox it also reads what the partner has tried out.
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
    reads: ['LEAD', 'CUTOFF', 'FORM', 'ANALYSIS', 'DELIVERY', 'UNIT', 'INDEXED', 'DUE', 'RECORDS'],
    table: ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'],
    writes: ERASED.concat('CUTOFF', 'DELIVERY', 'ENCRYPTIONS', 'INDEXED'),
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
