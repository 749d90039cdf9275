import { describe, expect, it } from 'vitest';
import {
  checkStage,
  functionNameOf,
  logGroupNameOf,
  STAGE_NAMES,
  type Stage,
  stageNamed,
  stageValues,
} from '../../../infra/stages.ts';
import { MAX_POLL_SHARDS } from '../../../shared/domain/analyses/poll-schedule.ts';

const prod = stageValues('prod', {});
const concurrency = (changes: Partial<Stage['concurrency']>): Partial<Stage> => ({
  concurrency: { ...prod.concurrency, ...changes },
});

describe('the values of the stages', () => {
  it.each(STAGE_NAMES)('%s can be deployed, in São Paulo, in the account of the credentials', (name) => {
    const stage = stageValues(name, { CDK_DEFAULT_ACCOUNT: '111122223333' });
    expect(() => checkStage(stage)).not.toThrow();
    expect(stage).toMatchObject({ region: 'sa-east-1', account: '111122223333' });
  });

  it.each(STAGE_NAMES)('%s reserves and warms nothing and fixes no addresses unless it is asked to', (name) => {
    expect(stageValues(name, {})).toMatchObject({
      concurrency: { reserved: {}, provisioned: {} },
      fixedEgress: false,
      domain: undefined,
    });
  });

  it('shifts all at once in dev, by canary where there are callers, and guards those by the web firewall', () => {
    expect(STAGE_NAMES.map((name) => [name, stageValues(name, {}).shift])).toEqual([
      ['dev', 'at-once'],
      ['staging', 'canary'],
      ['prod', 'canary'],
    ]);
    expect(STAGE_NAMES.filter((name) => stageValues(name, {}).firewall)).toEqual(['prod']);
  });

  it.each<[string, Partial<Stage>, RegExp]>([
    ['a rate per address that partners’ servers reach', { firewall: { perAddress: 9_999 } }, /perAddress/],
    [
      'reservations that leave fewer than 100 runs',
      concurrency({ accountLimit: 300, reserved: { 'submit-analyses': 193, 'poll-bank-outcomes': 8 } }),
      /201 runs are reserved/,
    ],
    ['a poller without a shard', { pollShards: 0 }, /pollShards is not between 1 and 60/],
    ['more shards than the pending index has work for', { pollShards: 61 }, /pollShards is not between 1 and 60/],
    ['half a shard', { pollShards: 1.5 }, /pollShards/],
    ['a single webhook worker', { webhookConcurrency: 1 }, /webhookConcurrency/],
    ['more recovery than DynamoDB keeps', { retention: { recoveryDays: 36, keepsLogs: true } }, /recoveryDays/],
    ['fixed addresses that would go again', { fixedEgress: true }, /fixedEgress without egressAddresses/],
    ['an API that nobody could call', { executeApi: false }, /executeApi is shut without a domain/],
    ['a burst below the rate', { throttle: { rate: 10, burst: 5 } }, /burst/],
  ])('refuse %s', (_, changes, message) => {
    expect(() => checkStage({ ...prod, ...changes })).toThrow(message);
  });

  it('take as many shards as the poller does', () => {
    expect(() => checkStage({ ...prod, pollShards: MAX_POLL_SHARDS })).not.toThrow();
  });

  it('accept reservations that leave 100 runs', () => {
    const stage = {
      ...prod,
      ...concurrency({ accountLimit: 300, reserved: { 'submit-analyses': 192, 'poll-bank-outcomes': 8 } }),
    };
    expect(() => checkStage(stage)).not.toThrow();
  });

  it('are found by name only', () => {
    expect(stageNamed('prod')).toBe('prod');
    expect(() => stageNamed('production')).toThrow('use dev, staging, prod');
  });

  it('name functions and their log groups as Lambda does', () => {
    expect(functionNameOf(prod, 'get-lead')).toBe('partner-credit-prod-get-lead');
    expect(logGroupNameOf(prod, 'get-lead')).toBe('/aws/lambda/partner-credit-prod-get-lead');
    expect(logGroupNameOf(prod, 'access')).toBe('/partner-credit-prod/access');
  });
});
