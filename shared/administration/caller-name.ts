import { DUTIES, type Duty } from './operation.ts';

/** A caller, as people name them. */
export interface CallerName {
  /** The verified e-mail of a person of the user pool, or the name of the AWS session or user. */
  readonly person: string;
  /** The duty at the end of the role's name. Undefined if the role is named otherwise. */
  readonly duty: Duty | undefined;
  /** The name of the role. Undefined for an IAM user. */
  readonly role: string | undefined;
}

const CALLER = /^arn:[\w-]+:(?:sts|iam)::\d{12}:(?:assumed-role\/([^/]+)\/(.+)|user\/(.+))$/;

/**
 * Returns the person and the duty of a caller from the text that the audit stores about the caller: an ARN, with pool,
 * subject and e-mail for a person of the user pool. Undefined for a text that is no ARN of a caller.
 */
export function callerName(arn: string): CallerName | undefined {
  const match = CALLER.exec(arn);
  if (!match) return undefined;
  const [, role, session, user = ''] = match;
  const path = session ?? user;
  const person = path.slice(path.lastIndexOf('/') + 1);
  const duty = DUTIES.find((name) => role === name || role?.endsWith(`-${name}`));
  return { person, duty, role };
}

/** Returns a caller in few characters: `manager/ana.lima`. The role is named only if its name has no duty. */
export function callerText(arn: string): string {
  const caller = callerName(arn);
  if (!caller) return arn;
  const { person, duty, role } = caller;
  if (duty !== undefined) return `${duty}/${person}`;
  return role === undefined ? person : `${person} (${role})`;
}
