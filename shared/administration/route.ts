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
  /** Whether it is noted for what it shows, and changes nothing: a lost answer leaves nothing in doubt. */
  readonly reads?: boolean;
  /** What the body's `confirm` must repeat; none where the change can be undone. */
  readonly confirm?: Confirmation;
  /** Whether `dry_run: true` answers what the change would do: it then needs neither `reason` nor `confirm`, and is not noted. */
  readonly dryRun?: true;
  /** Whether it goes page by page: `cursor` in, `next_cursor` out. */
  readonly paged?: true;
}

/** Whether a call may change something, so that a lost answer leaves it open if it did. */
export const mayChange = ({ audited, reads = false }: AdministrationRoute) => audited && !reads;

/** `confirm` repeats the first of these fields (path or body) that the call carries, else a fixed word. */
export interface Confirmation {
  readonly fields: readonly string[];
  readonly otherwise?: string;
  /** Whether only the state of things tells if it is needed: `confirmation_missing` says so. */
  readonly sometimes?: true;
}

/** Who may do what, where several operations ask for the same duties. */
export const MANAGER = ['manager'] as const satisfies readonly Duty[];
export const PARTNER_CARE = ['manager', 'support'] as const satisfies readonly Duty[];
export const READERS = ['manager', 'support', 'auditor'] as const satisfies readonly Duty[];
export const EVERYONE = ['manager', 'support', 'privacy', 'security', 'auditor'] as const satisfies readonly Duty[];
export const KEY_READERS = ['manager', 'security', 'auditor'] as const satisfies readonly Duty[];
export const PRIVACY = ['privacy'] as const satisfies readonly Duty[];
export const SECURITY = ['security'] as const satisfies readonly Duty[];
export const SECURITY_READERS = ['security', 'auditor'] as const satisfies readonly Duty[];
