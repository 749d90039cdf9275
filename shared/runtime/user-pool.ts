import { CognitoIdentityProviderClient, ListUsersCommand } from '@aws-sdk/client-cognito-identity-provider';
import { underDeadline } from './deadline.ts';
import { LIMITS } from './secret.ts';

/** The people of the panel's user pool, as it knows them at this moment. */
export const userPool = () => ({
  /** The e-mail of a subject, once the pool or the company has verified it. Throws what Cognito throws. */
  async emailOf({ pool, subject }: { readonly pool: string; readonly subject: string }): Promise<string | undefined> {
    // By the subject, since a company's people have user names of another kind.
    const list = new ListUsersCommand({
      UserPoolId: pool,
      Filter: `sub = "${subject}"`,
      Limit: 1,
      AttributesToGet: ['email', 'email_verified'],
    });
    const { Users = [] } = await new CognitoIdentityProviderClient(LIMITS).send(list, underDeadline());
    const [person] = Users;
    const attribute = (name: string) => person?.Attributes?.find(({ Name }) => Name === name)?.Value;
    // People of the pool may change their e-mail: the new one counts once they have shown that it is theirs.
    const verified = attribute('email_verified') === 'true' || person?.UserStatus === 'EXTERNAL_PROVIDER';
    return verified ? attribute('email') : undefined;
  },
});
