import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { parseApiKey } from '../../shared/domain/partners/api-key.ts';
import type { AuthEntry } from '../../shared/table/api-key-auth.ts';
import { tableClient } from '../../shared/table/client.ts';
import { authKey } from '../../shared/table/keys.ts';

/** Changes what the auth item says of a key, as the manager's commands do from one call of the key to the next. */
export async function changeAuthEntry(key: string, changes: Partial<AuthEntry>): Promise<void> {
  const { partnerId, keyId } = parseApiKey(key)!;
  const names = Object.keys(changes);
  await tableClient().send(
    new UpdateCommand({
      TableName: process.env['TABLE_NAME']!,
      Key: authKey(partnerId),
      UpdateExpression: `SET ${names.map((name) => `k.#key.${name} = :${name}`).join(', ')}`,
      ExpressionAttributeNames: { '#key': keyId },
      ExpressionAttributeValues: Object.fromEntries(
        Object.entries(changes).map(([name, value]) => [`:${name}`, value]),
      ),
    }),
  );
}
