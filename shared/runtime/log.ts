import { AsyncLocalStorage } from 'node:async_hooks';

/** Every message that the service logs, by code. None carries personal data. */
export const MESSAGES = {
  request_completed: 'The request has been answered.',
  request_failed: 'The request failed for a reason that the service does not expect.',
  service_unavailable: 'The request failed because a system that the service depends on did not answer.',
  submission_in_doubt: 'A bank submission got no answer that can be trusted; the poller will reconcile it.',
  submission_reconciled: 'A bank submission in doubt has been reconciled with the operator.',
  unknown_status: 'The operator sent a status text that no rule reads; the analysis stays pending.',
  transition_ignored: 'The operator reported another outcome for an analysis that has ended; the first outcome stays.',
  analysis_concluded: "An analysis has ended; its outcome was written together with the partner's event.",
  analysis_unanswerable:
    'The operator answers for others but not for this analysis; from now on it is asked at growing intervals.',
  outcome_not_recorded: 'An outcome that the operator reported could not be written; the poller will ask for it.',
  analysis_expired:
    'An analysis was pending for 30 days, and still was when the operator was asked once more; it was given up.',
  unknown_keys_braked:
    'The 30th unknown key in a minute came that names the same partner; further keys are checked by reads.',
  refusal_not_noted:
    'The reason why a sandbox call was refused could not be stored; the answer of the call is not affected.',
  cpf_mismatch:
    "The row of a CPF leads to another person's lead; the call was refused, and changed no data of that person.",
  bank_rates_not_refreshed: 'The published rates could not be read again; this container uses the ones that it has.',
  bank_rate_unknown: 'This release does not know the bank or the segment of a published rate; it is left out.',
  secret_not_refreshed: 'A secret could not be fetched again; this container uses the value that it has for now.',
  row_unreadable: 'A row does not have the format that this version reads; it is left out.',
  run_failed: 'A background run failed; the next run continues from there.',
  clock_wrong: "The container's clock and the time of the event differ by more than five minutes; the run did nothing.",
  poll_completed: 'A poller run has ended.',
  queue_send_failed: 'A delivery is due but its message was not sent; the sweeper will send it.',
  delivery_attempted: 'A webhook attempt has ended.',
  delivery_kept: 'A delivery has no enabled endpoint to go to; the manager can send it later.',
  kept_given_up: 'Deliveries that were kept for 90 days for a disabled endpoint have been given up.',
  endpoint_disabled: 'A webhook endpoint has been disabled: it answered 410, or has taken nothing for five days.',
  retention_swept: 'Leads that were unused for a long time were checked; some may have got a notice or ended.',
  erasure_advanced: "A person's erasure has made a step.",
  erasure_failed: "A person's erasure failed; the next run of the sweeper continues it.",
  sweep_completed: 'A sweeper run has ended.',
  audit_left_open: 'A change has ended, but its audit row still says started: the table did not answer.',
  ticket_not_sent: 'An approval was asked for, but the message about it was not sent; the panel shows the request.',
  approval_not_given_back: 'A call changed nothing, and its approval stays used; the person asks again.',
  probe_without_key: 'The probe has no key yet and measures nothing.',
  probe_completed: 'The service answered the probe.',
  probe_failed: 'The service did not answer the probe as it should.',
} as const;
type MessageCode = keyof typeof MESSAGES;

type Facts = Readonly<Record<string, string | number | boolean | undefined>>;

interface InvocationLog {
  facts: Facts;
}

let latest: InvocationLog = { facts: {} };
const own = new AsyncLocalStorage<InvocationLog>();

/** Each line of the log has `facts`. */
export function beginLog(facts: Facts): void {
  latest = { facts };
}

/**
 * Runs a part of the invocation that began last. Its lines keep the facts of this invocation, even if the part hangs
 * and continues during a later invocation.
 */
export const withOwnLog = <T>(run: () => T): T => own.run(latest, run);

const currentLog = (): InvocationLog => own.getStore() ?? latest;

export function addToLog(facts: Facts): void {
  const invocation = currentLog();
  invocation.facts = { ...invocation.facts, ...facts };
}

function log(level: 'INFO' | 'WARN' | 'ERROR', code: MessageCode, facts: object): void {
  const timestamp = new Date().toISOString();
  const service = process.env['OPERATION'];
  const line = {
    level,
    message: MESSAGES[code],
    timestamp,
    service,
    ...currentLog().facts,
    code,
    ...facts,
  };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

export function logInfo(code: MessageCode, facts: Facts = {}): void {
  log('INFO', code, facts);
}

export function logWarning(code: MessageCode, facts: Facts = {}): void {
  log('WARN', code, facts);
}

/** Logs only the message of a SafeError: messages of libraries quote the data that they failed on. */
export function logError(code: MessageCode, error: unknown, facts: Facts = {}): void {
  log('ERROR', code, { ...facts, errors: describe(error) });
}

/** An error whose message was written for the people of the service and contains no personal data. */
export class SafeError extends Error {
  override readonly name = 'SafeError';
}

/** Refusal of a write because another run changed what its caller had seen. The message says to look again. */
export class ChangedMeanwhile extends SafeError {}

/**
 * The error with which a background run ends, so that Lambda counts the run as failed. Lambda logs its message and its
 * fields, so it repeats nothing of the original error, which may quote a person's data.
 */
export class RunFailed extends SafeError {
  constructor() {
    super('The run failed. Its log lines name the errors.');
  }
}

interface LoggedError {
  readonly name: string;
  readonly at: readonly string[];
  /** The message of a SafeError. Undefined for all other errors. */
  readonly hint: string | undefined;
}

function describe(error: unknown, depth = 0): LoggedError[] {
  if (!(error instanceof Error) || depth === 4) return [];
  const at = (error.stack ?? '')
    .split('\n')
    .filter((text) => /^\s+at /.test(text))
    .slice(0, 8)
    .map((text) => text.trim());
  const hint = error instanceof SafeError ? error.message : undefined;
  const causes = describe(error.cause, depth + 1);
  return [{ name: error.name, at, hint }, ...causes];
}
