import { Duration, RemovalPolicy, SecretValue, Stack, Validations } from 'aws-cdk-lib';
import * as cognito from 'aws-cdk-lib/aws-cognito';
import { FederatedPrincipal, type ManagedPolicy, Role } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import type { Duty } from '#shared/administration/operation.ts';
import { administrationOf, dutyPolicyOf, prefixOf, type Stage } from '../stages.ts';

interface SignInProps {
  readonly stage: Stage;
  /** The panel's own address: nothing else is given a code. */
  readonly page: string;
  /** The policy of each duty of people. */
  readonly duties: ReadonlyMap<Duty, ManagedPolicy>;
}

/**
 * Where people without AWS credentials sign in: a user pool whose groups are the duties, and an identity pool that gives
 * whoever is in a group the credentials of the group's role for an hour. Nobody signs up, and a second factor is asked of all.
 */
export class SignIn extends Construct {
  /** ARN of the user pool. */
  readonly people: string;
  /** What the page needs to know: nothing of it is secret. */
  readonly plan: Readonly<Record<'issuer' | 'login' | 'clientId' | 'identityPool' | 'identityUrl' | 'region', string>>;

  constructor(scope: Construct, id: string, { stage, page, duties }: SignInProps) {
    super(scope, id);
    const { account, region } = Stack.of(this);
    const pool = new cognito.UserPool(this, 'People', {
      userPoolName: administrationOf(stage),
      featurePlan: cognito.FeaturePlan.ESSENTIALS,
      selfSignUpEnabled: false,
      signInAliases: { email: true },
      standardAttributes: { email: { required: true, mutable: true } },
      mfa: cognito.Mfa.REQUIRED,
      mfaSecondFactor: { otp: true, sms: false },
      accountRecovery: cognito.AccountRecovery.EMAIL_ONLY,
      passwordPolicy: {
        minLength: 14,
        requireDigits: true,
        requireLowercase: true,
        requireUppercase: true,
        requireSymbols: true,
        tempPasswordValidity: Duration.days(3),
      },
      // The audit names people by their number in it.
      deletionProtection: true,
      removalPolicy: RemovalPolicy.RETAIN,
    });
    const company = this.company(stage, pool);
    const domain = pool.addDomain('Domain', {
      cognitoDomain: { domainPrefix: `${prefixOf(stage)}-${account}` },
      managedLoginVersion: cognito.ManagedLoginVersion.NEWER_MANAGED_LOGIN,
    });
    const client = pool.addClient('Panel', {
      // By the login's pages alone: a token that Cognito's own API gives lets people choose another e-mail, another name to us.
      authFlows: { userSrp: false },
      oAuth: {
        flows: { authorizationCodeGrant: true },
        scopes: [cognito.OAuthScope.OPENID, cognito.OAuthScope.EMAIL],
        callbackUrls: [page],
        logoutUrls: [page],
      },
      supportedIdentityProviders: [
        company
          ? cognito.UserPoolClientIdentityProvider.custom(company.providerName)
          : cognito.UserPoolClientIdentityProvider.COGNITO,
      ],
      // A group that is taken away is missed by the next token; a working day ends with the last.
      idTokenValidity: Duration.hours(1),
      accessTokenValidity: Duration.hours(1),
      refreshTokenValidity: Duration.hours(8),
      preventUserExistenceErrors: true,
    });
    if (company) client.node.addDependency(company);
    new cognito.CfnManagedLoginBranding(this, 'Look', {
      userPoolId: pool.userPoolId,
      clientId: client.userPoolClientId,
      useCognitoProvidedValues: true,
    });
    const provider = pool.userPoolProviderName;
    const identities = new cognito.CfnIdentityPool(this, 'Identities', {
      identityPoolName: administrationOf(stage),
      allowUnauthenticatedIdentities: false,
      // Otherwise whoever signs in could name a session as they like.
      allowClassicFlow: false,
      cognitoIdentityProviders: [
        { providerName: provider, clientId: client.userPoolClientId, serverSideTokenCheck: true },
      ],
    });
    for (const [duty, policy] of duties) {
      const role = new Role(this, `Role-${duty}`, {
        roleName: dutyPolicyOf(stage, duty),
        description: `People of the user pool who have the duty ${duty}`,
        maxSessionDuration: Duration.hours(1),
        managedPolicies: [policy],
        assumedBy: new FederatedPrincipal(
          'cognito-identity.amazonaws.com',
          {
            StringEquals: { 'cognito-identity.amazonaws.com:aud': identities.ref },
            'ForAnyValue:StringLike': { 'cognito-identity.amazonaws.com:amr': 'authenticated' },
          },
          'sts:AssumeRoleWithWebIdentity',
        ),
      });
      new cognito.CfnUserPoolGroup(this, `Group-${duty}`, {
        userPoolId: pool.userPoolId,
        groupName: duty,
        description: `Has the duty ${duty}`,
        roleArn: role.roleArn,
      });
    }
    new cognito.CfnIdentityPoolRoleAttachment(this, 'Roles', {
      identityPoolId: identities.ref,
      // None for whoever is signed in: the interface wants the field. The token names the roles of the person's groups; the page asks for one of these, and whoever has none gets none.
      roles: {},
      roleMappings: {
        people: {
          identityProvider: `${provider}:${client.userPoolClientId}`,
          type: 'Token',
          ambiguousRoleResolution: 'Deny',
        },
      },
    });
    this.people = pool.userPoolArn;
    this.plan = {
      issuer: pool.userPoolProviderUrl,
      login: domain.baseUrl(),
      clientId: client.userPoolClientId,
      identityPool: identities.ref,
      identityUrl: `https://cognito-identity.${region}.amazonaws.com`,
      region,
    };
    const reason = 'Threat protection is of the Plus plan; the few people here are invited, and have a second factor.';
    Validations.of(pool).acknowledge({ id: 'AwsSolutions-COG3', reason }, { id: 'AwsSolutions-COG8', reason });
  }

  /** The company's own sign-in, where the stage names one: it then asks for the second factor, and the pool has no passwords. */
  private company({ administration }: Stage, userPool: cognito.UserPool) {
    const { federation } = administration;
    const common = { userPool, name: 'company', attributeMapping: { email: cognito.ProviderAttribute.other('email') } };
    if (federation?.kind === 'saml') {
      const metadata = cognito.UserPoolIdentityProviderSamlMetadata.url(federation.metadataUrl);
      return new cognito.UserPoolIdentityProviderSaml(this, 'Company', { ...common, metadata });
    }
    if (federation?.kind !== 'oidc') return undefined;
    const { issuer, clientId, clientSecret } = federation;
    return new cognito.UserPoolIdentityProviderOidc(this, 'Company', {
      ...common,
      issuerUrl: issuer,
      clientId,
      // CloudFormation reads it as it deploys; the template has its name alone.
      clientSecret: SecretValue.secretsManager(clientSecret).unsafeUnwrap(),
      scopes: ['openid', 'email'],
    });
  }
}
