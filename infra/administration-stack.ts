import { ArnFormat, CfnOutput, Stack, type StackProps, Validations } from 'aws-cdk-lib';
import { AuthorizationType, LambdaIntegration, ResponseType, type RestApi } from 'aws-cdk-lib/aws-apigateway';
import * as iam from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { recordOutcomes } from '../shared/administration/analyses.ts';
import { APPROVABLE } from '../shared/administration/approvals.ts';
import {
  ADMINISTRATION_FAILURES,
  type AdministrationCode,
  administrationAnswer,
} from '../shared/administration/failures.ts';
import { DUTIES, type Duty, type Operation, type RowKind } from '../shared/administration/operation.ts';
import { ADMINISTRATION_OPERATIONS } from '../shared/administration/operations.ts';
import { BreakGlass } from './constructs/break-glass.ts';
import { arnInFinding } from './constructs/finding.ts';
import { type GatewayAnswer, ServiceApi } from './constructs/rest-api.ts';
import { allow } from './constructs/role-statements.ts';
import { ServiceFunction } from './constructs/service-function.ts';
import { SignIn } from './constructs/sign-in.ts';
import { WebFirewall } from './constructs/web-firewall.ts';
import type { DataStack } from './data-stack.ts';
import { ADMINISTRATION, administrationRow, PANEL, PANEL_PATH } from './functions.ts';
import type { Permission, TableAction } from './permissions.ts';
import type { CodeOf, ServiceStack } from './service-stack.ts';
import { administrationOf, dutyPolicyOf, logGroupNameOf, type Stage, topicNameOf } from './stages.ts';

const AUDITED: readonly TableAction[] = ['PutItem', 'UpdateItem'];

/**
 * Kinds of rows that an operation with approvals writes: the approval request, and the count of a sealing key's
 * encryptions.
 */
const APPROVED: readonly RowKind[] = ['APPROVAL', 'ENCRYPTIONS'];

export function administrationPermission({ audited, approval, permission }: Operation): Permission {
  if (!audited) return permission;
  const table = AUDITED.concat(permission.table ?? []);
  const writes = new Set<RowKind>(['AUDIT']);
  for (const kind of permission.writes) writes.add(kind);
  if (approval !== undefined) for (const kind of APPROVED) writes.add(kind);
  const noted: Permission = { ...permission, table, writes: Array.from(writes), keepsAudit: true, namesPeople: true };
  return approval === undefined ? noted : { ...noted, approvals: 'asks', sendsTickets: true };
}

const GATEWAY_ANSWERS: readonly GatewayAnswer[] = /* @__PURE__ */ (() => {
  const unsigned = 'Sign the request (AWS Signature Version 4), and check method and path: there may be no such route.';
  const cutOff = 'The service gave no answer: a change may have been made, so look before you repeat it.';
  return [
    answer(ResponseType.MISSING_AUTHENTICATION_TOKEN, 'forbidden', unsigned),
    answer(ResponseType.ACCESS_DENIED, 'forbidden'),
    answer(ResponseType.INTEGRATION_FAILURE, 'unavailable', cutOff),
    answer(ResponseType.INTEGRATION_TIMEOUT, 'timed_out'),
    answer(ResponseType.DEFAULT_5XX, 'internal_error', cutOff),
    answer(ResponseType.THROTTLED, 'too_many_requests'),
    answer(ResponseType.REQUEST_TOO_LARGE, 'body_too_large'),
    answer(ResponseType.DEFAULT_4XX, 'forbidden', 'The call was refused: check signature, address and parameters.'),
  ];
})();

function answer(type: ResponseType, code: AdministrationCode, text?: string): GatewayAnswer {
  const { status, retryAfter } = ADMINISTRATION_FAILURES[code];
  const failure = { code, text, fields: undefined };
  return { type, status, retryAfter, body: administrationAnswer(failure, '$context.extendedRequestId').body };
}

interface Dependencies {
  readonly data: DataStack;
  readonly service: ServiceStack;
  readonly codeOf: CodeOf;
}

/** The API of the service's own people. A managed policy for each duty says which operations it may call. */
export class AdministrationStack extends Stack {
  constructor(scope: Construct, id: string, stage: Stage, dependencies: Dependencies, props: StackProps) {
    super(scope, id, props);
    const { data, service } = dependencies;
    const { throttle } = stage.administration;
    const { api } = new ServiceApi(this, 'Service', {
      stage,
      name: administrationOf(stage),
      description: 'Administration of the partner mortgage credit integration service',
      logSource: 'administration-access',
      // All people of the user pool have the same session name in `caller`, so the log also has `person`.
      logFields: {
        caller: '$context.identity.userArn',
        person: '$context.identity.cognitoAuthenticationProvider',
      },
      logsKey: data.operationsKey,
      throttle,
      methodThrottles: {
        [`${recordOutcomes.path}/${recordOutcomes.method}`]: stage.operatorPush.throttle,
        // Calls without a signature have a throttle of their own, so that they take nothing from signed calls.
        ...Object.fromEntries(PANEL_PATHS.map((path) => [`${path}/GET`, throttle])),
      },
      closed: false,
      setsAccount: false,
      policy: this.callers(stage),
      answers: GATEWAY_ANSWERS,
    });
    this.acknowledge(api, stage);
    const duties = new Map(DUTIES.map((duty) => [duty, this.duty(api, stage, duty)]));
    // The operator's machine does not sign in at the user pool. It has credentials of its own.
    duties.delete('operator');
    // Built without a reference to the API's deployment: the deployment needs the functions, whose environment has this
    // address.
    const page = `https://${api.restApiId}.execute-api.${this.region}.${this.urlSuffix}/${stage.name}${PANEL_PATH}`;
    const signIn = new SignIn(this, 'SignIn', { stage, page, duties });
    for (const operation of ADMINISTRATION_OPERATIONS) this.operation(api, stage, operation, signIn, dependencies);
    this.panel(api, stage, signIn, dependencies);
    new CfnOutput(this, 'Panel', { value: page, description: 'Where people without AWS credentials work' });
    new BreakGlass(this, 'BreakGlass', stage, service.touchable);
    if (stage.administration.firewall) {
      new WebFirewall(this, 'Firewall', {
        stage,
        name: administrationOf(stage),
        logSource: 'administration-firewall',
        api: api.deploymentStage,
        perAddress: stage.administration.firewall.perAddress,
        logsKey: data.operationsKey,
      });
    }
    new CfnOutput(this, 'AdministrationUrl', { value: api.url, description: 'Where npm run manager finds the API' });
  }

  private operation(
    api: RestApi,
    stage: Stage,
    route: Operation,
    { people }: SignIn,
    dependencies: Dependencies,
  ): void {
    const { data, service, codeOf } = dependencies;
    const row = administrationRow(route);
    // Built from the topic's name, so that this stack does not wait for the stack of the alarms.
    const topicArn = this.formatArn({ service: 'sns', resource: topicNameOf(stage, 'ticket') });
    const environment: Record<string, string> = {};
    if (route.approval !== undefined) environment['APPROVALS'] = stage.approvals;
    if (route.permission.writes.includes('CUTOFF')) environment['CONSENT_DAYS'] = `${stage.consentDays}`;
    if (route.permission.reads.includes('RATES')) environment['RATE_DAYS'] = `${stage.rateDays}`;
    const tickets = { topicArn, keyArn: data.operationsKey.keyArn };
    const { live } = new ServiceFunction(this, row.operation, {
      stage,
      row,
      permission: administrationPermission(route),
      touchable: { ...service.touchable, people, tickets },
      code: codeOf(ADMINISTRATION),
      logsKey: data.operationsKey,
      release: undefined,
      egress: service.egress,
      environment,
    });
    api.root
      .resourceForPath(route.path)
      .addMethod(route.method, new LambdaIntegration(live, { allowTestInvoke: false }), {
        authorizationType: AuthorizationType.IAM,
      });
  }

  private panel(api: RestApi, stage: Stage, { plan }: SignIn, { data, service, codeOf }: Dependencies): void {
    const { live } = new ServiceFunction(this, PANEL.operation, {
      stage,
      row: PANEL,
      permission: { reads: [], writes: [] },
      touchable: service.touchable,
      code: codeOf(PANEL.operation),
      logsKey: data.operationsKey,
      release: undefined,
      egress: undefined,
      environment: { SIGN_IN: this.toJsonString(plan) },
    });
    for (const path of PANEL_PATHS) {
      const method = api.root
        .resourceForPath(path)
        .addMethod('GET', new LambdaIntegration(live, { allowTestInvoke: false }), {
          authorizationType: AuthorizationType.NONE,
        });
      Validations.of(method).acknowledge({
        id: 'AwsSolutions-APIG4',
        reason: 'The page holds no data: people who have not signed in see only the sign-in.',
      });
    }
    new CfnOutput(this, 'PeoplePool', { value: plan.issuer, description: 'The user pool of these people' });
  }

  /**
   * An allow statement here would let in every user of this account, so deny statements limit the callers. We do not
   * control the policies of other accounts, so this policy denies them the operator's route.
   */
  private callers(stage: Stage): iam.PolicyDocument {
    const { accounts, vpcEndpoints } = stage.administration;
    const operator = stage.operatorPush.account;
    // This must be the whole ARN: AWS documents the short form `execute-api:/` only for Resource, and NotResource has
    // `page`.
    const methods = `arn:aws:execute-api:${stage.region}:${this.account}:*/${stage.name}/`;
    const page = PANEL_PATHS.map((path) => `${methods}GET${patternOf(path)}`);
    const outcomes = `${methods}${recordOutcomes.method}${recordOutcomes.path}`;
    const { ALLOW, DENY } = iam.Effect;
    const all = { resources: ['execute-api:/*'] };
    const statement = (
      effect: iam.Effect,
      sid: string,
      conditions: iam.Conditions,
      { resources, notResources }: Pick<iam.PolicyStatementProps, 'resources' | 'notResources'> = all,
    ) =>
      new iam.PolicyStatement({
        sid,
        effect,
        principals: [new iam.AnyPrincipal()],
        actions: ['execute-api:Invoke'],
        resources,
        notResources,
        conditions,
      });
    const known = [this.account].concat(accounts);
    const callerConditions: Record<string, readonly string[]> = { 'aws:SourceVpce': vpcEndpoints };
    if (operator !== undefined) {
      known.push(operator);
      // The operator's machine calls from its own network.
      callerConditions['aws:PrincipalAccount'] = [operator];
    }
    const statements = [
      // A call without a signature has no account, so this statement leaves out the panel's page.
      statement(DENY, 'OtherAccounts', { StringNotEquals: { 'aws:PrincipalAccount': known } }, { notResources: page }),
      statement(ALLOW, 'Panel', {}, { resources: page }),
    ];
    if (vpcEndpoints.length > 0) statements.push(statement(DENY, 'OtherWays', { StringNotEquals: callerConditions }));
    if (accounts.length > 0) {
      const named = { StringEquals: { 'aws:PrincipalAccount': accounts } };
      statements.push(statement(ALLOW, 'NamedAccounts', named));
      // The `*` is for a slash at the end, with which a call reaches the same method (infra/AWS.md, fact 6).
      statements.push(statement(DENY, 'NoOutcomesOfPeople', named, { resources: [`${outcomes}*`] }));
    }
    if (operator !== undefined) {
      const machine = { StringEquals: { 'aws:PrincipalAccount': [operator] } };
      statements.push(statement(ALLOW, 'Operator', machine, { resources: [outcomes] }));
    }
    return new iam.PolicyDocument({ statements });
  }

  /** The duty `security` also reads the unmasked logs of partners' calls, to see how far a leak reaches. */
  private duty(api: RestApi, stage: Stage, duty: Duty): iam.ManagedPolicy {
    const routes = ADMINISTRATION_OPERATIONS.filter(({ duties }) => duties.includes(duty)).flatMap((route) => {
      // Anyone who may do an operation may approve another person's request for it.
      const decides = APPROVABLE.filter(({ duties }) => duties.some((allowed) => allowed === duty));
      if (!route.path.includes('{operation}')) return [route];
      return decides.map(({ operation }) => ({
        method: route.method,
        path: route.path.replace('{operation}', operation),
      }));
    });
    // A request may name the stack without its id, and a stack that is made again has another id.
    const resourceName = `${this.stackName}/*`;
    const ownStack = this.formatArn({ service: 'cloudformation', resource: 'stack', resourceName });
    const logs = ['access', '*'].map((source) =>
      this.formatArn({
        service: 'logs',
        resource: 'log-group',
        resourceName: `${logGroupNameOf(stage, source)}:*`,
        arnFormat: ArnFormat.COLON_RESOURCE_NAME,
      }),
    );
    const invocations = routes.map(({ method, path }) => this.invocation(api, stage, method, path));
    const statements = [allow('Operations', 'execute-api', ['Invoke'], invocations)];
    if (duty !== 'operator') statements.push(allow('Address', 'cloudformation', ['DescribeStacks'], [ownStack]));
    if (duty === 'security') {
      statements.push(allow('Calls', 'logs', ['StartQuery'], logs));
      statements.push(allow('Callers', 'logs', ['Unmask'], logs.slice(0, 1)));
      statements.push(allow('Found', 'logs', ['GetQueryResults'], ['*']));
    }
    const policy = new iam.ManagedPolicy(this, `Duty-${duty}`, {
      managedPolicyName: dutyPolicyOf(stage, duty),
      description: `What the duty ${duty} may call of the administration`,
      statements,
    });
    const acknowledge = (found: string, reason: string): void => {
      Validations.of(policy).acknowledge({ id: `AwsSolutions-IAM5[Resource::${found}]`, reason });
    };
    for (const { method, path } of routes.filter((route) => route.path.includes('{'))) {
      acknowledge(
        arnInFinding(this, this.invocation(api, stage, method, path)),
        'The path contains ids; the pattern matches no other route of the API.',
      );
    }
    acknowledge(
      arnInFinding(this, ownStack),
      'CloudFormation appends an id to the name, and only this stack has the name.',
    );
    if (duty === 'security') {
      for (const found of logs.map((group) => arnInFinding(this, group)).concat('*')) {
        acknowledge(found, "The log streams of this stage's functions and gateway; the result of a query has no ARN.");
      }
    }
    new CfnOutput(this, `Policy${duty}`, {
      value: policy.managedPolicyArn,
      description: `Attach it to the role of people with the duty ${duty}`,
    });
    return policy;
  }

  private invocation(api: RestApi, stage: Stage, method: string, path: string): string {
    return this.formatArn({
      service: 'execute-api',
      resource: api.restApiId,
      resourceName: `${stage.name}/${method}${patternOf(path)}`,
      arnFormat: ArnFormat.SLASH_RESOURCE_NAME,
    });
  }

  private acknowledge(api: RestApi, stage: Stage): void {
    Validations.of(api).acknowledge({
      id: 'AwsSolutions-COG4',
      reason:
        'Every method except the page needs a signature with AWS credentials, which people get from the identity pool.',
    });
    if (!stage.administration.firewall) {
      Validations.of(api).acknowledge({
        id: 'AwsSolutions-APIG3',
        reason:
          'Except for the page, the gateway refuses calls without a signature of the account; a stage can add a firewall.',
      });
    }
  }
}

const PANEL_PATHS = [PANEL_PATH, `${PANEL_PATH}/{file}`];

const patternOf = (path: string): string => path.replace(/\{\w+\}/g, '*');
