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
      'arnInFinding returns an ARN without a reference unchanged',
      'arn:aws:sqs:sa-east-1:111122223333:q',
      'arn:aws:sqs:sa-east-1:111122223333:q',
    ],
    ['arnInFinding writes a reference as its name in angle brackets', Aws.ACCOUNT_ID, '<AWS::AccountId>'],
    ['arnInFinding writes an attribute as the names of resource and attribute', queue.attrArn, '<Queue.Arn>'],
    [
      'arnInFinding writes the references of a joined ARN in their places',
      `arn:aws:sqs:${Aws.REGION}:1:*`,
      'arn:aws:sqs:<AWS::Region>:1:*',
    ],
  ])('%s', (_, arn, finding) => {
    expect(arnInFinding(stack, arn)).toBe(finding);
  });

  it('arnInFinding throws an Error for an ARN that another function of CloudFormation builds', () => {
    expect(() => arnInFinding(stack, Fn.importValue('elsewhere'))).toThrow('is no ARN that a finding could name');
  });
});

describe('resourceOf', () => {
  const queue = new Queue(new Stack(new App(), 'stack'), 'Jobs');

  it('resourceOf returns the CloudFormation resource that a construct makes', () => {
    expect(resourceOf(queue, CfnQueue)).toBe(queue.node.defaultChild);
  });

  it('resourceOf throws an Error that names construct and class if the class is wrong', () => {
    expect(() => resourceOf(queue, CfnApplication)).toThrow('the resource of stack/Jobs is no CfnApplication');
  });
});
