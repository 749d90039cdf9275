/**
 * operations.ts lists the operations. Gateway, policies, permissions, document, command line, panel and tests read only
 * that list. The code of an operation is in functions/administration/<noun>/<operation>.ts, which imports its value.
 */
import type * as z from 'zod/mini';

/** Each duty is one IAM managed policy, which names its routes. */
export const DUTIES = ['manager', 'support', 'privacy', 'security', 'auditor', 'operator'] as const;
export type Duty = (typeof DUTIES)[number];

export const MANAGER = ['manager'] as const satisfies readonly Duty[];
export const PARTNER_CARE = ['manager', 'support'] as const satisfies readonly Duty[];
export const READERS = ['manager', 'support', 'auditor'] as const satisfies readonly Duty[];
export const EVERYONE = ['manager', 'support', 'privacy', 'security', 'auditor'] as const satisfies readonly Duty[];
export const KEY_READERS = ['manager', 'security', 'auditor'] as const satisfies readonly Duty[];
export const PRIVACY = ['privacy'] as const satisfies readonly Duty[];
export const SECURITY = ['security'] as const satisfies readonly Duty[];
export const SECURITY_READERS = ['security', 'auditor'] as const satisfies readonly Duty[];

/** `confirm` repeats the first of these fields (of path or body) that the call has, else a fixed word. */
export interface Confirmation {
  readonly fields: readonly string[];
  readonly otherwise?: string;
  /** Only some calls need `confirm`. If `confirm` is missing, such a call is refused as `confirmation_missing`. */
  readonly sometimes?: true;
}

/** Kinds of rows: how their partition keys begin (shared/table/rows/keys.ts). */
export type RowKind =
  | ('AUTH' | 'PARTNER' | 'PARTNERS' | 'UNIT' | 'LEAD' | 'LEADS' | 'CPF' | 'SPOUSE' | 'IDEMPOTENCY' | 'OPPORTUNITY')
  | ('FORM' | 'ANALYSIS' | 'CONSENT' | 'DELIVERY' | 'REFUSED' | 'AUDIT' | 'APPROVAL' | 'CURSOR' | 'ENCRYPTIONS')
  | ('INDEXED' | 'CUTOFF' | 'RATES');

/** A kind of index entries: how the partition keys of an index begin. `PARTNERS` and `LEADS` are kinds of rows, too. */
export type EntryKind =
  | ('DELIVERIES' | 'RECORDS' | 'OUTCOMES' | 'FAILING')
  | ('DUE' | 'PENDING' | 'SUSPENDED' | 'EXHAUSTED' | 'DISABLED');
export type ReadKind = RowKind | EntryKind;

/** What the operation's function may do in AWS. infra/permissions.ts explains it, and adds what every change needs. */
interface OperationPermission {
  readonly table?: readonly (
    | ('GetItem' | 'BatchGetItem' | 'Query' | 'Scan' | 'DescribeTable')
    | ('PutItem' | 'UpdateItem' | 'DeleteItem' | 'ConditionCheckItem')
  )[];
  /** `all` if the operation scans the table. */
  readonly reads: readonly ReadKind[] | 'all';
  /** Without the rows of the audit and of approvals, which follow from the operation. */
  readonly writes: readonly RowKind[];
  /** Among `writes`. */
  readonly deletes?: readonly RowKind[];
  readonly indexes?: readonly ('byList' | 'byDue')[];
  readonly reencrypts?: true;
  readonly keepsConsents?: true;
  readonly approvals?: 'decides';
  readonly ledger?: readonly ('PutItem' | 'Scan')[];
  readonly sendsDeliveries?: true;
  readonly callsPartners?: true;
  readonly deadLetters?: 'look' | 'end';
  readonly secrets?: readonly ('keys' | 'retiredKeys' | 'operator')[];
  readonly describesSecrets?: readonly ('keys' | 'operator')[];
  readonly writesSecrets?: readonly ('keys' | 'retiredKeys' | 'operator' | 'probe')[];
}

interface Facts {
  /** Undefined if the operation has no command. */
  readonly english?: string;
  readonly portuguese: string;
  readonly duties: readonly Duty[];
  /** Undefined if the change can be undone. */
  readonly confirm?: Confirmation;
  /** The plan of a call decides whether it needs an approval. */
  readonly approval?: string;
  readonly permission: OperationPermission;
  readonly params?: z.ZodMiniObject;
  readonly query?: z.ZodMiniObject;
  /** The body without `reason`, `confirm` and `dry_run`, which follow from the kind of operation. */
  readonly body?: z.ZodMiniObject;
  /** Every answer but the document begins with `ok: true`. */
  readonly answer: z.ZodMiniObject;
  /** Answer of a dry run, which needs neither `reason` nor `confirm`, and is not noted in the audit. */
  readonly preview?: z.ZodMiniObject;
  /** The preview is noted in the audit, and needs `reason`. */
  readonly notedPreview?: true;
}

interface Derived<Name extends string> {
  readonly operation: Name;
  readonly noun: string;
  readonly method: Method;
  /**
   * Path in API Gateway's form. A parameter is last or before a verb, so that `*` in a policy matches no other route.
   */
  readonly path: `/${string}`;
  /** True for every change by a person, and for reads of people's data. */
  readonly audited: boolean;
  /** If its answer is lost, nobody knows whether the change was made. */
  readonly changes: boolean;
  readonly dryRun: boolean;
  /** `cursor` in the call, `next_cursor` in the answer. */
  readonly paged: boolean;
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH'] as const;
type Method = (typeof METHODS)[number];
type Address = `${Method} /${string}`;

export interface Operation<Name extends string = string> extends Facts, Derived<Name> {}

const READ = { audited: false, changes: false };
const NOTED_READ = { audited: true, changes: false };
const CHANGE = { audited: true, changes: true };

function partsOf(address: Address): Pick<Operation, 'method' | 'path'> {
  const method = METHODS.find((known) => address.startsWith(`${known} /`));
  if (method === undefined) throw new Error(`an address begins with a method and a path: ${address}`);
  return { method, path: `/${address.slice(method.length + 2)}` };
}

/** The noun is a folder below functions/administration/. */
// @__NO_SIDE_EFFECTS__
export function noun(name: string) {
  const maker =
    (kind: Pick<Operation, 'audited' | 'changes'>) =>
    <const Name extends string, const Given extends Facts>(operation: Name, address: Address, facts: Given) => {
      const { method, path } = partsOf(address);
      const derived: Derived<Name> = {
        operation,
        noun: name,
        method,
        path,
        audited: kind.audited,
        changes: kind.changes,
        dryRun: facts.preview !== undefined,
        paged: [facts.query, facts.body].some((sent) => sent !== undefined && 'cursor' in sent.shape),
      };
      return { ...facts, ...derived };
    };
  return {
    read: maker(READ),
    notedRead: maker(NOTED_READ),
    change: maker(CHANGE),
    /** A report has no row in the audit: the rows that it writes are the evidence. */
    report: maker(READ),
  };
}
