import * as z from 'zod/mini';
import {
  type AdministrationCode,
  AdministrationFailure,
  type AdministrationFieldFault,
} from '../administration/failures.ts';
import { shownName } from '../contract/request-failures.ts';
import type { People, PoolPerson } from '../domain/audit/ports.ts';
import type { Call } from './request.ts';

/** Who signed a request, as IAM has checked it. */
export interface AdministrationCaller {
  /**
   * What the audit names: `arn:aws:sts::<account>:assumed-role/<role>/<session>`, or a user's ARN. The identity pool gives
   * all its sessions one name: behind it stand the user pool, the person's subject there and, for changes, the e-mail.
   */
  readonly arn: string;
  readonly account: string;
  /** The role, or the user; without the session's name, which is a person's in many organisations. */
  readonly role: string;
  /**
   * The session's or the user's name, in lower case, or pool and subject, for changes the e-mail behind them: whoever takes two
   * roles is one person (isSamePerson), and so is who has a place in the pool and AWS sessions that bear the e-mail.
   */
  readonly person: string;
  /** Where the caller is one of a user pool's people. */
  readonly inPool?: PoolPerson;
}

const ARN =
  /^arn:[\w-]+:(?:sts|iam)::(\d{12}):(?:assumed-role\/([\w+=,.@-]+)\/([\w+=,.@-]+)|user\/(?:[\w+=,.@/-]+\/)?([\w+=,.@-]+))$/;

/** The name of every session of an identity pool. */
const POOL_SESSION = 'CognitoIdentityCredentials';
/** How the gateway names a user pool's person: `<pool>,<pool>:CognitoSignIn:<subject>`, by the token that was exchanged. */
const POOL_PERSON = /^cognito-idp\.[\w.-]+\/([\w-]+),cognito-idp\.[\w.-]+\/\1:CognitoSignIn:([\w-]+)$/;

/** The caller of a signed request. Throws `caller_unknown` where the gateway names none: no operation may run unattributed. */
export function callerOf(call: Call): AdministrationCaller {
  const { userArn, accountId, cognitoAuthenticationProvider } = call.requestContext.identity ?? {};
  const match = ARN.exec(userArn ?? '');
  if (!match || match[1] !== accountId) throw new AdministrationFailure('caller_unknown');
  const [arn, account, role = 'user', session = match[4]!] = match as string[];
  const known = { account: account!, role };
  if (session !== POOL_SESSION) return { ...known, arn: arn!, person: session.toLowerCase() };
  const [, pool, subject] = POOL_PERSON.exec(cognitoAuthenticationProvider ?? '') ?? [];
  if (subject === undefined) throw new AdministrationFailure('caller_unknown');
  const person = `${pool}:${subject}`;
  return { ...known, arn: `${arn}/${person}`, person: person.toLowerCase(), inPool: { pool: pool!, subject } };
}

/** The caller of a change, a user pool's person by the e-mail too. Throws `caller_unknown` where the pool tells none. */
export async function namedCaller(caller: AdministrationCaller, people: People): Promise<AdministrationCaller> {
  if (!caller.inPool) return caller;
  const email = await people.emailOf(caller.inPool);
  if (email === undefined)
    throw new AdministrationFailure('caller_unknown', {
      text: 'Nothing was done: your sign-in has no verified e-mail.',
    });
  return { ...caller, arn: `${caller.arn}/${email}`, person: `${caller.person}/${email.toLowerCase()}` };
}

const MISSING = 'is missing';

interface Fault extends AdministrationFieldFault {
  readonly code: AdministrationCode;
}

/** Codes of faults in the order in which they answer. */
const ORDER = ['field_required', 'field_unknown', 'field_invalid'] as const satisfies readonly AdministrationCode[];

const valueAt = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>((at, name) => (at as Record<PropertyKey, unknown> | undefined)?.[name], value);

function faultsOf(issue: z.core.$ZodIssue, value: unknown): Fault[] {
  const at = issue.path.map(String).join('.');
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      code: 'field_unknown',
      field: [at, shownName(key)].filter((part) => part !== '').join('.'),
      reason: 'is unknown here: leave it out',
    }));
  }
  if (valueAt(value, issue.path) === undefined) return [{ code: 'field_required', field: at, reason: MISSING }];
  return [{ code: 'field_invalid', field: at, reason: issue.message }];
}

/**
 * Fields as their schema reads them. Throws `field_required`, `field_unknown` or `field_invalid`, the first of these that
 * there is, with all fields of that kind.
 */
export function parseFields<S extends z.ZodMiniType>(schema: S, value: unknown): z.output<S> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.flatMap((issue) => faultsOf(issue, value));
  // A schema that refuses names at least one fault, and each has one of these codes.
  const code = ORDER.find((one) => faults.some((fault) => fault.code === one))!;
  throw fieldFault(code, faults);
}

/** The failure of fields, those of its own code alone. */
function fieldFault(code: AdministrationCode, faults: readonly Fault[]): AdministrationFailure {
  const fields = faults.filter((fault) => fault.code === code).map(({ field, reason }) => ({ field, reason }));
  return new AdministrationFailure(code, { fields });
}

/** The failure of one field whose value the schema takes and the operation does not. */
export const invalidField = (field: string, reason: string): AdministrationFailure =>
  new AdministrationFailure('field_invalid', { fields: [{ field, reason }] });

/** A place as clients carry it to the next page: they read nothing from it. Null where there is no next page. */
export const cursorOf = (place: unknown): string | null =>
  place === undefined ? null : Buffer.from(JSON.stringify(place)).toString('base64url');

/** The place that a client has carried; undefined on the first page. Throws `field_invalid` for what is none of ours. */
export function placeIn<S extends z.ZodMiniType>(schema: S, cursor: string | undefined): z.output<S> | undefined {
  if (cursor === undefined) return undefined;
  try {
    return schema.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')));
  } catch {
    throw invalidField('cursor', 'must be the next_cursor of the page before');
  }
}

/** The place inside a cursor of work whose real place the table keeps: it only says that the work has begun. */
const KEPT_PLACE = 'kept in the table';

/** The cursor of work whose place the table keeps; null once it is done. */
export const keptCursor = (done: boolean): string | null => cursorOf(done ? undefined : KEPT_PLACE);

/** Whether a client goes on with such work. Throws `field_invalid` for what is no cursor of it. */
export const goesOnFrom = (cursor: string | undefined): boolean => placeIn(z.literal(KEPT_PLACE), cursor) !== undefined;
