import type { Stage as ApiStage } from 'aws-cdk-lib/aws-apigateway';
import { CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';
import { FIREWALL_RULES } from '../metrics.ts';
import { prefixOf, type Stage } from '../stages.ts';

/**
 * Rules of AWS's groups that only count. Bodies are JSON that every field of is parsed strictly, and names, addresses
 * and notes in them look like attacks often enough; servers of partners often send no User-Agent.
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

/** The web firewall before a stage of the gateway. */
export class WebFirewall extends Construct {
  constructor(
    scope: Construct,
    id: string,
    props: { readonly stage: Stage; readonly api: ApiStage; readonly perAddress: number },
  ) {
    super(scope, id);
    const { stage, api, perAddress } = props;
    const acl = new CfnWebACL(this, 'Acl', {
      name: prefixOf(stage),
      description: 'Partner mortgage credit integration service',
      scope: 'REGIONAL',
      // Nothing of our own is said on a refusal: the gateway answers with its WAF_FILTERED response.
      defaultAction: { allow: {} },
      associationConfig: { requestBody: { API_GATEWAY: { defaultSizeInspectionLimit: 'KB_64' } } },
      visibilityConfig: watched(prefixOf(stage)),
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
  }
}

/** Counted in metrics; no samples of requests are kept, since they would show keys and addresses. */
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
