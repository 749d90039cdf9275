import { Validations } from 'aws-cdk-lib';
import type { AlarmBase } from 'aws-cdk-lib/aws-cloudwatch';
import {
  CfnDeploymentGroup,
  LambdaApplication,
  LambdaDeploymentConfig,
  LambdaDeploymentGroup,
} from 'aws-cdk-lib/aws-codedeploy';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type Alias, CfnAlias } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { ROUTES } from '#shared/contract/routes.ts';
import { minutes } from '#shared/domain/values/time.ts';
import { FALLBACK } from '../functions.ts';
import { metricsOf } from '../metrics.ts';
import { prefixOf, type Stage } from '../stages.ts';
import { type Condition, ImpactAlarm } from './impact-alarm.ts';
import { resourceOf } from './resource-of.ts';

const SHIFTS = {
  canary: LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES,
  'at-once': LambdaDeploymentConfig.ALL_AT_ONCE,
  hotfix: LambdaDeploymentConfig.ALL_AT_ONCE,
} as const;

/** Number of 5xx answers in a minute that roll back a deployment. One or two may be chance. */
const FAILED_CALLS = 3;

/**
 * Aliases that shift together. Lambda accepts 15 control-plane calls a second from an account; each shift makes
 * several.
 */
const AT_ONCE = 11;

/** Operations that only return files. No partner's work waits for them, and a crash also counts as a 5xx of the API. */
const GIVE_FILES: readonly string[] = ['get-openapi', 'get-openapi-30', 'get-docs'];

/**
 * Moves callers to new versions by CodeDeploy, and back if an alarm goes off: CloudFormation then rolls back the whole
 * deployment.
 */
export class GradualRelease extends Construct {
  private readonly stage: Stage;
  private readonly application: LambdaApplication;
  private readonly role: Role;
  private api: AlarmBase | undefined;
  private readonly aliases: CfnAlias[] = [];

  constructor(scope: Construct, id: string, stage: Stage) {
    super(scope, id);
    this.stage = stage;
    this.application = new LambdaApplication(this, 'Application', { applicationName: prefixOf(stage) });
    this.role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('codedeploy.amazonaws.com'),
      description: 'CodeDeploy moves the aliases of the functions',
    });
    Validations.of(this.role).acknowledge({
      id: 'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSCodeDeployRoleForLambdaLimited]',
      reason: 'The policy that AWS keeps for CodeDeploy on Lambda; the role is used by nothing else.',
    });
  }

  of(operation: string, alias: Alias): void {
    const alarms: AlarmBase[] = [];
    if (!GIVE_FILES.includes(operation)) alarms.push(this.crashes(operation).alarm);
    if (operation === FALLBACK || ROUTES.some((route) => route.operation === operation)) {
      this.api ??= this.failedCalls().alarm;
      alarms.push(this.api);
    }
    const hotfix = this.stage.shift === 'hotfix';
    const group = new LambdaDeploymentGroup(this, operation, {
      application: this.application,
      alias,
      role: this.role,
      deploymentConfig: SHIFTS[this.stage.shift],
      alarms,
      // A hotfix repairs a function whose alarms are already on. CodeDeploy would otherwise refuse to start.
      ignoreAlarmConfiguration: hotfix,
      autoRollback: { failedDeployment: true, stoppedDeployment: true, deploymentInAlarm: !hotfix },
    });
    // A hotfix changes the deployment group and the alias in one deployment: the group must come first.
    const shifted = resourceOf(alias, CfnAlias);
    shifted.addResourceDependency(resourceOf(group, CfnDeploymentGroup));
    // CloudFormation waits for the shift of an alias before it changes an alias that depends on it.
    const before = this.aliases.at(-AT_ONCE);
    if (before && !hotfix) shifted.addResourceDependency(before);
    this.aliases.push(shifted);
  }

  private crashes(operation: string): ImpactAlarm {
    return this.alarm(operation, `${operation} crashes`, {
      metric: metricsOf(this.stage).live('Errors', operation, { period: minutes(1) }),
      atLeast: 1,
    });
  }

  /** One alarm for all functions: an alarm for each would cost as much as the functions. */
  private failedCalls(): ImpactAlarm {
    return this.alarm('api', 'The API answers 5xx', {
      metric: metricsOf(this.stage).gateway('5XXError', { period: minutes(1) }),
      atLeast: FAILED_CALLS,
    });
  }

  private alarm(of: string, trouble: string, when: Condition): ImpactAlarm {
    return new ImpactAlarm(this, `${of}-alarm`, {
      setting: { stage: this.stage, topics: {} },
      name: `release-${of}`,
      level: 'rollback',
      impact: `${trouble}: a running deployment is taken back, and no other can start.`,
      section: 'release',
      when,
    });
  }
}
