import { Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { BackupPlan, BackupPlanRule, BackupResource, BackupVault } from 'aws-cdk-lib/aws-backup';
import { type CronOptions, Schedule } from 'aws-cdk-lib/aws-events';
import * as iam from 'aws-cdk-lib/aws-iam';
import type { Key } from 'aws-cdk-lib/aws-kms';
import { CfnResourcePolicy, type CfnSecret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import { COPIES, type Evidence, prefixOf, type Stage } from '../stages.ts';

const HERE = Duration.days(COPIES.hereDays);
/** Longest reach of point-in-time recovery, and time for which DynamoDB keeps the backup of a deleted table. */
const RECOVERY = Duration.days(35);
/** Time before the vault's lock becomes final. AWS allows no shorter time. */
const LOCK_TRIAL = Duration.days(3);

/** Returns the days after which no copy of a table exists any more. Retired keys are kept for this long. */
export const copyDays = ({ evidence }: Pick<Stage, 'evidence'>): number =>
  evidence?.copyVaultArn === undefined ? RECOVERY.toDays() : COPIES.yearly.keptDays;

/** CloudFormation keeps this many characters of the stack's name in the names of roles. */
const STACK_NAME_IN_ROLES = 24;

type KeyName = 'keys' | 'retiredKeys';

const POLICIES: Readonly<Record<KeyName, string>> = { keys: 'KeysPolicy', retiredKeys: 'RetiredKeysPolicy' };

interface KeptEvidenceProps {
  readonly stage: Stage;
  readonly evidence: Evidence;
  readonly tables: readonly string[];
  readonly key: Key;
  readonly secrets: Readonly<Record<KeyName, CfnSecret>>;
}

/**
 * Evidence that must survive the loss of this account: nightly copies of the tables, and the keys, without which nobody
 * could open the copies.
 */
export class KeptEvidence extends Construct {
  constructor(scope: Construct, id: string, props: KeptEvidenceProps) {
    super(scope, id);
    const { stage, evidence, key } = props;
    const other = evidence.copyVaultArn === undefined ? undefined : accountOf(evidence.copyVaultArn);
    const copier = other && `arn:aws:iam::${other}:role/${prefixOf(stage)}-key-copy`;
    guardKeys(this, 'keys', props, copier);
    guardKeys(this, 'retiredKeys', props, copier);
    if (other !== undefined) openToAccount(key, other);
    if (copier !== undefined) key.addToResourcePolicy(readableBy(copier, 'kms:Decrypt', stage.region));
    this.backups(props);
  }

  private backups({ stage, evidence, tables, key }: KeptEvidenceProps): void {
    const vault = new BackupVault(this, 'Vault', {
      backupVaultName: prefixOf(stage),
      encryptionKey: key,
      // A copy that comes back from the other account may stay for as long as point-in-time recovery reaches.
      lockConfiguration: {
        minRetention: HERE,
        maxRetention: RECOVERY,
        changeableFor: evidence.vaultLock === 'compliance' ? LOCK_TRIAL : undefined,
      },
      removalPolicy: RemovalPolicy.RETAIN,
    });
    const { copyVaultArn } = evidence;
    const otherVault = copyVaultArn && BackupVault.fromBackupVaultArn(this, 'OtherVault', copyVaultArn);
    // A copy can be restored only in the account and region that hold it, so that after a loss it is copied back first.
    if (copyVaultArn !== undefined) vault.addToAccessPolicy(copiedBackFrom(accountOf(copyVaultArn)));
    const plan = new BackupPlan(this, 'Plan', { backupPlanName: prefixOf(stage), backupVault: vault });
    // If the start windows of two rules overlap, AWS Backup makes the backup of only one of them.
    const rule = (ruleName: string, at: CronOptions, keptDays: number, moveToColdStorageAfter?: Duration) =>
      new BackupPlanRule({
        ruleName,
        scheduleExpression: Schedule.cron({ ...at, minute: '0' }),
        startWindow: Duration.hours(1),
        deleteAfter: HERE,
        copyActions: otherVault
          ? [{ destinationBackupVault: otherVault, deleteAfter: Duration.days(keptDays), moveToColdStorageAfter }]
          : [],
      });
    const { nightly, monthly, yearly } = COPIES;
    plan.addRule(rule('nightly', { hour: `${nightly.hour}` }, nightly.keptDays));
    if (otherVault) {
      const evidenceAt = { day: `${monthly.day}`, hour: `${monthly.hour}` };
      const cold = Duration.days(1);
      plan.addRule(rule('monthly', { ...evidenceAt, month: '2-12' }, monthly.keptDays, cold));
      plan.addRule(rule('yearly', { ...evidenceAt, month: '1' }, yearly.keptDays, cold));
    }
    const role = new iam.Role(this, 'Role', {
      assumedBy: new iam.ServicePrincipal('backup.amazonaws.com'),
      description: 'AWS Backup reads the tables',
    });
    Validations.of(role).acknowledge({
      id: 'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSBackupServiceRolePolicyForBackup]',
      reason: 'The policy that AWS keeps for AWS Backup; the role is used by nothing else.',
    });
    plan.addSelection('Tables', { resources: tables.map((arn) => BackupResource.fromArn(arn)), role });
  }
}

function copiedBackFrom(account: string): iam.PolicyStatement {
  return new iam.PolicyStatement({
    sid: 'CopiedBack',
    principals: [new iam.AccountPrincipal(account)],
    actions: ['backup:CopyIntoBackupVault'],
    resources: ['*'],
  });
}

/** AWS Backup of the other account uses the key of the vault that the copy comes from. */
function openToAccount(key: Key, account: string): void {
  key.addToResourcePolicy(
    new iam.PolicyStatement({
      sid: 'CopiesToTheOtherAccount',
      principals: [new iam.AccountPrincipal(account)],
      actions: ['kms:CreateGrant', 'kms:Decrypt', 'kms:DescribeKey'],
      resources: ['*'],
      conditions: { StringLike: { 'kms:ViaService': 'backup.*.amazonaws.com' } },
    }),
  );
}

/** The condition names the role, because AWS refuses a principal that does not exist yet. */
function readableBy(copier: string, action: string, region?: string): iam.PolicyStatement {
  const statement = new iam.PolicyStatement({
    sid: 'KeyCopy',
    principals: [new iam.AccountPrincipal(copier.split(':')[4])],
    actions: [action],
    resources: ['*'],
    conditions: { ArnEquals: { 'aws:PrincipalArn': copier } },
  });
  if (region !== undefined) {
    statement.addCondition('StringEquals', { 'kms:ViaService': `secretsmanager.${region}.amazonaws.com` });
  }
  return statement;
}

/** Returns patterns of role names, as literals, so that no stack waits for another. */
export function keyholders(stage: Stage, which: KeyName): readonly string[] {
  const prefix = prefixOf(stage);
  const rolesOf = (stack: string) => `${`${prefix}-${stack}`.slice(0, STACK_NAME_IN_ROLES)}*`;
  // The deployment and the emergency role must not be locked out of the keys.
  const holders = [rolesOf('administration'), 'cdk-hnb659fds-*', `${prefix}-break-glass*`];
  if (which === 'keys') holders.unshift(rolesOf('service'));
  return holders;
}

/**
 * Denies the keys to all roles but their holders and `copier` (ARN of another account's role), whatever their own
 * policies allow.
 */
function guardKeys(scope: Construct, which: KeyName, props: KeptEvidenceProps, copier: string | undefined): void {
  const { stage, evidence, secrets } = props;
  const secret = secrets[which];
  if (evidence.secondRegion !== undefined) secret.replicaRegions = [{ region: evidence.secondRegion }];
  const { account } = Stack.of(scope);
  const holders = keyholders(stage, which).map((role) => `arn:aws:iam::${account}:role/${role}`);
  if (copier !== undefined) holders.push(copier);
  const statements = [
    new iam.PolicyStatement({
      sid: 'KeyholdersAlone',
      effect: iam.Effect.DENY,
      principals: [new iam.AnyPrincipal()],
      // Each of the last three actions could replace the keys. Whoever replaced them could open everything that is
      // encrypted with the new keys.
      actions: ['GetSecretValue', 'PutSecretValue', 'UpdateSecret', 'UpdateSecretVersionStage'].map(
        (action) => `secretsmanager:${action}`,
      ),
      resources: ['*'],
      conditions: { ArnNotLike: { 'aws:PrincipalArn': holders } },
    }),
  ];
  if (copier !== undefined) statements.push(readableBy(copier, 'secretsmanager:GetSecretValue'));
  const policy = new CfnResourcePolicy(scope, POLICIES[which], {
    secretId: secret.ref,
    blockPublicPolicy: true,
    resourcePolicy: new iam.PolicyDocument({ statements }),
  });
  policy.applyRemovalPolicy(RemovalPolicy.RETAIN);
}

/** Throws an Error if the text is no ARN of a backup vault. */
function accountOf(vaultArn: string): string {
  const found = /^arn:aws:backup:[a-z0-9-]+:(\d{12}):backup-vault:\S+$/.exec(vaultArn)?.[1];
  if (found === undefined) throw new Error(`${JSON.stringify(vaultArn)} is no ARN of a backup vault`);
  return found;
}
