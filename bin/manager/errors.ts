/** The message says how to call the command. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The message names the cure, in one line. */
export class CommandError extends Error {
  override readonly name: string = 'CommandError';
}

export const EXIT = { ok: 0, failed: 1, usage: 2, waiting: 3 } as const;

/** Returns the exit code, and one line that names the cure. Undefined if the message was already written. */
export function verdict(error: unknown): { readonly code: number; readonly line: string | undefined } {
  // Commander has already written the message of its error. The class is not imported, because the panel also loads
  // this file, and Commander needs Node's `process`.
  if (error instanceof Error && 'exitCode' in error)
    return { code: error.exitCode === 0 ? EXIT.ok : EXIT.usage, line: undefined };
  if (error instanceof UsageError) return { code: EXIT.usage, line: error.message };
  // This is no failure: the change waits for another person.
  if (error instanceof CommandError && 'code' in error && error.code === 'approval_needed')
    return { code: EXIT.waiting, line: `waits for approval: ${oneLine(error.message)}` };
  return { code: EXIT.failed, line: oneLine(reasonOf(error)) };
}

function reasonOf(error: unknown): string {
  for (let at = error; at instanceof Error; at = at.cause) {
    if (at instanceof CommandError) return hinted(at.message);
    const code = 'code' in at ? String(at.code) : '';
    const known = CURES[code] ?? CURES[at.name];
    if (known) return known(at);
  }
  return error instanceof Error ? `unexpected ${error.name}: ${error.message}` : String(error);
}

const HINTS: Readonly<Record<string, string>> = {
  partner: 'see partners list',
  unit: 'see units list',
  key: 'see keys list',
  event: 'see deliveries list',
  analysis: 'check partner, unit and environment',
  webhook: 'webhook set gives it one',
};

function hinted(message: string): string {
  const missing = /^there is no (\w+) [^:]*$/.exec(message)?.[1] ?? '';
  return missing in HINTS ? `${message}: ${HINTS[missing]}` : message;
}

const unreached = () => 'nothing answers there: is the local run still up (npm start), or the network down?';
const denied = (error: Error) => `AWS refuses: ${error.message}`;
const ownMessage = (error: Error) => error.message;
const unsigned = () => 'no valid AWS credentials: sign in (aws sso login) or set AWS_PROFILE';

const CURES: Readonly<Record<string, (error: Error) => string>> = {
  ECONNREFUSED: unreached,
  ECONNRESET: unreached,
  ENOTFOUND: unreached,
  EAI_AGAIN: unreached,
  UND_ERR_CONNECT_TIMEOUT: unreached,
  UND_ERR_SOCKET: unreached,
  TimeoutError: unreached,
  StartError: ownMessage,
  AccessDeniedException: denied,
  AccessDenied: denied,
  AuthorizationErrorException: denied,
  CredentialsProviderError: unsigned,
  ExpiredToken: unsigned,
  ExpiredTokenException: unsigned,
  UnrecognizedClientException: unsigned,
  InvalidClientTokenId: unsigned,
};

const LONGEST = 400;

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > LONGEST ? `${line.slice(0, LONGEST - 1)}…` : line;
}

export interface Finding {
  readonly check: string;
  /** `unknown`: the caller may not ask, or nothing answered. */
  readonly state: 'ok' | 'MISSING' | 'unknown';
  readonly found: string;
  readonly cure?: string;
}

export async function lookedAt(check: string, look: () => Promise<Omit<Finding, 'check'>>): Promise<Finding> {
  try {
    return { check, ...(await look()) };
  } catch (error) {
    return { check, state: 'unknown', found: verdict(error).line ?? '' };
  }
}
