import { afterAll, describe, expect, it } from 'vitest';
import { ADMINISTRATION_FUNCTIONS, FUNCTIONS } from '../../../infra/functions.ts';
import { ROUTES } from '../../../shared/contract/routes.ts';
import { assemblyWithStubs, QUEUES } from '../../makers/assembly-with-stubs.ts';

const { blueprint, remove } = assemblyWithStubs();
afterAll(remove);

describe('what the local run makes, read off the template', () => {
  it('has each function with its bundle, timeout and resolved environment', () => {
    expect(blueprint.functions.map(({ operation }) => operation).sort()).toEqual(
      [...FUNCTIONS, ...ADMINISTRATION_FUNCTIONS].map(({ operation }) => operation).sort(),
    );
    const worker = blueprint.functions.find(({ operation }) => operation === 'deliver-webhook');
    expect(worker).toMatchObject({
      name: 'partner-credit-dev-deliver-webhook',
      handler: 'index.handler',
      timeout: 30_000,
      memory: 512,
      environment: {
        TABLE_NAME: 'partner-credit-dev',
        KEYS_SECRET: 'arn:aws:secretsmanager:sa-east-1:000000000000:secret:partner-credit-dev/keys-local0',
        DELIVERY_QUEUE_URL: `${QUEUES}/000000000000/partner-credit-dev-deliveries`,
        DELIVERY_DLQ_URL: `${QUEUES}/000000000000/partner-credit-dev-deliveries-dead`,
      },
    });
  });

  it('has a method for each route', () => {
    for (const { method, path, operation } of ROUTES) {
      expect(blueprint.api.methods).toContainEqual({
        method,
        path,
        function: `partner-credit-dev-${operation}`,
        signed: false,
      });
    }
  });

  it('has the gateway’s own answers', () => {
    expect(blueprint.api.answers['INTEGRATION_TIMEOUT']).toMatchObject({
      status: 504,
      headers: { 'X-Request-Id': 'context.extendedRequestId' },
    });
  });

  it('has a table that CreateTable takes', () => {
    expect(blueprint.table).toMatchObject({
      TableName: 'partner-credit-dev',
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
    });
    expect(blueprint.table.GlobalSecondaryIndexes?.map(({ IndexName }) => IndexName)).toEqual(['byList', 'byDue']);
    expect(blueprint.timeToLive).toBe('expiresAt');
  });

  it('has the queues, what they feed, the schedules and the secrets', () => {
    expect(blueprint.queues).toContainEqual({
      name: 'partner-credit-dev-deliveries',
      attributes: {
        VisibilityTimeout: '180',
        RedrivePolicy: JSON.stringify({
          deadLetterTargetArn: 'arn:aws:sqs:sa-east-1:000000000000:partner-credit-dev-deliveries-dead',
          maxReceiveCount: 8,
        }),
      },
    });
    expect(blueprint.sources).toEqual([
      {
        queueArn: 'arn:aws:sqs:sa-east-1:000000000000:partner-credit-dev-deliveries',
        function: 'partner-credit-dev-deliver-webhook',
        batchSize: 5,
        maxConcurrency: 2,
        reportsFailures: true,
      },
    ]);
    expect(blueprint.schedules.map(({ every, function: name, input }) => [every, name, JSON.parse(input)])).toEqual([
      [60_000, 'partner-credit-dev-poll-bank-outcomes', { shard: 0, shards: 1 }],
      [60_000, 'partner-credit-dev-sweep-deliveries', {}],
      [60_000, 'partner-credit-dev-sweep-erasures', {}],
      [60_000, 'partner-credit-dev-probe-service', {}],
    ]);
    expect(blueprint.secrets.map(({ name }) => name).sort()).toEqual([
      'partner-credit-dev/keys',
      'partner-credit-dev/operator',
      'partner-credit-dev/probe',
    ]);
  });
});
