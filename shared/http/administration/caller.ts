import { AdministrationFailure } from '#shared/administration/failures.ts';
import type { People, PoolPerson } from '#shared/domain/audit/ports.ts';
import { addToLog } from '#shared/runtime/log.ts';
import type { Check } from '../checks.ts';
import type { Call } from '../request.ts';

export interface AdministrationCaller {
  /**
   * All sessions of an identity pool have the same name. So the user pool and the person's subject are added to the
   * ARN, and for changes the e-mail.
   */
  readonly arn: string;
  readonly account: string;
  /** The role, or `user`. The session's name is left out, since it is a person's name in many organisations. */
  readonly role: string;
  /**
   * In lower case: the name of the session or of the user; for people of a user pool, pool and subject, and for changes
   * the e-mail. A person with two roles is one person (`isSamePerson`).
   */
  readonly person: string;
  readonly inPool?: PoolPerson;
}

interface Signed {
  readonly caller: AdministrationCaller;
}

/** Throws 403 `caller_unknown`. From here on the log line names the role. */
export const signer: Check<Call, Signed> = {
  before(call) {
    const caller = callerOf(call);
    addToLog({ role: caller.role });
    return { caller };
  },
};

/**
 * Adds the verified e-mail of a person of the user pool, since approvals compare e-mails. Throws 403 if there is none.
 */
export const verifiedEmail: Check<Signed & { readonly isNoted: boolean }, Signed, { readonly people: People }> = {
  async before({ caller, isNoted }, { people }) {
    return { caller: isNoted ? await namedCaller(caller, people) : caller };
  },
};

const ARN =
  /^arn:[\w-]+:(?:sts|iam)::(\d{12}):(?:assumed-role\/([\w+=,.@-]+)\/([\w+=,.@-]+)|user\/(?:[\w+=,.@/-]+\/)?([\w+=,.@-]+))$/;

const POOL_SESSION = 'CognitoIdentityCredentials';
/** The gateway's name for a person of a user pool: `<pool>,<pool>:CognitoSignIn:<subject>`. */
const POOL_PERSON = /^cognito-idp\.[\w.-]+\/([\w-]+),cognito-idp\.[\w.-]+\/\1:CognitoSignIn:([\w-]+)$/;

/** Throws `caller_unknown` if the gateway names nobody. */
export function callerOf({ event }: Call): AdministrationCaller {
  const { userArn, accountId, cognitoAuthenticationProvider } = event.requestContext.identity ?? {};
  const match = ARN.exec(userArn ?? '');
  if (!match || match[1] !== accountId) throw new AdministrationFailure('caller_unknown');
  const [arn, account = '', role = 'user', session = '', user = session] = match;
  if (session !== POOL_SESSION) return { account, role, arn, person: user.toLowerCase() };
  const [, pool, subject] = POOL_PERSON.exec(cognitoAuthenticationProvider ?? '') ?? [];
  if (pool === undefined || subject === undefined) throw new AdministrationFailure('caller_unknown');
  const person = `${pool}:${subject}`;
  return { account, role, arn: `${arn}/${person}`, person: person.toLowerCase(), inPool: { pool, subject } };
}

export async function namedCaller(caller: AdministrationCaller, people: People): Promise<AdministrationCaller> {
  if (!caller.inPool) return caller;
  const email = await people.emailOf(caller.inPool);
  if (email === undefined)
    throw new AdministrationFailure('caller_unknown', {
      text: 'Nothing was done: your sign-in has no verified e-mail.',
    });
  return { ...caller, arn: `${caller.arn}/${email}`, person: `${caller.person}/${email.toLowerCase()}` };
}
