import { AdministrationFailure } from '../administration/failures.ts';
import type { Call } from './request.ts';

/** Who signed a request, as IAM has checked it. */
export interface AdministrationCaller {
  /** What the audit names: `arn:aws:sts::<account>:assumed-role/<role>/<session>`, or a user's ARN. */
  readonly arn: string;
  readonly account: string;
  /** The role, or the user; without the session's name, which is a person's in many organisations. */
  readonly role: string;
}

const ARN =
  /^arn:[\w-]+:(?:sts|iam)::(\d{12}):(?:assumed-role\/([\w+=,.@-]+)\/([\w+=,.@-]+)|user\/(?:[\w+=,.@/-]+\/)?([\w+=,.@-]+))$/;

/** The caller of a signed request. Throws `caller_unknown` where the gateway names none: no operation may run unattributed. */
export function callerOf(call: Call): AdministrationCaller {
  const { userArn, accountId } = call.requestContext.identity ?? {};
  const match = ARN.exec(userArn ?? '');
  if (!match || match[1] !== accountId) throw new AdministrationFailure('caller_unknown');
  return { arn: match[0], account: match[1]!, role: match[2] ?? 'user' };
}
