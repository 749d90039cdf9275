import { describe, expect, it } from 'vitest';
import { DELIVERY_WORKER, FALLBACK, FUNCTIONS, POLLERS } from '../../../infra/functions.ts';
import { PERMISSIONS } from '../../../infra/permissions.ts';
import { STAGE_NAMES } from '../../../infra/stages.ts';
import { ROUTES } from '../../../shared/contract/routes.ts';
import { type Resource, Synthesised } from '../../makers/synthesised.ts';

const dev = Synthesised.of('dev');
const prod = Synthesised.of('prod');
const CERTIFICATE = 'arn:aws:acm:sa-east-1:111122223333:certificate/0a1b2c3d-0000-4000-8000-000000000000';
const full = new Synthesised('prod', {
  account: '111122223333',
  domain: { name: 'api.credit.example', certificateArn: CERTIFICATE },
  setsGatewayAccount: false,
  executeApi: false,
  fixedEgress: true,
  egressAddresses: true,
  shift: 'hotfix',
  concurrency: {
    accountLimit: 1000,
    reserved: { 'submit-analyses': 200, 'poll-bank-outcomes': 8, 'sweep-deliveries': 2 },
    provisioned: { 'get-lead': 3 },
  },
});

type Properties = Record<string, unknown>;
const all = (stage: Synthesised, type: string): Properties[] =>
  [stage.data, stage.service, stage.watch].flatMap((template) =>
    Object.values(template.findResources(type) as Record<string, Resource>).map(({ Properties: own }) => own),
  );
const only = (stage: Synthesised, type: string): Properties => {
  const found = all(stage, type);
  expect(found).toHaveLength(1);
  return found[0]!;
};
const statements = (policy: unknown): Record<string, unknown>[] =>
  (policy as { Statement: Record<string, unknown>[] }).Statement;
const text = (value: unknown): string => JSON.stringify(value);
const OPERATIONS = FUNCTIONS.map(({ operation }) => operation);

interface Rule {
  readonly Name: string;
  readonly Statement: {
    readonly RateBasedStatement?: unknown;
    readonly ManagedRuleGroupStatement?: { readonly RuleActionOverrides: { Name: string; ActionToUse: unknown }[] };
  };
}
const rules = (): Rule[] => only(prod, 'AWS::WAFv2::WebACL')['Rules'] as Rule[];
const counted = (group: string): string[] =>
  rules()
    .flatMap(({ Statement }) => Statement.ManagedRuleGroupStatement ?? [])
    .filter((one) => (one as unknown as { Name: string }).Name === group)
    .flatMap(({ RuleActionOverrides }) => RuleActionOverrides)
    .map(({ Name, ActionToUse }) => {
      expect(ActionToUse).toEqual({ Count: {} });
      return Name;
    });

/** The rules of AWS that a template can show, each with what it is seen by. */
const RULES: Readonly<Record<string, readonly (readonly [string, () => void])[]>> = {
  gateway: [
    [
      'the API is regional',
      () => expect(only(prod, 'AWS::ApiGateway::RestApi')['EndpointConfiguration']).toEqual({ Types: ['REGIONAL'] }),
    ],
    [
      'TLS 1.2 or later is set on the API itself and on the domain',
      () => {
        for (const stage of [prod, full])
          expect(only(stage, 'AWS::ApiGateway::RestApi')['SecurityPolicy']).toMatch(/^SecurityPolicy_TLS13_1_2_/);
        expect(only(full, 'AWS::ApiGateway::DomainName')['SecurityPolicy']).toBe(
          only(full, 'AWS::ApiGateway::RestApi')['SecurityPolicy'],
        );
      },
    ],
    [
      'a domain has an empty base path and a switch beside it shuts the execute-api address; without one the stage name stays in the address',
      () => {
        expect(only(full, 'AWS::ApiGateway::BasePathMapping')).not.toHaveProperty('BasePath');
        expect(only(full, 'AWS::ApiGateway::RestApi')['DisableExecuteApiEndpoint']).toBe(true);
        expect(only(dev, 'AWS::ApiGateway::RestApi')['DisableExecuteApiEndpoint']).toBe(false);
        expect(only(dev, 'AWS::ApiGateway::Stage')['StageName']).toBe('dev');
      },
    ],
    [
      'every body arrives as bytes',
      () => expect(only(prod, 'AWS::ApiGateway::RestApi')['BinaryMediaTypes']).toEqual(['*/*']),
    ],
    [
      'no method is a MOCK, and ANY on every resource goes to the fallback',
      () => {
        const methods = all(prod, 'AWS::ApiGateway::Method');
        for (const { Integration } of methods) expect((Integration as { Type: string }).Type).toBe('AWS_PROXY');
        const any = methods.filter(({ HttpMethod }) => HttpMethod === 'ANY');
        // One for each resource, and the root's.
        expect(any).toHaveLength(all(prod, 'AWS::ApiGateway::Resource').length + 1);
        for (const { Integration } of any) expect(text(Integration)).toContain(prod.functionOf(FALLBACK).alias);
      },
    ],
    [
      'its own answers carry the extended request id in body and header, with a status of their own',
      () => {
        const answers = all(prod, 'AWS::ApiGateway::GatewayResponse');
        expect(answers).toHaveLength(7);
        for (const { ResponseParameters, ResponseTemplates, StatusCode } of answers) {
          expect(text(ResponseParameters)).toContain('context.extendedRequestId');
          expect(text(ResponseTemplates)).toContain('$context.extendedRequestId');
          expect(StatusCode).toMatch(/^[45]\d\d$/);
        }
      },
    ],
    [
      'a change of its own answers makes a new deployment',
      () => {
        const [deployment] = prod.serviceResources('AWS::ApiGateway::Deployment');
        expect(text(deployment![1])).toContain('AnswerTHROTTLED');
      },
    ],
    [
      'the access log is our own, without the address of the caller; execution logs hold errors only, and no data',
      () => {
        const stage = only(prod, 'AWS::ApiGateway::Stage');
        expect((stage['AccessLogSetting'] as { Format: string }).Format).not.toMatch(/identity|sourceIp/);
        expect(stage['MethodSettings']).toMatchObject([{ LoggingLevel: 'ERROR', DataTraceEnabled: false }]);
      },
    ],
    [
      'the account’s log role is behind a switch of the stage',
      () => {
        expect(all(prod, 'AWS::ApiGateway::Account')).toHaveLength(1);
        expect(all(full, 'AWS::ApiGateway::Account')).toHaveLength(0);
      },
    ],
    [
      'the web firewall stands before the stage where there are callers, and not in dev',
      () => {
        expect(text(only(prod, 'AWS::WAFv2::WebACLAssociation')['ResourceArn'])).toMatch(/\/restapis\/.*\/stages\//);
        expect(all(dev, 'AWS::WAFv2::WebACL')).toEqual([]);
      },
    ],
    [
      'of AWS’s common rules NoUserAgent_HEADER and all that read bodies only count',
      () =>
        expect(counted('AWSManagedRulesCommonRuleSet').sort()).toEqual([
          'CrossSiteScripting_BODY',
          'EC2MetaDataSSRF_BODY',
          'GenericLFI_BODY',
          'GenericRFI_BODY',
          'NoUserAgent_HEADER',
          'SizeRestrictions_BODY',
        ]),
    ],
    [
      'of the known bad inputs all that read bodies only count',
      () =>
        expect(counted('AWSManagedRulesKnownBadInputsRuleSet').sort()).toEqual([
          'JavaDeserializationRCE_BODY',
          'Log4JRCE_BODY',
          'ReactJSRCE_BODY',
        ]),
    ],
    [
      'one address is blocked at 10,000 calls in 5 minutes or more',
      () => {
        const rate = rules().find(({ Statement }) => Statement.RateBasedStatement)!;
        expect(rate.Statement.RateBasedStatement).toMatchObject({ AggregateKeyType: 'IP', EvaluationWindowSec: 300 });
        expect((rate.Statement.RateBasedStatement as { Limit: number }).Limit).toBeGreaterThanOrEqual(10_000);
      },
    ],
    [
      'bodies are inspected up to 64 KB; no list of hosting providers or anonymous addresses; no answers of the firewall’s own',
      () => {
        const acl = only(prod, 'AWS::WAFv2::WebACL');
        expect(acl['AssociationConfig']).toEqual({
          RequestBody: { API_GATEWAY: { DefaultSizeInspectionLimit: 'KB_64' } },
        });
        expect(text(acl)).not.toMatch(/AnonymousIpList|HostingProvider|IpReputation|CustomResponse/);
        expect(rules()).toHaveLength(3);
      },
    ],
    [
      'the firewall keeps no samples: they would show keys',
      () => expect(text(only(prod, 'AWS::WAFv2::WebACL'))).not.toContain('"SampledRequestsEnabled":true'),
    ],
    [
      'the firewall’s log keeps no path, no query and no header in which a key or a person may stand',
      () => {
        const { RedactedFields } = only(prod, 'AWS::WAFv2::LoggingConfiguration');
        const named = (RedactedFields as Record<string, { Name?: string }>[]).flatMap((field) =>
          Object.entries(field).map(([kind, { Name }]) => Name ?? kind),
        );
        const headers = ['authorization', 'cookie', 'idempotency-key', 'referer', 'x-api-key'];
        expect(named.toSorted()).toEqual([...headers, 'QueryString', 'UriPath'].toSorted());
      },
    ],
  ],
  functions: [
    [
      'whoever uses the table may use its key, through DynamoDB only',
      () => {
        for (const operation of OPERATIONS.filter((one) => PERMISSIONS[one]!.table ?? PERMISSIONS[one]!.indexes)) {
          const own = prod.statementsOf(operation).find(({ Action }) => Action.includes('kms:DescribeKey'));
          expect([...own!.Action].sort()).toEqual([
            'kms:Decrypt',
            'kms:DescribeKey',
            'kms:Encrypt',
            'kms:GenerateDataKey*',
            'kms:ReEncrypt*',
          ]);
          expect(own!.Condition).toEqual({ StringEquals: { 'kms:ViaService': 'dynamodb.sa-east-1.amazonaws.com' } });
        }
      },
    ],
    [
      'a transaction is allowed by its parts: there is no action of its name',
      () => {
        for (const operation of OPERATIONS) expect(text(prod.statementsOf(operation))).not.toContain('Transact');
      },
    ],
    [
      'an index is queried under its own ARN',
      () => {
        for (const operation of OPERATIONS.filter((one) => PERMISSIONS[one]!.indexes))
          expect(
            prod.statementsOf(operation).filter(({ Resource }) => Resource.some((one) => one.includes('/index/by'))),
          ).toHaveLength(1);
      },
    ],
    [
      'the worker of a queue may receive, delete, hide and count',
      () => {
        const actions = prod.statementsOf(DELIVERY_WORKER).flatMap(({ Action }) => Action);
        for (const action of ['ReceiveMessage', 'DeleteMessage', 'ChangeMessageVisibility', 'GetQueueAttributes'])
          expect(actions).toContain(`sqs:${action}`);
      },
    ],
    [
      'traces and logs are allowed to every function, logs in its own group only',
      () => {
        for (const operation of OPERATIONS) {
          const own = prod.statementsOf(operation);
          expect(own.flatMap(({ Action }) => Action)).toContain('xray:PutTraceSegments');
          const logs = own.find(({ Action }) => Action.includes('logs:PutLogEvents'))!;
          expect(logs.Resource).toHaveLength(1);
          expect(logs.Resource[0]).toMatch(/Logs\w+","Arn/);
        }
      },
    ],
    [
      'no concurrency is reserved, and none kept warm, unless the stage asks for it',
      () => {
        for (const stage of [dev, prod]) {
          expect(text(all(stage, 'AWS::Lambda::Function'))).not.toContain('ReservedConcurrentExecutions');
          expect(text(all(stage, 'AWS::Lambda::Alias'))).not.toContain('ProvisionedConcurrencyConfig');
        }
      },
    ],
    [
      'where it is reserved, it caps submissions and pollers, and leaves 100 of the limit',
      () => {
        const reserved = OPERATIONS.flatMap((operation) => {
          const runs = full.functionOf(operation).properties['ReservedConcurrentExecutions'];
          return runs === undefined ? [] : [[operation, runs]];
        });
        expect(Object.fromEntries(reserved)).toEqual({
          'submit-analyses': 200,
          'poll-bank-outcomes': 8,
          'sweep-deliveries': 2,
        });
        expect(
          full.serviceResources('AWS::Lambda::Alias').find(([id]) => id === full.functionOf('get-lead').alias)![1]
            .Properties['ProvisionedConcurrencyConfig'],
        ).toEqual({ ProvisionedConcurrentExecutions: 3 });
      },
    ],
    [
      'no stack nears 500 resources, and alarms that tell someone lie in the third',
      () => {
        for (const stage of [dev, prod, full])
          for (const template of [stage.data, stage.service, stage.watch])
            expect(Object.keys(template.toJSON()['Resources']).length).toBeLessThan(400);
        for (const [, { Properties: own }] of full.serviceResources('AWS::CloudWatch::Alarm'))
          expect(own).not.toHaveProperty('AlarmActions');
        full.service.resourceCountIs('AWS::CloudWatch::Dashboard', 0);
      },
    ],
    [
      'releases shift by canary, all functions in parallel, on an alarm of each alias; dev and a hotfix all at once',
      () => {
        for (const [stage, config] of [
          [prod, 'CodeDeployDefault.LambdaCanary10Percent5Minutes'],
          [dev, 'CodeDeployDefault.LambdaAllAtOnce'],
          [full, 'CodeDeployDefault.LambdaAllAtOnce'],
        ] as const) {
          const groups = all(stage, 'AWS::CodeDeploy::DeploymentGroup');
          expect(groups).toHaveLength(FUNCTIONS.length);
          for (const { DeploymentConfigName } of groups) expect(DeploymentConfigName).toBe(config);
        }
      },
    ],
    [
      'an async run is not repeated and not run late: set on the alias',
      () => {
        const settings = all(prod, 'AWS::Lambda::EventInvokeConfig');
        for (const operation of Object.values(POLLERS)) {
          const own = settings.find(({ FunctionName }) => text(FunctionName).includes(prod.functionOf(operation).id));
          expect(own).toMatchObject({ MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: 60 });
          expect(text(own!['Qualifier'])).toContain(prod.functionOf(operation).alias);
          expect(prod.functionOf(operation).properties['Timeout']).toBe(55);
        }
      },
    ],
    [
      'fixed addresses need a network, which is off by default',
      () => {
        for (const type of ['VPC', 'NatGateway', 'EIP']) {
          expect(all(prod, `AWS::EC2::${type}`)).toEqual([]);
          expect(all(full, `AWS::EC2::${type}`).length).toBeGreaterThan(0);
        }
        expect(text(all(prod, 'AWS::Lambda::Function'))).not.toContain('VpcConfig');
      },
    ],
  ],
  'keys, logs, secrets': [
    [
      'the key of logs lets CloudWatch Logs use it, for literal patterns that hold every one of our groups',
      () => {
        const key = all(full, 'AWS::KMS::Key').find(({ Description }) => String(Description).startsWith('Logs'))!;
        const logs = statements(key['KeyPolicy']).find(({ Sid }) => Sid === 'Logs')!;
        expect(logs).toMatchObject({
          Principal: { Service: 'logs.sa-east-1.amazonaws.com' },
          Action: expect.arrayContaining(['kms:Encrypt*', 'kms:Decrypt*', 'kms:ReEncrypt*', 'kms:GenerateDataKey*']),
        });
        const patterns = (logs['Condition'] as { ArnLike: Record<string, string[]> }).ArnLike[
          'kms:EncryptionContext:aws:logs:arn'
        ]!.map((pattern) => new RegExp(`^${pattern.replace(/[.]/g, '\\.').replace(/\*/g, '.*')}$`));
        for (const { LogGroupName } of all(full, 'AWS::Logs::LogGroup')) {
          const name = typeof LogGroupName === 'string' ? LogGroupName : 'API-Gateway-Execution-Logs_a1b2c3d4e5/prod';
          const arn = `arn:aws:logs:sa-east-1:111122223333:log-group:${name}`;
          expect([name, patterns.some((pattern) => pattern.test(arn))]).toEqual([name, true]);
        }
      },
    ],
    [
      'and lets alarms use it: no topic would be told otherwise',
      () => {
        const key = all(prod, 'AWS::KMS::Key').find(({ Description }) => String(Description).startsWith('Logs'))!;
        expect(statements(key['KeyPolicy'])).toContainEqual(
          expect.objectContaining({
            Effect: 'Allow',
            Principal: { Service: 'cloudwatch.amazonaws.com' },
            Action: ['kms:Decrypt', 'kms:GenerateDataKey*'],
          }),
        );
      },
    ],
    [
      'every log group and topic is under that key; no log group is kept for ever',
      () => {
        for (const stage of [dev, prod, full]) {
          for (const { KmsKeyId, RetentionInDays } of all(stage, 'AWS::Logs::LogGroup')) {
            expect(text(KmsKeyId)).toContain('OperationsKey');
            expect(RetentionInDays).toBeGreaterThan(0);
          }
          for (const { KmsMasterKeyId } of all(stage, 'AWS::SNS::Topic'))
            expect(text(KmsMasterKeyId)).toContain('OperationsKey');
        }
      },
    ],
    [
      'the gateway’s own error log is made by us, before the stage that writes it',
      () => {
        const [id] = prod
          .serviceResources('AWS::Logs::LogGroup')
          .find(([, { Properties: own }]) => text(own['LogGroupName']).includes('API-Gateway-Execution-Logs_'))!;
        const [[, stage] = []] = prod.serviceResources('AWS::ApiGateway::Stage');
        expect((stage as unknown as { DependsOn: string[] }).DependsOn).toContain(id);
      },
    ],
    [
      'secrets are made empty: the manager writes their versions',
      () => {
        for (const own of all(prod, 'AWS::SecretsManager::Secret')) {
          expect(own).not.toHaveProperty('GenerateSecretString');
          expect(own).not.toHaveProperty('SecretString');
        }
      },
    ],
    [
      'Secrets Manager holds the service’s own keys, the operator’s token and the probe’s key, and nothing per partner',
      () =>
        expect(
          all(prod, 'AWS::SecretsManager::Secret')
            .map(({ Name }) => Name)
            .sort(),
        ).toEqual(['partner-credit-prod/keys', 'partner-credit-prod/operator', 'partner-credit-prod/probe']),
    ],
  ],
  table: [
    [
      'it has a name of its own, deletion protection and recovery, in a protected stack',
      () => {
        for (const name of STAGE_NAMES) {
          const stage = name === 'dev' ? dev : name === 'prod' ? prod : Synthesised.of('staging');
          const tables = all(stage, 'AWS::DynamoDB::GlobalTable');
          expect(tables.map((table) => table['TableName'])).toEqual([
            `partner-credit-${name}`,
            `partner-credit-${name}-erasures`,
          ]);
          for (const table of tables)
            expect(table['Replicas']).toMatchObject([
              {
                DeletionProtectionEnabled: true,
                PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
              },
            ]);
          expect(stage.dataStackIsProtected).toBe(true);
        }
      },
    ],
    [
      'no function may delete the table or change what it is',
      () => {
        for (const operation of OPERATIONS)
          expect(text(prod.statementsOf(operation))).not.toMatch(/DeleteTable|UpdateTable|dynamodb:\*/);
      },
    ],
  ],
  queue: [
    [
      'worker 30 s, hidden 180 s, 8 takings, dead letters kept 14 days, encrypted, bounded workers',
      () => {
        const queues = all(prod, 'AWS::SQS::Queue');
        const work = queues.find(({ QueueName }) => QueueName === 'partner-credit-prod-deliveries')!;
        const dead = queues.find(({ QueueName }) => QueueName === 'partner-credit-prod-deliveries-dead')!;
        expect(work).toMatchObject({ VisibilityTimeout: 180, RedrivePolicy: { maxReceiveCount: 8 } });
        expect(dead['MessageRetentionPeriod']).toBe(14 * 86_400);
        for (const { SqsManagedSseEnabled } of queues) expect(SqsManagedSseEnabled).toBe(true);
        expect(prod.functionOf(DELIVERY_WORKER).properties['Timeout']).toBe(30);
        expect(only(prod, 'AWS::Lambda::EventSourceMapping')).toMatchObject({
          FunctionResponseTypes: ['ReportBatchItemFailures'],
          ScalingConfig: { MaximumConcurrency: 50 },
        });
      },
    ],
    [
      'the worker never sends to its own queue, only to its dead letters',
      () => {
        const sends = prod.statementsOf(DELIVERY_WORKER).filter(({ Action }) => Action.includes('sqs:SendMessage'));
        expect(sends.flatMap(({ Resource }) => Resource)).toEqual([expect.stringContaining('DeadLetters')]);
      },
    ],
    [
      'queues and topics refuse whatever is not TLS',
      () => {
        const policies = [...all(prod, 'AWS::SQS::QueuePolicy'), ...all(prod, 'AWS::SNS::TopicPolicy')];
        expect(policies).toHaveLength(4);
        for (const { PolicyDocument } of policies)
          expect(statements(PolicyDocument)).toContainEqual(
            expect.objectContaining({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
          );
      },
    ],
  ],
  CloudWatch: [
    [
      'availability alarms read the gateway, latency alarms Lambda: neither waits for a function that crashed to tell',
      () => {
        const alarms = all(prod, 'AWS::CloudWatch::Alarm').filter(({ AlarmName }) =>
          /-(error-budget|latency)-/.test(String(AlarmName)),
        );
        expect(alarms).toHaveLength(4 + 4);
        for (const own of alarms) expect(text(own['Metrics'])).not.toContain('PartnerCredit');
        expect(only(prod, 'AWS::ApiGateway::Stage')['MethodSettings']).toMatchObject([
          { HttpMethod: '*', ResourcePath: '/*', MetricsEnabled: false },
        ]);
      },
    ],
    [
      'two windows are a composite alarm, and so are all banks',
      () => expect(all(prod, 'AWS::CloudWatch::CompositeAlarm')).toHaveLength(3),
    ],
    [
      'concurrency is ClaimedAccountConcurrency',
      () =>
        expect(all(prod, 'AWS::CloudWatch::Alarm')).toContainEqual(
          expect.objectContaining({
            AlarmName: 'partner-credit-prod-lambda-concurrency',
            MetricName: 'ClaimedAccountConcurrency',
          }),
        ),
    ],
    [
      'per partner one alarm on a rule over the log, per bank six static ones',
      () => {
        const alarms = all(prod, 'AWS::CloudWatch::Alarm');
        expect(alarms.filter((own) => text(own).includes('INSIGHT_RULE_METRIC('))).toHaveLength(1);
        expect(alarms.filter(({ AlarmName }) => String(AlarmName).includes('bank-failing-'))).toHaveLength(6);
      },
    ],
    [
      'what is watched goes by the names that the other stacks give',
      () => {
        const watched = text([all(prod, 'AWS::CloudWatch::Alarm'), all(prod, 'AWS::CloudWatch::Dashboard')]);
        const values = (dimension: string) =>
          new Set(
            [...watched.matchAll(new RegExp(`"Name":"${dimension}","Value":"([^"]+)"`, 'g'))].map(([, value]) => value),
          );
        const names = (type: string, property: string) => all(prod, type).map((own) => own[property]);
        const administration = Object.values(prod.administration.findResources('AWS::ApiGateway::RestApi'));
        const apis = [
          ...names('AWS::ApiGateway::RestApi', 'Name'),
          ...administration.map(({ Properties }) => (Properties as Properties)['Name']),
        ];
        expect([...values('ApiName')].sort()).toEqual(apis.sort());
        expect([...values('Stage')]).toEqual(names('AWS::ApiGateway::Stage', 'StageName'));
        for (const queue of values('QueueName')) expect(names('AWS::SQS::Queue', 'QueueName')).toContain(queue);
        // The ledger of erasures is written by hand alone, some times a month.
        expect([...values('TableName')]).toEqual(names('AWS::DynamoDB::GlobalTable', 'TableName').slice(0, 1));
        const functions = names('AWS::Lambda::Function', 'FunctionName');
        expect(values('FunctionName').size).toBeGreaterThan(8);
        for (const name of values('FunctionName')) expect(functions).toContain(name);
        expect([...values('GlobalSecondaryIndexName')].sort()).toEqual(['byDue', 'byList']);
        for (const value of values('Resource'))
          expect([
            ...ROUTES.map(({ path }): string => path),
            ...OPERATIONS.map((one) => `partner-credit-prod-${one}:live`),
          ]).toContain(value);
      },
    ],
  ],
};

describe.each(Object.entries(RULES))('AWS and its %s', (_, of) => {
  it.each(of)('%s', (__, check) => check());
});
