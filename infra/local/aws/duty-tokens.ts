import { randomBytes } from 'node:crypto';
import type { ApiPlan, Blueprint } from '../blueprint.ts';
import { ACCOUNT, REGION } from '../template.ts';
import type { Caller } from './gateway-event.ts';
import { allowed } from './iam.ts';

/** Says who has signed a call, or how the gateway answers where nobody has or the caller may not. */
export type Authorize = (
  call: { readonly method: string; readonly path: string },
  authorization: string | undefined,
) => Caller | 'MISSING_AUTHENTICATION_TOKEN' | 'ACCESS_DENIED';

/** Bearer tokens in place of AWS signatures: one for each duty, made anew at each start. */
interface DutyTokens {
  /** By duty. */
  readonly tokens: Readonly<Record<string, string>>;
  readonly authorize: Authorize;
}

/** The tokens of the template's duties. What a token opens, the duty's managed policy says, as IAM would read it. */
export function dutyTokens({ id, name, stage }: ApiPlan, duties: Blueprint['duties']): DutyTokens {
  const tokens = Object.fromEntries(Object.keys(duties).map((duty) => [duty, randomBytes(24).toString('base64url')]));
  const dutyOf = new Map(Object.entries(tokens).map(([duty, token]) => [`Bearer ${token}`, duty]));
  return {
    tokens,
    authorize: ({ method, path }, authorization = '') => {
      const duty = dutyOf.get(authorization);
      if (duty === undefined) return 'MISSING_AUTHENTICATION_TOKEN';
      const resource = `arn:aws:execute-api:${REGION}:${ACCOUNT}:${id}/${stage}/${method}${path}`;
      if (!allowed(duties[duty]!, { action: 'execute-api:Invoke', resource })) return 'ACCESS_DENIED';
      return { account: ACCOUNT, arn: `arn:aws:sts::${ACCOUNT}:assumed-role/${name}-${duty}/local` };
    },
  };
}
