import { Validations } from 'aws-cdk-lib';
import * as apigateway from 'aws-cdk-lib/aws-apigateway';
import type { PolicyDocument } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import { logGroupNameOf, type Stage } from '../stages.ts';
import { logGroupOf } from './log-group.ts';
import { resourceOf } from './resource-of.ts';

/** TLS 1.2 and 1.3 with forward secrecy, and no host name but the API's own. */
export const TLS = { policy: 'SecurityPolicy_TLS13_1_2_PFS_PQ_2025_09', accessMode: 'STRICT' } as const;

export interface GatewayAnswer {
  readonly type: apigateway.ResponseType;
  readonly status: number;
  readonly retryAfter?: number | undefined;
  /** The gateway fills in `$context` values. */
  readonly body: Readonly<Record<string, unknown>>;
}

interface ServiceApiProps {
  readonly stage: Stage;
  readonly name: string;
  readonly description: string;
  /** Source of the access log, as logGroupNameOf takes it. `access` has callers' addresses. */
  readonly logSource: 'access' | 'administration-access';
  readonly logFields?: Readonly<Record<string, string>>;
  readonly logsKey: IKey;
  readonly throttle: { readonly rate: number; readonly burst: number };
  /** By `<path>/<method>`. @default none */
  readonly methodThrottles?: Readonly<Record<string, { readonly rate: number; readonly burst: number }>>;
  readonly closed: boolean;
  readonly setsAccount: boolean;
  /** If undefined, anyone may call and each method decides. */
  readonly policy?: PolicyDocument;
  readonly answers: readonly GatewayAnswer[];
}

export class ServiceApi extends Construct {
  readonly api: apigateway.RestApi;

  constructor(scope: Construct, id: string, props: ServiceApiProps) {
    super(scope, id);
    const { stage, logsKey, throttle } = props;
    const addresses = props.logSource === 'access';
    const group = logGroupNameOf(stage, props.logSource);
    const accessLog = logGroupOf(this, 'AccessLog', group, { stage, key: logsKey, addresses });
    this.api = new apigateway.RestApi(this, 'Api', {
      restApiName: props.name,
      description: props.description,
      endpointConfiguration: { types: [apigateway.EndpointType.REGIONAL] },
      disableExecuteApiEndpoint: props.closed,
      // The first entry of Accept decides about decoding, so a narrower list breaks binary answers for some clients.
      binaryMediaTypes: ['*/*'],
      cloudWatchRole: props.setsAccount,
      policy: props.policy,
      deployOptions: {
        stageName: stage.name,
        ...settingsOf(throttle),
        // Settings of a method replace all settings of the stage: a setting that is left out is off.
        methodOptions: Object.fromEntries(
          Object.entries(props.methodThrottles ?? {}).map(([method, own]) => [method, settingsOf(own)]),
        ),
        // The gateway's X-Ray segment would keep the path, the query and the caller's address.
        tracingEnabled: false,
        accessLogDestination: new apigateway.LogGroupLogDestination(accessLog),
        accessLogFormat: apigateway.AccessLogFormat.custom(
          accessLogFormat({
            ...ACCESS_LOG,
            address: addresses ? '$context.identity.sourceIp' : undefined,
            ...props.logFields,
          }),
        ),
      },
    });
    // Without this group, the gateway makes a group by itself, without our key, and keeps it forever.
    const name = `API-Gateway-Execution-Logs_${this.api.restApiId}/${stage.name}`;
    const executionLog = logGroupOf(this, 'ExecutionLog', name, { stage, key: logsKey });
    this.api.deploymentStage.node.addDependency(executionLog);
    const resource = resourceOf(this.api, apigateway.CfnRestApi);
    resource.securityPolicy = TLS.policy;
    resource.endpointAccessMode = TLS.accessMode;
    Validations.of(this.api).acknowledge({
      id: 'AwsSolutions-APIG2',
      reason: 'The functions validate bodies and name every wrong field, which the gateway could not.',
    });
    if (props.setsAccount) {
      Validations.of(this.api).acknowledge({
        id: 'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]',
        reason: 'The one policy that API Gateway documents for writing its logs; the role is used by nothing else.',
      });
    }
    for (const answer of props.answers) this.answer(answer);
  }

  /** A change of a bare CfnGatewayResponse would never go live (infra/AWS.md, fact 9). */
  private answer({ type, status, retryAfter, body }: GatewayAnswer): void {
    const responseHeaders: Record<string, string> = { 'X-Request-Id': 'context.extendedRequestId' };
    if (retryAfter !== undefined) responseHeaders['Retry-After'] = `'${retryAfter}'`;
    this.api.addGatewayResponse(`Answer-${type.responseType}`, {
      type,
      statusCode: String(status),
      responseHeaders,
      templates: { 'application/json': JSON.stringify(body) },
    });
  }
}

function settingsOf({ rate, burst }: ServiceApiProps['throttle']): apigateway.MethodDeploymentOptions {
  return {
    throttlingRateLimit: rate,
    throttlingBurstLimit: burst,
    loggingLevel: apigateway.MethodLoggingLevel.ERROR,
    dataTraceEnabled: false,
    // Metrics for each route would cost as much as our own metrics.
    metricsEnabled: false,
  };
}

/**
 * Contributor Insights compares only numbers, so the latency has no quotation marks. Other figures may be a dash, which
 * needs quotation marks.
 */
const accessLogFormat = (fields: Readonly<Record<string, string | undefined>>): string =>
  JSON.stringify(fields).replace(`"${ACCESS_LOG.latency_ms}"`, ACCESS_LOG.latency_ms);

/** One line of the access log. It has the pattern of the path, but no path, no query and no key. */
const ACCESS_LOG = {
  request_id: '$context.extendedRequestId',
  time: '$context.requestTime',
  method: '$context.httpMethod',
  route: '$context.resourcePath',
  status: '$context.status',
  bytes: '$context.responseLength',
  latency_ms: '$context.responseLatency',
  integration_status: '$context.integrationStatus',
  integration_latency_ms: '$context.integrationLatency',
  gateway_answer: '$context.error.responseType',
};
