import { CfnOutput, Validations } from 'aws-cdk-lib';
import * as apigateway from 'aws-cdk-lib/aws-apigateway';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { FAILURES } from '../shared/contract/failures.ts';
import { getDocs, methodsOf, ROUTES } from '../shared/contract/routes.ts';
import { resourceOf } from './constructs/resource-of.ts';
import { type GatewayAnswer, ServiceApi, TLS } from './constructs/rest-api.ts';
import { WebFirewall } from './constructs/web-firewall.ts';
import { prefixOf, type Stage } from './stages.ts';

const GATEWAY_ANSWERS: readonly GatewayAnswer[] = /* @__PURE__ */ (() => {
  const refused = 'A requisição foi recusada pelas regras de segurança. Informe o request_id ao suporte.';
  const unread = 'A requisição não pôde ser interpretada. Confira o endereço, os cabeçalhos e os parâmetros.';
  return [
    answer(apigateway.ResponseType.INTEGRATION_FAILURE, 'servico_indisponivel'),
    answer(apigateway.ResponseType.INTEGRATION_TIMEOUT, 'tempo_esgotado'),
    answer(apigateway.ResponseType.DEFAULT_5XX, 'erro_interno'),
    answer(apigateway.ResponseType.THROTTLED, 'rate_limited'),
    answer(apigateway.ResponseType.REQUEST_TOO_LARGE, 'corpo_muito_grande'),
    answer(apigateway.ResponseType.WAF_FILTERED, 'sem_permissao', refused),
    answer(apigateway.ResponseType.DEFAULT_4XX, 'campo_invalido', unread),
  ];
})();

/** `erro`: a sentence that replaces the sentence of `FAILURES`, which may claim more than the gateway knows. */
function answer(
  type: apigateway.ResponseType,
  codigo: keyof typeof FAILURES,
  erro = FAILURES[codigo].erro,
): GatewayAnswer {
  const { status, retryAfter } = FAILURES[codigo];
  return { type, status, retryAfter, body: { erro, codigo, request_id: '$context.extendedRequestId' } };
}

interface GatewayProps {
  readonly stage: Stage;
  readonly logsKey: IKey;
  readonly functions: ReadonlyMap<string, IFunction>;
  readonly fallback: IFunction;
}

/** A fifth of the throttle, so that a flood of calls for the documentation takes little of the account's quota. */
const docsThrottle = ({ throttle: { rate, burst } }: Stage) => ({
  rate: Math.ceil(rate / 5),
  burst: Math.ceil(burst / 5),
});

export class Gateway extends Construct {
  readonly api: apigateway.RestApi;
  /** Base URL as partners have it, without a slash at the end. */
  readonly url: string;

  constructor(scope: Construct, id: string, props: GatewayProps) {
    super(scope, id);
    const { stage } = props;
    this.api = this.restApi(stage, props.logsKey);
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
        name: prefixOf(stage),
        logSource: 'firewall',
        api: this.api.deploymentStage,
        perAddress,
        logsKey: props.logsKey,
      });
    }
  }

  private restApi(stage: Stage, logsKey: IKey): apigateway.RestApi {
    const { api } = new ServiceApi(this, 'Service', {
      stage,
      name: prefixOf(stage),
      description: 'Partner mortgage credit integration service',
      logSource: 'access',
      logsKey,
      throttle: stage.throttle,
      methodThrottles: Object.fromEntries(
        [getDocs.path, ...getDocs.files].flatMap((path) =>
          methodsOf(getDocs).map((method) => [`${path}/${method}`, docsThrottle(stage)]),
        ),
      ),
      closed: !stage.executeApi,
      setsAccount: stage.setsGatewayAccount,
      answers: GATEWAY_ANSWERS,
    });
    Validations.of(api).acknowledge(
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
        reason: 'A stage without real callers; its throttle and the rate of each partner limit its cost.',
      });
    }
    return api;
  }

  private routes({ functions, fallback }: GatewayProps): void {
    const anyOther = new apigateway.LambdaIntegration(fallback, { proxy: true, scopePermissionToMethod: false });
    const closed = new Set<apigateway.IResource>();
    const close = (resource: apigateway.IResource): void => {
      if (closed.has(resource)) return;
      closed.add(resource);
      resource.addMethod('ANY', anyOther);
      if (resource.parentResource) close(resource.parentResource);
    };
    close(this.api.root);
    close(this.api.root.addResource('{proxy+}'));
    for (const route of ROUTES) {
      const handler = functions.get(route.operation);
      if (!handler) throw new Error(`no function answers ${route.operation}`);
      for (const path of [route.path].concat(route.files ?? [])) {
        const resource = this.api.root.resourceForPath(path);
        // Each function has one permission, because a permission for each method would fill up the template.
        const integration = new apigateway.LambdaIntegration(handler, { scopePermissionToMethod: false });
        for (const method of methodsOf(route)) resource.addMethod(method, integration);
        close(resource);
      }
    }
  }

  private domain({ name, certificateArn }: { readonly name: string; readonly certificateArn: string }): void {
    const domain = new apigateway.DomainName(this, 'Domain', {
      domainName: name,
      certificate: Certificate.fromCertificateArn(this, 'Certificate', certificateArn),
      endpointType: apigateway.EndpointType.REGIONAL,
    });
    const resource = resourceOf(domain, apigateway.CfnDomainName);
    resource.securityPolicy = TLS.policy;
    resource.endpointAccessMode = TLS.accessMode;
    domain.addBasePathMapping(this.api, { stage: this.api.deploymentStage });
    new CfnOutput(this, 'DomainTarget', {
      value: domain.domainNameAliasDomainName,
      description: `Where DNS must lead ${name}`,
    });
  }
}
