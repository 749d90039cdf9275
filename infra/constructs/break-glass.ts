import { Duration, Stack, Token, Validations } from 'aws-cdk-lib';
import { AccountRootPrincipal, PolicyDocument, Role } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import type { Index } from '../permissions.ts';
import { breakGlassOf, namesOf, type Stage } from '../stages.ts';
import { allow, evidenceStays, type Touchable } from './role-statements.ts';

const INDEXES: readonly Index[] = ['byList', 'byDue'];

/**
 * The emergency role. An IAM user of this account with a second factor may assume it for an hour, in the stage's
 * region, where the watch stack's rule sees each use. If a region is lost, the role of the new region must read the
 * lost region's copy of the keys.
 */
export class BreakGlass extends Construct {
  constructor(scope: Construct, id: string, stage: Stage, touchable: Touchable) {
    super(scope, id);
    const { table, erasureLedger, key, secrets, deliveries } = touchable;
    const rows = ['GetItem', 'BatchGetItem', 'Query', 'Scan', 'PutItem', 'UpdateItem', 'DeleteItem'];
    const { account } = Stack.of(this);
    const copies = stage.evidence?.secondRegion ? copiesOfKeys(stage, account) : [];
    const statements = [
      allow('Table', 'dynamodb', rows, [
        table.tableArn,
        ...INDEXES.map((index) => `${table.tableArn}/index/${index}`),
        erasureLedger.tableArn,
      ]),
      ...evidenceStays({}, table),
      allow('Key', 'kms', ['Encrypt', 'Decrypt', 'GenerateDataKey', 'DescribeKey'], [key.keyArn]),
      allow('Secrets', 'secretsmanager', ['GetSecretValue', 'PutSecretValue'], Object.values(secrets)),
      allow(
        'VersionsOfSecrets',
        'secretsmanager',
        ['DescribeSecret', 'ListSecretVersionIds', 'UpdateSecretVersionStage', 'RestoreSecret'],
        Object.values(secrets),
      ),
      allow(
        'Queues',
        'sqs',
        ['SendMessage', 'ReceiveMessage', 'DeleteMessage', 'ChangeMessageVisibility', 'GetQueueAttributes'],
        [deliveries.queue.queueArn, deliveries.deadLetters.queueArn],
      ),
    ];
    if (copies.length > 0) {
      statements.push(allow('CopiesOfKeys', 'secretsmanager', ['GetSecretValue', 'DescribeSecret'], copies));
    }
    const role = new Role(this, 'Role', {
      roleName: breakGlassOf(stage),
      description: 'Works without the administration when nothing else helps; each use wakes someone',
      maxSessionDuration: Duration.hours(1),
      assumedBy: new AccountRootPrincipal().withConditions({
        Bool: { 'aws:MultiFactorAuthPresent': 'true' },
        StringEquals: { 'aws:RequestedRegion': stage.region },
        // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of IAM, not of ours.
        StringLike: { 'sts:RoleSessionName': '${aws:username}' },
      }),
      inlinePolicies: { permissions: new PolicyDocument({ statements }) },
    });
    // cdk-nag writes a reference as its name in angle brackets.
    const found = Token.isUnresolved(account) ? '<AWS::AccountId>' : account;
    for (const copy of copies)
      Validations.of(role).acknowledge({
        id: `AwsSolutions-IAM5[Resource::${copy.replace(account, found)}]`,
        reason:
          'Secrets Manager appends random characters to the name, and a new region reads the copy of the lost one.',
      });
  }
}

/** The ARN of a copy differs only in the region. */
const copiesOfKeys = (stage: Stage, account: string): readonly string[] =>
  [namesOf(stage).keysSecret, namesOf(stage).retiredKeysSecret].map(
    (name) => `arn:aws:secretsmanager:*:${account}:secret:${name}-??????`,
  );
