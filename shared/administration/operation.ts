/**
 * The type of an operation of the administration. Each operation is one value, in the file of its noun:
 *
 *   const { read, change } = noun('keys');
 *   export const revokeKey = change('revoke-key', 'POST /v1/keys/{key_id}/revoke', { english, portuguese, duties, ... });
 *
 * operations.ts lists the values. Gateway, policies, permissions, document, command line, panel and tests read only
 * that list. The code of an operation is in functions/administration/<noun>/<operation>.ts, which imports its value.
 */
import type * as z from 'zod/mini';

/**
 * Duties of people, and the duty of the operator's machine. Each duty is one IAM managed policy, which names its
 * routes. A person may have several.
 */
export const DUTIES = ['manager', 'support', 'privacy', 'security', 'auditor', 'operator'] as const;
export type Duty = (typeof DUTIES)[number];

/** Sets of duties that several operations share. */
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
  /** Set if `confirm` is needed only in some situations. In those, `confirmation_missing` asks for the text. */
  readonly sometimes?: true;
}

/** A kind of rows: how their partition keys begin (shared/table/rows/keys.ts). */
export type RowKind =
  | ('AUTH' | 'PARTNER' | 'PARTNERS' | 'UNIT' | 'LEAD' | 'LEADS' | 'CPF' | 'SPOUSE' | 'IDEMPOTENCY' | 'OPPORTUNITY')
  | ('FORM' | 'ANALYSIS' | 'CONSENT' | 'DELIVERY' | 'REFUSED' | 'AUDIT' | 'APPROVAL' | 'CURSOR' | 'ENCRYPTIONS')
  | ('INDEXED' | 'CUTOFF');

/** A kind of index entries: how the partition keys of an index begin. `PARTNERS` and `LEADS` are kinds of rows, too. */
export type EntryKind =
  | ('DELIVERIES' | 'RECORDS' | 'FAILING')
  | ('DUE' | 'PENDING' | 'SUSPENDED' | 'EXHAUSTED' | 'DISABLED');
/** A kind of what a query or a read by key finds. */
export type ReadKind = RowKind | EntryKind;

/**
 * What the operation's function may do in AWS; infra/permissions.ts explains it. That file also adds what every change
 * needs.
 */
interface OperationPermission {
  readonly table?: readonly (
    | ('GetItem' | 'BatchGetItem' | 'Query' | 'Scan' | 'DescribeTable')
    | ('PutItem' | 'UpdateItem' | 'DeleteItem' | 'ConditionCheckItem')
  )[];
  /** Kinds of rows and of index entries that it reads or checks. `all` if it scans the table. */
  readonly reads: readonly ReadKind[] | 'all';
  /** Kinds of rows that it writes, without those of the audit and of approvals, which follow from the operation. */
  readonly writes: readonly RowKind[];
  /** Kinds among `writes` that it deletes. */
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

/** Facts of an operation that its file names. */
interface Facts {
  /** Description in the command line's `--help`. Undefined if the operation has no command. */
  readonly english?: string;
  /** The panel's name for the operation. */
  readonly portuguese: string;
  /** Duties that may call it. */
  readonly duties: readonly Duty[];
  /** The text that the body's `confirm` must repeat. Undefined if the change can be undone. */
  readonly confirm?: Confirmation;
  /**
   * Which calls need another person's approval, in words, on a stage that asks for two people. The plan of a call
   * decides whether it needs one.
   */
  readonly approval?: string;
  readonly permission: OperationPermission;
  /** Path parameters, parsed from text. */
  readonly params?: z.ZodMiniObject;
  /** Query parameters, parsed from text. */
  readonly query?: z.ZodMiniObject;
  /** The body without `reason`, `confirm` and `dry_run`, which follow from the kind of operation. */
  readonly body?: z.ZodMiniObject;
  /** The answer of 200. Every answer but the document begins with `ok: true`. */
  readonly answer: z.ZodMiniObject;
  /**
   * The answer to `dry_run: true`, which says what the change would do. Such a call needs neither `reason` nor
   * `confirm`, and is not noted in the audit.
   */
  readonly preview?: z.ZodMiniObject;
  /**
   * Set if the preview answers differently by whether a person is known. Such a preview is noted in the audit, and needs
   * `reason`.
   */
  readonly notedPreview?: true;
}

/** Facts of an operation that follow from its name, address, kind and schemas. */
interface Derived<Name extends string> {
  /** Name of the function, and of its file below functions/administration/<noun>/. */
  readonly operation: Name;
  /** Heading of the operation in the document. */
  readonly noun: string;
  readonly method: Method;
  /**
   * Path in API Gateway's form. A parameter is last or before a verb, so that `*` in a policy matches no other route.
   */
  readonly path: `/${string}`;
  /** Whether the call is noted in the audit, so that its body carries `reason`. Every change by a person is noted. */
  readonly audited: boolean;
  /** Whether a call may change something. If its answer is lost, nobody knows whether the change was made. */
  readonly changes: boolean;
  /** Whether the operation has a preview. */
  readonly dryRun: boolean;
  /** Whether it answers page by page: `cursor` in the call, `next_cursor` in the answer. */
  readonly paged: boolean;
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH'] as const;
type Method = (typeof METHODS)[number];
type Address = `${Method} /${string}`;

/** An operation of the administration. */
export interface Operation<Name extends string = string> extends Facts, Derived<Name> {}

// Facts that follow from the kind of an operation.
const READ = { audited: false, changes: false };
const NOTED_READ = { audited: true, changes: false };
const CHANGE = { audited: true, changes: true };

/** Returns the method and the path of an address such as `GET /v1/keys`. */
function partsOf(address: Address): Pick<Operation, 'method' | 'path'> {
  const method = METHODS.find((known) => address.startsWith(`${known} /`));
  if (method === undefined) throw new Error(`an address begins with a method and a path: ${address}`);
  return { method, path: `/${address.slice(method.length + 2)}` };
}

/**
 * Returns the makers of a noun's operations, one for each kind. The noun is a folder below functions/administration/.
 */
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
    /** Makes an operation that changes nothing, but is noted in the audit because of what it shows. */
    notedRead: maker(NOTED_READ),
    change: maker(CHANGE),
    /**
     * Makes an operation that a machine calls. It has no row in the audit: the rows that it writes are the evidence.
     */
    report: maker(READ),
  };
}
