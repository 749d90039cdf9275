import { RemovalPolicy } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { DataIdentifier, DataProtectionPolicy, LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { Stage } from '../stages.ts';

/**
 * A log group under our key, kept for as long as the stage says. Its name must be one that the key's policy lets in. One
 * with callers' addresses is kept for a year in every stage (Marco Civil, art. 15, asks for 6 months; CloudWatch's next
 * smaller step, 180 days, falls short of them), and shows them to who may unmask alone.
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
    // Kept on deletion, but not when its own creation is rolled back: the next try would find the name taken. So does a
    // deployment that brings a function back: RUNBOOK.md, release.
    removalPolicy: stage.retention.keepsLogs ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY,
  });
}
