import { Stack, type StackProps, Validations } from 'aws-cdk-lib';
import { CfnSlackChannelConfiguration } from 'aws-cdk-lib/aws-chatbot';
import { type AlarmBase, CfnInsightRule } from 'aws-cdk-lib/aws-cloudwatch';
import { EventField, Rule, RuleTargetInput } from 'aws-cdk-lib/aws-events';
import { SnsTopic } from 'aws-cdk-lib/aws-events-targets';
import * as iam from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { CfnQueryDefinition } from 'aws-cdk-lib/aws-logs';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription, UrlSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';
import { alarmsMade } from './alarms.ts';
import { Dashboards } from './constructs/dashboards.ts';
import { ImpactAlarm } from './constructs/impact-alarm.ts';
import { allow } from './constructs/role-statements.ts';
import { RULE_NAMES, type RuleName, ruleBodyOf, ruleNameOf } from './insight-rules.ts';
import { logGroupsOf, readRunbook, runbookText } from './runbook.ts';
import { breakGlassOf, namesOf, prefixOf, type Stage, topicNameOf } from './stages.ts';

type Channel = 'page' | 'ticket';

/**
 * A stack of its own, because the service stack is near the limit of 500 resources. It refers to everything by name, so
 * that no export ties the stacks together.
 */
export class WatchStack extends Stack {
  constructor(scope: Construct, id: string, stage: Stage, key: IKey, commit: string, props: StackProps) {
    super(scope, id, props);
    const topics = { page: this.topic(stage, 'page', key), ticket: this.topic(stage, 'ticket', key) };
    const alarms = new Map<string, AlarmBase>();
    const setting = { stage, topics, made: alarms };
    for (const row of alarmsMade(stage))
      alarms.set(row.name, new ImpactAlarm(this, row.name, { ...row, setting }).alarm);
    new Dashboards(this, 'Dashboards', { stage, alarms, commit });
    const publisher = this.publisher(stage.evidence ? [topics.page, topics.ticket] : [topics.page], key);
    this.tellOfActs(stage, topics.page, publisher);
    if (stage.evidence) this.tellOfFailedCopies(stage, topics.ticket, publisher);
    for (const rule of RULE_NAMES) this.insightRule(stage, rule);
    this.saveQueries(stage);
  }

  private topic(stage: Stage, channel: Channel, key: IKey): Topic {
    const topic = new Topic(this, channel === 'page' ? 'Page' : 'Ticket', {
      topicName: topicNameOf(stage, channel),
      masterKey: key,
      enforceSSL: true,
    });
    // A topic with its own policy loses the default policy, which lets the account's alarms publish.
    topic.addToResourcePolicy(
      new iam.PolicyStatement({
        sid: 'Alarms',
        principals: [new iam.ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [topic.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': this.account } },
      }),
    );
    stage.alarmTargets[channel].forEach((target, index) => {
      if (target.kind === 'email') topic.addSubscription(new EmailSubscription(target.address));
      else if (target.kind === 'https') topic.addSubscription(new UrlSubscription(target.url));
      else this.slack(`${prefixOf(stage)}-${channel}-${index + 1}`, target, topic);
    });
    return topic;
  }

  private slack(name: string, target: { workspaceId: string; channelId: string }, topic: Topic): void {
    const role = new iam.Role(this, `${name}-role`, {
      assumedBy: new iam.ServicePrincipal('chatbot.amazonaws.com'),
      description: 'What the chat may read of alarms',
    });
    const actions = ['cloudwatch:DescribeAlarms', 'cloudwatch:GetMetricWidgetImage'];
    role.addToPolicy(new iam.PolicyStatement({ actions, resources: ['*'] }));
    Validations.of(role).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason: 'Reading alarms and their graphs is possible only for *; nothing else is allowed.',
    });
    new CfnSlackChannelConfiguration(this, `${name}-channel`, {
      configurationName: name,
      slackWorkspaceId: target.workspaceId,
      slackChannelId: target.channelId,
      iamRoleArn: role.roleArn,
      snsTopicArns: [topic.topicArn],
      guardrailPolicies: [iam.ManagedPolicy.fromAwsManagedPolicyName('CloudWatchReadOnlyAccess').managedPolicyArn],
    });
  }

  /** Pages if CloudTrail sees somebody act outside of the administration. */
  private tellOfActs(stage: Stage, topic: Topic, role: iam.IRole): void {
    const who = `${EventField.fromPath('$.detail.userIdentity.arn')} from ${EventField.fromPath('$.detail.sourceIPAddress')} at ${EventField.time}`;
    const tell = (id: string, ruleName: string, source: string, detail: Record<string, unknown>, done: string) =>
      new Rule(this, id, {
        ruleName,
        description: 'Somebody acts outside of the administration and its audit',
        eventPattern: { source: [source], detailType: ['AWS API Call via CloudTrail'], detail },
        targets: [
          new SnsTopic(topic, {
            role,
            message: RuleTargetInput.fromText(`${done} by ${who}. Runbook: ${stage.runbookUrl}#break-glass`),
          }),
        ],
      });
    const [name, pool] = [breakGlassOf(stage), 'aws.cognito-idp'];
    const roleArn = [{ suffix: `:role/${name}` }];
    tell(
      'BreakGlass',
      name,
      'aws.sts',
      { eventName: ['AssumeRole'], requestParameters: { roleArn } },
      `${name} was taken`,
    );
    // A person with two users could approve their own request.
    const eventName = [
      'AdminCreateUser',
      'AdminAddUserToGroup',
      'AdminUpdateUserAttributes',
      'AdminSetUserPassword',
      'CreateGroup',
      'UpdateGroup',
      'StartUserImportJob',
    ];
    const called = `${EventField.fromPath('$.detail.eventName')} was called`;
    tell('People', `${prefixOf(stage)}-people`, pool, { eventName }, called);
    const { table, erasureLedger } = namesOf(stage);
    // A call names a table by its name or by its ARN.
    const tableName = [table, erasureLedger].map((suffix) => ({ suffix }));
    const changed = { eventName: ['UpdateContinuousBackups'], requestParameters: { tableName } };
    tell('Recovery', `${prefixOf(stage)}-recovery`, 'aws.dynamodb', changed, called);
  }

  /** Events of AWS Backup are sent on a best effort, so the alarm `copies-missing` looks for completed jobs, too. */
  private tellOfFailedCopies(stage: Stage, topic: Topic, role: iam.IRole): void {
    const { table, erasureLedger } = namesOf(stage);
    const fact = (path: string) => EventField.fromPath(path);
    const job = `${fact('$.detail-type')}: ${fact('$.detail.state')}, ${fact('$.detail.resourceArn')}, ${fact('$.detail.statusMessage')}`;
    new Rule(this, 'FailedCopies', {
      ruleName: `${prefixOf(stage)}-failed-copies`,
      description: 'A backup of a table, or its copy into the other account, has not succeeded',
      eventPattern: {
        source: ['aws.backup'],
        detailType: ['Backup Job State Change', 'Copy Job State Change'],
        detail: {
          state: ['FAILED', 'ABORTED', 'EXPIRED', 'PARTIAL'],
          resourceArn: [table, erasureLedger].map((name) => ({ suffix: `:table/${name}` })),
        },
      },
      targets: [
        new SnsTopic(topic, {
          role,
          message: RuleTargetInput.fromText(`${job}. Runbook: ${stage.runbookUrl}#upkeep`),
        }),
      ],
    });
  }

  /** Without a role, the key would have to be open to the whole service EventBridge. */
  private publisher(topics: readonly Topic[], key: IKey): iam.IRole {
    const role = new iam.Role(this, 'Publisher', {
      assumedBy: new iam.ServicePrincipal('events.amazonaws.com'),
      description: 'Reports acts outside of the administration, and copies that have failed',
      inlinePolicies: {
        permissions: new iam.PolicyDocument({
          statements: [
            allow(
              'Publish',
              'sns',
              ['Publish'],
              topics.map(({ topicArn }) => topicArn),
            ),
            allow('TopicKey', 'kms', ['Decrypt', 'GenerateDataKey'], [key.keyArn]),
          ],
        }),
      },
    });
    return role.withoutPolicyUpdates();
  }

  /** Makes no rule for a stage without alarms, because a rule costs money each month. */
  private insightRule(stage: Stage, rule: RuleName): void {
    if (alarmsMade(stage).length === 0) return;
    const ruleName = ruleNameOf(stage, rule);
    new CfnInsightRule(this, `Rule-${rule}`, { ruleName, ruleBody: ruleBodyOf(stage, rule), ruleState: 'ENABLED' });
  }

  private saveQueries(stage: Stage): void {
    const queries = Array.from(readRunbook(runbookText()).values(), (section) => section.queries).flat();
    for (const { name, sources, text } of queries) {
      if (sources.includes('firewall') && !stage.firewall) continue;
      const groups = logGroupsOf(stage, sources);
      for (let part = 0; part * QUERY_GROUPS < groups.length; part++) {
        const which = part === 0 ? name : `${name}-${part + 1}`;
        new CfnQueryDefinition(this, `Query-${which}`, {
          name: `${prefixOf(stage)}/${which}`,
          queryString: text,
          logGroupNames: groups.slice(part * QUERY_GROUPS, (part + 1) * QUERY_GROUPS),
        });
      }
    }
  }
}

/**
 * Log groups of one saved query. Logs Insights reads at most 50, and a person may add some. A query over more log
 * groups is saved in parts: `faults`, `faults-2`.
 */
const QUERY_GROUPS = 45;
