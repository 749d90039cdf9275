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

/** All rows as the table holds them, or as one of its indexes does. */
export async function everyRow(index?: string): Promise<Record<string, unknown>[]> {
  const rows: Record<string, unknown>[] = [];
  let from: Record<string, unknown> | undefined;
  do {
    const output = await tableClient().send(
      new ScanCommand({
        TableName: process.env['TABLE_NAME']!,
        ...(index !== undefined && { IndexName: index }),
        ExclusiveStartKey: from,
      }),
    );
    rows.push(...(output.Items ?? []));
    from = output.LastEvaluatedKey;
  } while (from);
  return rows;
}
