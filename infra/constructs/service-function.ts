import { Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { SubnetType } from 'aws-cdk-lib/aws-ec2';
import { EventField, Rule, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as FunctionTarget } from 'aws-cdk-lib/aws-events-targets';
import { PolicyDocument, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import {
  Alias,
  Architecture,
  type Code,
  type IFunction,
  Function as LambdaFunction,
  Runtime,
} from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { FunctionRow } from '../functions.ts';
import type { Permission } from '../permissions.ts';
import { functionNameOf, logGroupNameOf, reservedRuns, type Stage } from '../stages.ts';
import { arnInFinding } from './finding.ts';
import type { FixedEgress } from './fixed-egress.ts';
import type { GradualRelease } from './gradual-release.ts';
import { copyDays } from './kept-evidence.ts';
import { logGroupOf } from './log-group.ts';
import { logStatement, networkStatement, statementsOf, type Touchable, usesTable } from './role-statements.ts';

export interface ServiceFunctionProps {
  readonly stage: Stage;
  readonly row: FunctionRow;
  readonly permission: Permission;
  readonly touchable: Touchable;
  readonly code: Code;
  readonly serviceUrl?: string;
  readonly logsKey: IKey;
  /** Undefined for a function without an alias: its callers get new code at once. */
  readonly release: GradualRelease | undefined;
  /** Undefined if the stage has no fixed addresses. */
  readonly egress: FixedEgress | undefined;
  readonly environment: Readonly<Record<string, string>>;
}

/** A function whose role allows its row of permissions and nothing else. With a release, callers use an alias. */
export class ServiceFunction extends Construct {
  readonly live: IFunction;

  constructor(scope: Construct, id: string, props: ServiceFunctionProps) {
    super(scope, id);
    const { stage, row, permission, touchable } = props;

    const logGroup = logGroupOf(this, 'Logs', logGroupNameOf(stage, row.operation), { stage, key: props.logsKey });
    const egress = callsOut(permission) ? props.egress : undefined;

    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      description: `What ${row.operation} may do`,
      inlinePolicies: {
        permissions: new PolicyDocument({
          statements: [
            logStatement(logGroup.logGroupArn),
            egress ? [networkStatement()] : [],
            statementsOf(permission, touchable, Stack.of(this).region),
          ].flat(),
        }),
      },
    });
    acknowledgeWildcards(role, permission, egress !== undefined, arnInFinding(this, logGroup.logGroupArn));

    const handler = new LambdaFunction(this, 'Function', {
      functionName: functionNameOf(stage, row.operation),
      description: row.file,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: row.memory,
      timeout: Duration.seconds(row.timeout),
      handler: `index.${row.handler ?? 'handler'}`,
      code: props.code,
      // No construct may add statements to the role.
      role: role.withoutPolicyUpdates(),
      logGroup,
      environment: { ...environmentOf(props), ...props.environment },
      reservedConcurrentExecutions: reservedRuns(stage, row.operation),
      vpc: egress?.vpc,
      vpcSubnets: egress && { subnetType: SubnetType.PRIVATE_WITH_EGRESS },
      securityGroups: egress && [egress.securityGroup],
      // If a deployment that creates a version is rolled back, the version is deleted. Lambda makes no second version
      // of the same code, so the next try would fail.
      currentVersionOptions: { removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE },
    });
    this.live = props.release ? this.released(handler, props, props.release) : handler;
  }

  private released(handler: LambdaFunction, { stage, row }: ServiceFunctionProps, release: GradualRelease): Alias {
    const alias = new Alias(this, 'Live', {
      aliasName: 'live',
      version: handler.currentVersion,
      provisionedConcurrentExecutions: stage.concurrency.provisioned[row.operation],
    });
    release.of(row.operation, alias);
    return alias;
  }
}

const callsOut = ({ secrets, takesDeliveries, callsPartners }: Permission): boolean =>
  takesDeliveries === true || callsPartners === true || secrets?.includes('operator') === true;

function environmentOf({
  stage,
  row,
  permission,
  touchable,
  serviceUrl,
}: ServiceFunctionProps): Record<string, string> {
  const { table, erasureLedger, secrets, deliveries, tickets } = touchable;
  const { secrets: read = [], describesSecrets = [], writesSecrets = [] } = permission;
  const names = new Set([read, describesSecrets, writesSecrets].flat());
  const { sendsDeliveries, takesDeliveries, deadLetters, ledger, sendsTickets } = permission;
  const environment: Record<string, string> = { STAGE: stage.name, OPERATION: row.operation };
  if (usesTable(permission)) environment['TABLE_NAME'] = table.tableName;
  if (ledger) environment['ERASURE_LEDGER_NAME'] = erasureLedger.tableName;
  if (names.has('keys')) environment['KEYS_SECRET'] = secrets.keys;
  if (names.has('retiredKeys')) {
    environment['RETIRED_KEYS_SECRET'] = secrets.retiredKeys;
    environment['COPY_DAYS'] = `${copyDays(stage)}`;
  }
  if (names.has('operator')) {
    environment['OPERATOR_TOKEN_SECRET'] = secrets.operator;
    environment['OPERATOR_URL'] = stage.operatorUrl;
  }
  if (names.has('probe')) environment['PROBE_KEY_SECRET'] = secrets.probe;
  if (serviceUrl !== undefined) environment['PROBE_URL'] = serviceUrl;
  if (sendsDeliveries || takesDeliveries) environment['DELIVERY_QUEUE_URL'] = deliveries.queue.queueUrl;
  if (takesDeliveries || deadLetters) environment['DELIVERY_DLQ_URL'] = deliveries.deadLetters.queueUrl;
  if (sendsTickets && tickets) environment['TICKET_TOPIC'] = tickets.topicArn;
  return environment;
}

function acknowledgeWildcards(role: Role, permission: Permission, inNetwork: boolean, logGroup: string): void {
  const of = Validations.of(role);
  of.acknowledge({
    id: `AwsSolutions-IAM5[Resource::${logGroup}]`,
    reason: "Log streams are named by Lambda at run time; the wildcard stays inside the function's own log group.",
  });
  if (inNetwork) {
    of.acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason: 'The network interfaces that Lambda makes have no names before: EC2 allows only * for them.',
    });
  }
  if (usesTable(permission)) {
    of.acknowledge(
      {
        id: 'AwsSolutions-IAM5[Action::kms:ReEncrypt*]',
        reason: 'DynamoDB re-encrypts with a customer key in both directions (From and To), only via DynamoDB.',
      },
      {
        id: 'AwsSolutions-IAM5[Action::kms:GenerateDataKey*]',
        reason: 'DynamoDB asks for data keys with and without plaintext, only via DynamoDB.',
      },
    );
  }
}

/** Targets that EventBridge allows in a rule. Each rule costs a statement of the function's policy. */
const TARGETS_OF_RULE = 5;

interface PollerProps extends ServiceFunctionProps {
  readonly inputs: readonly Readonly<Record<string, number>>[];
}

/** Runs each minute, once for each input. A failed run is not retried: the run of the next minute takes its place. */
export class Poller extends Construct {
  readonly function: ServiceFunction;

  constructor(scope: Construct, id: string, props: PollerProps) {
    super(scope, id);
    const maxEventAge = Duration.seconds(60);
    this.function = new ServiceFunction(this, 'Run', props);
    // The rule's retry settings cover only the transfer of the event to Lambda. These settings cover the runs.
    this.function.live.configureAsyncInvoke({ retryAttempts: 0, maxEventAge });
    for (let first = 0; first < props.inputs.length; first += TARGETS_OF_RULE) {
      const inputs = props.inputs.slice(first, first + TARGETS_OF_RULE);
      new Rule(this, `Minute${first}`, {
        description: `${props.row.operation} ${inputs.map((input) => JSON.stringify(input)).join(' ')}`,
        schedule: Schedule.rate(Duration.minutes(1)),
        targets: inputs.map(
          (input) =>
            new FunctionTarget(this.function.live, {
              // The run compares its container's clock with this time (shared/runtime/background-runs.ts).
              event: RuleTargetInput.fromObject({ ...input, time: EventField.time }),
              retryAttempts: 0,
              maxEventAge,
            }),
        ),
      });
    }
  }
}
