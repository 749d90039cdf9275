import { RemovalPolicy } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { DataIdentifier, DataProtectionPolicy, LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { Stage } from '../stages.ts';

/**
 * Returns a log group that is encrypted with our key and kept for as long as the stage says. The policy of the key must
 * allow its name. A log group with callers' addresses is kept for a year in every stage: Marco Civil, art. 15, asks for
 * 6 months, and CloudWatch's next smaller step of 180 days is shorter. It shows addresses only to people who may unmask
 * them.
 */
export function logGroupOf(
  scope: Construct,
  id: string,
  logGroupName: string,
  { stage, key, addresses = false }: { readonly stage: Stage; readonly key: IKey; readonly addresses?: boolean },
): LogGroup {
  return new LogGroup(scope, id, {
    logGroupName,
    encryptionKey: key,
    retention: addresses ? RetentionDays.ONE_YEAR : stage.logRetention,
    dataProtectionPolicy: addresses ? new DataProtectionPolicy({ identifiers: [DataIdentifier.IPADDRESS] }) : undefined,
    // Kept when the stack is deleted, but not when its own creation is rolled back: the next try would find the name in
    // use. A deployment that brings a function back finds the name in use, too: RUNBOOK.md, release.
    removalPolicy: stage.retention.keepsLogs ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY,
  });
}
