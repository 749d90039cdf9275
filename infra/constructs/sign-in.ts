import { Duration, RemovalPolicy, SecretValue, Stack, Validations } from 'aws-cdk-lib';
import * as cognito from 'aws-cdk-lib/aws-cognito';
import { FederatedPrincipal, type ManagedPolicy, Role } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import type { Duty } from '#shared/administration/operation.ts';
import { administrationOf, dutyPolicyOf, prefixOf, type Stage } from '../stages.ts';

interface SignInProps {
  readonly stage: Stage;
  /** Address of the panel. Cognito sends authorization codes to no other address. */
  readonly page: string;
  readonly duties: ReadonlyMap<Duty, ManagedPolicy>;
}

/**
 * A user pool whose groups are the duties, and an identity pool that gives members the credentials of the group's role
 * for an hour.
 */
export class SignIn extends Construct {
  readonly people: string;
  /** Settings that the panel's page needs. None of them is secret. */
  readonly plan: Readonly<Record<'issuer' | 'login' | 'clientId' | 'identityPool' | 'identityUrl' | 'region', string>>;

  constructor(scope: Construct, id: string, { stage, page, duties }: SignInProps) {
    super(scope, id);
    const { account, region } = Stack.of(this);
    const pool = new cognito.UserPool(this, 'People', {
      userPoolName: administrationOf(stage),
      featurePlan: cognito.FeaturePlan.ESSENTIALS,
      selfSignUpEnabled: false,
      signInAliases: { email: true },
      // By default Cognito tells `Ana@` from `ana@`, and a pool cannot change this later.
      signInCaseSensitive: false,
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
      // The audit names people by their ids in this pool.
      deletionProtection: true,
      removalPolicy: RemovalPolicy.RETAIN,
    });
    const company = this.company(stage, pool);
    const domain = pool.addDomain('Domain', {
      cognitoDomain: { domainPrefix: `${prefixOf(stage)}-${account}` },
      managedLoginVersion: cognito.ManagedLoginVersion.NEWER_MANAGED_LOGIN,
    });
    const client = pool.addClient('Panel', {
      // With a token of Cognito's own API, people could change their e-mail and so have two names in the audit.
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
      // After an hour the next token no longer has a group that was taken away. People sign in again after eight hours.
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
      // Otherwise a person who signs in could choose the name of the session.
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
      // People without a group get no role, but CloudFormation demands the field. The page asks for a role that the
      // token names.
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
    const reason = 'Threat protection needs the Plus plan; the few people here are invited and have a second factor.';
    Validations.of(pool).acknowledge({ id: 'AwsSolutions-COG3', reason }, { id: 'AwsSolutions-COG8', reason });
  }

  /** Undefined if the stage has no company sign-in, which must ask for the second factor. */
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
      // CloudFormation reads the secret during the deployment. The template has only its name.
      clientSecret: SecretValue.secretsManager(clientSecret).unsafeUnwrap(),
      scopes: ['openid', 'email'],
    });
  }
}
