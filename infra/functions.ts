import type { Operation } from '../shared/administration/operation.ts';
import { ADMINISTRATION_OPERATIONS } from '../shared/administration/operations.ts';
import { ROUTES } from '../shared/contract/routes.ts';
import { API_TIMEOUT, SUBMISSION_TIMEOUT } from '../shared/domain/values/failure.ts';
import type { Seconds } from '../shared/domain/values/time.ts';

export interface FunctionRow {
  readonly operation: string;
  readonly file: string;
  readonly timeout: Seconds;
  /** Megabytes. The function's share of a processor grows with them. */
  readonly memory: number;
  /** Export of the bundle that Lambda calls. @default handler */
  readonly handler?: string;
  /**
   * Whether `prime` prepares the handler while Lambda loads it. Nobody waits for a poller's first call. @default false
   */
  readonly primed?: boolean;
}

const MEMORY = 512;
// This memory has a whole processor, because drawing a schedule is mostly computing.
const DRAWING_MEMORY = 1769;
const WAITING: ReadonlySet<string> = new Set(['submit-analyses', 'test-webhook']);
const DRAWING: ReadonlySet<string> = new Set(['get-simulation-pdf', 'get-simulation-comparison']);

// The next run starts after 60 s.
const POLLER_TIMEOUT = 55;
export const WORKER_TIMEOUT: Seconds = 30;
// Time for two calls of at most 5 s each, and for reading the key.
const PROBE_TIMEOUT = 15;

export const FALLBACK = 'fallback';
export const DELIVERY_WORKER = 'deliver-webhook';
export const POLLERS = {
  outcomes: 'poll-bank-outcomes',
  sweeper: 'sweep-deliveries',
  erasures: 'sweep-erasures',
} as const;

export const PROBE = 'probe-service';
export const CALLS_OF_PROBE = 2;

export const API_OPERATIONS: readonly string[] = ROUTES.map(({ operation }) => operation);

export const FUNCTIONS: readonly FunctionRow[] = [
  ...ROUTES.map(({ operation, tag, scope }) => ({
    operation,
    file: `functions/api/${tag}/${operation}.ts`,
    timeout: WAITING.has(operation) ? SUBMISSION_TIMEOUT : API_TIMEOUT,
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

/** Bundle of the administration. Each function has its own export of the bundle and its own role. */
export const ADMINISTRATION = 'administration';

export const administrationFunction = (operation: string): string => `${ADMINISTRATION}-${operation}`;

export const PANEL_PATH = '/painel';

export const PANEL: FunctionRow = {
  operation: administrationFunction('panel'),
  file: `functions/${ADMINISTRATION}/panel/get-panel.ts`,
  timeout: API_TIMEOUT,
  memory: MEMORY,
};

// The gateway waits 29 s. A function that works through pages must end before.
const ADMINISTRATION_TIMEOUT = 28;

export function administrationRow({ operation, noun }: Pick<Operation, 'operation' | 'noun'>): FunctionRow {
  return {
    operation: administrationFunction(operation),
    file: `functions/${ADMINISTRATION}/${noun}/${operation}.ts`,
    handler: operation.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase()),
    timeout: ADMINISTRATION_TIMEOUT,
    memory: MEMORY,
  };
}

export const ADMINISTRATION_FUNCTIONS: readonly FunctionRow[] = ADMINISTRATION_OPERATIONS.map(administrationRow);
