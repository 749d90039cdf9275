import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { tableClient } from '../../shared/table/client.ts';

/** The rows whose partition key begins with a text, as the table has them. */
export async function rowsOf(prefix: string): Promise<Record<string, unknown>[]> {
  const output = await tableClient().send(
    new ScanCommand({
      TableName: process.env['TABLE_NAME']!,
      FilterExpression: 'begins_with(pk, :prefix)',
      ExpressionAttributeValues: { ':prefix': prefix },
    }),
  );
  return output.Items ?? [];
}
