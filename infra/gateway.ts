import { CfnOutput, Validations } from 'aws-cdk-lib';
import {
  AccessLogFormat,
  type CfnDomainName,
  type CfnRestApi,
  DomainName,
  EndpointType,
  type IResource,
  LambdaIntegration,
  LogGroupLogDestination,
  MethodLoggingLevel,
  ResponseType,
  RestApi,
} from 'aws-cdk-lib/aws-apigateway';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { FAILURES } from '../shared/contract/failures.ts';
import { ROUTES } from '../shared/contract/routes.ts';
import { logGroupOf } from './constructs/log-group.ts';
import { WebFirewall } from './constructs/web-firewall.ts';
import { logGroupNameOf, prefixOf, type Stage } from './stages.ts';

interface GatewayAnswer {
  readonly type: ResponseType;
  /** Whose status, sentence and Retry-After it has. */
  readonly codigo: keyof typeof FAILURES;
  /** Its own sentence, where the table's speaks of what the gateway does not know. */
  readonly erro?: string;
}

/** What the gateway says by itself, without a function of ours, in the service's error body. */
const GATEWAY_ANSWERS: readonly GatewayAnswer[] = /* @__PURE__ */ (() => [
  { type: ResponseType.INTEGRATION_FAILURE, codigo: 'servico_indisponivel' },
  { type: ResponseType.INTEGRATION_TIMEOUT, codigo: 'tempo_esgotado' },
  { type: ResponseType.DEFAULT_5XX, codigo: 'erro_interno' },
  { type: ResponseType.THROTTLED, codigo: 'rate_limited' },
  { type: ResponseType.REQUEST_TOO_LARGE, codigo: 'corpo_muito_grande' },
  {
    type: ResponseType.WAF_FILTERED,
    codigo: 'sem_permissao',
    erro: 'A requisição foi recusada pelas regras de segurança. Informe o request_id ao suporte.',
  },
  {
    type: ResponseType.DEFAULT_4XX,
    codigo: 'campo_invalido',
    erro: 'A requisição não pôde ser interpretada. Confira o endereço, os cabeçalhos e os parâmetros.',
  },
])();

// TLS 1.2 and 1.3 with forward secrecy only, the same for the API and for its domain, and nothing but its own host name.
const TLS_POLICY = 'SecurityPolicy_TLS13_1_2_PFS_PQ_2025_09';
const ACCESS_MODE = 'STRICT';

export interface GatewayProps {
  readonly stage: Stage;
  /** Of the log groups. */
  readonly logsKey: IKey;
  /** The function that answers an operation. */
  readonly functionOf: (operation: string) => IFunction;
  /** The function that answers unknown routes and methods. */
  readonly fallback: IFunction;
}

/** The REST API, one method per route, and everything else to the fallback. */
export class Gateway extends Construct {
  readonly api: RestApi;
  /** Base URL as partners have it, without a trailing slash. */
  readonly url: string;

  constructor(scope: Construct, id: string, props: GatewayProps) {
    super(scope, id);
    const { stage } = props;
    this.api = this.restApi(stage, props.logsKey);
    for (const answer of GATEWAY_ANSWERS) this.answer(answer);
    this.routes(props);
    if (stage.domain) this.domain(stage.domain);
    const { restApiId } = this.api;
    this.url = stage.domain
      ? `https://${stage.domain.name}`
      : `https://${restApiId}.execute-api.${stage.region}.amazonaws.com/${stage.name}`;
    if (stage.firewall) {
      const { perAddress } = stage.firewall;
      new WebFirewall(this, 'Firewall', {
        stage,
        api: this.api.deploymentStage,
        perAddress,
        logsKey: props.logsKey,
      });
    }
  }

  private restApi(stage: Stage, logsKey: IKey): RestApi {
    const accessLog = logGroupOf(this, 'AccessLog', logGroupNameOf(stage, 'access'), { stage, key: logsKey });
    const api = new RestApi(this, 'Api', {
      restApiName: prefixOf(stage),
      description: 'Partner mortgage credit integration service',
      endpointConfiguration: { types: [EndpointType.REGIONAL] },
      disableExecuteApiEndpoint: !stage.executeApi,
      // The first Accept entry decides about decoding, so a narrower list breaks binary answers for some clients.
      binaryMediaTypes: ['*/*'],
      cloudWatchRole: stage.setsGatewayAccount,
      deployOptions: {
        stageName: stage.name,
        throttlingRateLimit: stage.throttle.rate,
        throttlingBurstLimit: stage.throttle.burst,
        tracingEnabled: true,
        loggingLevel: MethodLoggingLevel.ERROR,
        dataTraceEnabled: false,
        // Per route they would be series of our own at the price of ours: the functions' metrics tell the same.
        metricsEnabled: false,
        accessLogDestination: new LogGroupLogDestination(accessLog),
        accessLogFormat: AccessLogFormat.custom(ACCESS_LOG),
      },
    });
    // The gateway makes this group by itself otherwise, without our key and kept for ever.
    const executionLog = logGroupOf(this, 'ExecutionLog', `API-Gateway-Execution-Logs_${api.restApiId}/${stage.name}`, {
      stage,
      key: logsKey,
    });
    api.deploymentStage.node.addDependency(executionLog);
    const resource = api.node.defaultChild as CfnRestApi;
    resource.securityPolicy = TLS_POLICY;
    resource.endpointAccessMode = ACCESS_MODE;
    Validations.of(api).acknowledge(
      {
        id: 'AwsSolutions-APIG2',
        reason: 'Bodies are validated by the functions, which name every field in fault; the gateway could not.',
      },
      {
        id: 'AwsSolutions-APIG4',
        reason:
          'Keys are checked, together with the rate, by one conditional write in the function; nothing is cached.',
      },
      {
        id: 'AwsSolutions-COG4',
        reason: 'Callers are partner systems with API keys; there are no users that sign in.',
      },
    );
    if (!stage.firewall) {
      Validations.of(api).acknowledge({
        id: 'AwsSolutions-APIG3',
        reason: 'A stage without real callers; the stage throttle and the rate per partner bound what it costs.',
      });
    }
    if (stage.setsGatewayAccount) {
      Validations.of(api).acknowledge({
        id: 'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]',
        reason: 'The one policy that API Gateway documents for writing its logs; the role is used by nothing else.',
      });
    }
    return api;
  }

  /** Only through the construct: a change of the bare resource would not change the deployment and never go live. */
  private answer({ type, codigo, erro = FAILURES[codigo].erro }: GatewayAnswer): void {
    const { status, retryAfter } = FAILURES[codigo];
    this.api.addGatewayResponse(`Answer-${type.responseType}`, {
      type,
      statusCode: String(status),
      responseHeaders: {
        'X-Request-Id': 'context.extendedRequestId',
        ...(retryAfter !== undefined && { 'Retry-After': `'${retryAfter}'` }),
      },
      templates: {
        'application/json': JSON.stringify({ erro, codigo, request_id: '$context.extendedRequestId' }),
      },
    });
  }

  private routes({ functionOf, fallback }: GatewayProps): void {
    const anyOther = new LambdaIntegration(fallback, { proxy: true, scopePermissionToMethod: false });
    const closed = new Set<IResource>();
    const close = (resource: IResource): void => {
      if (closed.has(resource)) return;
      closed.add(resource);
      resource.addMethod('ANY', anyOther);
      if (resource.parentResource) close(resource.parentResource);
    };
    close(this.api.root);
    close(this.api.root.addResource('{proxy+}'));
    for (const route of ROUTES) {
      for (const path of [route.path, ...(route.files ?? [])]) {
        const resource = this.api.root.resourceForPath(path);
        resource.addMethod(
          route.method,
          new LambdaIntegration(functionOf(route.operation), { allowTestInvoke: false }),
        );
        close(resource);
      }
    }
  }

  private domain({ name, certificateArn }: { readonly name: string; readonly certificateArn: string }): void {
    const domain = new DomainName(this, 'Domain', {
      domainName: name,
      certificate: Certificate.fromCertificateArn(this, 'Certificate', certificateArn),
      endpointType: EndpointType.REGIONAL,
    });
    const resource = domain.node.defaultChild as CfnDomainName;
    resource.securityPolicy = TLS_POLICY;
    resource.endpointAccessMode = ACCESS_MODE;
    domain.addBasePathMapping(this.api, { stage: this.api.deploymentStage });
    new CfnOutput(this, 'DomainTarget', {
      value: domain.domainNameAliasDomainName,
      description: `Where DNS has to lead ${name}`,
    });
  }
}

/** One line of the access log. No address of the caller, no path (only its pattern), no query, no key. */
const ACCESS_LOG = JSON.stringify({
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
  trace: '$context.xrayTraceId',
});
