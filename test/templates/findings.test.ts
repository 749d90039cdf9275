import { App, Aws, Fn, Stack } from 'aws-cdk-lib';
import { CfnApplication } from 'aws-cdk-lib/aws-codedeploy';
import { CfnQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import { describe, expect, it } from 'vitest';
import { arnInFinding } from '#infra/constructs/finding.ts';
import { resourceOf } from '#infra/constructs/resource-of.ts';

describe('arnInFinding', () => {
  const stack = new Stack(new App(), 'stack');
  const queue = new CfnQueue(stack, 'Queue');

  it.each([
    [
      'an ARN without a reference stays as it is',
      'arn:aws:sqs:sa-east-1:111122223333:q',
      'arn:aws:sqs:sa-east-1:111122223333:q',
    ],
    ['a reference is its name in angle brackets', Aws.ACCOUNT_ID, '<AWS::AccountId>'],
    ['an attribute is the name of its resource and its own', queue.attrArn, '<Queue.Arn>'],
    ['a joined ARN has its references in place', `arn:aws:sqs:${Aws.REGION}:1:*`, 'arn:aws:sqs:<AWS::Region>:1:*'],
  ])('%s', (_, arn, finding) => {
    expect(arnInFinding(stack, arn)).toBe(finding);
  });

  it('throws an Error for an ARN that another function of CloudFormation builds', () => {
    expect(() => arnInFinding(stack, Fn.importValue('elsewhere'))).toThrow('is no ARN that a finding could name');
  });
});

describe('resourceOf', () => {
  const queue = new Queue(new Stack(new App(), 'stack'), 'Jobs');

  it('returns the CloudFormation resource that a construct makes', () => {
    expect(resourceOf(queue, CfnQueue)).toBe(queue.node.defaultChild);
  });

  it('throws an Error that names construct and class if the resource is of another class', () => {
    expect(() => resourceOf(queue, CfnApplication)).toThrow('the resource of stack/Jobs is no CfnApplication');
  });
});
