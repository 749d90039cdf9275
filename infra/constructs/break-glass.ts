import { Duration } from 'aws-cdk-lib';
import { AccountRootPrincipal, PolicyDocument, PolicyStatement, Role } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import type { Index } from '../permissions.ts';
import { breakGlassOf, type Stage } from '../stages.ts';
import { evidenceStays, type Touchable } from './service-function.ts';

const INDEXES: readonly Index[] = ['byList', 'byDue'];

/**
 * The role for the hour in which the administration itself does not work. Only an IAM user of the account with a second
 * factor can take it, for an hour, under the user's own name and in the stage's region, where the watch stack's rule
 * sees each use. Consents and the audit stay as they are even then.
 */
export class BreakGlass extends Construct {
  constructor(scope: Construct, id: string, stage: Stage, touchable: Touchable) {
    super(scope, id);
    const { table, erasureLedger, key, secrets, deliveries } = touchable;
    const allow = (sid: string, actions: readonly string[], resources: readonly string[]) =>
      new PolicyStatement({ sid, actions: [...actions], resources: [...resources] });
    const rows = ['GetItem', 'BatchGetItem', 'Query', 'Scan', 'PutItem', 'UpdateItem', 'DeleteItem'];
    new Role(this, 'Role', {
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
            allow(
              'Table',
              rows.map((action) => `dynamodb:${action}`),
              [table.tableArn, ...INDEXES.map((index) => `${table.tableArn}/index/${index}`), erasureLedger.tableArn],
            ),
            ...evidenceStays({}, table),
            allow('Key', ['kms:Encrypt', 'kms:Decrypt', 'kms:GenerateDataKey', 'kms:DescribeKey'], [key.keyArn]),
            allow(
              'Secrets',
              ['GetSecretValue', 'PutSecretValue', 'DescribeSecret'].map((action) => `secretsmanager:${action}`),
              Object.values(secrets),
            ),
            allow(
              'Queues',
              ['SendMessage', 'ReceiveMessage', 'DeleteMessage', 'ChangeMessageVisibility', 'GetQueueAttributes'].map(
                (action) => `sqs:${action}`,
              ),
              [deliveries.queue.queueArn, deliveries.deadLetters.queueArn],
            ),
          ],
        }),
      },
    });
  }
}
