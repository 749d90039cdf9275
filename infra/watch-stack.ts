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
import { breakGlassOf, prefixOf, type Stage } from './stages.ts';

type Channel = 'page' | 'ticket';

/**
 * Monitoring: topics, alarms, dashboards and the runbook's queries. A stack of its own, since the service stack nears the
 * limit of 500 resources. It refers to what it watches by name, so that neither stack waits for the other.
 */
export class WatchStack extends Stack {
  constructor(scope: Construct, id: string, stage: Stage, key: IKey, props: StackProps) {
    super(scope, id, props);
    const topics = { page: this.topic(stage, 'page', key), ticket: this.topic(stage, 'ticket', key) };
    const alarms = new Map<string, AlarmBase>();
    const setting = { stage, topics, made: alarms };
    for (const row of alarmsMade(stage))
      alarms.set(row.name, new ImpactAlarm(this, row.name, { ...row, setting }).alarm);
    new Dashboards(this, 'Dashboards', stage, alarms);
    this.tellOfActs(stage, topics.page, key);
    for (const rule of RULE_NAMES) this.insightRule(stage, rule);
    this.saveQueries(stage);
  }

  /** A topic, `page` wakes someone, `ticket` waits for office hours, and those that the stage subscribes to it. */
  private topic(stage: Stage, channel: Channel, key: IKey): Topic {
    const topic = new Topic(this, channel === 'page' ? 'Page' : 'Ticket', {
      topicName: `${prefixOf(stage)}-${channel}`,
      masterKey: key,
      enforceSSL: true,
    });
    // A topic with a policy of its own loses the default one, which had let the account's alarms publish.
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

  /** Amazon Q Developer posts what the topic says; its role reads what alarms show, and nothing else. */
  private slack(name: string, target: { workspaceId: string; channelId: string }, topic: Topic): void {
    const role = new iam.Role(this, `${name}-role`, {
      assumedBy: new iam.ServicePrincipal('chatbot.amazonaws.com'),
      description: 'What the chat may read of alarms',
    });
    const actions = ['cloudwatch:DescribeAlarms', 'cloudwatch:GetMetricWidgetImage'];
    role.addToPolicy(new iam.PolicyStatement({ actions, resources: ['*'] }));
    Validations.of(role).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason: 'Reading alarms and drawing their graphs takes only *; nothing else is allowed.',
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

  /** What is done past the administration, as CloudTrail reports it: who takes its role, and who makes people or duties. */
  private tellOfActs(stage: Stage, topic: Topic, key: IKey): void {
    const role = this.publisher(topic, key);
    const who = `${EventField.fromPath('$.detail.userIdentity.arn')} from ${EventField.fromPath('$.detail.sourceIPAddress')} at ${EventField.time}`;
    const tell = (id: string, ruleName: string, source: string, detail: Record<string, unknown>, done: string) =>
      new Rule(this, id, {
        ruleName,
        description: 'Somebody reaches past the administration and its audit',
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
    // Whoever is two people here approves alone.
    const eventName = ['AdminCreateUser', 'AdminAddUserToGroup', 'AdminUpdateUserAttributes', 'AdminSetUserPassword'];
    tell(
      'People',
      `${prefixOf(stage)}-people`,
      pool,
      { eventName },
      `${EventField.fromPath('$.detail.eventName')} was called`,
    );
  }

  /** What EventBridge may do to publish: by a role, since its own principal would need the key opened to the whole service. */
  private publisher(topic: Topic, key: IKey): iam.IRole {
    const role = new iam.Role(this, 'Publisher', {
      assumedBy: new iam.ServicePrincipal('events.amazonaws.com'),
      description: 'Reports what is done past the administration',
      inlinePolicies: {
        permissions: new iam.PolicyDocument({
          statements: [
            allow('Publish', 'sns', ['Publish'], [topic.topicArn]),
            allow('TopicKey', 'kms', ['Decrypt', 'GenerateDataKey'], [key.keyArn]),
          ],
        }),
      },
    });
    return role.withoutPolicyUpdates();
  }

  /** Only where an alarm reads it: a rule costs by the month. */
  private insightRule(stage: Stage, rule: RuleName): void {
    if (alarmsMade(stage).length === 0) return;
    const ruleName = ruleNameOf(stage, rule);
    new CfnInsightRule(this, `Rule-${rule}`, { ruleName, ruleBody: ruleBodyOf(stage, rule), ruleState: 'ENABLED' });
  }

  /** The queries of the runbook, ready to run under "Saved queries" of Logs Insights. */
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

/** Log groups that one query of Logs Insights reads. A query over more is saved in parts: `faults`, `faults-2`. */
const QUERY_GROUPS = 50;
