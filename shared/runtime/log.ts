/** Every message that the service logs, by code. None carries personal data. */
export const MESSAGES = {
  request_completed: 'The request has been answered.',
  request_failed: 'The request failed for a reason that the service did not foresee.',
  service_unavailable: 'The request failed because something that the service needs did not answer.',
  submission_in_doubt: 'A bank submission got no answer that can be trusted; the poller will reconcile it.',
  submission_reconciled: 'A bank submission in doubt has been reconciled with the operator.',
  unknown_status: 'The operator sent a status text that no rule reads; the analysis stays pending.',
  transition_ignored: 'The operator told of an outcome of an analysis that has ended otherwise; the first one stands.',
  analysis_concluded: "What a bank has decided has been booked, with the partner's event.",
  analysis_unanswerable:
    'The operator answers for others but not for this analysis; from now on it is asked at growing distances.',
  outcome_not_recorded: 'An outcome that the operator told of could not be booked; the poller will ask for it.',
  analysis_expired: 'An analysis was pending for 30 days, and still is by a last question: it has been given up.',
  unknown_keys_braked:
    'The 30th key in a minute came that the partner whom it names does not have; further ones are judged by reads.',
  refusal_not_noted: 'What a sandbox call was refused for could not be noted; its answer stands.',
  cpf_mismatch: "The row of a CPF leads to another person's lead; the call was refused and changed nothing of it.",
  row_unreadable: 'A row of the due index does not have the format that this version reads; it is left out.',
  run_failed: 'A run that no call waits for broke off; the next one goes on from there.',
  poll_completed: 'A poller run has ended.',
  queue_send_failed: 'A delivery was booked but its message was not sent; the sweeper will send it.',
  delivery_attempted: 'A webhook attempt has ended.',
  delivery_kept: 'A delivery has no enabled endpoint to go to; the manager can send it later.',
  kept_given_up: 'Deliveries that were kept for 90 days for a disabled endpoint have been given up.',
  endpoint_disabled: 'A webhook endpoint has been disabled: it answered 410, or has taken nothing for five days.',
  retention_swept: 'Leads that nobody has used for long were looked at: some got a notice, or ended.',
  erasure_advanced: "A person's erasure has come a step further.",
  erasure_failed: "A person's erasure broke off; the next run of the sweeper goes on with it.",
  sweep_completed: 'A sweeper run has ended.',
  audit_left_open: 'A change has ended, but its row of the audit still says started: the table did not answer.',
  probe_without_key: 'The probe has no key yet and measures nothing.',
  probe_completed: 'The service answered the probe.',
  probe_failed: 'The service did not answer the probe as it should.',
} as const;
type MessageCode = keyof typeof MESSAGES;

type Facts = Readonly<Record<string, string | number | boolean | undefined>>;

let invocation: Facts = {};

/** Begins the log of an invocation: `facts` are part of each of its lines. Drops the facts of the invocation before. */
export function beginLog(facts: Facts): void {
  invocation = facts;
}

/** Adds facts to each further line of this invocation. */
export function addToLog(facts: Facts): void {
  invocation = { ...invocation, ...facts };
}

/** Writes one line of JSON to standard output, which Lambda sends to the function's log. */
function log(level: 'INFO' | 'WARN' | 'ERROR', code: MessageCode, facts: object): void {
  const timestamp = new Date().toISOString();
  const service = process.env['OPERATION'];
  const xray_trace_id = /Root=([^;]+)/.exec(process.env['_X_AMZN_TRACE_ID'] ?? '')?.[1];
  const line = { level, message: MESSAGES[code], timestamp, service, xray_trace_id, ...invocation, code, ...facts };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

export function logInfo(code: MessageCode, facts: Facts = {}): void {
  log('INFO', code, facts);
}

export function logWarning(code: MessageCode, facts: Facts = {}): void {
  log('WARN', code, facts);
}

/**
 * Logs an error without its message, since messages of libraries quote the data that they failed on. Only the message
 * of a SafeError is logged.
 */
export function logError(code: MessageCode, error: unknown, facts: Facts = {}): void {
  log('ERROR', code, { ...facts, errors: describe(error) });
}

/** An error whose message was written for the people of the service and contains no personal data. */
export class SafeError extends Error {
  override readonly name = 'SafeError';
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
