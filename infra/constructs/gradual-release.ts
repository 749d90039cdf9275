import { Validations } from 'aws-cdk-lib';
import {
  type CfnDeploymentGroup,
  LambdaApplication,
  LambdaDeploymentConfig,
  LambdaDeploymentGroup,
} from 'aws-cdk-lib/aws-codedeploy';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Alias, CfnAlias } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { ROUTES } from '../../shared/contract/routes.ts';
import { math, metricsOf } from '../metrics.ts';
import { readRunbook, runbookText } from '../runbook.ts';
import { prefixOf, type Stage } from '../stages.ts';
import { type Condition, ImpactAlarm } from './impact-alarm.ts';

const SHIFTS = {
  canary: LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES,
  'at-once': LambdaDeploymentConfig.ALL_AT_ONCE,
  hotfix: LambdaDeploymentConfig.ALL_AT_ONCE,
} as const;

/** 5xx answers of one operation in a minute that roll a deployment back; one or two may be chance. */
const FAILED_CALLS = 3;

/**
 * Moves the callers of all functions to new versions by CodeDeploy, in parallel, and back when a function's own alarm
 * goes off. CloudFormation then rolls the whole deployment back.
 */
export class GradualRelease extends Construct {
  private readonly stage: Stage;
  private readonly application: LambdaApplication;
  private readonly role: Role;
  private readonly runbook = readRunbook(runbookText());

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

  /** Moves callers of an operation's alias from now on. */
  of(operation: string, alias: Alias): void {
    const { alarm } = new ImpactAlarm(this, `${operation}-alarm`, {
      setting: { stage: this.stage, runbook: this.runbook, topics: {} },
      name: `release-${operation}`,
      level: 'rollback',
      impact: `${operation} fails: a deployment that is under way is taken back; none is begun.`,
      section: 'release',
      when: this.failing(operation),
    });
    const hotfix = this.stage.shift === 'hotfix';
    const group = new LambdaDeploymentGroup(this, operation, {
      application: this.application,
      alias,
      role: this.role,
      deploymentConfig: SHIFTS[this.stage.shift],
      alarms: [alarm],
      // A hotfix mends a function whose alarms are on already; CodeDeploy would refuse to begin.
      ignoreAlarmConfiguration: hotfix,
      autoRollback: { failedDeployment: true, stoppedDeployment: true, deploymentInAlarm: !hotfix },
    });
    // CloudFormation must change the deployment group before the alias: a hotfix changes both in one deployment.
    (alias.node.defaultChild as CfnAlias).addResourceDependency(group.node.defaultChild as CfnDeploymentGroup);
  }

  private failing(operation: string): Condition {
    const { own, live } = metricsOf(this.stage);
    const crashes = live('Errors', operation, { minutes: 1 });
    const route = ROUTES.find((candidate) => candidate.operation === operation);
    if (!route || route.scope === 'public') return { metric: crashes, atLeast: 1 };
    const failed = own('ServerErrors', { operation: route.operation }, { minutes: 1 });
    return {
      metric: math(
        { crashes, failed },
        [
          { fill: 'crashes' },
          '+',
          { if: { fill: 'failed' }, atLeast: FAILED_CALLS, gives: { fill: 'failed' }, else: 0 },
        ],
        'crashes, and 5xx from the third on',
      ),
      atLeast: 1,
    };
  }
}
