/**
 * The shape of an operation of the administration. Each is one value, in the file of its noun:
 *
 *   const { read, change } = noun('keys');
 *   export const revokeKey = change('revoke-key', 'POST /v1/keys/{key_id}/revoke', { english, portuguese, duties, ... });
 *
 * operations.ts lists the values. Gateway, policies, permissions, document, command line, panel and tests read that list
 * and nothing else. What an operation does stands in functions/administration/<noun>/<operation>.ts, which imports its value.
 */
import type * as z from 'zod/mini';

/**
 * What a person may be trusted with, and what the operator's machine may do: one IAM managed policy each, which names its
 * routes. A person may have several.
 */
export const DUTIES = ['manager', 'support', 'privacy', 'security', 'auditor', 'operator'] as const;
export type Duty = (typeof DUTIES)[number];

/** Who may do what, where several operations ask for the same duties. */
export const MANAGER = ['manager'] as const satisfies readonly Duty[];
export const PARTNER_CARE = ['manager', 'support'] as const satisfies readonly Duty[];
export const READERS = ['manager', 'support', 'auditor'] as const satisfies readonly Duty[];
export const EVERYONE = ['manager', 'support', 'privacy', 'security', 'auditor'] as const satisfies readonly Duty[];
export const KEY_READERS = ['manager', 'security', 'auditor'] as const satisfies readonly Duty[];
export const PRIVACY = ['privacy'] as const satisfies readonly Duty[];
export const SECURITY = ['security'] as const satisfies readonly Duty[];
export const SECURITY_READERS = ['security', 'auditor'] as const satisfies readonly Duty[];

/** `confirm` repeats the first of these fields (path or body) that the call carries, else a fixed word. */
export interface Confirmation {
  readonly fields: readonly string[];
  readonly otherwise?: string;
  /** Whether only the state of things tells if it is needed: `confirmation_missing` says so. */
  readonly sometimes?: true;
}

/** What a function asks AWS for, as infra/permissions.ts explains it. What every change needs is added there. */
interface OperationPermission {
  readonly table?: readonly (
    | ('GetItem' | 'BatchGetItem' | 'Query' | 'Scan' | 'DescribeTable')
    | ('PutItem' | 'UpdateItem' | 'DeleteItem' | 'ConditionCheckItem')
  )[];
  readonly indexes?: readonly ('byList' | 'byDue')[];
  readonly reencrypts?: true;
  readonly ledger?: readonly ('PutItem' | 'Scan')[];
  readonly sendsDeliveries?: true;
  readonly callsPartners?: true;
  readonly deadLetters?: 'look' | 'end';
  readonly secrets?: readonly ('keys' | 'retiredKeys' | 'operator')[];
  readonly describesSecrets?: readonly ('keys' | 'operator')[];
  readonly writesSecrets?: readonly ('keys' | 'retiredKeys' | 'operator' | 'probe')[];
}

/** What is said of an operation. */
interface Facts {
  /** The command line's verb for it, where there is one: what `--help` says. */
  readonly english?: string;
  /** The panel's name for it. */
  readonly portuguese: string;
  /** Who may call it. */
  readonly duties: readonly Duty[];
  /** What the body's `confirm` must repeat; none where the change can be undone. */
  readonly confirm?: Confirmation;
  /** When another person has to approve it, in words, where the stage asks for two; the plan says of a call whether. */
  readonly approval?: string;
  readonly permission: OperationPermission;
  /** Path parameters, read from text. */
  readonly params?: z.ZodMiniObject;
  /** Query parameters, read from text. */
  readonly query?: z.ZodMiniObject;
  /** The body beside `reason`, `confirm` and `dry_run`, which the operation's kind adds. */
  readonly body?: z.ZodMiniObject;
  /** The answer of 200; all but the document begin with `ok: true`. */
  readonly answer: z.ZodMiniObject;
  /**
   * The answer to `dry_run: true`, which says what the change would do: it then needs neither `reason` nor `confirm`, and
   * is not noted.
   */
  readonly preview?: z.ZodMiniObject;
}

/** What follows from its name, address, kind and schemas. */
interface Derived<Name extends string> {
  /** Name of the function, and of its file below functions/administration/<noun>/. */
  readonly operation: Name;
  /** The operation's heading in the document. */
  readonly noun: string;
  readonly method: Method;
  /** As API Gateway writes it. A parameter stands last or before a verb, so that `*` in a policy matches no other route. */
  readonly path: `/${string}`;
  /** Whether it is noted in the audit: its body then carries `reason`. Every change of a person is. */
  readonly audited: boolean;
  /** Whether a call may change something, so that a lost answer leaves it open if it did. */
  readonly changes: boolean;
  /** Whether it has a preview. */
  readonly dryRun: boolean;
  /** Whether it goes page by page: `cursor` in, `next_cursor` out. */
  readonly paged: boolean;
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH'] as const;
type Method = (typeof METHODS)[number];
type Address = `${Method} /${string}`;

/** One operation of the administration. */
export interface Operation<Name extends string = string> extends Facts, Derived<Name> {}

// What a kind of operation tells by itself.
const READ = { audited: false, changes: false };
const NOTED_READ = { audited: true, changes: false };
const CHANGE = { audited: true, changes: true };

/** Returns method and path of an address such as `GET /v1/keys`. */
function partsOf(address: Address): Pick<Operation, 'method' | 'path'> {
  const method = METHODS.find((one) => address.startsWith(`${one} /`));
  if (method === undefined) throw new Error(`an address begins with a method and a path: ${address}`);
  return { method, path: `/${address.slice(method.length + 2)}` };
}

/** Makers of a noun's operations, one for each kind; the noun is a folder below functions/administration/. */
// @__NO_SIDE_EFFECTS__
export function noun(name: string) {
  const maker =
    (kind: Pick<Operation, 'audited' | 'changes'>) =>
    <const Name extends string, const Told extends Facts>(operation: Name, address: Address, told: Told) => {
      const { method, path } = partsOf(address);
      const derived: Derived<Name> = {
        operation,
        noun: name,
        method,
        path,
        audited: kind.audited,
        changes: kind.changes,
        dryRun: told.preview !== undefined,
        paged: [told.query, told.body].some((sent) => sent !== undefined && 'cursor' in sent.shape),
      };
      return { ...told, ...derived };
    };
  return {
    read: maker(READ),
    /** It changes nothing and is noted for what it shows. */
    notedRead: maker(NOTED_READ),
    change: maker(CHANGE),
    /** What a machine tells: the audit has no row of it, what it writes is the evidence. */
    report: maker(READ),
  };
}
