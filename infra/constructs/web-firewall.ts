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
 * Rules of AWS's groups that only count calls. Every field of a JSON body is parsed strictly, and names, addresses and
 * notes often look like attacks. Servers of partners often send no User-Agent.
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
 * Days for which the log of blocked calls is kept. It shows callers' addresses. A ticket of the alarm `firewall-blocks`
 * waits for office hours, at most five days (carnival), and a week before the alarm shows what was normal. CloudWatch's
 * next smaller step is 7 days. Marco Civil, art. 15, is met by the access log.
 */
const BLOCKED_KEPT = RetentionDays.TWO_WEEKS;

interface WebFirewallProps {
  readonly stage: Stage;
  /** Physical name. */
  readonly name: string;
  /** Source of its log, as logGroupNameOf takes it. */
  readonly logSource: 'firewall' | 'administration-firewall';
  readonly api: ApiStage;
  readonly perAddress: number;
  /** Encrypts the log of blocked calls. */
  readonly logsKey: IKey;
}

/** The web firewall in front of a stage of a gateway. */
export class WebFirewall extends Construct {
  constructor(scope: Construct, id: string, props: WebFirewallProps) {
    super(scope, id);
    const { name, api, perAddress } = props;
    const acl = new CfnWebACL(this, 'Acl', {
      name,
      description: 'Partner mortgage credit integration service',
      scope: 'REGIONAL',
      // Without a custom response: the gateway answers blocked calls with its WAF_FILTERED response.
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

  /**
   * Logs only blocked calls: from which address, and by which rule. Path, query and headers that may name a person or
   * hold a key are left out.
   */
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

/**
 * Returns settings that count calls in metrics and keep no samples of them, because samples would show keys and
 * addresses.
 */
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
