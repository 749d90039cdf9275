import { ArnFormat, Stack } from 'aws-cdk-lib';
import type { Stage as ApiStage } from 'aws-cdk-lib/aws-apigateway';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { CfnLoggingConfiguration, CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';
import { FIREWALL_RULES } from '../metrics.ts';
import { logGroupNameOf, type Stage } from '../stages.ts';
import { logGroupOf } from './log-group.ts';

/**
 * Rules that only count. Names, addresses and notes often look like attacks, and servers of partners often send no
 * User-Agent.
 */
const COUNTED = {
  AWSManagedRulesCommonRuleSet: [
    'NoUserAgent_HEADER',
    'SizeRestrictions_BODY',
    'EC2MetaDataSSRF_BODY',
    'GenericLFI_BODY',
    'GenericRFI_BODY',
    'CrossSiteScripting_BODY',
  ],
  AWSManagedRulesKnownBadInputsRuleSet: ['JavaDeserializationRCE_BODY', 'Log4JRCE_BODY', 'ReactJSRCE_BODY'],
} as const;

/**
 * Retention of the log of blocked calls, which shows callers' addresses. A ticket waits for at most five days
 * (carnival), and a week before the alarm shows what was normal.
 */
const BLOCKED_KEPT = RetentionDays.TWO_WEEKS;

interface WebFirewallProps {
  readonly stage: Stage;
  readonly name: string;
  readonly logSource: 'firewall' | 'administration-firewall';
  readonly api: ApiStage;
  readonly perAddress: number;
  readonly logsKey: IKey;
}

export class WebFirewall extends Construct {
  constructor(scope: Construct, id: string, props: WebFirewallProps) {
    super(scope, id);
    const { name, api, perAddress } = props;
    const acl = new CfnWebACL(this, 'Acl', {
      name,
      description: 'Partner mortgage credit integration service',
      scope: 'REGIONAL',
      // The gateway answers blocked calls with its WAF_FILTERED response.
      defaultAction: { allow: {} },
      associationConfig: { requestBody: { API_GATEWAY: { defaultSizeInspectionLimit: 'KB_64' } } },
      visibilityConfig: watched(name),
      rules: [
        {
          name: FIREWALL_RULES[0],
          priority: 0,
          action: { block: {} },
          statement: { rateBasedStatement: { limit: perAddress, evaluationWindowSec: 300, aggregateKeyType: 'IP' } },
          visibilityConfig: watched(FIREWALL_RULES[0]),
        },
        managed(FIREWALL_RULES[1], 1, 'AWSManagedRulesCommonRuleSet'),
        managed(FIREWALL_RULES[2], 2, 'AWSManagedRulesKnownBadInputsRuleSet'),
      ],
    });
    new CfnWebACLAssociation(this, 'Association', { webAclArn: acl.attrArn, resourceArn: api.stageArn });
    this.logBlocked(acl, props);
  }

  /** Path, query and headers may name a person or hold a key: they are left out. */
  private logBlocked(acl: CfnWebACL, { stage, logSource, logsKey }: WebFirewallProps): void {
    const name = logGroupNameOf(stage, logSource);
    const group = logGroupOf(this, 'Blocked', name, { stage, key: logsKey, retention: BLOCKED_KEPT });
    new CfnLoggingConfiguration(this, 'Logging', {
      resourceArn: acl.attrArn,
      // WAF refuses the wildcard at the end of `logGroupArn`, so the ARN is built without it.
      logDestinationConfigs: [
        Stack.of(this).formatArn({
          service: 'logs',
          resource: 'log-group',
          resourceName: group.logGroupName,
          arnFormat: ArnFormat.COLON_RESOURCE_NAME,
        }),
      ],
      loggingFilter: {
        DefaultBehavior: 'DROP',
        Filters: [
          { Behavior: 'KEEP', Requirement: 'MEETS_ANY', Conditions: [{ ActionCondition: { Action: 'BLOCK' } }] },
        ],
      },
      redactedFields: [
        { queryString: {} },
        { uriPath: {} },
        ...['authorization', 'x-api-key', 'cookie', 'idempotency-key', 'referer'].map((name) => ({
          singleHeader: { Name: name },
        })),
      ],
    });
  }
}

/** Sampled requests would show keys and addresses. */
function watched(metricName: string): CfnWebACL.VisibilityConfigProperty {
  return { metricName, cloudWatchMetricsEnabled: true, sampledRequestsEnabled: false };
}

function managed(name: string, priority: number, group: keyof typeof COUNTED): CfnWebACL.RuleProperty {
  return {
    name,
    priority,
    overrideAction: { none: {} },
    statement: {
      managedRuleGroupStatement: {
        vendorName: 'AWS',
        name: group,
        ruleActionOverrides: COUNTED[group].map((rule) => ({ name: rule, actionToUse: { count: {} } })),
      },
    },
    visibilityConfig: watched(name),
  };
}
