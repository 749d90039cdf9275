/**
 * The least work of a function that uses the table: the SDK makes one write and one read at the same time, without our
 * code.
 */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';

const documents = DynamoDBDocumentClient.from(new DynamoDBClient({}));
const TableName = process.env['TABLE_NAME']!;
const Key = { pk: 'nothing', sk: 'nothing' };

export async function handler() {
  const counting = { UpdateExpression: 'ADD calls :one', ConditionExpression: 'attribute_exists(pk)' };
  const update = new UpdateCommand({ TableName, Key, ...counting, ExpressionAttributeValues: { ':one': 1 } });
  await Promise.all([documents.send(update).catch(() => {}), documents.send(new GetCommand({ TableName, Key }))]);
  return { statusCode: 200 };
}
