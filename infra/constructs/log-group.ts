import { RemovalPolicy } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { Stage } from '../stages.ts';

/** A log group under our key, kept for as long as the stage says. Its name must be one that the key's policy lets in. */
export function logGroupOf(
  scope: Construct,
  id: string,
  logGroupName: string,
  { stage, key }: { readonly stage: Stage; readonly key: IKey },
): LogGroup {
  return new LogGroup(scope, id, {
    logGroupName,
    encryptionKey: key,
    retention: stage.logRetention,
    // Kept on deletion, but not when its own creation is rolled back: the next try would find the name taken. So does a
    // deployment that brings a function back: RUNBOOK.md, release.
    removalPolicy: stage.retention.keepsLogs ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY,
  });
}
