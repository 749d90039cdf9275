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

/** What one function may touch. Whatever is left out, it may not. Its environment variables follow from it. */
export interface Permission {
  readonly table?: readonly TableAction[];
  /**
   * The kinds of rows that it writes, by the beginning of their partition (shared/table/rows/keys.ts), and no other.
   * @default every kind but evidence
   */
  readonly writes?: readonly string[];
  /** Indexes that it may query. */
  readonly indexes?: readonly Index[];
  /** Keeps consents: put once, never changed. */
  readonly keepsConsents?: true;
  /** Writes what people of the service change and why: put once, and noted once how it ended. */
  readonly keepsAudit?: true;
  /** Encrypts rows anew, consents among them: what they say stays. */
  readonly reencrypts?: true;
  /** Deletes rows of the sandbox, and no other. */
  readonly endsSandboxAlone?: true;
  /** Actions on the ledger of erased people. */
  readonly ledger?: readonly TableAction[];
  /** Sends webhook deliveries to their queue. */
  readonly sendsDeliveries?: true;
  /** Takes webhook deliveries from their queue and gives up what has failed to the dead-letter queue. */
  readonly takesDeliveries?: true;
  /** Calls partners' own addresses. */
  readonly callsPartners?: true;
  /** Asks the panel's user pool who its people are. */
  readonly namesPeople?: true;
  /** Looks at dead letters, and may end them where it says so. */
  readonly deadLetters?: 'look' | 'end';
  /**
   * `keys`: the service's own sealing and index keys. `retiredKeys`: sealing keys that only copies of the table still need.
   * `operator`: the bearer token of the operator. `probe`: the key by which the service is called from outside.
   */
  readonly secrets?: readonly SecretName[];
  /** Secrets of which it only asks whether they were ever written. */
  readonly describesSecrets?: readonly SecretName[];
  /** Secrets that it writes new versions of. */
  readonly writesSecrets?: readonly SecretName[];
}

// While two index keys are held, whoever makes a row that is found by a hash checks that the other has none.
const NOT_ELSEWHERE = 'ConditionCheckItem' as const;

/**
 * Permissions of a partner's operation: `own`, and those of its admission. Admission is a conditional update of the
 * partner's auth item, which counts the call; while forged keys come in numbers, a read of that item comes before it. A
 * refused call of the sandbox is noted.
 */
const admitted = (own: Permission = {}): Permission => ({
  ...own,
  table: ADMISSION.concat(own.table ?? []),
  writes: ['AUTH', 'REFUSED'].concat(own.writes ?? []),
});
const ADMISSION: readonly TableAction[] = ['UpdateItem', 'GetItem'];

/** One row per function: exactly what it asks AWS for, as test/flows/whole-service.test.ts records it on the wire. */
export const PERMISSIONS: Readonly<Record<string, Permission>> = {
  'create-lead': admitted({
    table: ['PutItem', NOT_ELSEWHERE],
    writes: ['LEAD', 'LEADS', 'CPF', 'IDEMPOTENCY', 'ENCRYPTIONS'],
    secrets: ['keys'],
  }),
  'get-lead': admitted({ secrets: ['keys'] }),
  'update-lead': admitted({ writes: ['LEAD', 'ENCRYPTIONS'], secrets: ['keys'] }),
  // The lead is counted as used by what hangs on it: an update of its row in the same transaction.
  'create-simulation': admitted({
    table: ['BatchGetItem', 'PutItem', NOT_ELSEWHERE],
    writes: ['LEAD', 'OPPORTUNITY', 'IDEMPOTENCY', 'ENCRYPTIONS'],
    secrets: ['keys'],
  }),
  'get-simulation': admitted({ secrets: ['keys'] }),
  'get-simulation-instalments': admitted({ secrets: ['keys'] }),
  'get-simulation-pdf': admitted({ secrets: ['keys'] }),
  'get-simulation-comparison': admitted({ secrets: ['keys'] }),
  // What it claims checks that no erasure of the person was asked for.
  'submit-analyses': admitted({
    table: ['BatchGetItem', 'PutItem', 'ConditionCheckItem'],
    writes: ['LEAD', 'IDEMPOTENCY', 'FORM', 'SPOUSE', 'CONSENT', 'ANALYSIS', 'DELIVERY', 'ENCRYPTIONS'],
    keepsConsents: true,
    sendsDeliveries: true,
    secrets: ['keys', 'operator'],
  }),
  'get-analysis-status': admitted(),
  'list-lead-analyses': admitted({ table: ['Query'] }),
  'list-lead-consents': admitted({ table: ['Query'], secrets: ['keys'] }),
  'get-webhook': admitted({ indexes: ['byDue'] }),
  'list-own-deliveries': admitted({ table: ['BatchGetItem'], indexes: ['byList'] }),
  'resend-delivery': admitted({
    table: ['BatchGetItem', 'ConditionCheckItem'],
    writes: ['DELIVERY'],
    sendsDeliveries: true,
  }),
  // In the sandbox it looks at what the partner has tried, too.
  'get-account': admitted({
    table: ['BatchGetItem', 'Query'],
    writes: ['PARTNER'],
    indexes: ['byList'],
    secrets: ['keys'],
  }),
  'list-refused-calls': admitted({ table: ['Query'] }),
  // Checks of a lead that no erasure of its person was asked for.
  'reset-sandbox': admitted({
    table: ['BatchGetItem', 'Query', 'DeleteItem', 'ConditionCheckItem'],
    writes: ['PARTNER', 'LEAD', 'LEADS', 'CPF', 'SPOUSE', 'IDEMPOTENCY', 'OPPORTUNITY', 'FORM', 'ANALYSIS'],
    indexes: ['byList'],
    endsSandboxAlone: true,
    secrets: ['keys'],
  }),
  'get-health': {},
  'get-openapi': {},
  'get-openapi-30': {},
  'get-docs': {},
  fallback: {},
  'poll-bank-outcomes': {
    table: ['GetItem', 'PutItem', 'UpdateItem'],
    writes: ['LEAD', 'ANALYSIS', 'DELIVERY', 'CURSOR'],
    indexes: ['byDue'],
    sendsDeliveries: true,
    secrets: ['keys', 'operator'],
  },
  'sweep-deliveries': {
    table: ['UpdateItem'],
    writes: ['PARTNER', 'DELIVERY'],
    indexes: ['byDue'],
    sendsDeliveries: true,
  },
  'sweep-erasures': {
    table: ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'],
    writes: [
      'LEAD',
      'LEADS',
      'CPF',
      'SPOUSE',
      'IDEMPOTENCY',
      'OPPORTUNITY',
      'FORM',
      'DELIVERY',
      'ENCRYPTIONS',
      'INDEXED',
    ],
    indexes: ['byDue', 'byList'],
    ledger: ['PutItem'],
    secrets: ['keys'],
  },
  'probe-service': { secrets: ['probe'] },
  'deliver-webhook': {
    table: ['GetItem', 'UpdateItem', 'ConditionCheckItem'],
    writes: ['PARTNER', 'DELIVERY'],
    takesDeliveries: true,
    secrets: ['keys'],
  },
};
