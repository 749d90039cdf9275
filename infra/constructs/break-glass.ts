import { Duration, Stack, Token, Validations } from 'aws-cdk-lib';
import { AccountRootPrincipal, PolicyDocument, Role } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import type { Index } from '../permissions.ts';
import { breakGlassOf, prefixOf, type Stage } from '../stages.ts';
import { allow, evidenceStays, type Touchable } from './role-statements.ts';

const INDEXES: readonly Index[] = ['byList', 'byDue'];

/**
 * The role for the hour in which the administration itself does not work. Only an IAM user of the account with a second
 * factor can take it, for an hour, under the user's own name and in the stage's region, where the watch stack's rule
 * sees each use. Consents and the audit stay as they are even then. It mends the secrets, and reads the copy of the keys
 * in whichever region it lies: the role of a new region reads what the lost one has left.
 */
export class BreakGlass extends Construct {
  constructor(scope: Construct, id: string, stage: Stage, touchable: Touchable) {
    super(scope, id);
    const { table, erasureLedger, key, secrets, deliveries } = touchable;
    const rows = ['GetItem', 'BatchGetItem', 'Query', 'Scan', 'PutItem', 'UpdateItem', 'DeleteItem'];
    const { account } = Stack.of(this);
    const copies = stage.evidence?.secondRegion ? [copiesOfKeys(stage, account)] : [];
    const role = new Role(this, 'Role', {
      roleName: breakGlassOf(stage),
      description: 'Reaches past the administration when nothing else helps; each use wakes someone',
      maxSessionDuration: Duration.hours(1),
      assumedBy: new AccountRootPrincipal().withConditions({
        Bool: { 'aws:MultiFactorAuthPresent': 'true' },
        StringEquals: { 'aws:RequestedRegion': stage.region },
        // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of IAM, not of ours.
        StringLike: { 'sts:RoleSessionName': '${aws:username}' },
      }),
      inlinePolicies: {
        permissions: new PolicyDocument({
          statements: [
            allow('Table', 'dynamodb', rows, [
              table.tableArn,
              ...INDEXES.map((index) => `${table.tableArn}/index/${index}`),
              erasureLedger.tableArn,
            ]),
            ...evidenceStays({}, table),
            allow('Key', 'kms', ['Encrypt', 'Decrypt', 'GenerateDataKey', 'DescribeKey'], [key.keyArn]),
            allow(
              'Secrets',
              'secretsmanager',
              [
                'GetSecretValue',
                'PutSecretValue',
                'DescribeSecret',
                'ListSecretVersionIds',
                'UpdateSecretVersionStage',
                'RestoreSecret',
              ],
              Object.values(secrets),
            ),
            ...copies.map((copy) =>
              allow('CopiesOfKeys', 'secretsmanager', ['GetSecretValue', 'DescribeSecret'], [copy]),
            ),
            allow(
              'Queues',
              'sqs',
              ['SendMessage', 'ReceiveMessage', 'DeleteMessage', 'ChangeMessageVisibility', 'GetQueueAttributes'],
              [deliveries.queue.queueArn, deliveries.deadLetters.queueArn],
            ),
          ],
        }),
      },
    });
    if (copies.length > 0)
      Validations.of(role).acknowledge({
        // A reference is its name in angle brackets where findings write it.
        id: `AwsSolutions-IAM5[Resource::${copiesOfKeys(stage, Token.isUnresolved(account) ? '<AWS::AccountId>' : account)}]`,
        reason: 'Secrets Manager draws what follows the name, and a new region reads the copy of the lost one.',
      });
  }
}

/** The secrets of the keys, retired ones among them, in all regions: a copy has the ARN of the first but for the region. */
const copiesOfKeys = (stage: Stage, account: string): string =>
  `arn:aws:secretsmanager:*:${account}:secret:${prefixOf(stage)}/*keys-??????`;
