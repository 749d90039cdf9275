import { Validations } from 'aws-cdk-lib';
import * as apigateway from 'aws-cdk-lib/aws-apigateway';
import type { PolicyDocument } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import { logGroupNameOf, type Stage } from '../stages.ts';
import { logGroupOf } from './log-group.ts';
import { resourceOf } from './resource-of.ts';

/** TLS 1.2 and 1.3 with forward secrecy only, the same for an API and for its domain, and nothing but its own host name. */
export const TLS = { policy: 'SecurityPolicy_TLS13_1_2_PFS_PQ_2025_09', accessMode: 'STRICT' } as const;

/** What the gateway says by itself, without a function of ours. */
export interface GatewayAnswer {
  readonly type: apigateway.ResponseType;
  readonly status: number;
  /** Seconds, for the Retry-After header. @default none */
  readonly retryAfter?: number | undefined;
  /** The body; `$context` names what the gateway fills in. */
  readonly body: Readonly<Record<string, unknown>>;
}

interface ServiceApiProps {
  readonly stage: Stage;
  /** Physical name. */
  readonly name: string;
  readonly description: string;
  /** The source of its access log, as logGroupNameOf takes it; `access` has callers' addresses. */
  readonly logSource: 'access' | 'administration-access';
  /** Further fields of a line of the access log. @default none */
  readonly logFields?: Readonly<Record<string, string>>;
  /** Seals the log groups. */
  readonly logsKey: IKey;
  /** Calls a second that the gateway lets through, and the burst above it. */
  readonly throttle: { readonly rate: number; readonly burst: number };
  /** Methods with a throttle of their own, by `<path>/<method>`. @default none */
  readonly methodThrottles?: Readonly<Record<string, { readonly rate: number; readonly burst: number }>>;
  /** Whether the execute-api address is shut. */
  readonly closed: boolean;
  /** Whether the account's role for API Gateway's logs is set with it. */
  readonly setsAccount: boolean;
  /** Who may call at all. @default whoever the methods let in */
  readonly policy?: PolicyDocument;
  readonly answers: readonly GatewayAnswer[];
}

/** A regional REST API with logs of our own and answers of our own for what no function of ours sees. */
export class ServiceApi extends Construct {
  readonly api: apigateway.RestApi;

  constructor(scope: Construct, id: string, props: ServiceApiProps) {
    super(scope, id);
    const { stage, logsKey, throttle } = props;
    // Who calls the administration has a name in its log.
    const addresses = props.logSource === 'access';
    const group = logGroupNameOf(stage, props.logSource);
    const accessLog = logGroupOf(this, 'AccessLog', group, { stage, key: logsKey, addresses });
    this.api = new apigateway.RestApi(this, 'Api', {
      restApiName: props.name,
      description: props.description,
      endpointConfiguration: { types: [apigateway.EndpointType.REGIONAL] },
      disableExecuteApiEndpoint: props.closed,
      // The first Accept entry decides about decoding, so a narrower list breaks binary answers for some clients.
      binaryMediaTypes: ['*/*'],
      cloudWatchRole: props.setsAccount,
      policy: props.policy,
      deployOptions: {
        stageName: stage.name,
        ...settingsOf(throttle),
        // A method's settings take the place of the stage's as a whole: what is left out is off, not inherited.
        methodOptions: Object.fromEntries(
          Object.entries(props.methodThrottles ?? {}).map(([method, own]) => [method, settingsOf(own)]),
        ),
        // The gateway's own segment would keep the path, the query and the caller's address: the functions' have none of them.
        tracingEnabled: false,
        accessLogDestination: new apigateway.LogGroupLogDestination(accessLog),
        accessLogFormat: apigateway.AccessLogFormat.custom(
          JSON.stringify({
            ...ACCESS_LOG,
            address: addresses ? '$context.identity.sourceIp' : undefined,
            ...props.logFields,
          }),
        ),
      },
    });
    // The gateway makes this group by itself otherwise, without our key and kept for ever.
    const name = `API-Gateway-Execution-Logs_${this.api.restApiId}/${stage.name}`;
    const executionLog = logGroupOf(this, 'ExecutionLog', name, { stage, key: logsKey });
    this.api.deploymentStage.node.addDependency(executionLog);
    const resource = resourceOf(this.api, apigateway.CfnRestApi);
    resource.securityPolicy = TLS.policy;
    resource.endpointAccessMode = TLS.accessMode;
    Validations.of(this.api).acknowledge({
      id: 'AwsSolutions-APIG2',
      reason: 'Bodies are validated by the functions, which name every field in fault; the gateway could not.',
    });
    if (props.setsAccount) {
      Validations.of(this.api).acknowledge({
        id: 'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]',
        reason: 'The one policy that API Gateway documents for writing its logs; the role is used by nothing else.',
      });
    }
    for (const answer of props.answers) this.answer(answer);
  }

  /** Only through the construct: a change of the bare resource would not change the deployment and never go live. */
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
    // Per route they would be series of our own at the price of ours: the functions' metrics tell the same.
    metricsEnabled: false,
  };
}

/** One line of the access log. No path (only its pattern), no query, no key. */
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
