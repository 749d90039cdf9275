import { RemovalPolicy } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { DataIdentifier, DataProtectionPolicy, LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { Stage } from '../stages.ts';

interface LogGroupSettings {
  readonly stage: Stage;
  readonly key: IKey;
  /** Whether it is the access log, which has the address of every caller. */
  readonly addresses?: boolean;
  /** Days for which the log is kept. @default the stage's `logRetention` */
  readonly retention?: RetentionDays;
}

/**
 * The policy of the key must allow the name. An access log is kept for a year: Marco Civil, art. 15, asks for 6 months,
 * and CloudWatch's next smaller step is 180 days. It shows addresses only to people who may unmask them.
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
    // A group is not kept when its own creation is rolled back: the next try would find the name in use, and so does a
    // deployment that brings a function back (RUNBOOK.md, release).
    removalPolicy: stage.retention.keepsLogs ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY,
  });
}
