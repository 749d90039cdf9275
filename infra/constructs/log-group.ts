import { RemovalPolicy } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { DataIdentifier, DataProtectionPolicy, LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { Stage } from '../stages.ts';

interface LogGroupSettings {
  readonly stage: Stage;
  readonly key: IKey;
  /** Whether this is the access log, which has the address of every caller. */
  readonly addresses?: boolean;
  /** Days for which the log is kept. @default the stage's `logRetention` */
  readonly retention?: RetentionDays;
}

/**
 * The key's policy must allow the group's name. An access log is kept for a year: Marco Civil, art. 15, asks for 6
 * months, and CloudWatch's next smaller step is 180 days. Only people who may unmask addresses see them in the log.
 */
export function logGroupOf(
  scope: Construct,
  id: string,
  logGroupName: string,
  { stage, key, addresses = false, retention = stage.logRetention }: LogGroupSettings,
): LogGroup {
  return new LogGroup(scope, id, {
    logGroupName,
    encryptionKey: key,
    retention: addresses ? RetentionDays.ONE_YEAR : retention,
    dataProtectionPolicy: addresses ? new DataProtectionPolicy({ identifiers: [DataIdentifier.IPADDRESS] }) : undefined,
    // If a deployment that creates the group is rolled back, the group is deleted: the next try would find the name in
    // use. A deployment that brings a function back does find the name in use (RUNBOOK.md, release).
    removalPolicy: stage.retention.keepsLogs ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY,
  });
}
