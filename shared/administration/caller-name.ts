import { DUTIES, type Duty } from './operation.ts';

export interface CallerName {
  /** The verified e-mail in the user pool, or the name of the AWS session or user. */
  readonly person: string;
  /** Undefined if the role's name does not end in a duty. */
  readonly duty: Duty | undefined;
  /** Undefined for an IAM user. */
  readonly role: string | undefined;
}

const CALLER = /^arn:[\w-]+:(?:sts|iam)::\d{12}:(?:assumed-role\/([^/]+)\/(.+)|user\/(.+))$/;

/** Undefined for a text that is no ARN of a caller. */
export function callerName(arn: string): CallerName | undefined {
  const match = CALLER.exec(arn);
  if (!match) return undefined;
  const [, role, session, user = ''] = match;
  const path = session ?? user;
  const person = path.slice(path.lastIndexOf('/') + 1);
  const duty = DUTIES.find((name) => role === name || role?.endsWith(`-${name}`));
  return { person, duty, role };
}

/** `manager/ana.lima`. The role is named only if its name has no duty. */
export function callerText(arn: string): string {
  const caller = callerName(arn);
  if (!caller) return arn;
  const { person, duty, role } = caller;
  if (duty !== undefined) return `${duty}/${person}`;
  return role === undefined ? person : `${person} (${role})`;
}
