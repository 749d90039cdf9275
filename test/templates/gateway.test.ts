import { describe, expect, it } from 'vitest';
import { FALLBACK } from '#infra/functions.ts';
import { STAGE_NAMES } from '#infra/stages.ts';
import { FAILURES } from '#shared/contract/failures.ts';
import { methodsOf, ROUTES } from '#shared/contract/routes.ts';
import { everythingOn, filledInProd, Synthesised } from '../makers/synthesised.ts';

const prod = Synthesised.of('prod');
const full = everythingOn();

/** Every method and path that leads to the function of an operation. */
const ADDRESSES = ROUTES.flatMap((route) =>
  [route.path, ...(route.files ?? [])].flatMap((path) =>
    methodsOf(route).map((method) => ({ method, path, operation: route.operation })),
  ),
);

const only = (stage: Synthesised, type: string): Record<string, unknown> => {
  const found = stage.serviceResources(type);
  expect(found).toHaveLength(1);
  return found[0]![1].Properties;
};

/** Returns method, path and alias of every method in the template. */
function methods(stage: Synthesised): { method: string; path: string; alias: string }[] {
  const resources = new Map(stage.serviceResources('AWS::ApiGateway::Resource'));
  const pathOf = (reference: unknown): string => {
    const resource = resources.get((reference as { Ref?: string }).Ref ?? '');
    return resource ? `${pathOf(resource.Properties['ParentId'])}/${String(resource.Properties['PathPart'])}` : '';
  };
  return stage.serviceResources('AWS::ApiGateway::Method').map(([, { Properties }]) => ({
    method: String(Properties['HttpMethod']),
    path: pathOf(Properties['ResourceId']) || '/',
    alias: /"Ref":"(\w+)"/.exec(JSON.stringify((Properties['Integration'] as { Uri: unknown }).Uri))?.[1] ?? '',
  }));
}

describe('Gateway', () => {
  const all = methods(prod);

  it.each(ADDRESSES)('$method $path leads to $operation', ({ method, path, operation }) => {
    expect(all.filter((one) => one.method === method && one.path === path)).toEqual([
      { method, path, alias: prod.functionOf(operation).alias },
    ]);
  });

  it('every other method and path leads to the fallback', () => {
    const prefixes = new Set(['/', '/{proxy+}']);
    for (const { path } of ADDRESSES) {
      const parts = path.split('/').slice(1);
      for (let length = 1; length <= parts.length; length++) prefixes.add(`/${parts.slice(0, length).join('/')}`);
    }
    const others = all.filter(({ method }) => method === 'ANY');
    expect(others.map(({ path }) => path).sort()).toEqual([...prefixes].sort());
    expect(new Set(others.map(({ alias }) => alias))).toEqual(new Set([prod.functionOf(FALLBACK).alias]));
  });

  it('the gateway has only methods of routes and of the fallback, and all are Lambda proxies', () => {
    expect(all).toHaveLength(ADDRESSES.length + all.filter(({ method }) => method === 'ANY').length);
    for (const [, { Properties }] of prod.serviceResources('AWS::ApiGateway::Method')) {
      expect((Properties['Integration'] as { Type: string }).Type).toBe('AWS_PROXY');
    }
  });

  it('the fallback has a single permission, because one for each method would fill its policy', () => {
    const permissions = prod
      .serviceResources('AWS::Lambda::Permission')
      .filter(([, { Properties }]) =>
        JSON.stringify(Properties['FunctionName']).includes(prod.functionOf(FALLBACK).alias),
      );
    expect(permissions).toHaveLength(1);
  });
});

it('the API is regional, takes every body as bytes, and accepts only TLS 1.2 or later', () => {
  expect(only(prod, 'AWS::ApiGateway::RestApi')).toMatchObject({
    EndpointConfiguration: { Types: ['REGIONAL'] },
    BinaryMediaTypes: ['*/*'],
    DisableExecuteApiEndpoint: false,
    SecurityPolicy: 'SecurityPolicy_TLS13_1_2_PFS_PQ_2025_09',
    EndpointAccessMode: 'STRICT',
  });
});

it('the API’s own domain has the same TLS and an empty base path, and a switch closes the execute-api address', () => {
  expect(only(filledInProd(), 'AWS::ApiGateway::RestApi')['DisableExecuteApiEndpoint']).toBe(false);
  expect(only(full, 'AWS::ApiGateway::RestApi')['DisableExecuteApiEndpoint']).toBe(true);
  expect(only(full, 'AWS::ApiGateway::DomainName')).toMatchObject({
    DomainName: 'api.credit.test',
    SecurityPolicy: only(full, 'AWS::ApiGateway::RestApi')['SecurityPolicy'],
    EndpointAccessMode: 'STRICT',
    EndpointConfiguration: { Types: ['REGIONAL'] },
  });
  expect(only(full, 'AWS::ApiGateway::BasePathMapping')['BasePath']).toBeUndefined();
});

it('the API throttles the documentation to a fifth, logs only errors and no bodies, and writes no traces', () => {
  const stage = only(prod, 'AWS::ApiGateway::Stage');
  expect(stage).toMatchObject({ StageName: 'prod', TracingEnabled: false });
  const quiet = { LoggingLevel: 'ERROR', DataTraceEnabled: false, MetricsEnabled: false };
  const setting = (path: string, rate: number) =>
    expect.objectContaining({
      ...{ ResourcePath: path, ThrottlingRateLimit: rate, ThrottlingBurstLimit: 2 * rate },
      ...quiet,
    });
  const files = [
    '/~1docs',
    '/~1docs~1{file}',
    '/~1docs~1pacotes~1{file}',
    '/~1llms.txt',
    '/~1.well-known~1security.txt',
  ];
  expect(stage['MethodSettings']).toEqual([
    setting('/*', 1000),
    ...files.flatMap((path) => [setting(path, 200), setting(path, 200)]),
  ]);
});

it('the access log is JSON without path and query, and its group masks the caller’s address', () => {
  const { Format } = only(prod, 'AWS::ApiGateway::Stage')['AccessLogSetting'] as { Format: string };
  // A rule of Contributor Insights compares only numbers.
  expect(Format).toContain('"latency_ms":$context.responseLatency,');
  const line = JSON.parse(Format.replace('$context.responseLatency', '12')) as Record<string, string>;
  expect(line['request_id']).toBe('$context.extendedRequestId');
  expect(line['address']).toBe('$context.identity.sourceIp');
  expect(Format).not.toMatch(/userArn|\$context\.path|querystring|userAgent/i);
  const groups = prod.serviceResources('AWS::Logs::LogGroup').map(([, { Properties }]) => Properties);
  const masked = groups.filter((group) => 'DataProtectionPolicy' in group);
  expect(masked.map(({ LogGroupName }) => LogGroupName)).toEqual(['/partner-credit-prod/access']);
  expect(JSON.stringify(masked)).toMatch(/data-identifier\/IpAddress.*Deidentify/);
});

it('a change of the gateway’s own answers makes a new deployment', () => {
  expect(JSON.stringify(prod.serviceResources('AWS::ApiGateway::Deployment'))).toContain('AnswerTHROTTLED');
});

describe('WebFirewall', () => {
  interface Rule {
    readonly Statement: {
      readonly RateBasedStatement?: { readonly Limit: number };
      readonly ManagedRuleGroupStatement?: {
        readonly Name: string;
        readonly RuleActionOverrides: readonly { readonly Name: string; readonly ActionToUse: object }[];
      };
    };
  }
  const acl = only(prod, 'AWS::WAFv2::WebACL');
  const rules = (acl['Rules'] as Rule[]).map(({ Statement }) => Statement);
  const BODIES = ['CrossSiteScripting', 'EC2MetaDataSSRF', 'GenericLFI', 'GenericRFI', 'SizeRestrictions'];

  it('prod has a web firewall in front of the gateway, and dev has none', () => {
    const { ResourceArn } = only(prod, 'AWS::WAFv2::WebACLAssociation');
    expect(JSON.stringify(ResourceArn)).toMatch(/\/restapis\/.*\/stages\//);
    expect(Synthesised.of('dev').serviceResources('AWS::WAFv2::WebACL')).toEqual([]);
  });

  it.each([
    ['AWSManagedRulesCommonRuleSet', [...BODIES.map((name) => `${name}_BODY`), 'NoUserAgent_HEADER']],
    ['AWSManagedRulesKnownBadInputsRuleSet', ['JavaDeserializationRCE_BODY', 'Log4JRCE_BODY', 'ReactJSRCE_BODY']],
  ])('the rules of %s on bodies and on a missing User-Agent count calls and block none', (group, counted) => {
    const found = rules.find(({ ManagedRuleGroupStatement: one }) => one?.Name === group)!.ManagedRuleGroupStatement!;
    expect(found.RuleActionOverrides.map(({ Name, ActionToUse }) => [Name, ActionToUse]).sort()).toEqual(
      counted.map((name) => [name, { Count: {} }]).sort(),
    );
  });

  it('the web firewall allows an address at least 10,000 calls in 5 minutes, and inspects 64 KB of a body', () => {
    const rate = rules.flatMap(({ RateBasedStatement }) => RateBasedStatement ?? []);
    expect(rate).toMatchObject([{ AggregateKeyType: 'IP', EvaluationWindowSec: 300 }]);
    expect(rate[0]!.Limit).toBeGreaterThanOrEqual(10_000);
    expect(acl['AssociationConfig']).toEqual({ RequestBody: { API_GATEWAY: { DefaultSizeInspectionLimit: 'KB_64' } } });
    expect(rules).toHaveLength(3);
    expect(JSON.stringify(acl)).not.toContain('CustomResponse');
  });

  it('the web firewall keeps no samples, and logs no path, query or header that may name a key or a person', () => {
    expect(JSON.stringify(acl)).not.toContain('"SampledRequestsEnabled":true');
    const { RedactedFields } = only(prod, 'AWS::WAFv2::LoggingConfiguration');
    const named = (RedactedFields as Record<string, { Name?: string }>[]).flatMap((field) =>
      Object.entries(field).map(([kind, { Name }]) => Name ?? kind),
    );
    const headers = ['authorization', 'cookie', 'idempotency-key', 'referer', 'x-api-key'];
    expect(named.toSorted()).toEqual(['QueryString', 'UriPath', ...headers]);
  });
});

describe.each(STAGE_NAMES)('GATEWAY_ANSWERS in %s', (name) => {
  const answers = Object.fromEntries(
    Synthesised.of(name)
      .serviceResources('AWS::ApiGateway::GatewayResponse')
      .map(([, { Properties }]) => [String(Properties['ResponseType']), Properties]),
  );
  const EXPECTED = {
    INTEGRATION_FAILURE: { status: '503', codigo: 'servico_indisponivel', retryAfter: "'2'" },
    INTEGRATION_TIMEOUT: { status: '504', codigo: 'tempo_esgotado', retryAfter: "'2'" },
    DEFAULT_5XX: { status: '500', codigo: 'erro_interno' },
    THROTTLED: { status: '429', codigo: 'rate_limited', retryAfter: "'1'" },
    REQUEST_TOO_LARGE: { status: '413', codigo: 'corpo_muito_grande' },
    // These have their own sentences: no scope is missing, and no field is listed.
    WAF_FILTERED: { status: '403', codigo: 'sem_permissao', erro: /regras de segurança/ },
    DEFAULT_4XX: { status: '400', codigo: 'campo_invalido', erro: /não pôde ser interpretada/ },
  };

  it('the gateway has our own answers for exactly the expected response types', () =>
    expect(Object.keys(answers).sort()).toEqual(Object.keys(EXPECTED).sort()));

  it.each(Object.entries(EXPECTED))(
    'the gateway’s answer %s has our error body, its status and the request id',
    (type, expected) => {
      const { StatusCode, ResponseTemplates, ResponseParameters } = answers[type] as {
        StatusCode: string;
        ResponseTemplates: Record<string, string>;
        ResponseParameters: Record<string, string>;
      };
      expect(StatusCode).toBe(expected.status);
      expect(Object.keys(ResponseTemplates)).toEqual(['application/json']);
      expect(JSON.parse(ResponseTemplates['application/json']!)).toEqual({
        erro:
          'erro' in expected
            ? expect.stringMatching(expected.erro)
            : FAILURES[expected.codigo as keyof typeof FAILURES].erro,
        codigo: expected.codigo,
        request_id: '$context.extendedRequestId',
      });
      expect(ResponseParameters).toEqual({
        'gatewayresponse.header.X-Request-Id': 'context.extendedRequestId',
        ...('retryAfter' in expected && { 'gatewayresponse.header.Retry-After': expected.retryAfter }),
      });
    },
  );
});
