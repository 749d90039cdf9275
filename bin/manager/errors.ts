import { CommanderError } from 'commander';
import { Failure } from '../../shared/domain/values/failure.ts';
import { SafeError } from '../../shared/runtime/log.ts';

/** The command was called wrongly; the message says how it is called. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export const EXIT = { ok: 0, failed: 1, usage: 2 } as const;

/** What an error means to whoever ran the program: the exit code, and one line that names the cure; undefined where it was said. */
export function verdict(error: unknown): { readonly code: number; readonly line: string | undefined } {
  // Commander has written its own message by then.
  if (error instanceof CommanderError) return { code: error.exitCode === 0 ? EXIT.ok : EXIT.usage, line: undefined };
  if (error instanceof UsageError) return { code: EXIT.usage, line: error.message };
  return { code: EXIT.failed, line: oneLine(reasonOf(error)) };
}

function reasonOf(error: unknown): string {
  for (let at = error; at instanceof Error; at = at.cause) {
    if (at instanceof SafeError) return at.message;
    const known = CURES[(at as NodeJS.ErrnoException).code ?? ''] ?? CURES[at.name];
    if (known) return known(at);
  }
  if (error instanceof Failure) return `the service answers ${error.code}: try again`;
  return error instanceof Error ? `unexpected ${error.name}: ${error.message}` : String(error);
}

const refused = () => 'nothing answers there: is the local run still up (npm start), or the network down?';
const denied = (error: Error) => `AWS refuses: ${error.message}`;
const said = (error: Error) => error.message;
const unsigned = () => 'no AWS credentials that hold: sign in (aws sso login) or set AWS_PROFILE';

const CURES: Readonly<Record<string, (error: Error) => string>> = {
  ECONNREFUSED: refused,
  ENOTFOUND: refused,
  TimeoutError: refused,
  StartError: said,
  AccessDeniedException: denied,
  AccessDenied: denied,
  CredentialsProviderError: unsigned,
  ExpiredToken: unsigned,
  ExpiredTokenException: unsigned,
  UnrecognizedClientException: unsigned,
  InvalidClientTokenId: unsigned,
  ResourceNotFoundException: () => 'this stage has no such table or secret: deploy its stacks first',
  QueueDoesNotExist: () => 'this stage has no such queue: deploy its service stack first',
  'AWS.SimpleQueueService.NonExistentQueue': () => 'this stage has no such queue: deploy its service stack first',
};

const LONGEST = 400;

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > LONGEST ? `${line.slice(0, LONGEST - 1)}…` : line;
}
