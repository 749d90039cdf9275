import { describe, expect, it } from 'vitest';
import { RUNTIME } from '#infra/ends.ts';
import { DELIVERY_WORKER, FUNCTIONS, POLLERS, PROBE } from '#infra/functions.ts';
import { STAGE_NAMES, stageValues } from '#infra/stages.ts';
import { QUEUE_WAIT } from '#shared/domain/webhooks/delivery.ts';
import { LONGEST_RETURN_MS } from '#shared/runtime/background-runs.ts';
import { everythingOn, filledInProd, propertiesOf, Synthesised, variables } from '../makers/synthesised.ts';

const dev = Synthesised.of('dev');
const prod = Synthesised.of('prod');
const full = everythingOn();
const OPERATIONS = FUNCTIONS.map(({ operation }) => operation);
const text = (value: unknown): string => JSON.stringify(value);
const all = ({ data, service, watch }: Synthesised, type: string): Record<string, unknown>[] =>
  [data, service, watch].flatMap((stack) => propertiesOf(stack, type));

it('submissions end before the gateway’s 29 s, and pollers before the next minute', () => {
  const timeouts = Object.fromEntries(FUNCTIONS.map(({ operation, timeout }) => [operation, timeout]));
  expect(timeouts).toMatchObject({ 'submit-analyses': 28, 'create-lead': 10, fallback: 10, [DELIVERY_WORKER]: 30 });
  for (const poller of Object.values(POLLERS)) expect(timeouts[poller]).toBe(55);
});

it('no template lets webhooks go to local targets', () => {
  for (const name of STAGE_NAMES)
    expect(text(Synthesised.of(name).service.toJSON())).not.toContain('LOCAL_WEBHOOK_TARGETS');
});

it('functions know secrets only by their ARNs', () => {
  const stacks = [full.service, full.administration];
  const functions = stacks.flatMap((stack) =>
    propertiesOf(stack, 'AWS::Lambda::Function').filter((one) => one['Environment']),
  );
  const secrets = functions.flatMap((one) =>
    Object.entries(variables(one)).filter(([name]) => /SECRET|TOKEN|PASSWORD|KEY/.test(name)),
  );
  expect(secrets.length).toBeGreaterThan(functions.length / 2);
  for (const [name, value] of secrets) expect(text(value), name).toMatch(/^\{"(?:Ref|Fn::ImportValue)":/);
});

it('every function has the runtime whose end is known', () => {
  const stacks = [full.service, full.administration];
  const runtimes = stacks.flatMap((stack) =>
    propertiesOf(stack, 'AWS::Lambda::Function').flatMap(({ Architectures, Runtime }) =>
      Architectures ? [String(Runtime)] : [],
    ),
  );
  expect(Array.from(new Set(runtimes))).toEqual([RUNTIME.name]);
});

it('no function writes traces, and no role may', () => {
  const stacks = text([full.service.toJSON(), full.administration.toJSON()]);
  expect(stacks.match(/TracingConfig|xray:/g)).toBeNull();
});

// test/flows/whole-service.test.ts compares all other permissions with what the functions use.
it('roles may use a key only through the table and the secrets', () => {
  const keys = OPERATIONS.flatMap((operation) => prod.statementsOf(operation)).filter(({ Action }) =>
    Action.some((action) => action.startsWith('kms:')),
  );
  expect(keys.length).toBeGreaterThan(OPERATIONS.length);
  const via = expect.stringMatching(/^(dynamodb|secretsmanager)\.sa-east-1\.amazonaws\.com$/);
  for (const { Condition } of keys) expect(Condition).toEqual({ StringEquals: { 'kms:ViaService': via } });
});

it('permissions are in the roles themselves, and no policy is attached', () => {
  prod.service.resourceCountIs('AWS::IAM::Policy', 0);
  for (const { Description, ManagedPolicyArns } of all(prod, 'AWS::IAM::Role'))
    if (String(Description ?? '').startsWith('What ')) expect(ManagedPolicyArns).toBeUndefined();
});

describe('WorkQueue', () => {
  const queues = new Map(
    prod
      .serviceResources('AWS::SQS::Queue')
      .map(([id, { Properties }]) => [Properties['QueueName'], { id, Properties }]),
  );
  const deliveries = queues.get('partner-credit-prod-deliveries')!;
  const dead = queues.get('partner-credit-prod-deliveries-dead')!;

  it('the queue hides a message for six times the worker’s timeout, and gives it up after 8 receives', () => {
    expect(deliveries.Properties).toMatchObject({
      VisibilityTimeout: 6 * Number(prod.functionOf(DELIVERY_WORKER).properties['Timeout']),
      RedrivePolicy: { deadLetterTargetArn: { 'Fn::GetAtt': [dead.id, 'Arn'] }, maxReceiveCount: 8 },
    });
    expect(dead.Properties['MessageRetentionPeriod']).toBe(14 * 86_400);
  });

  it('a message that is hidden for the longest time after each receive comes back within LONGEST_RETURN_MS', () => {
    const { maxReceiveCount } = deliveries.Properties['RedrivePolicy'] as { maxReceiveCount: number };
    expect((maxReceiveCount - 1) * QUEUE_WAIT).toBeLessThan(LONGEST_RETURN_MS);
  });

  it('the queue feeds the worker within the stage’s concurrency, and the worker reports single failures', () => {
    const [source, ...more] = all(prod, 'AWS::Lambda::EventSourceMapping');
    expect(more).toEqual([]);
    expect(source).toMatchObject({
      EventSourceArn: { 'Fn::GetAtt': [deliveries.id, 'Arn'] },
      BatchSize: 5,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      ScalingConfig: { MaximumConcurrency: stageValues('prod', {}).webhookConcurrency },
    });
    expect(text(source!['FunctionName'])).toContain(prod.functionOf(DELIVERY_WORKER).alias);
  });
});

interface InputTransformer {
  readonly InputPathsMap: Readonly<Record<string, string>>;
  readonly InputTemplate: string;
}

describe('Poller', () => {
  const scheduled = (stage: Synthesised, operation: string) =>
    all(stage, 'AWS::Events::Rule').flatMap(({ ScheduleExpression, Targets }) =>
      (Targets as { Arn: { Ref: string }; InputTransformer: InputTransformer; RetryPolicy: unknown }[])
        .filter(({ Arn }) => Arn.Ref === stage.functionOf(operation).alias)
        .map(({ InputTransformer: { InputPathsMap, InputTemplate }, RetryPolicy }) => ({
          rate: ScheduleExpression,
          paths: InputPathsMap,
          input: JSON.parse(InputTemplate.replace('<time>', '"the time"')),
          RetryPolicy,
        })),
    );
  const once = { MaximumEventAgeInSeconds: 60, MaximumRetryAttempts: 0 };

  it.each<[string, Synthesised, string, readonly object[]]>([
    ['outcomes of dev', dev, POLLERS.outcomes, [{ shard: 0, shards: 1 }]],
    [
      'outcomes of prod, once for each shard',
      prod,
      POLLERS.outcomes,
      [0, 1, 2, 3].map((shard) => ({ shard, shards: 4 })),
    ],
    ['lost deliveries', prod, POLLERS.sweeper, [{}]],
    ['erasures', prod, POLLERS.erasures, [{}]],
    ['the outside probe', prod, PROBE, [{}]],
  ])('the schedule for %s runs each minute, and repeats no failed run', (_, stage, operation, inputs) => {
    expect(scheduled(stage, operation)).toMatchObject(
      inputs.map((input) => ({ rate: 'rate(1 minute)', input, RetryPolicy: once })),
    );
    const { id, alias } = stage.functionOf(operation);
    const Qualifier = { 'Fn::Select': [7, { 'Fn::Split': [':', { Ref: alias }] }] };
    const config = { FunctionName: { Ref: id }, Qualifier, ...once };
    expect(all(stage, 'AWS::Lambda::EventInvokeConfig')).toContainEqual(config);
  });

  it('every schedule writes the time of the event into the input of its run', () => {
    const started = [POLLERS.outcomes, POLLERS.sweeper, POLLERS.erasures, PROBE];
    const runs = started.map((operation) => scheduled(prod, operation));
    expect(runs.map(({ length }) => length)).toEqual([4, 1, 1, 1]);
    for (const { paths, input } of runs.flat()) {
      expect(paths).toEqual({ time: '$.time' });
      expect(input.time).toBe('the time');
    }
  });

  it('the outside probe calls the partners’ address, and is never in the network of fixed addresses', () => {
    const urlOf = (stage: Synthesised) => variables(stage.functionOf(PROBE).properties)['PROBE_URL'];
    expect(urlOf(filledInProd())).toBe('https://api.credit.test');
    expect(text(urlOf(dev))).toMatch(/execute-api\.sa-east-1\.amazonaws\.com\/dev"/);
    expect(full.functionOf(PROBE).properties).not.toHaveProperty('VpcConfig');
  });
});

describe('log groups', () => {
  const key = all(full, 'AWS::KMS::Key').find(({ Description }) => String(Description).startsWith('Logs'))!;
  const { Statement: statements } = key['KeyPolicy'] as { Statement: Record<string, unknown>[] };

  it('the key of the logs allows CloudWatch Logs to use it for each of our log groups', () => {
    const logs = statements.find(({ Sid }) => Sid === 'Logs')!;
    expect(logs).toMatchObject({
      Principal: { Service: 'logs.sa-east-1.amazonaws.com' },
      Action: expect.arrayContaining(['kms:Encrypt*', 'kms:Decrypt*', 'kms:ReEncrypt*', 'kms:GenerateDataKey*']),
    });
    const { ArnLike } = logs['Condition'] as { ArnLike: Record<string, string[]> };
    const patterns = ArnLike['kms:EncryptionContext:aws:logs:arn']!.map(
      (pattern) => new RegExp(`^${pattern.replace(/[.]/g, '\\.').replace(/\*/g, '.*')}$`),
    );
    for (const { LogGroupName } of all(full, 'AWS::Logs::LogGroup')) {
      const name = typeof LogGroupName === 'string' ? LogGroupName : 'API-Gateway-Execution-Logs_a1b2c3d4e5/prod';
      const arn = `arn:aws:logs:sa-east-1:111122223333:log-group:${name}`;
      expect(
        patterns.some((pattern) => pattern.test(arn)),
        name,
      ).toBe(true);
    }
  });

  it('alarm topics use the key of the logs, and alarms may use this key', () => {
    const Principal = { Service: 'cloudwatch.amazonaws.com' };
    const Action = ['kms:Decrypt', 'kms:GenerateDataKey*'];
    expect(statements).toContainEqual(expect.objectContaining({ Effect: 'Allow', Principal, Action }));
    for (const stage of [dev, prod, full])
      for (const { KmsMasterKeyId } of all(stage, 'AWS::SNS::Topic'))
        expect(text(KmsMasterKeyId)).toContain('OperationsKey');
  });

  /** Days for which a log with callers' addresses is kept in every stage. Undefined for a log without addresses. */
  const daysKept = (group: string) => {
    if (group.endsWith('/access')) return 365;
    return group.startsWith('aws-waf-logs-') ? 14 : undefined;
  };

  it.each(STAGE_NAMES)('log groups of %s are kept for as long as the stage says, under the key of the logs', (name) => {
    const groups = all(Synthesised.of(name), 'AWS::Logs::LogGroup');
    const { firewall, logRetention } = stageValues(name, {});
    // In addition to the functions: the gateway's accesses, its own errors, and calls that a firewall blocked.
    expect(groups).toHaveLength(FUNCTIONS.length + (firewall ? 3 : 2));
    for (const { RetentionInDays, KmsKeyId, LogGroupName } of groups) {
      expect(RetentionInDays).toBe(daysKept(String(LogGroupName)) ?? logRetention);
      expect(text(KmsKeyId)).toContain('OperationsKey');
    }
  });

  it('the log group of the gateway’s own errors is made before the API stage that writes it', () => {
    const [id] = prod
      .serviceResources('AWS::Logs::LogGroup')
      .find(([, { Properties }]) => text(Properties['LogGroupName']).includes('API-Gateway-Execution-Logs_'))!;
    const [[, stage] = []] = prod.serviceResources('AWS::ApiGateway::Stage');
    expect((stage as unknown as { DependsOn: string[] }).DependsOn).toContain(id);
  });
});

/** CloudFormation allows 500 (infra/AWS.md, fact 21). Each endpoint of partners adds 12 resources to the service's stack. */
const MOST_RESOURCES = 446;

it('every stack has at most 446 resources, below the limit of 500', () => {
  for (const [stage, stacks] of Object.entries({ dev, prod, full }))
    for (const name of ['data', 'service', 'watch', 'administration'] as const) {
      const count = Object.keys(stacks[name].toJSON()['Resources']).length;
      const cure = 'move a part that nothing refers to into a stack of its own, as infra/watch-stack.ts does';
      expect(count, `resources of ${stage}'s stack ${name}: ${cure}`).toBeLessThanOrEqual(MOST_RESOURCES);
    }
});
