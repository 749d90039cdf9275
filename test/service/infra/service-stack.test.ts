import { describe, expect, it } from 'vitest';
import { DELIVERY_WORKER, FUNCTIONS, POLLERS, PROBE } from '../../../infra/functions.ts';
import { PERMISSIONS } from '../../../infra/permissions.ts';
import { STAGE_NAMES, stageValues } from '../../../infra/stages.ts';
import { filledInProd, Synthesised, variables } from '../../makers/synthesised.ts';

const dev = Synthesised.of('dev');
const prod = Synthesised.of('prod');
const OPERATIONS = FUNCTIONS.map(({ operation }) => operation);

describe('functions', () => {
  it('has one function per row and no other', () => {
    const names = prod
      .serviceResources('AWS::Lambda::Function')
      .map(([, { Properties }]) => Properties['FunctionName']);
    expect(names.sort()).toEqual(OPERATIONS.map((operation) => `partner-credit-prod-${operation}`).sort());
  });

  it.each(FUNCTIONS)(
    '$operation runs on Node 24, arm64, $memory MB, for $timeout s',
    ({ operation, timeout, memory }) => {
      expect(prod.functionOf(operation).properties).toMatchObject({
        Runtime: 'nodejs24.x',
        Architectures: ['arm64'],
        MemorySize: memory,
        Timeout: timeout,
        Handler: 'index.handler',
        TracingConfig: { Mode: 'Active' },
      });
    },
  );

  it('ends submissions before the gateway stops waiting at 29 s, pollers before the next minute', () => {
    const timeouts = Object.fromEntries(FUNCTIONS.map(({ operation, timeout }) => [operation, timeout]));
    expect(timeouts).toMatchObject({
      'submit-analyses': 28,
      'create-lead': 10,
      fallback: 10,
      'poll-bank-outcomes': 55,
      'sweep-deliveries': 55,
      'sweep-erasures': 55,
      'deliver-webhook': 30,
    });
  });

  it('keeps their logs for as long as the stage says', () => {
    for (const name of STAGE_NAMES) {
      const groups = Synthesised.of(name).serviceResources('AWS::Logs::LogGroup');
      // Beside the functions: accesses of the gateway, its own errors, and what a firewall has blocked.
      expect(groups).toHaveLength(FUNCTIONS.length + (stageValues(name, {}).firewall ? 3 : 2));
      for (const [, { Properties }] of groups) {
        expect(Properties['RetentionInDays']).toBe(stageValues(name, {}).logRetention);
      }
    }
  });

  it('never lets webhooks go to local targets: only the local run does', () => {
    for (const name of STAGE_NAMES) {
      const { data, service, watch } = Synthesised.of(name);
      for (const template of [data, service, watch]) {
        expect(JSON.stringify(template.toJSON())).not.toContain('LOCAL_WEBHOOK_TARGETS');
      }
    }
  });
});

describe('environment', () => {
  it.each(OPERATIONS)('%s gets the variables that its permissions imply', (operation) => {
    const permission = PERMISSIONS[operation]!;
    const given = Object.keys(variables(prod.functionOf(operation).properties));
    const implied = [
      'STAGE',
      'POWERTOOLS_SERVICE_NAME',
      'POWERTOOLS_LOG_LEVEL',
      ...(permission.table || permission.indexes ? ['TABLE_NAME'] : []),
      ...(permission.secrets?.includes('keys') ? ['KEYS_SECRET'] : []),
      ...(permission.secrets?.includes('operator') ? ['OPERATOR_URL', 'OPERATOR_TOKEN_SECRET'] : []),
      ...(permission.secrets?.includes('probe') ? ['PROBE_URL', 'PROBE_KEY_SECRET'] : []),
      ...(permission.sendsDeliveries || permission.takesDeliveries ? ['DELIVERY_QUEUE_URL'] : []),
      ...(permission.takesDeliveries ? ['DELIVERY_DLQ_URL'] : []),
      ...(operation === 'get-docs' ? ['SUPPORT_EMAIL', 'SUPPORT_HOURS'] : []),
    ];
    expect(given.sort()).toEqual(implied.sort());
  });
});

describe('permissions', () => {
  const allowed = (operation: string, service: string) =>
    prod
      .statementsOf(operation)
      .filter(({ Effect }) => Effect === 'Allow')
      .filter(({ Action }) => Action.some((action) => action.startsWith(`${service}:`)));

  it.each(OPERATIONS)('%s may do to the table what its row says, and nothing else', (operation) => {
    const permission = PERMISSIONS[operation]!;
    const onTable = allowed(operation, 'dynamodb').filter(({ Resource }) => !Resource[0]?.includes('/index/'));
    expect(onTable.flatMap(({ Action }) => Action).sort()).toEqual(
      [...(permission.table ?? [])].map((action) => `dynamodb:${action}`).sort(),
    );
    const onIndexes = allowed(operation, 'dynamodb').filter(({ Resource }) => Resource[0]?.includes('/index/'));
    expect(
      onIndexes.flatMap(({ Resource }) => Resource.map((text) => /\/index\/(\w+)/.exec(text)?.[1])).sort(),
    ).toEqual([...(permission.indexes ?? [])].sort());
    for (const { Action } of onIndexes) expect(Action).toEqual(['dynamodb:Query']);
  });

  it.each(OPERATIONS)('%s may use the key only through the services that it uses', (operation) => {
    const permission = PERMISSIONS[operation]!;
    const usesTable = permission.table !== undefined || permission.indexes !== undefined;
    const through = allowed(operation, 'kms').map(({ Action, Condition }) => [
      (Condition as { StringEquals: Record<string, string> }).StringEquals['kms:ViaService'],
      [...Action].sort(),
    ]);
    expect(through).toEqual([
      ...(usesTable
        ? [
            [
              'dynamodb.sa-east-1.amazonaws.com',
              ['kms:Decrypt', 'kms:DescribeKey', 'kms:Encrypt', 'kms:GenerateDataKey*', 'kms:ReEncrypt*'],
            ],
          ]
        : []),
      ...(permission.secrets ? [['secretsmanager.sa-east-1.amazonaws.com', ['kms:Decrypt']]] : []),
    ]);
  });

  it.each(OPERATIONS)('%s may use the queues as its row says', (operation) => {
    const permission = PERMISSIONS[operation]!;
    const actions = allowed(operation, 'sqs').map(({ Action, Resource }) => [
      [...Action].sort(),
      Resource[0]?.includes('DeadLetters') ? 'dead letters' : 'deliveries',
    ]);
    expect(actions).toEqual([
      ...(permission.sendsDeliveries ? [[['sqs:SendMessage'], 'deliveries']] : []),
      ...(permission.takesDeliveries
        ? [
            [
              [
                'sqs:ChangeMessageVisibility',
                'sqs:DeleteMessage',
                'sqs:GetQueueAttributes',
                'sqs:ReceiveMessage',
              ].sort(),
              'deliveries',
            ],
            [['sqs:SendMessage'], 'dead letters'],
          ]
        : []),
    ]);
  });

  it.each(OPERATIONS)('%s may read the secrets of its row', (operation) => {
    const secrets = allowed(operation, 'secretsmanager');
    expect(secrets.flatMap(({ Action }) => Action)).toEqual(
      PERMISSIONS[operation]!.secrets ? ['secretsmanager:GetSecretValue'] : [],
    );
    const names = secrets.flatMap(({ Resource }) =>
      Resource.map((text) => /Secret(keys|operator|probe)/.exec(text)?.[1]),
    );
    expect(names.sort()).toEqual([...(PERMISSIONS[operation]!.secrets ?? [])].sort());
  });

  it.each(OPERATIONS)(
    '%s has no action outside these services, logs and traces, and no wildcard resource but for traces',
    (operation) => {
      for (const { Action, Resource } of prod.statementsOf(operation)) {
        const services = [...new Set(Action.map((action) => action.split(':')[0]))];
        expect(services).toHaveLength(1);
        expect(['logs', 'xray', 'dynamodb', 'kms', 'sqs', 'secretsmanager']).toContain(services[0]);
        if (services[0] !== 'xray') expect(Resource).not.toContain('"*"');
      }
    },
  );

  it.each(OPERATIONS.filter((operation) => PERMISSIONS[operation]?.table ?? PERMISSIONS[operation]?.indexes))(
    '%s is denied any change of consents and of the audit, on the table itself',
    (operation) => {
      const denied = prod.statementsOf(operation).filter(({ Effect }) => Effect === 'Deny');
      expect(denied).toHaveLength(2);
      for (const { Action, Resource } of denied) {
        expect(Action).toEqual(expect.arrayContaining(['dynamodb:UpdateItem', 'dynamodb:DeleteItem']));
        expect(Resource[0]).toMatch(/GetAttTable\w+Arn/);
      }
    },
  );

  it('holds everything in the roles themselves: no policy is attached beside them', () => {
    prod.service.resourceCountIs('AWS::IAM::Policy', 0);
    for (const [, { Properties }] of prod.serviceResources('AWS::IAM::Role')) {
      if (String(Properties['Description'] ?? '').startsWith('What '))
        expect(Properties['ManagedPolicyArns']).toBeUndefined();
    }
  });
});

describe('the delivery queue', () => {
  const queues = Object.fromEntries(
    prod
      .serviceResources('AWS::SQS::Queue')
      .map(([id, { Properties }]) => [String(Properties['QueueName']), { id, Properties }]),
  );
  const deliveries = queues['partner-credit-prod-deliveries']!;
  const dead = queues['partner-credit-prod-deliveries-dead']!;

  it('moves what is taken 8 times to its dead-letter queue, which keeps it for 14 days', () => {
    expect(deliveries.Properties['RedrivePolicy']).toEqual({
      deadLetterTargetArn: { 'Fn::GetAtt': [dead.id, 'Arn'] },
      maxReceiveCount: 8,
    });
    expect(dead.Properties['MessageRetentionPeriod']).toBe(14 * 86_400);
  });

  it('hides taken messages for 180 s, six times the timeout of the worker', () => {
    expect(deliveries.Properties['VisibilityTimeout']).toBe(180);
    expect(prod.functionOf(DELIVERY_WORKER).properties['Timeout']).toBe(30);
  });

  it('is encrypted and open to TLS only, and so are its dead letters', () => {
    for (const { id, Properties } of [deliveries, dead]) {
      expect(Properties['SqsManagedSseEnabled']).toBe(true);
      const policy = prod.serviceResources('AWS::SQS::QueuePolicy').find(
        ([
          ,
          {
            Properties: { Queues },
          },
        ]) => JSON.stringify(Queues) === JSON.stringify([{ Ref: id }]),
      );
      expect(policy?.[1].Properties['PolicyDocument']).toMatchObject({
        Statement: expect.arrayContaining([
          expect.objectContaining({
            Effect: 'Deny',
            Action: 'sqs:*',
            Condition: { Bool: { 'aws:SecureTransport': 'false' } },
          }),
        ]),
      });
    }
  });

  it('feeds the worker, which reports failed items one by one, within the stage’s concurrency', () => {
    const sources = prod.serviceResources('AWS::Lambda::EventSourceMapping');
    expect(sources).toHaveLength(1);
    expect(sources[0]![1].Properties).toMatchObject({
      EventSourceArn: { 'Fn::GetAtt': [deliveries.id, 'Arn'] },
      BatchSize: 5,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      ScalingConfig: { MaximumConcurrency: stageValues('prod', {}).webhookConcurrency },
    });
    expect(JSON.stringify(sources[0]![1].Properties['FunctionName'])).toContain(prod.functionOf(DELIVERY_WORKER).alias);
  });
});

describe('schedules', () => {
  const inputsOf = (stage: Synthesised, operation: string) =>
    stage.serviceResources('AWS::Events::Rule').flatMap(([, { Properties }]) =>
      (Properties['Targets'] as { Arn: { Ref: string }; Input: string; RetryPolicy: unknown }[])
        .filter(({ Arn }) => Arn.Ref === stage.functionOf(operation).alias)
        .map(({ Input, RetryPolicy }) => ({
          rate: Properties['ScheduleExpression'],
          input: JSON.parse(Input),
          RetryPolicy,
        })),
    );
  const RetryPolicy = { MaximumEventAgeInSeconds: 60, MaximumRetryAttempts: 0 };

  it('asks for outcomes each minute, once per shard', () => {
    expect(inputsOf(dev, POLLERS.outcomes)).toEqual([
      { rate: 'rate(1 minute)', input: { shard: 0, shards: 1 }, RetryPolicy },
    ]);
    expect(inputsOf(prod, POLLERS.outcomes)).toEqual(
      [0, 1, 2, 3].map((shard) => ({ rate: 'rate(1 minute)', input: { shard, shards: 4 }, RetryPolicy })),
    );
  });

  it('sweeps deliveries each minute, once', () => {
    expect(inputsOf(prod, POLLERS.sweeper)).toEqual([{ rate: 'rate(1 minute)', input: {}, RetryPolicy }]);
  });

  it('looks from outside each minute, by the address that partners have', () => {
    expect(inputsOf(prod, PROBE)).toEqual([{ rate: 'rate(1 minute)', input: {}, RetryPolicy }]);
    const urlOf = (stage: Synthesised) => variables(stage.functionOf(PROBE).properties)['PROBE_URL'];
    expect(urlOf(filledInProd())).toBe('https://api.credit.test');
    expect(JSON.stringify(urlOf(dev))).toMatch(/execute-api\.sa-east-1\.amazonaws\.com\/dev"/);
    // From outside: never by the private network of functions that call out.
    const fixed = new Synthesised('prod', { fixedEgress: true, egressAddresses: true });
    expect(fixed.functionOf(PROBE).properties).not.toHaveProperty('VpcConfig');
  });

  it('never repeats a failed run: the next minute is the retry', () => {
    const configurations = prod
      .serviceResources('AWS::Lambda::EventInvokeConfig')
      .map(([, { Properties }]) => Properties);
    const scheduled = [...Object.values(POLLERS), PROBE];
    expect(configurations).toHaveLength(scheduled.length);
    for (const operation of scheduled) {
      const { id, alias } = prod.functionOf(operation);
      expect(configurations).toContainEqual({
        FunctionName: { Ref: id },
        Qualifier: { 'Fn::Select': [7, { 'Fn::Split': [':', { Ref: alias }] }] },
        MaximumEventAgeInSeconds: 60,
        MaximumRetryAttempts: 0,
      });
    }
  });
});

it('leaves room below the limit of 500 resources', () => {
  expect(Object.keys(prod.service.toJSON()['Resources']).length).toBeLessThan(400);
});
