/** The least that a function over the table can do: the SDK, one write and one read at once, none of our code around them. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';

const documents = DynamoDBDocumentClient.from(new DynamoDBClient({}));
const TableName = process.env['TABLE_NAME']!;
const Key = { pk: 'nothing', sk: 'nothing' };

export async function handler() {
  await Promise.all([
    documents
      .send(
        new UpdateCommand({
          TableName,
          Key,
          UpdateExpression: 'ADD calls :one',
          ConditionExpression: 'attribute_exists(pk)',
          ExpressionAttributeValues: { ':one': 1 },
        }),
      )
      .catch(() => {}),
    documents.send(new GetCommand({ TableName, Key })),
  ]);
  return { statusCode: 200 };
}
