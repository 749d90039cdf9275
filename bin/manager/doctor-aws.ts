import * as z from 'zod/mini';
import { undeployable } from '../../infra/deployable.ts';
import { prefixOf, type Stage } from '../../infra/stages.ts';
import { type Aws, deployedStack, element, elements } from './aws.ts';
import { type Finding, lookedAt } from './finding.ts';

/** Days before its end in which a certificate must be looked at; ACM renews its own 60 days before. */
const ENDS_SOON_DAYS = 30;
const DAY_MS = 86_400_000;
/** Milliseconds that the stage's own host name may take for an answer. */
const HEALTH_DEADLINE = 10_000;

/** What AWS tells of a stage: its stacks, quotas, alarm targets, certificate and host name. */
export async function awsFindings(at: { readonly client: Aws; readonly stage: Stage }): Promise<Finding[]> {
  const { client, stage } = at;
  const { account } = await client.caller();
  const faults = undeployable(stage, account).map(
    (fault): Finding => ({ check: 'stage values', state: 'MISSING', found: fault, cure: fault }),
  );
  return [
    ...faults,
    ...(await Promise.all([
      ...['data', 'service', 'administration', 'watch'].map((part) => stack(client, stage, part)),
      functionQuota(client, stage),
      gatewayQuota(client, stage),
      trail(client, stage),
      ...(['page', 'ticket'] as const).map((channel) => targets(client, stage, account, channel)),
      ...(stage.domain ? [certificate(client, stage.domain.certificateArn), host(stage.domain.name)] : []),
    ])),
  ];
}

function stack(client: Aws, stage: Stage, part: string): Promise<Finding> {
  const name = `${prefixOf(stage)}-${part}`;
  const cure = `npx cdk deploy ${name} -c stage=${stage.name}`;
  return lookedAt(`stack ${part}`, async () => {
    const deployed = await deployedStack(client, name);
    if (!deployed) return { state: 'MISSING', found: 'not deployed', cure };
    const { status } = deployed;
    return /^(CREATE|UPDATE|IMPORT)_COMPLETE$/.test(status)
      ? { state: 'ok', found: status }
      : { state: 'MISSING', found: status, cure: `${cure} (first its events: infra/README.md)` };
  });
}

const accountSettings = z.object({ AccountLimit: z.object({ ConcurrentExecutions: z.number() }) });

/** Lambda's concurrent runs of the account in the region. */
function functionQuota(client: Aws, stage: Stage): Promise<Finding> {
  return lookedAt('quota of Lambda', async () => {
    const settings = accountSettings.parse(await client.get('lambda', '/2016-08-19/account-settings'));
    const { ConcurrentExecutions: runs } = settings.AccountLimit;
    const { accountLimit } = stage.concurrency;
    const found = `${runs} concurrent runs, ${accountLimit} planned with`;
    const cure = `aws service-quotas request-service-quota-increase --service-code lambda --quota-code L-B99A9384 --desired-value ${accountLimit} --region ${stage.region}`;
    return runs >= accountLimit ? { state: 'ok', found } : { state: 'MISSING', found, cure };
  });
}

const gatewayAccount = z.object({ throttleSettings: z.object({ rateLimit: z.number(), burstLimit: z.number() }) });

/** API Gateway's calls a second of the account in the region. */
function gatewayQuota(client: Aws, stage: Stage): Promise<Finding> {
  return lookedAt('quota of API Gateway', async () => {
    const { throttleSettings } = gatewayAccount.parse(await client.get('apigateway', '/account'));
    const { rateLimit, burstLimit } = throttleSettings;
    const { rate, burst } = stage.throttle;
    const found = `${rateLimit} calls a second and ${burstLimit} at once, ${rate} and ${burst} planned with`;
    const cure = `aws service-quotas request-service-quota-increase --service-code apigateway --quota-code L-8A5B8E43 --desired-value ${rate} --region ${stage.region}`;
    return rateLimit >= rate && burstLimit >= burst ? { state: 'ok', found } : { state: 'MISSING', found, cure };
  });
}

const CLOUDTRAIL = 'com.amazonaws.cloudtrail.v20131101.CloudTrail_20131101';
const trails = z.object({ trailList: z.array(z.object({ TrailARN: z.string() })) });
const logging = z.object({ IsLogging: z.boolean() });
const selectors = z.object({
  EventSelectors: z.optional(z.array(z.object({ IncludeManagementEvents: z.boolean(), ReadWriteType: z.string() }))),
  AdvancedEventSelectors: z.optional(
    z.array(
      z.object({ FieldSelectors: z.array(z.object({ Field: z.string(), Equals: z.optional(z.array(z.string())) })) }),
    ),
  ),
});

/**
 * Whether a trail tells EventBridge of management calls in the region: without one nobody hears that the break-glass role
 * was taken. Taking a role counts as reading.
 */
function trail(client: Aws, stage: Stage): Promise<Finding> {
  return lookedAt('trail of management events', async () => {
    const ask = (action: string, body: object) => client.json('cloudtrail', `${CLOUDTRAIL}.${action}`, body);
    const { trailList } = trails.parse(await ask('DescribeTrails', { includeShadowTrails: true }));
    for (const { TrailARN: name } of trailList) {
      const { IsLogging } = logging.parse(await ask('GetTrailStatus', { Name: name }));
      if (!IsLogging) continue;
      const { EventSelectors = [], AdvancedEventSelectors = [] } = selectors.parse(
        await ask('GetEventSelectors', { TrailName: name }),
      );
      const tells =
        EventSelectors.some((one) => one.IncludeManagementEvents && one.ReadWriteType !== 'WriteOnly') ||
        AdvancedEventSelectors.some(({ FieldSelectors }) => managementReads(FieldSelectors));
      if (tells) return { state: 'ok', found: name };
    }
    const cure = `a trail in ${stage.region} that logs management events, read and write (infra/README.md, The first deployment)`;
    return { state: 'MISSING', found: 'none: use of the break-glass role wakes nobody', cure };
  });
}

type FieldSelector = { readonly Field: string; readonly Equals?: readonly string[] | undefined };

/** Whether an advanced selector takes in management calls that read. */
function managementReads(fields: readonly FieldSelector[]): boolean {
  const equals = (field: string) => fields.find(({ Field }) => Field === field)?.Equals;
  return equals('eventCategory')?.includes('Management') === true && equals('readOnly')?.includes('false') !== true;
}

/** Whether somebody hears of alarms: subscriptions that were confirmed. */
function targets(client: Aws, stage: Stage, account: string, channel: 'page' | 'ticket'): Promise<Finding> {
  return lookedAt(`${channel} targets`, async () => {
    const wanted = stage.alarmTargets[channel].length;
    if (wanted === 0) return { state: 'ok', found: 'none asked for by the stage' };
    const xml = await client.query('sns', '2010-03-31', {
      Action: 'ListSubscriptionsByTopic',
      TopicArn: `arn:aws:sns:${stage.region}:${account}:${prefixOf(stage)}-${channel}`,
    });
    const arns = elements(xml, 'member').map((member) => element(member, 'SubscriptionArn') ?? '');
    const confirmed = arns.filter((arn) => arn.startsWith('arn:')).length;
    const found = `${confirmed} of ${wanted} confirmed`;
    const cure = 'confirm the subscriptions that have arrived by e-mail; Slack: authorise the workspace in Amazon Q';
    return confirmed >= wanted ? { state: 'ok', found } : { state: 'MISSING', found, cure };
  });
}

const described = z.object({
  Certificate: z.object({ Status: z.string(), DomainName: z.string(), NotAfter: z.optional(z.number()) }),
});

function certificate(client: Aws, arn: string): Promise<Finding> {
  return lookedAt('certificate', async () => {
    const answer = await client.json('acm', 'CertificateManager.DescribeCertificate', { CertificateArn: arn });
    const { Status: status, DomainName: name, NotAfter: ends } = described.parse(answer).Certificate;
    const until = ends === undefined ? undefined : new Date(ends * 1000);
    const found = `${status} for ${name}${until ? ` until ${until.toISOString().slice(0, 10)}` : ''}`;
    if (status !== 'ISSUED') {
      return { state: 'MISSING', found, cure: 'write the CNAME of ACM into the DNS of the name, and wait' };
    }
    const soon = until !== undefined && until.getTime() - Date.now() < ENDS_SOON_DAYS * DAY_MS;
    return soon
      ? { state: 'MISSING', found, cure: 'ACM has not renewed it: is its CNAME still in the DNS?' }
      : { state: 'ok', found };
  });
}

/** Whether the host name leads to the service: its health answers there, with a certificate that holds. */
function host(name: string): Promise<Finding> {
  const cure = "lead the name to the service stack's output DomainTarget (CNAME, or an alias in Route 53)";
  return lookedAt('host name', async () => {
    try {
      const { status } = await fetch(`https://${name}/health`, {
        redirect: 'error',
        signal: AbortSignal.timeout(HEALTH_DEADLINE),
      });
      const found = `https://${name}/health answers ${status}`;
      return status === 200 ? { state: 'ok', found } : { state: 'MISSING', found, cure };
    } catch {
      return { state: 'MISSING', found: `https://${name}/health does not answer`, cure };
    }
  });
}
