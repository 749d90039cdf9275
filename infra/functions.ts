import type { Operation } from '../shared/administration/operation.ts';
import { ADMINISTRATION_OPERATIONS } from '../shared/administration/operations.ts';
import { ROUTES } from '../shared/contract/routes.ts';
import type { Seconds } from '../shared/domain/values/time.ts';

/** One Lambda function. */
export interface FunctionRow {
  readonly operation: string;
  /** Its source file, from the top of the project. */
  readonly file: string;
  /** After how long Lambda ends it. */
  readonly timeout: Seconds;
  /** Megabytes; the share of a processor follows from it. */
  readonly memory: number;
  /** Export of its bundle that Lambda calls. @default handler */
  readonly handler?: string;
  /** Whether its ports are readied while a container starts. Pollers are not: nobody waits for their first call. @default false */
  readonly primed?: boolean;
}

const MEMORY = 512;
// A whole processor: drawing a schedule is computing, and little else.
const DRAWING_MEMORY = 1769;
const DRAWING: ReadonlySet<string> = new Set(['get-simulation-pdf', 'get-simulation-comparison']);

// The gateway waits 29 s: the one operation that calls banks ends just before, so that its own answer arrives.
const SUBMISSION_TIMEOUT = 28;
const API_TIMEOUT = 10;
// The next tick is due after 60 s.
const POLLER_TIMEOUT = 55;
/** Seconds after which Lambda ends a run of the delivery worker. */
export const WORKER_TIMEOUT: Seconds = 30;
// Two calls of at most 5 s, and the key.
const PROBE_TIMEOUT = 15;

/** Name of the function that answers unknown routes and methods. */
export const FALLBACK = 'fallback';
/** Name of the function that makes webhook attempts, a batch of messages at a time. */
export const DELIVERY_WORKER = 'deliver-webhook';
/** Names of the functions that a schedule starts each minute. */
export const POLLERS = {
  outcomes: 'poll-bank-outcomes',
  sweeper: 'sweep-deliveries',
  erasures: 'sweep-erasures',
} as const;

/** Name of the function that looks at the service from outside, each minute. */
export const PROBE = 'probe-service';
/** Calls of the partners' API that each look makes. */
export const CALLS_OF_PROBE = 2;

/** Functions that callers of the API wait for. */
export const API_OPERATIONS: readonly string[] = ROUTES.map(({ operation }) => operation);

/** Every function of the service but the administration's: one per route, and those that no route leads to. */
export const FUNCTIONS: readonly FunctionRow[] = [
  ...ROUTES.map(({ operation, tag, scope }) => ({
    operation,
    file: `functions/api/${tag}/${operation}.ts`,
    timeout: operation === 'submit-analyses' ? SUBMISSION_TIMEOUT : API_TIMEOUT,
    memory: DRAWING.has(operation) ? DRAWING_MEMORY : MEMORY,
    primed: scope !== 'public',
  })),
  { operation: FALLBACK, file: `functions/api/${FALLBACK}.ts`, timeout: API_TIMEOUT, memory: MEMORY },
  ...Object.values(POLLERS).map((operation) => ({
    operation,
    file: `functions/pollers/${operation}.ts`,
    timeout: POLLER_TIMEOUT,
    memory: MEMORY,
  })),
  { operation: PROBE, file: `functions/pollers/${PROBE}.ts`, timeout: PROBE_TIMEOUT, memory: MEMORY },
  {
    operation: DELIVERY_WORKER,
    file: `functions/workers/${DELIVERY_WORKER}.ts`,
    timeout: WORKER_TIMEOUT,
    memory: MEMORY,
  },
];

/** The bundle that all functions of the administration share: each calls an export of its own, by a role of its own. */
export const ADMINISTRATION = 'administration';

/** Name of the function of an operation of the administration. */
export const administrationFunction = (operation: string): string => `${ADMINISTRATION}-${operation}`;

/** Where the panel is, below the administration's address; what it loads lies below it. */
export const PANEL_PATH = '/painel';

/** The function that serves the panel's page to whoever asks: what it shows is asked for by signed calls. */
export const PANEL: FunctionRow = {
  operation: administrationFunction('panel'),
  file: `functions/${ADMINISTRATION}/panel/get-panel.ts`,
  timeout: API_TIMEOUT,
  memory: MEMORY,
};

// The gateway waits 29 s: whoever works through pages ends one before.
const ADMINISTRATION_TIMEOUT = 28;

/** The function of an operation of the administration. */
export function administrationRow({ operation, noun }: Pick<Operation, 'operation' | 'noun'>): FunctionRow {
  return {
    operation: administrationFunction(operation),
    file: `functions/${ADMINISTRATION}/${noun}/${operation}.ts`,
    handler: operation.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase()),
    timeout: ADMINISTRATION_TIMEOUT,
    memory: MEMORY,
  };
}

/** The functions of the administration, one per operation. */
export const ADMINISTRATION_FUNCTIONS: readonly FunctionRow[] = ADMINISTRATION_OPERATIONS.map(administrationRow);
