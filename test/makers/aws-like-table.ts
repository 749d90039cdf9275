import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { awsLikeSettings } from '../../infra/local/aws/aws-like/settings.ts';
import type { AwsLike, ObservedCall } from '../../infra/local/aws/aws-like.ts';
import { type Peers, startPeers } from './peers.ts';

/** Nothing conflicts for longer than it takes, and no read shows the past. */
export const CALM = {
  ...awsLikeSettings('default', 1),
  transactionHold: [0, 0],
  indexLag: [0, 0],
  readLag: [0, 0],
} as const;
/** Longer than any test, in milliseconds: what is this late is never seen. */
export const AGES = [600_000, 600_000] as const;

export type Key = Readonly<Record<'pk' | 'sk', string>>;

let rows = 0;
/** The key of a row that no other test has. */
export const newRow = (): Key => ({ pk: `ROW#${++rows}`, sk: 'ROW' });

/** A client of the table, with its own patience. */
export function tableClientOf(options: ConstructorParameters<typeof DynamoDBClient>[0]): DynamoDBDocumentClient {
  return DynamoDBDocumentClient.from(new DynamoDBClient({ ...options }));
}

/** The table behind a calm wire, written and read by the SDK alone. */
export class AwsLikeTable {
  readonly peers: Peers;
  readonly wire: AwsLike;
  /** Repeats a request twice. */
  readonly client = tableClientOf({ maxAttempts: 3 });
  readonly name = process.env['TABLE_NAME']!;

  private constructor(peers: Peers, wire: AwsLike) {
    this.peers = peers;
    this.wire = wire;
  }

  static async open(observed?: (call: ObservedCall) => void): Promise<AwsLikeTable> {
    const peers = await startPeers(undefined, { awsLike: CALM, observed });
    return new AwsLikeTable(peers, peers.awsLike!);
  }

  put(item: Key & Readonly<Record<string, unknown>>) {
    return this.client.send(new PutCommand({ TableName: this.name, Item: item }));
  }

  /** Adds one to the row's `n`, under no condition. */
  addOne(key: Key, client = this.client) {
    return client.send(
      new UpdateCommand({
        TableName: this.name,
        Key: key,
        UpdateExpression: 'ADD n :one',
        ExpressionAttributeValues: { ':one': 1 },
        ReturnValues: 'ALL_NEW',
      }),
    );
  }

  async get(key: Key, consistent = true) {
    const read = new GetCommand({ TableName: this.name, Key: key, ConsistentRead: consistent });
    return (await this.client.send(read)).Item;
  }
}
