import { Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { BackupPlan, BackupPlanRule, BackupResource, BackupVault } from 'aws-cdk-lib/aws-backup';
import { Schedule } from 'aws-cdk-lib/aws-events';
import * as iam from 'aws-cdk-lib/aws-iam';
import type { Key } from 'aws-cdk-lib/aws-kms';
import { CfnResourcePolicy, type CfnSecret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import { type Evidence, prefixOf, type Stage } from '../stages.ts';

/** Time that daily copies are kept in this account. */
const HERE = Duration.days(35);
/** Time that daily copies are kept in the other account, for the loss of this account, which is seen within hours. */
const DAILY_THERE = Duration.days(7);
/** Time that monthly copies are kept in the other account, because consents have to be kept for five years. */
const FIVE_YEARS = Duration.days(5 * 365 + 2);
/** Time in which a vault's lock can still be taken away. AWS allows no less. */
const LOCK_TRIAL = Duration.days(3);

/** Days after which no copy is left of a table's state, those of a deleted table among them: so long keys are kept for copies. */
export const copyDays = ({ evidence }: Pick<Stage, 'evidence'>): number =>
  (evidence?.copyVaultArn === undefined ? HERE : FIVE_YEARS).toDays();

/**
 * CloudFormation cuts the stack's name to so many characters in the names that it gives to roles; a pattern must be no
 * longer than what is left of it.
 */
const STACK_NAME_IN_ROLES = 24;

type KeyName = 'keys' | 'retiredKeys';

interface KeptEvidenceProps {
  readonly stage: Stage;
  readonly evidence: Evidence;
  /** ARNs. */
  readonly tables: readonly string[];
  /** Seals the tables and the vault. */
  readonly key: Key;
  readonly keys: CfnSecret;
  readonly retiredKeys: CfnSecret;
}

/**
 * What outlives this account's worst day: copies of the tables, every day, here and in another account's vault, and the
 * service's own keys, without which no row of a copy could be opened: a role of that account may read them, since Secrets
 * Manager copies to no other account by itself. Everything stays in the stage's region unless it names a second.
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
      // Nobody deletes a copy before its time, an administrator of this account included; and none stays beyond it (the
      // construct takes no maximum that equals the minimum).
      lockConfiguration: {
        minRetention: HERE,
        maxRetention: HERE.plus(Duration.days(1)),
        changeableFor: evidence.vaultLock === 'compliance' ? LOCK_TRIAL : undefined,
      },
      removalPolicy: RemovalPolicy.RETAIN,
    });
    const { copyVaultArn } = evidence;
    const elsewhere = copyVaultArn && BackupVault.fromBackupVaultArn(this, 'OtherVault', copyVaultArn);
    const copied = (deleteAfter: Duration) => (elsewhere ? [{ destinationBackupVault: elsewhere, deleteAfter }] : []);
    // A copy is restored where it lies: after a loss it is copied back first.
    if (copyVaultArn !== undefined) vault.addToAccessPolicy(copiedBackFrom(accountOf(copyVaultArn)));
    const plan = new BackupPlan(this, 'Plan', { backupPlanName: prefixOf(stage), backupVault: vault });
    // Where the windows of two rules meet, AWS Backup makes the backup of one alone.
    const rule = (ruleName: string, scheduleExpression: Schedule, keptThere: Duration) =>
      new BackupPlanRule({
        ruleName,
        scheduleExpression,
        startWindow: Duration.hours(1),
        deleteAfter: HERE,
        copyActions: copied(keptThere),
      });
    plan.addRule(rule('daily', Schedule.cron({ hour: '5', minute: '0' }), DAILY_THERE));
    if (elsewhere) {
      plan.addRule(rule('monthly-copy', Schedule.cron({ day: '1', hour: '12', minute: '0' }), FIVE_YEARS));
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

/** Lets the other account copy a recovery point back into this vault. */
function copiedBackFrom(account: string): iam.PolicyStatement {
  return new iam.PolicyStatement({
    sid: 'CopiedBack',
    principals: [new iam.AccountPrincipal(account)],
    actions: ['backup:CopyIntoBackupVault'],
    resources: ['*'],
  });
}

/** The other account's AWS Backup opens a recovery point with the key of the vault that it comes from. */
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

/** Lets the other account's role use an action of Secrets Manager, or of the key by way of it. By its name: it need not exist yet. */
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

/**
 * Roles that may read and write the service's keys, or the retired ones, which only the administration knows: patterns of
 * their names. Literals, so that no stack waits for another.
 */
export function keyholders(stage: Stage, which: KeyName): readonly string[] {
  const prefix = prefixOf(stage);
  const rolesOf = (stack: string) => `${`${prefix}-${stack}`.slice(0, STACK_NAME_IN_ROLES)}*`;
  // Who deploys may not be locked out of what the stack holds, nor may people in an emergency.
  const holders = [rolesOf('administration'), 'cdk-hnb659fds-*', `${prefix}-break-glass*`];
  if (which === 'keys') holders.unshift(rolesOf('service'));
  return holders;
}

/**
 * Denies keys to all but their holders, whatever their own policies allow, an administrator of the account included, and
 * copies them to the second region. `copier`: ARN of a role of another account that may read them too.
 */
function guardKeys(scope: Construct, which: KeyName, props: KeptEvidenceProps, copier: string | undefined): void {
  const { stage, evidence, [which]: secret } = props;
  if (evidence.secondRegion !== undefined) secret.replicaRegions = [{ region: evidence.secondRegion }];
  const { account } = Stack.of(scope);
  const holders = keyholders(stage, which).map((role) => `arn:aws:iam::${account}:role/${role}`);
  if (copier !== undefined) holders.push(copier);
  const statements = [
    new iam.PolicyStatement({
      sid: 'KeyholdersAlone',
      effect: iam.Effect.DENY,
      principals: [new iam.AnyPrincipal()],
      // By each of the last three another secret takes the keys' place: what is sealed from then on, its maker can open.
      actions: ['GetSecretValue', 'PutSecretValue', 'UpdateSecret', 'UpdateSecretVersionStage'].map(
        (action) => `secretsmanager:${action}`,
      ),
      resources: ['*'],
      conditions: { ArnNotLike: { 'aws:PrincipalArn': holders } },
    }),
  ];
  if (copier !== undefined) statements.push(readableBy(copier, 'secretsmanager:GetSecretValue'));
  const policy = new CfnResourcePolicy(scope, which === 'keys' ? 'KeysPolicy' : 'RetiredKeysPolicy', {
    secretId: secret.ref,
    blockPublicPolicy: true,
    resourcePolicy: new iam.PolicyDocument({ statements }),
  });
  policy.applyRemovalPolicy(RemovalPolicy.RETAIN);
}

/** The account that a vault's ARN names. Throws an Error where it is none. */
function accountOf(vaultArn: string): string {
  const found = /^arn:aws:backup:[a-z0-9-]+:(\d{12}):backup-vault:\S+$/.exec(vaultArn)?.[1];
  if (found === undefined) throw new Error(`${JSON.stringify(vaultArn)} is no ARN of a backup vault`);
  return found;
}
