import { type AwsRequest, type Body, callerOf } from '#infra/local/aws/aws-like/request.ts';
import { ACCOUNT, REGION } from '#infra/local/template.ts';

/** One action that a request to AWS takes, as IAM is asked about it. */
export interface Access {
  /** The access key id that signed the request. */
  readonly caller: string;
  /** For example `dynamodb:GetItem`. */
  readonly action: string;
  /** ARN of the resource. */
  readonly resource: string;
  /**
   * Partition keys of the rows that the action touches. For a query of an index, its own partition key. Empty for scans
   * and for other services.
   */
  readonly leadingKeys: readonly string[];
  /** Attributes that an update or a put names, including those of its key. */
  readonly attributes?: readonly string[];
}

/** IAM actions by part of a transaction. A transaction has no action of its own. */
const PARTS: Readonly<Record<string, string>> = {
  Put: 'PutItem',
  Update: 'UpdateItem',
  Delete: 'DeleteItem',
  ConditionCheck: 'ConditionCheckItem',
  Get: 'GetItem',
};

interface Part {
  readonly TableName: string;
  readonly IndexName?: string;
  readonly Key?: Readonly<Record<string, { readonly S: string }>>;
  readonly Item?: Readonly<Record<string, { readonly S: string }>>;
  readonly KeyConditionExpression?: string;
  readonly ExpressionAttributeValues?: Readonly<Record<string, { readonly S: string }>>;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
  readonly UpdateExpression?: string;
  readonly ConditionExpression?: string;
}

const arn = (service: string, resource: string) => `arn:aws:${service}:${REGION}:${ACCOUNT}:${resource}`;

/** Words of an expression that are not names of attributes. */
const KEYWORDS =
  /^(SET|REMOVE|ADD|DELETE|AND|OR|NOT|IN|BETWEEN|attribute_\w+|begins_with|contains|size|if_not_exists|list_append)$/;

function attributesOf({ Key = {}, Item, ...part }: Part) {
  const { UpdateExpression, ConditionExpression = '', ExpressionAttributeNames = {} } = part;
  if (UpdateExpression === undefined && Item === undefined) return [];
  const words = `${UpdateExpression ?? ''} ${ConditionExpression}`.match(/(?<![.:\w])#?[A-Za-z_]\w*/g) ?? [];
  const names = words.filter((word) => !KEYWORDS.test(word)).map((word) => ExpressionAttributeNames[word] ?? word);
  return Array.from(new Set([...Object.keys(Key), ...Object.keys(Item ?? {}), ...names]));
}

function tableAccess(action: string, part: Part): Omit<Access, 'caller'> {
  const { TableName, IndexName, Key, Item, KeyConditionExpression, ExpressionAttributeValues } = part;
  const keyValue = /\b(?:pk|listPk|duePk) = (:\w+)/.exec(KeyConditionExpression ?? '')?.[1];
  const partitionKey = Key?.['pk'] ?? Item?.['pk'] ?? (keyValue ? ExpressionAttributeValues?.[keyValue] : undefined);
  return {
    action: `dynamodb:${action}`,
    resource: arn('dynamodb', `table/${TableName}${IndexName ? `/index/${IndexName}` : ''}`),
    leadingKeys: partitionKey ? [partitionKey.S] : [],
    attributes: attributesOf(part),
  };
}

/** Returns what IAM would be asked about a request to DynamoDB. */
export function dynamoDbAccesses(request: string, body: Body): Omit<Access, 'caller'>[] {
  if (request.startsWith('Transact')) {
    const items = body['TransactItems'] as readonly Readonly<Record<string, Part>>[];
    return items.flatMap((item) => Object.entries(item).map(([kind, part]) => tableAccess(PARTS[kind]!, part)));
  }
  if (request.startsWith('Batch')) {
    const tables = Object.entries(body['RequestItems'] as Record<string, { Keys: Part['Key'][] }>);
    return tables.map(([TableName, { Keys }]) => ({
      ...tableAccess(request, { TableName }),
      leadingKeys: Keys.map((key) => key!['pk']!.S),
    }));
  }
  return [tableAccess(request, body as unknown as Part)];
}

/** Returns what IAM would be asked about a request to AWS. */
export function accessesOfRequest(request: AwsRequest): Access[] {
  const { service, action, body } = request;
  const caller = callerOf(request) ?? 'nobody';
  if (service === 'dynamodb') return dynamoDbAccesses(action, body).map((access) => ({ caller, ...access }));
  if (service === 'secretsmanager')
    return [{ caller, action: `secretsmanager:${action}`, resource: String(body['SecretId']), leadingKeys: [] }];
  const name = String(body['QueueUrl']).split('/').at(-1)!;
  // IAM has no action for a batch. It needs the action of a single message.
  return [{ caller, action: `sqs:${action.replace(/Batch$/, '')}`, resource: arn('sqs', name), leadingKeys: [] }];
}
