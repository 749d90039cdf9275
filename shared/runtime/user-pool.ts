import { CognitoIdentityProviderClient, ListUsersCommand } from '@aws-sdk/client-cognito-identity-provider';
import { underDeadline } from './deadline.ts';
import { LIMITS } from './secret.ts';

export const userPool = () => ({
  /**
   * Returns the verified e-mail of a token's subject. Undefined if there is no such person, or if neither the pool nor
   * the person's company has verified the e-mail. Throws what Cognito throws.
   */
  async emailOf({ pool, subject }: { readonly pool: string; readonly subject: string }): Promise<string | undefined> {
    // The search goes by subject, since people of a company's own sign-in have user names of another form.
    const list = new ListUsersCommand({
      UserPoolId: pool,
      Filter: `sub = "${subject}"`,
      Limit: 1,
      AttributesToGet: ['email', 'email_verified'],
    });
    const { Users = [] } = await new CognitoIdentityProviderClient(LIMITS).send(list, underDeadline());
    const [person] = Users;
    const attribute = (name: string) => person?.Attributes?.find(({ Name }) => Name === name)?.Value;
    // A person of the pool may change the e-mail, which counts only after the person has confirmed it.
    const verified = attribute('email_verified') === 'true' || person?.UserStatus === 'EXTERNAL_PROVIDER';
    return verified ? attribute('email') : undefined;
  },
});
